"""Customers, their tax ids and sessions."""

"""Customers and their needs."""

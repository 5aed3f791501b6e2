"""Quotes, and the items and amounts of sales."""

"""Databases, data sources, queries and views."""

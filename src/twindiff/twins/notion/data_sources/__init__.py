"""Databases, data sources, their properties, queries and views."""

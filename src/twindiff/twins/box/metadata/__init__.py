"""Metadata templates, instances, taxonomies and queries."""

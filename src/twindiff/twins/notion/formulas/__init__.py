"""Notion's formula language 2.0."""

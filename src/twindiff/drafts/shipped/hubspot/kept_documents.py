"""The collections of an account that are kept as documents."""

from __future__ import annotations

from . import content, developer_tools, forms, marketing, object_schemas

COLLECTIONS = (
    object_schemas.SCHEMAS,
    *content.COLLECTIONS,
    *forms.COLLECTIONS,
    forms.SUBMISSIONS,
    *marketing.TABLES,
    *developer_tools.TABLES,
)
"""What is kept as documents."""

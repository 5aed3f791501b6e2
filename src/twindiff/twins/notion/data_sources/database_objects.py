"""Databases and data sources as objects, in the shapes of each version."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..blocks.block_objects import UNTITLED, parent_object
from ..core.api_version import has_data_sources, trash_fields, web_url
from ..core.edit_stamps import millis, show_stamps
from ..core.file_values import render_file
from ..core.object_lookup import is_trashed, list_data_sources
from ..properties.schemas import properties_object
from ..rich_text.rich_text_values import unpack_columns, unpack_text
from ..tables.data_source_tables import Database, DataSource


def database_object(call: Call, row: Database) -> dict[str, Any]:
    """Render a database; before data sources it has the properties of its only one."""
    trashed = is_trashed(call, row)
    sources = list_data_sources(call, row.id)
    first = sources[0].title if sources else ""
    title = unpack_columns(call, row.title, row.rich_title) or unpack_text(call, first or UNTITLED)
    shown: dict[str, Any] = {
        "object": "database",
        "id": row.id,
        "title": title,
        "description": unpack_columns(call, row.description, row.rich_description),
        "parent": parent_object(call, row),
        "is_inline": row.is_inline,
        **trash_fields(call, trashed),
        "is_locked": row.is_locked,
        "icon": render_file(call, row.icon),
        "cover": render_file(call, row.cover),
        "url": web_url(call, row.id),
        "public_url": None,
    }
    if has_data_sources(call):
        times = {
            "created_time": millis(row.created_time),
            "last_edited_time": millis(row.last_edited_time or row.created_time),
        }
        named = [{"id": each.id, "name": each.title or UNTITLED} for each in sources]
        return {**shown, **times, "data_sources": named}
    return {**shown, **show_stamps(row), "properties": properties_object(call, sources[0].id) if sources else {}}


def _description(call: Call, row: Database | DataSource) -> list[dict[str, Any]]:
    return unpack_columns(call, row.description, row.rich_description)


def data_source_object(call: Call, row: DataSource) -> dict[str, Any]:
    """Render a data source; before data sources, its database."""
    database = call.db.get(Database, row.database_id)
    if not has_data_sources(call):
        return database_object(call, database)
    return {
        "object": "data_source",
        "id": row.id,
        "cover": render_file(call, row.cover),
        "icon": render_file(call, row.icon),
        **show_stamps(row),
        "title": unpack_columns(call, row.title, row.rich_title),
        "description": _description(call, row) or _description(call, database),
        "is_inline": database.is_inline,
        "properties": properties_object(call, row.id),
        "parent": {"type": "database_id", "database_id": row.database_id},
        "database_parent": parent_object(call, database),
        "url": web_url(call, row.database_id),
        "public_url": None,
        **trash_fields(call, is_trashed(call, row)),
    }

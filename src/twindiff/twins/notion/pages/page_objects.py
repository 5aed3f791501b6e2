"""Pages as objects, with their values computed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

from twindiff.kit import Call

from ..blocks.block_objects import parent_object
from ..core.api_version import OLDEST, has_data_sources, trash_fields, version_of, web_url
from ..core.body_rules import is_list
from ..core.edit_stamps import show_stamps
from ..core.file_values import render_file
from ..core.object_lookup import is_trashed
from ..properties.computed_values import computed_value
from ..properties.property_values import property_value
from ..properties.schemas import TITLE, find_properties, find_property
from ..rich_text.rich_text_values import unpack_columns
from ..tables.content_tables import Page
from ..tables.data_source_tables import DataSource
from ..wire_style import ValidationError


def page_object(
    call: Call, page: Page, only: Collection[str] | None = None, *, in_trash: bool | None = None
) -> dict[str, Any]:
    """Render a page; `only` has the ids of the properties to show, and None shows all."""
    trashed = is_trashed(call, page) if in_trash is None else in_trash
    shown: dict[str, Any] = {
        "object": "page",
        "id": page.id,
        **show_stamps(page),
        "cover": render_file(call, page.cover),
        "icon": render_file(call, page.icon),
        "parent": _parent(call, page),
        **trash_fields(call, trashed),
        "is_archived": False,
        "is_locked": page.is_locked,
        "properties": page_properties(call, page, only),
        "url": web_url(call, page.id, _words(page)),
        "public_url": None,
    }
    if version_of(call) <= OLDEST:
        del shown["is_archived"]
    return shown


def _words(page: Page) -> str:
    """Return the title without mentions."""
    pieces = page.properties.get(TITLE)
    return "".join(piece.get("text", "") for piece in pieces) if is_list(pieces) else page.title


def _parent(call: Call, page: Page) -> dict[str, Any]:
    if page.parent_type != "data_source_id":
        return parent_object(call, page)
    databases = call.memo.setdefault("database_ids", {})
    if page.parent_id not in databases:
        row = call.db.find(DataSource, DataSource.id == page.parent_id)
        databases[page.parent_id] = row.database_id if row else None
    database_id = databases[page.parent_id]
    if not has_data_sources(call):
        return {"type": "database_id", "database_id": database_id}
    return {"type": "data_source_id", "data_source_id": page.parent_id, "database_id": database_id}


def page_properties(call: Call, page: Page, only: Collection[str] | None = None) -> dict[str, Any]:
    """Render the values of a page by name of their property."""
    if page.data_source_id is None:
        title = unpack_columns(call, page.title, page.properties.get(TITLE))
        return {TITLE: {"id": TITLE, "type": TITLE, TITLE: title}}
    rows = [row for row in find_properties(call, page.data_source_id) if only is None or row.id in only]
    return {row.name: property_value(call, page, row, computed_value(call, page, row)) for row in rows}


def parse_filter(call: Call, data_source_id: str | None, names: list[str]) -> set[str] | None:
    """Return the ids of the properties that the parameter `filter_properties` names, None if it names none.

    Raise ValidationError for a property that does not exist; pages outside data sources show all that they have.
    """
    if data_source_id is None:
        return None
    wanted: set[str] = set()
    for name in (unquote(each) for given in names for each in given.split(",") if each):
        row = find_property(call, data_source_id, name)
        if row is None:
            raise ValidationError(f"Could not find property with name or id: {name}")
        wanted.add(row.id)
    return wanted or None

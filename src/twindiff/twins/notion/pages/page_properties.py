"""Property items: one property of a page, the longer ones in pages.

https://developers.notion.com/reference/retrieve-a-page-property
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

from twindiff.kit import Call, Operations

from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, invalid_cursor
from ..core.object_lookup import find_page, not_found, parse_id
from ..properties.computed_values import computed_value
from ..properties.property_values import value_object
from ..properties.schemas import TITLE, find_property
from ..properties.typed_values import Typed
from ..tables.content_tables import Page
from ..tables.data_source_tables import Property

api = Operations(prefix="/v1")
LISTED = ("title", "rich_text", "people", "relation")


@api.get("/pages/{page_id}/properties/{property_id}", scope="read_content")
def get_page_property(
    call: Call,
    page_id: str,
    property_id: str,
    start_cursor: str | None = None,
    page_size: str | int = MAX_PAGE_SIZE,
) -> dict[str, Any]:
    """Get a property of a page."""
    page = find_page(call, parse_id(page_id, "page_id"))
    row = _find_property(call, page, property_id)
    value = computed_value(call, page, row)
    size = check_page_size(page_size)
    if isinstance(value, Typed) and value.items is not None:
        items = [
            {"object": "property_item", "id": each.row.id, "type": each.row.type,
             each.row.type: value_object(call, each.page, each.row, each.stored)}
            for each in value.items
        ]  # fmt: skip
        rollup: dict[str, Any] = {"type": value.kind, value.kind: [], "function": row.config["function"]}
        return _list_items(call, page, row, items, start_cursor, size, rollup)
    shown = value_object(call, page, row, value)
    if row.type not in LISTED:
        return {"object": "property_item", "type": row.type, "id": row.id, row.type: shown}
    items = [{"object": "property_item", "type": row.type, "id": row.id, row.type: each} for each in shown]
    return _list_items(call, page, row, items, start_cursor, size, {})


def _find_property(call: Call, page: Page, key: str) -> Property:
    if page.data_source_id is None and unquote(key) == TITLE:
        return Property(data_source_id="", id=TITLE, name=TITLE, type=TITLE)
    row = find_property(call, page.data_source_id, key) if page.data_source_id else None
    if row is None:
        raise not_found(call, "property", key)
    return row


def _list_items(
    call: Call, page: Page, row: Property, items: list[dict[str, Any]], cursor: str | None, size: int, about: Any
) -> dict[str, Any]:
    start = _offset_of(cursor)
    following = str(start + size) if start + size < len(items) else None
    url = (
        f"{call.base_url}/v1/pages/{page.id}/properties/{quote(row.id)}?start_cursor={following}" if following else None
    )
    return {
        "object": "list",
        "results": items[start : start + size],
        "next_cursor": following,
        "has_more": following is not None,
        "type": "property_item",
        "property_item": {"id": row.id, "next_url": url, "type": row.type, row.type: about},
    }


def _offset_of(cursor: str | None) -> int:
    if cursor and (not cursor.isdecimal() or len(cursor) > 6):
        raise invalid_cursor(cursor)
    return int(cursor or 0)

"""Events of pages, databases, data sources, comments and views. https://developers.notion.com/reference/webhooks-events-delivery"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call

from ..core.object_lookup import Node, find_node, find_page_above
from ..tables.content_tables import Block, Comment, Page
from ..tables.data_source_tables import Database, DatabaseView, DataSource
from ..tables.workspace_tables import FileUpload

_LISTED = ("page.created", "page.deleted", "page.undeleted", "page.moved")
"""The events of a page that change what its data source lists."""


def entity_kind(row: Any) -> str:
    """Return the type of a row in events."""
    kinds: dict[Any, str] = {Page: "page", Block: "block", Database: "database", DataSource: "data_source"}
    return kinds.get(type(row), "page")


def emit(call: Call, name: str, row: Any, **data: Any) -> None:
    """Emit an event of a row, and one of the data source that lists it or no longer does."""
    parent: dict[str, Any] = {"id": getattr(row, "parent_id", None) or getattr(row, "database_id", None)}
    kinds = {"page_id": "page", "block_id": "block", "workspace": "space"}
    parent["type"] = "database" if isinstance(row, DataSource) else kinds.get(getattr(row, "parent_type", ""), "page")
    source = call.db.get(DataSource, row.data_source_id) if isinstance(row, Page) and row.data_source_id else None
    if source:
        parent = {"id": source.database_id, "type": "database", "data_source_id": source.id}
    call.emit(name, {"entity": {"id": row.id, "type": entity_kind(row)}, "data": {"parent": parent, **data}})
    if source and isinstance(row, Page) and name in _LISTED:
        emit_listing(call, source, row)


def emit_listing(call: Call, source: DataSource, page: Page) -> None:
    """Emit that a data source lists a page or no longer does."""
    emit(call, "data_source.content_updated", source, updated_blocks=[{"id": page.id, "type": "page"}])


def emit_content(call: Call, parent: Node, changed: Sequence[Node]) -> None:
    """Emit that the content of a page has changed."""
    page = find_page_above(call, parent)
    if page:
        blocks = [{"id": each.id, "type": "block"} for each in changed]
        emit(call, "page.content_updated", page, updated_blocks=blocks)


def emit_properties(call: Call, before: Page, page: Page) -> None:
    """Emit that properties of a page have changed, and that it was locked or unlocked."""
    changed = [
        name
        for name in {**before.properties, **page.properties}
        if before.properties.get(name) != page.properties.get(name)
    ]
    changed += ["title"] * (before.title != page.title)
    if changed or (before.icon, before.cover) != (page.icon, page.cover):
        emit(call, "page.properties_updated", page, updated_properties=sorted(changed))
    if before.is_locked != page.is_locked:
        emit(call, "page.locked" if page.is_locked else "page.unlocked", page)


def emit_trash(call: Call, row: Node | DataSource) -> None:
    """Emit that a row was moved to the trash or back."""
    if isinstance(row, Block):
        emit_content(call, row, [row])
    else:
        emit(call, f"{entity_kind(row)}.{'deleted' if row.in_trash else 'undeleted'}", row)


def emit_comment(call: Call, name: str, row: Comment) -> None:
    """Emit an event of a comment."""
    kind = "page" if row.parent_type == "page_id" else "block"
    page = find_page_above(call, find_node(call, row.parent_id))
    parent = {"id": row.parent_id, "type": kind}
    data = {"page_id": page.id if page else row.parent_id, "parent": parent}
    call.emit(name, {"entity": {"id": row.id, "type": "comment"}, "data": data})


def emit_view(call: Call, name: str, row: DatabaseView, **data: Any) -> None:
    """Emit an event of a view."""
    parent = {"id": row.database_id, "type": "database"}
    call.emit(name, {"entity": {"id": row.id, "type": "view"}, "data": {"parent": parent, **data}})


def emit_upload(call: Call, name: str, row: FileUpload) -> None:
    """Emit an event of a file upload."""
    call.emit(name, {"entity": {"id": row.id, "type": "file_upload"}})

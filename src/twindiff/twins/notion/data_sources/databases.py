"""Databases. https://developers.notion.com/reference/database"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, revise

from ..blocks.child_lists import check_parent, next_position
from ..blocks.trash import check_change, move_to_trash
from ..core.api_version import has_data_sources, is_to_trash
from ..core.body_rules import Rule, boolean, check_body, choice, mapping, obj, typed_object, uuid
from ..core.edit_stamps import stamp, stamp_new
from ..core.file_values import cover, icon, pack_file
from ..core.fractional_index import index_between
from ..core.object_lookup import (
    check_single_source,
    find_database,
    find_page,
    list_data_sources,
    parse_id,
)
from ..event_delivery.event_emission import emit
from ..properties.property_types import changed_property, new_property
from ..properties.schema_changes import change_properties
from ..properties.schemas import add_properties
from ..rich_text.rich_text_rules import rich_text
from ..rich_text.rich_text_values import pack_columns
from ..tables.data_source_tables import Database, DataSource
from .database_objects import database_object
from .views import add_default_view

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
DEFAULT_PROPERTIES: dict[str, Any] = {"Name": {"title": {}}}

_parent = typed_object({"page_id": uuid, "workspace": choice(True), "block_id": uuid})
_about: dict[str, Rule] = {
    "title": rich_text, "description": rich_text, "icon": icon, "cover": cover, "is_inline": boolean,
}  # fmt: skip
_initial = obj(None, properties=mapping(new_property), title=rich_text, icon=icon)
_create_body = obj({"parent": _parent}, initial_data_source=_initial, **_about)
_create_body_with_properties = obj({"parent": _parent, "properties": mapping(new_property)}, **_about)
_trash: dict[str, Rule] = {"in_trash": boolean, "archived": boolean, "is_locked": boolean}
_update_body = obj(None, parent=_parent, **_about, **_trash)
_update_body_with_properties = obj(None, parent=_parent, properties=mapping(changed_property), **_about, **_trash)


@api.post("/databases", scope="insert_content")
def create_database(call: Call, body: JsonBody) -> dict[str, Any]:
    """Create a database with its first data source and a view of it."""
    check_body(_create_body if has_data_sources(call) else _create_body_with_properties, body)
    initial = body.get("initial_data_source") or {"properties": body.get("properties") or DEFAULT_PROPERTIES}
    row = Database(
        id=call.ids.uuid(),
        is_inline=body.get("is_inline", False),
        **stamp_new(call),
        **about_columns(call, body),
        **_place(call, body["parent"]),
    )
    call.db.add(row)
    source = add_data_source(call, row, {**initial, "title": body.get("title") or initial.get("title", [])})
    add_properties(call, source, initial.get("properties") or DEFAULT_PROPERTIES)
    add_default_view(call, row, source)
    emit(call, "database.created", row)
    return database_object(call, row)


def about_columns(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    """Return the columns for the titles, descriptions and pictures in a request."""
    columns: dict[str, Any] = {}
    for name in ("title", "description"):
        if name in body:
            columns[name], columns[f"rich_{name}"] = pack_columns(call, body[name])
    return columns | {name: pack_file(call, body[name]) for name in ("icon", "cover") if name in body}


def _place(call: Call, parent: dict[str, Any]) -> dict[str, Any]:
    kind = parent.get("type") or next(iter(parent))
    if kind == "workspace":
        return {"parent_type": "workspace", "parent_id": None}
    page = find_page(call, parse_id(parent[kind], kind, "body.parent"))
    check_parent(call, page, ())
    return {"parent_type": kind, "parent_id": page.id, "position": next_position(call, page.id)}


def last_position(call: Call, database: Database) -> str:
    """Return the position after all data sources of a database."""
    others = call.db.rows(DataSource, DataSource.database_id == database.id, order=-DataSource.position, limit=1)
    return index_between(others[0].position if others else None, None)


def add_data_source(call: Call, database: Database, body: dict[str, Any]) -> DataSource:
    """Add a data source without properties to a database."""
    row = DataSource(
        id=call.ids.uuid(),
        database_id=database.id,
        position=last_position(call, database),
        **stamp_new(call),
        **about_columns(call, {name: body[name] for name in ("title", "icon") if name in body}),
    )
    return call.db.add(row)


@api.get("/databases/{database_id}", scope="read_content")
def get_database(call: Call, database_id: str) -> dict[str, Any]:
    """Get a database with its data sources."""
    row = find_database(call, parse_id(database_id, "database_id"))
    if not has_data_sources(call):
        check_single_source(call, list_data_sources(call, row.id))
    return database_object(call, row)


@api.patch("/databases/{database_id}", scope="update_content")
def update_database(call: Call, database_id: str, body: JsonBody) -> dict[str, Any]:
    """Change what a database is called and where it is, or move it to the trash or back."""
    row = find_database(call, parse_id(database_id, "database_id"))
    check_body(_update_body if has_data_sources(call) else _update_body_with_properties, body)
    before, row = row, move_to_trash(call, row, is_to_trash(call, body))
    changes = about_columns(call, body)
    changes |= {name: body[name] for name in ("is_inline", "is_locked") if name in body}
    if "parent" in body:
        changes |= _place(call, body["parent"])
    if changes or body.get("properties"):
        check_change(call, before, row)
    row = revise(call.db, row, stamp=stamp(call), **changes)
    if not has_data_sources(call):
        _update_only_source(call, row, body)
    if "parent" in body:
        emit(call, "database.moved", row)
    return database_object(call, row)


def _update_only_source(call: Call, row: Database, body: dict[str, Any]) -> None:
    """Before data sources, a database and its data source are one."""
    sources = list_data_sources(call, row.id)
    check_single_source(call, sources)
    if sources:
        change_properties(call, sources[0], body.get("properties") or {})
        revise(call.db, sources[0], **about_columns(call, {name: body[name] for name in ("title",) if name in body}))

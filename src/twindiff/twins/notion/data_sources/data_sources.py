"""Data sources. https://developers.notion.com/reference/data-source"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, revise

from ..blocks.trash import check_change, move_to_trash
from ..core.api_version import is_to_trash
from ..core.body_rules import boolean, check_body, mapping, obj, typed_object, uuid
from ..core.edit_stamps import stamp
from ..core.file_values import cover, icon
from ..core.object_lookup import check_editable, find_data_source, find_database, parse_id
from ..event_delivery.event_emission import emit
from ..properties.property_types import changed_property, new_property
from ..properties.schema_changes import change_properties
from ..properties.schemas import add_properties
from ..rich_text.rich_text_rules import rich_text
from ..tables.data_source_tables import DataSource
from .database_objects import data_source_object
from .databases import about_columns, add_data_source, last_position

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
_parent = typed_object({"database_id": uuid})
_create_body = obj({"parent": _parent, "properties": mapping(new_property)}, title=rich_text, icon=icon)
_update_body = obj(
    None, title=rich_text, description=rich_text, icon=icon, cover=cover, properties=mapping(changed_property),
    in_trash=boolean, archived=boolean, parent=_parent,
)  # fmt: skip


@api.post("/data_sources", scope="insert_content")
def create_data_source(call: Call, body: JsonBody) -> dict[str, Any]:
    """Add a data source to a database."""
    check_body(_create_body, body)
    database = find_database(call, parse_id(body["parent"]["database_id"], "database_id", "body.parent"))
    check_editable(call, database)
    row = add_data_source(call, database, body)
    add_properties(call, row, body["properties"])
    emit(call, "data_source.created", row)
    return data_source_object(call, row)


@api.get("/data_sources/{data_source_id}", scope="read_content")
def get_data_source(call: Call, data_source_id: str) -> dict[str, Any]:
    """Get a data source with its schema."""
    return data_source_object(call, find_data_source(call, parse_id(data_source_id, "data_source_id")))


@api.patch("/data_sources/{data_source_id}", scope="update_content")
def update_data_source(call: Call, data_source_id: str, body: JsonBody) -> dict[str, Any]:
    """Change the schema and the title of a data source, move it, or move it to the trash or back."""
    row = find_data_source(call, parse_id(data_source_id, "data_source_id"))
    check_body(_update_body, body)
    before, row = row, move_to_trash(call, row, is_to_trash(call, body))
    changes = about_columns(call, body)
    if "parent" in body:
        target = find_database(call, parse_id(body["parent"]["database_id"], "database_id", "body.parent"))
        check_editable(call, target)
        changes |= {"database_id": target.id, "position": last_position(call, target)}
    if changes or body.get("properties"):
        check_change(call, before, row)
    row = revise(call.db, row, stamp=stamp(call), **changes)
    if body.get("properties"):
        change_properties(call, row, body["properties"])
        row = call.db.change(call.db.get(DataSource, row.id), **stamp(call))
        emit(call, "data_source.schema_updated", row)
    if "parent" in body:
        emit(call, "data_source.moved", row)
    return data_source_object(call, row)

"""Bases, tables and fields. https://airtable.com/developers/web/api/list-bases, /get-base-schema, /create-table"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations, Rows

from .tables import AirtableBase, AirtableTable
from .wire_style import AirtableError, make_id

CALLER, CALLER_EMAIL = "usrTw1nD1ffAgent1", "agent@example.com"
api = Operations(prefix="/v0/meta")
Shown = dict[str, Any]
BASE = "appTw1nD1ffBase01"
_TASKS = "tblTw1nD1ffTasks1"
_KINDS = frozenset(
    (
        "singleLineText",
        "email",
        "url",
        "multilineText",
        "number",
        "percent",
        "currency",
        "singleSelect",
        "multipleSelects",
        "singleCollaborator",
        "multipleCollaborators",
        "multipleRecordLinks",
        "date",
        "dateTime",
        "phoneNumber",
        "multipleAttachments",
        "checkbox",
        "formula",
        "createdTime",
        "rollup",
        "count",
        "lookup",
        "multipleLookupValues",
        "autoNumber",
        "barcode",
        "rating",
        "richText",
        "duration",
        "lastModifiedTime",
        "button",
        "createdBy",
        "lastModifiedBy",
        "externalSyncSource",
        "aiText",
    )
)


def base_rows() -> Rows:
    """Return the rows of a first base with a table of tasks."""
    names = (("Name", "singleLineText"), ("Notes", "multilineText"), ("Status", "singleSelect"), ("Done", "checkbox"))
    fields: list[Shown] = [
        {"id": f"fldTw1nD1ff{number:06d}", "name": name, "type": kind} for number, (name, kind) in enumerate(names)
    ]
    choices = [{"id": f"selTw1nD1ff{n:06d}", "name": each} for n, each in enumerate(("Todo", "Doing", "Done"))]
    fields[2]["options"] = {"choices": choices}
    views = [{"id": "viwTw1nD1ffGrid01", "name": "Grid view", "type": "grid"}]
    table = {"id": _TASKS, "base_id": BASE, "name": "Tasks", "primary_field_id": fields[0]["id"]}
    return {"bases": [{"id": BASE, "name": "Work"}], "tables": [{**table, "fields": fields, "views": views}]}


def find_base(call: Call, id: str) -> AirtableBase:
    """Return a base; raises AirtableError."""
    row = call.db.find(AirtableBase, AirtableBase.id == id)
    if row is None:
        raise AirtableError(404, "NOT_FOUND", is_bare=True)
    return row


def find_table(call: Call, base: AirtableBase, said: str) -> AirtableTable:
    """Return a table of a base by id or name; raises AirtableError."""
    rows = call.db.rows(AirtableTable, AirtableTable.base_id == base.id)
    row = next((each for each in rows if said in (each.id, each.name)), None)
    if row is None:
        message = f"Could not find table {said} in application {base.id}"
        raise AirtableError(404, "TABLE_NOT_FOUND", message)
    return row


@api.get("/whoami")
def get_caller(call: Call) -> Shown:
    """Return the user of the token."""
    return {"id": CALLER, "email": CALLER_EMAIL}


@api.get("/bases")
def list_bases(call: Call, offset: str = "") -> Shown:
    """List the bases that the token may reach."""
    rows = call.db.rows(AirtableBase, AirtableBase.is_listed == True)  # noqa: E712 - an expression
    shown = [{"id": row.id, "name": row.name, "permissionLevel": row.permission_level} for row in rows]
    return {"bases": shown}


@api.post("/bases")
def post_base(call: Call, name: str = "", workspace_id: str = "", tables: list[dict[str, Any]] | None = None) -> Shown:
    """Create a base with its tables."""
    if not name or not workspace_id or not tables:
        raise AirtableError(422, "INVALID_REQUEST_MISSING_FIELDS", "A base has a name, a workspace and tables")
    base = call.db.add(AirtableBase(id=make_id(call, "app"), name=name))
    made: list[Shown] = []
    for each in tables:
        fields: Any = each.get("fields")
        given = cast(list[Any], fields) if isinstance(fields, list) else []
        of = [cast(Shown, field) for field in given if isinstance(field, dict)]
        made.append(post_table(call, base.id, str(each.get("name") or ""), of, str(each.get("description") or "")))
    return {"id": base.id, "tables": made}


def _show_table(row: AirtableTable) -> Shown:
    shown = {"id": row.id, "name": row.name, "primaryFieldId": row.primary_field_id}
    about = {"description": row.description} if row.description else {}
    return {**shown, **about, "fields": row.fields, "views": row.views}


def _find_open_base(call: Call, id: str) -> AirtableBase:
    base = find_base(call, id)
    if base.schema_is_hidden:
        raise AirtableError(404, "NOT_FOUND")
    return base


@api.get("/bases/{baseId}/tables")
def list_tables(call: Call, base_id: str) -> Shown:
    """List the tables of a base with their fields and views."""
    base = _find_open_base(call, base_id)
    rows = call.db.rows(AirtableTable, AirtableTable.base_id == base.id, order=AirtableTable.position)
    return {"tables": [_show_table(each) for each in rows]}


def _read_field(call: Call, given: Mapping[str, Any], taken: list[str]) -> Shown:
    """Return a field as it is stored; raises AirtableError for a type that there is not, or a name that is taken."""
    name, kind = str(given.get("name") or ""), str(given.get("type") or "")
    if not name or name in taken:
        raise AirtableError(422, "DUPLICATE_OR_EMPTY_FIELD_NAME", f"Field names must be unique and not empty: '{name}'")
    if kind not in _KINDS:
        raise AirtableError(422, "INVALID_FIELD_TYPE_FOR_CREATE", f"'{kind}' is not a type of fields")
    options = dict(given.get("options") or {})
    if "choices" in options:
        options["choices"] = [{"id": make_id(call, "sel"), **each} for each in options["choices"]]
    told = {"description": given["description"]} if given.get("description") else {}
    return {"id": make_id(call, "fld"), "name": name, "type": kind, **told, **({"options": options} if options else {})}


@api.post("/bases/{baseId}/tables")
def post_table(call: Call, base_id: str, name: str, fields: list[dict[str, Any]], description: str = "") -> Shown:
    """Add a table to a base."""
    base = _find_open_base(call, base_id)
    known = [each.name for each in call.db.rows(AirtableTable, AirtableTable.base_id == base.id)]
    if name in known or not name:
        raise AirtableError(422, "DUPLICATE_TABLE_NAME", "Cannot create multiple tables with the same name")
    if not fields:
        raise AirtableError(422, "INVALID_REQUEST_MISSING_FIELDS", "A table has at least one field")
    made: list[Shown] = []
    for each in fields:
        made.append(_read_field(call, each, [str(field["name"]) for field in made]))
    views = [{"id": make_id(call, "viw"), "name": "Grid view", "type": "grid"}]
    row = AirtableTable(
        id=make_id(call, "tbl"),
        base_id=base.id,
        name=name,
        description=description or None,
        primary_field_id=made[0]["id"],
        fields=made,
        views=views,
        position=len(known),
    )
    return _show_table(call.db.add(row))


@api.patch("/bases/{baseId}/tables/{tableId}")
def patch_table(
    call: Call, base_id: str, table_id: str, name: str | None = None, description: str | None = None
) -> Shown:
    """Rename or describe a table."""
    row = find_table(call, _find_open_base(call, base_id), table_id)
    given = {"name": name, "description": description}
    row = call.db.change(row, **{key: value for key, value in given.items() if value is not None})
    return _show_table(row)


@api.post("/bases/{baseId}/tables/{tableId}/fields")
def post_field(
    call: Call,
    base_id: str,
    table_id: str,
    name: str,
    type: str,
    description: str = "",
    options: dict[str, Any] | None = None,
) -> Shown:
    """Add a field to a table."""
    row = find_table(call, _find_open_base(call, base_id), table_id)
    given = {"name": name, "type": type, "description": description, "options": options}
    field = _read_field(call, given, [str(each["name"]) for each in row.fields])
    call.db.change(row, fields=[*row.fields, field])
    return field


@api.patch("/bases/{baseId}/tables/{tableId}/fields/{fieldId}")
def patch_field(
    call: Call, base_id: str, table_id: str, field_id: str, name: str | None = None, description: str | None = None
) -> Shown:
    """Rename or describe a field."""
    row = find_table(call, _find_open_base(call, base_id), table_id)
    field = next((each for each in row.fields if each["id"] == field_id), None)
    if field is None:
        raise AirtableError(404, "NOT_FOUND")
    given = {"name": name, "description": description}
    changed: Shown = {**field, **{key: value for key, value in given.items() if value is not None}}
    call.db.change(row, fields=[changed if each["id"] == field_id else each for each in row.fields])
    return changed

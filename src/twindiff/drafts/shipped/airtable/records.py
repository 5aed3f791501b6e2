"""Records. https://airtable.com/developers/web/api/list-records, /create-records, /update-multiple-records"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast
from urllib.parse import parse_qsl

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .bases import find_base, find_table
from .formulas import FormulaRecord, is_true, parse_formula
from .tables import AirtableComment, AirtableRecord, AirtableTable
from .wire_style import AirtableError, make_id

api = Operations(prefix="/v0/{baseId}/{tableIdOrName}")
MAX_PAGE = 100
MAX_WRITTEN = 10
MAX_MERGED_FIELDS = 3
Shown = dict[str, Any]
COMPUTED = frozenset(
    (
        "formula",
        "createdTime",
        "rollup",
        "count",
        "lookup",
        "multipleLookupValues",
        "autoNumber",
        "lastModifiedTime",
        "button",
        "createdBy",
        "lastModifiedBy",
        "externalSyncSource",
    )
)
_TEXTS = frozenset(["singleLineText", "multilineText", "richText", "email", "url", "phoneNumber"])
_NUMBERS = frozenset(["number", "percent", "currency", "rating", "duration"])
_LISTS = frozenset(["multipleSelects", "multipleRecordLinks", "multipleAttachments", "multipleCollaborators"])


def _show_time(timestamp: str) -> str:
    return f"{timestamp[:19]}.000Z"


def _show_record(row: AirtableRecord, table: AirtableTable, names: Sequence[str] = (), by_id: bool = False) -> Shown:
    fields = cast(Shown, row.fields)
    shown = {name: value for name, value in fields.items() if not names or name in names}
    if by_id:
        ids = {str(each["name"]): str(each["id"]) for each in table.fields}
        shown = {ids.get(name, name): value for name, value in shown.items()}
    return {"id": row.id, "createdTime": _show_time(row.created_time), "fields": shown}


def find_record(call: Call, table: AirtableTable, id: str) -> AirtableRecord:
    """Return a record of a table; raises AirtableError."""
    row = call.db.find(AirtableRecord, AirtableRecord.id == id, AirtableRecord.table_id == table.id)
    if row is None:
        raise AirtableError(404, "NOT_FOUND", is_bare=True)
    return row


def find_named_table(call: Call, base_id: str, said: str) -> AirtableTable:
    """Return a table of a base by id or name; raises AirtableError."""
    return find_table(call, find_base(call, base_id), said)


def _name_field(table: AirtableTable, said: str) -> str:
    """Return the name of a field that is given by name or id; raises AirtableError."""
    if not table.fields:
        return said
    for each in cast(list[Shown], table.fields):
        if said in (each["name"], each["id"]):
            return str(each["name"])
    raise AirtableError(422, "UNKNOWN_FIELD_NAME", f'Unknown field name: "{said}"')


# -- reading -----------------------------------------------------------------------------------------------------------


def _names_of(table: AirtableTable) -> list[str] | None:
    return [str(each["name"]) for each in table.fields] if table.fields else None


def _select(call: Call, table: AirtableTable, asked: Mapping[str, Any]) -> list[AirtableRecord]:
    rows = call.db.rows(AirtableRecord, AirtableRecord.table_id == table.id, order=AirtableRecord.position)
    formula = str(asked.get("filterByFormula") or "")
    if formula:
        now = call.clock.iso()
        meets = parse_formula(formula, _names_of(table))
        rows = [row for row in rows if is_true(meets(FormulaRecord(row.id, row.fields, row.created_time, now)))]
    view = asked.get("view")
    if view and table.views and view not in [name for each in table.views for name in (each["id"], each["name"])]:
        raise AirtableError(422, "VIEW_NAME_NOT_FOUND", f"View {view} not found")
    for each in reversed(_read_list(asked, "sort")):
        given = cast(Shown, each) if isinstance(each, dict) else {}
        name = _name_field(table, str(given.get("field")))
        rows.sort(key=lambda row: _order_by(row.fields.get(name)), reverse=given.get("direction") == "desc")
    most = str(asked.get("maxRecords"))
    return rows[: int(most)] if re.fullmatch("[0-9]{1,9}", most) else rows


def _read_list(asked: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list that was asked for, which may be missing; raises AirtableError for another value."""
    given: Any = asked.get(name)
    if given is not None and not isinstance(given, list):
        said = f"Invalid request: parameter validation failed: {name} must be a list"
        raise AirtableError(422, "INVALID_REQUEST_UNKNOWN", said)
    return cast(list[Any], given or [])


def _order_by(value: Any) -> tuple[int, float, str]:
    is_number = isinstance(value, (int, float))
    return (0, 0, "") if value is None else (1, float(value), "") if is_number else (2, 0, str(value).lower())


def _read_query(call: Call) -> Shown:
    """Return the query with its lists, which stand as `fields[]`, `fields[0]` and `sort[0][field]`."""
    asked: Shown = {}
    sorts: dict[str, Shown] = {}
    for name, value in parse_qsl(call.memo["exchange"].request.query, keep_blank_values=True):
        head, _, rest = name.partition("[")
        parts = [part.rstrip("]") for part in rest.split("[")]
        if head == "sort" and len(parts) == 2:
            sorts.setdefault(parts[0], {})[parts[1]] = value
        elif rest or head in ("fields", "records"):
            asked.setdefault(head, []).append(value)
        else:
            asked[head] = value
    return {**asked, "sort": [*sorts.values()]} if sorts else asked


def _page(call: Call, table: AirtableTable, asked: Mapping[str, Any]) -> Shown:
    rows = _select(call, table, asked)
    size = str(asked.get("pageSize"))
    most = min(max(int(size), 1), MAX_PAGE) if re.fullmatch("[0-9]{1,9}", size) else MAX_PAGE
    offset = str(asked.get("offset") or "")
    start = next((n for n, row in enumerate(rows) if f"itr/{row.id}" == offset), None) if offset else 0
    if start is None:
        raise AirtableError(422, "LIST_RECORDS_ITERATOR_NOT_AVAILABLE", "The offset is not one that a page gave")
    names = [_name_field(table, str(each)) for each in _read_list(asked, "fields")]
    by_id = str(asked.get("returnFieldsByFieldId")).lower() == "true"
    shown: Shown = {"records": [_show_record(row, table, names, by_id) for row in rows[start : start + most]]}
    return shown | ({"offset": f"itr/{rows[start + most].id}"} if start + most < len(rows) else {})


@api.get("")
def list_records(call: Call, base_id: str, table_id_or_name: str) -> Shown:
    """List the records of a table: by `filterByFormula`, `view`, `sort`, `fields`, `maxRecords`, page by page."""
    return _page(call, find_named_table(call, base_id, table_id_or_name), _read_query(call))


@api.post("/listRecords", reads=True)
def post_list(call: Call, base_id: str, table_id_or_name: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """List the records of a table, as asked in the body."""
    return _page(call, find_named_table(call, base_id, table_id_or_name), body)


@api.get("/{recordId}")
def get_record(call: Call, base_id: str, table_id_or_name: str, record_id: str) -> Shown:
    """Return a record."""
    table = find_named_table(call, base_id, table_id_or_name)
    return _show_record(find_record(call, table, record_id), table)


# -- writing -----------------------------------------------------------------------------------------------------------


def _read_values(call: Call, table: AirtableTable, given: Any, *, typecast: bool) -> Shown:
    """Return values by the names of fields; raises AirtableError for what a field cannot hold."""
    if not isinstance(given, dict):
        raise AirtableError(422, "INVALID_REQUEST_MISSING_FIELDS", 'Could not find field "fields" in the request body')
    values: Shown = {}
    for said, value in cast(Shown, given).items():
        name = _name_field(table, said)
        field = next((each for each in cast(list[Shown], table.fields) if each["name"] == name), None)
        values[name] = value if field is None else _fit(call, table, field, value, typecast=typecast)
    return values


def _fit(call: Call, table: AirtableTable, field: Shown, value: Any, *, typecast: bool) -> Any:
    kind, name = field["type"], field["name"]
    if kind in COMPUTED:
        said = f'Field "{name}" cannot accept a value because the field is computed'
        raise AirtableError(422, "INVALID_VALUE_FOR_COLUMN", said)
    if value is None or value == "":
        return None
    if kind in _TEXTS:
        value = _cast(value, str, typecast and not isinstance(value, (dict, list)))
    elif kind in _NUMBERS:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        value = value if is_number else _to_number(value) if typecast else _WRONG
    elif kind == "checkbox":
        value = _cast(value, bool, typecast)
    elif kind in _LISTS and not isinstance(value, list):
        value = [part.strip() for part in str(value).split(",")] if typecast else _WRONG
    if value is _WRONG:
        raise AirtableError(422, "INVALID_VALUE_FOR_COLUMN", f'Field "{name}" cannot accept the provided value')
    if kind in ("singleSelect", "multipleSelects"):
        for each in cast(list[Any], value) if isinstance(value, list) else [value]:
            _check_choice(call, table, field, str(each), typecast=typecast)
    return cast(Any, value)


_WRONG = object()
"""Stands for a value that a field cannot hold."""


def _cast(value: Any, kind: type, is_cast: bool) -> Any:
    return value if isinstance(value, kind) else kind(value) if is_cast else _WRONG


def _to_number(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _check_choice(call: Call, table: AirtableTable, field: Shown, value: str, *, typecast: bool) -> None:
    """Raise AirtableError for a choice that a field does not have; with `typecast` the choice is added."""
    choices: list[Shown] = cast(Shown, field.get("options") or {}).get("choices", [])
    if value in [each["name"] for each in choices]:
        return
    if not typecast:
        said = f'Insufficient permissions to create new select option "{value}"'
        raise AirtableError(422, "INVALID_MULTIPLE_CHOICE_OPTIONS", said)
    added = [*choices, {"id": make_id(call, "sel"), "name": value}]
    field["options"] = {**cast(Shown, field.get("options") or {}), "choices": added}
    call.db.change(table, fields=[field if each["id"] == field["id"] else each for each in table.fields])


def _without_empty(values: Mapping[str, Any]) -> Shown:
    return {name: value for name, value in values.items() if value not in (None, "", [], False)}


def _add_record(call: Call, table: AirtableTable, values: Mapping[str, Any]) -> AirtableRecord:
    row = AirtableRecord(
        id=make_id(call, "rec"),
        table_id=table.id,
        fields=_without_empty(values),
        created_time=call.clock.iso(),
        position=call.db.next("record"),
    )
    return call.db.add(row)


def _check_count(records: Sequence[Any]) -> None:
    if not 1 <= len(records) <= MAX_WRITTEN:
        raise AirtableError(422, "INVALID_RECORDS", f"A request writes between 1 and {MAX_WRITTEN} records")


@api.post("")
def post_records(call: Call, base_id: str, table_id_or_name: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Create a record from `fields`, or up to 10 from `records`."""
    table = find_named_table(call, base_id, table_id_or_name)
    is_cast = body.get("typecast") is True
    if "records" not in body:
        return _show_record(
            _add_record(call, table, _read_values(call, table, body.get("fields"), typecast=is_cast)), table
        )
    given = _read_records(body)
    read = [_read_values(call, table, each.get("fields"), typecast=is_cast) for each in given]
    return {"records": [_show_record(_add_record(call, table, each), table) for each in read]}


def _read_records(body: Mapping[str, Any]) -> list[Shown]:
    listed: Any = body.get("records")
    records = cast(list[Any], listed) if isinstance(listed, list) else []
    _check_count(records)
    return [cast(Shown, each) if isinstance(each, dict) else {} for each in records]


def _change_record(row: AirtableRecord, values: Mapping[str, Any], *, is_whole: bool) -> Shown:
    return _without_empty(values if is_whole else {**row.fields, **values})


def _write_records(call: Call, table: AirtableTable, body: Mapping[str, Any], *, is_whole: bool) -> Shown:
    is_cast = body.get("typecast") is True
    upsert: Any = body.get("performUpsert")
    keys = _read_merged_fields(table, upsert) if upsert is not None else []
    shown: list[Shown] = []
    made: list[str] = []
    for each in _read_records(body):
        values = _read_values(call, table, each.get("fields"), typecast=is_cast)
        row = None if "id" not in each and keys else find_record(call, table, str(each.get("id")))
        if row is None:
            row = _find_same(call, table, values, keys)
        if row is None:
            row = _add_record(call, table, values)
            made.append(row.id)
        else:
            row = call.db.change(row, fields=_change_record(row, values, is_whole=is_whole))
        shown.append(_show_record(row, table))
    changed = [each["id"] for each in shown if each["id"] not in made]
    return {"records": shown, **({"createdRecords": made, "updatedRecords": changed} if keys else {})}


def _read_merged_fields(table: AirtableTable, upsert: Any) -> list[str]:
    """Return the names of the fields by which records are merged; raises AirtableError unless there are 1 to 3."""
    given: Any = cast(Shown, upsert).get("fieldsToMergeOn") if isinstance(upsert, dict) else None
    listed: list[Any] = cast(list[Any], given) if isinstance(given, list) else []
    if not 1 <= len(listed) <= MAX_MERGED_FIELDS:
        said = f"fieldsToMergeOn must have between 1 and {MAX_MERGED_FIELDS} fields"
        raise AirtableError(422, "INVALID_REQUEST_UNKNOWN", said)
    return [_name_field(table, str(each)) for each in listed]


def _find_same(call: Call, table: AirtableTable, values: Shown, keys: Sequence[str]) -> AirtableRecord | None:
    """Return the record with the values of fields by which records are merged; raises AirtableError for several."""
    rows = call.db.rows(AirtableRecord, AirtableRecord.table_id == table.id)
    same = [row for row in rows if all(row.fields.get(name) == values.get(name) for name in keys)]
    if len(same) > 1:
        raise AirtableError(422, "INVALID_VALUE_FOR_COLUMN", "More than one record matches fieldsToMergeOn")
    return same[0] if same else None


@api.patch("")
def patch_records(call: Call, base_id: str, table_id_or_name: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change up to 10 records; with `performUpsert`, create those that there are not."""
    return _write_records(call, find_named_table(call, base_id, table_id_or_name), body, is_whole=False)


@api.put("")
def put_records(call: Call, base_id: str, table_id_or_name: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Replace up to 10 records."""
    return _write_records(call, find_named_table(call, base_id, table_id_or_name), body, is_whole=True)


def _write_one(call: Call, base_id: str, said: str, id: str, body: Mapping[str, Any], *, is_whole: bool) -> Shown:
    table = find_named_table(call, base_id, said)
    row = find_record(call, table, id)
    values = _read_values(call, table, body.get("fields"), typecast=body.get("typecast") is True)
    return _show_record(call.db.change(row, fields=_change_record(row, values, is_whole=is_whole)), table)


@api.patch("/{recordId}")
def patch_record(
    call: Call, base_id: str, table_id_or_name: str, record_id: str, body: Annotated[dict[str, Any], Body]
) -> Shown:
    """Change a record."""
    return _write_one(call, base_id, table_id_or_name, record_id, body, is_whole=False)


@api.put("/{recordId}")
def put_record(
    call: Call, base_id: str, table_id_or_name: str, record_id: str, body: Annotated[dict[str, Any], Body]
) -> Shown:
    """Replace a record."""
    return _write_one(call, base_id, table_id_or_name, record_id, body, is_whole=True)


@api.delete("")
def delete_records(call: Call, base_id: str, table_id_or_name: str) -> Shown:
    """Delete up to 10 records."""
    table = find_named_table(call, base_id, table_id_or_name)
    ids: list[str] = _read_query(call).get("records", [])
    _check_count(ids)
    for row in [find_record(call, table, each) for each in ids]:
        _remove_record(call, row)
    return {"records": [{"id": each, "deleted": True} for each in ids]}


@api.delete("/{recordId}")
def delete_record(call: Call, base_id: str, table_id_or_name: str, record_id: str) -> Shown:
    """Delete a record."""
    table = find_named_table(call, base_id, table_id_or_name)
    _remove_record(call, find_record(call, table, record_id))
    return {"id": record_id, "deleted": True}


def _remove_record(call: Call, row: AirtableRecord) -> None:
    for each in call.db.rows(AirtableComment, AirtableComment.record_id == row.id):
        call.db.remove(each)
    call.db.remove(row)

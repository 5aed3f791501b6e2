"""Records of objects: create, read, change, delete, one by one and in collections.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_sobject_rows.htm
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import json_answer
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .objects import (
    AUDIT,
    OBJECTS,
    READ_ONLY,
    SalesforceCustomField,
    SalesforceObject,
    children_of,
    find_object,
    relation_of,
)
from .queries import list_custom, list_fields, read_field, show_attributes
from .wire_style import NoSuchResource, SalesforceError, lengthen_id, make_id, show_error

api = Operations(prefix="/services/data/v{version}")
MAX_COLLECTION_RECORDS = 200
CLOSED_STAGES = {"closed won": True, "closed lost": False}
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "int": lambda value: isinstance(value, int) or re.fullmatch(r"-?\d+", str(value)) is not None,
    "double": lambda value: isinstance(value, int | float) or re.fullmatch(r"-?\d+(\.\d+)?", str(value)) is not None,
    "boolean": lambda value: isinstance(value, bool) or str(value).lower() in ("true", "false"),
    "date": lambda value: re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(T.*)?", str(value)) is not None,
    "datetime": lambda value: re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", str(value)) is not None,
}
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "int": int,
    "double": float,
    "boolean": lambda value: value if isinstance(value, bool) else str(value).lower() == "true",
    "date": lambda value: str(value)[:10],
}
_NUMBERS = ("double", "int", "currency", "percent")
Given = dict[str, Any]


def get_object_or_refuse(said: str) -> SalesforceObject:
    """Return an object; raises NoSuchResource."""
    kind = find_object(said)
    if kind is None:
        raise NoSuchResource
    return kind


def find_record(call: Call, kind: SalesforceObject, id: str) -> Any:
    """Return a record by id of 15 or 18 letters; raises NoSuchResource."""
    row = call.db.find(kind.row, kind.row.Id == lengthen_id(id))
    if row is None or row.IsDeleted:
        raise NoSuchResource
    return row


def _read(call: Call, kind: SalesforceObject, given: Mapping[str, Any]) -> Given:
    """Return columns and values; raises SalesforceError for a field or value that there cannot be."""
    names = {name.lower(): name for name in kind.fields}
    custom = {each.name.lower(): each for each in list_custom(call, kind)}
    values: Given = {}
    for said, value in given.items():
        if said in ("attributes", "Id", "id"):
            continue
        if said.lower() in custom:
            own = custom[said.lower()]
            values.setdefault("custom", {})[own.name] = _convert_own(own, value)
            continue
        name = names.get(said.lower())
        if name is None or name in READ_ONLY:
            if said in AUDIT or name or (said == "Name" and kind.has_name_parts):
                raise SalesforceError(
                    "INVALID_FIELD_FOR_INSERT_UPDATE",
                    f"Unable to create/update fields: {said}. Please check the security settings of this field and"
                    " verify that it is read/write for your profile or permission set.",
                    said,
                )
            raise SalesforceError("INVALID_FIELD", f"No such column '{said}' on sobject of type {kind.name}")
        values[name] = _convert(call, kind, name, value)
    return values


def _convert_own(field: SalesforceCustomField, value: Any) -> Any:
    """Return the value of a field of the org; a text that is a number is one in a field of numbers."""
    is_number = field.type in _NUMBERS and isinstance(value, str) and _CHECKS["double"](value)
    return float(value) if is_number else value


def _convert(call: Call, kind: SalesforceObject, name: str, value: Any) -> Any:
    field = kind.fields[name]
    if value is None or value == "":
        return False if field.type == "boolean" else None
    if field.type in _CHECKS and not _CHECKS[field.type](value):
        raise SalesforceError("JSON_PARSER_ERROR", f"Cannot deserialize instance of {field.type} from value {value}")
    if name == "Email" and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", str(value)):
        raise SalesforceError("INVALID_EMAIL_ADDRESS", f"Email: invalid email address: {value}", name)
    if field.target:
        return _check_reference(call, name, str(value))
    return _CONVERSIONS.get(field.type, str)(value)


def _check_reference(call: Call, name: str, value: str) -> str:
    id = lengthen_id(value)
    target = next((each for each in OBJECTS.values() if id.startswith(each.prefix)), None)
    if target is None or len(id) != 18:
        raise SalesforceError("MALFORMED_ID", f"{name}: id value of incorrect type: {value}", name)
    if call.db.find(target.row, target.row.Id == id) is None:
        raise SalesforceError(
            "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY", "insufficient access rights on cross-reference id", name
        )
    return id


def create_record(call: Call, kind: SalesforceObject, given: Mapping[str, Any]) -> Any:
    """Add a record; raises SalesforceError."""
    values = _read(call, kind, given)
    missing = [field.name for field in kind.fields.values() if field.is_required and values.get(field.name) is None]
    if missing:
        raise SalesforceError(
            "REQUIRED_FIELD_MISSING", f"Required fields are missing: [{', '.join(missing)}]", *missing
        )
    defaults = {field.name: field.default for field in kind.fields.values() if field.default is not None}
    booleans: Given = {field.name: False for field in kind.fields.values() if field.type == "boolean"}
    own = {each.name: False for each in list_custom(call, kind) if each.type == "boolean"}
    values["custom"] = {**own, **values.get("custom", {})}
    number = 1000 + call.db.next("record")
    caller = call.actor or None
    if kind.name == "Case":
        defaults["CaseNumber"] = f"{1000 + call.db.next('case'):08d}"
    if "OwnerId" in kind.fields:
        defaults["OwnerId"] = caller
    now = call.clock.iso()
    audit = {"CreatedDate": now, "CreatedById": caller, "LastModifiedDate": now, "LastModifiedById": caller}
    columns = _derive(kind, {**booleans, **defaults, **values})
    return call.db.add(kind.row(Id=make_id(kind.prefix, number), **columns, **audit))


def _derive(kind: SalesforceObject, values: Given) -> Given:
    """Return values with those that follow from them: whether an opportunity, a case or a task is closed."""
    if kind.name == "Opportunity" and "StageName" in values:
        stage = str(values["StageName"]).lower()
        values |= {"IsClosed": stage in CLOSED_STAGES, "IsWon": CLOSED_STAGES.get(stage, False)}
    if kind.name in ("Case", "Task") and "Status" in values:
        values["IsClosed"] = values["Status"] in ("Closed", "Completed")
    return values


def change_record(call: Call, kind: SalesforceObject, row: Any, given: Mapping[str, Any]) -> Any:
    """Set fields of a record; raises SalesforceError."""
    values = _derive(kind, _read(call, kind, given))
    emptied = [
        name
        for name, value in values.items()
        if value is None and name in kind.fields and kind.fields[name].is_required
    ]
    if emptied:
        raise SalesforceError(
            "REQUIRED_FIELD_MISSING", f"Required fields are missing: [{', '.join(emptied)}]", *emptied
        )
    if "custom" in values:
        values["custom"] = {**row.custom, **values["custom"]}
    return call.db.change(row, **values, LastModifiedDate=call.clock.iso(), LastModifiedById=call.actor or None)


def delete_record(call: Call, kind: SalesforceObject, id: str) -> None:
    """Move a record to the recycle bin; raises SalesforceError for one that is there or never was."""
    row = call.db.find(kind.row, kind.row.Id == lengthen_id(id))
    if row is None:
        raise NoSuchResource
    if row.IsDeleted:
        raise SalesforceError("ENTITY_IS_DELETED", "entity is deleted")
    call.db.change(row, IsDeleted=True, LastModifiedDate=call.clock.iso())


def _show_created(row: Any) -> Given:
    return {"id": row.Id, "success": True, "errors": []}


@api.post("/sobjects/{type}", status=201)
def post_record(call: Call, version: str, type: str, body: Annotated[dict[str, Any], Body]) -> Given:
    """Create a record."""
    return _show_created(create_record(call, get_object_or_refuse(type), body))


@api.get("/sobjects/{type}/{id}")
def get_record(call: Call, version: str, type: str, id: str, fields: str = "") -> Given:
    """Return a record with all fields, or those of `fields`."""
    kind = get_object_or_refuse(type)
    row = find_record(call, kind, id)
    known = list_fields(call, kind)
    names = [name.strip() for name in fields.split(",") if name.strip()] or known
    for name in names:
        if name not in known:
            raise SalesforceError("INVALID_FIELD", f"No such column '{name}' on sobject of type {kind.name}")
    names = names if "Id" in names else [*names, "Id"]
    return {**show_attributes(call, kind, row.Id), **{name: read_field(kind, row, name) for name in names}}


@api.patch("/sobjects/{type}/{id}", status=204)
def patch_record(call: Call, version: str, type: str, id: str, body: Annotated[dict[str, Any], Body]) -> None:
    """Change a record."""
    kind = get_object_or_refuse(type)
    change_record(call, kind, find_record(call, kind, id), body)


@api.delete("/sobjects/{type}/{id}", status=204)
def delete_one(call: Call, version: str, type: str, id: str) -> None:
    """Delete a record."""
    delete_record(call, get_object_or_refuse(type), id)


def find_by_external_id(call: Call, kind: SalesforceObject, field: str, value: str) -> Any:
    """Return the record with a value in an external id, or None."""
    if field == "Id":
        return call.db.find(kind.row, kind.row.Id == lengthen_id(value))
    custom = call.db.find(
        SalesforceCustomField, SalesforceCustomField.object == kind.name, SalesforceCustomField.name == field
    )
    if custom is None and field not in ("Email", "Username", "CaseNumber"):
        raise NoSuchResource(f"Provided external ID field does not exist or is not accessible: {field}")
    rows = [row for row in call.db.rows(kind.row) if not row.IsDeleted]
    return next((row for row in rows if str(read_field(kind, row, field)) == value), None)


def _follow_relation(call: Call, version: str, kind: SalesforceObject, id: str, relation: str) -> Given:
    """Return the records below a record by a relation, or the one to which it refers. Raises NoSuchResource."""
    row = find_record(call, kind, id)
    if relation in children_of(kind.name):
        child, field = children_of(kind.name)[relation]
        rows = [each for each in call.db.rows(child.row) if getattr(each, field.name) == row.Id and not each.IsDeleted]
        records = [get_record(call, version, child.name, each.Id) for each in rows]
        return {"totalSize": len(records), "done": True, "records": records}
    for field in kind.fields.values():
        if field.target and relation_of(field) == relation and getattr(row, field.name):
            return get_record(call, version, field.target, getattr(row, field.name))
    raise NoSuchResource


@api.get("/sobjects/{type}/{field}/{value}")
def get_by_external_id(call: Call, version: str, type: str, field: str, value: str) -> Given:
    """Return the record with an external id, or what a relation of a record leads to."""
    kind = get_object_or_refuse(type)
    if re.fullmatch(r"[A-Za-z0-9]{15}|[A-Za-z0-9]{18}", field) and field.startswith(kind.prefix):
        return _follow_relation(call, version, kind, field, value)
    row = find_by_external_id(call, kind, field, value)
    if row is None:
        raise NoSuchResource
    return get_record(call, version, type, row.Id)


@api.patch("/sobjects/{type}/{field}/{value}")
def upsert_record(
    call: Call, version: str, type: str, field: str, value: str, body: Annotated[dict[str, Any], Body]
) -> Any:
    """Change the record with an external id, or create it (201)."""
    kind = get_object_or_refuse(type)
    row = find_by_external_id(call, kind, field, value)
    if row is None:
        return json_answer({**_show_created(create_record(call, kind, {**body, field: value})), "created": True}, 201)
    return {**_show_created(change_record(call, kind, row, body)), "created": False}


def _collect(call: Call, given: list[Any], write: Callable[[Any], Given], *, all_or_none: bool) -> list[Given]:
    """Return the result of each write; with `all_or_none` one failure undoes all."""
    if len(given) > MAX_COLLECTION_RECORDS:
        raise SalesforceError(
            "EXCEEDED_MAX_SIZE_REQUEST", f"The request has more than {MAX_COLLECTION_RECORDS} records"
        )
    results: list[Given] = []
    try:
        with call.db.savepoint():
            results += [_attempt(call, each, write) for each in given]
            if all_or_none and not all(each["success"] for each in results):
                raise SalesforceError(
                    "ALL_OR_NONE_OPERATION_ROLLED_BACK", "Record rolled back because not all records were valid"
                )
    except SalesforceError as rolled_back:
        undone = {"success": False, "errors": [show_collected(rolled_back)]}
        results = [undone if each["success"] else each for each in results]
    return results


def _attempt(call: Call, given: Any, write: Callable[[Any], Given]) -> Given:
    try:
        with call.db.savepoint():
            return write(given)
    except ApiError as error:
        return {"success": False, "errors": [show_collected(error)]}


def show_collected(error: ApiError) -> Given:
    """Return an error as the results of collections hold it."""
    shown = show_error(error)
    return {"statusCode": shown["errorCode"], "message": shown["message"], "fields": shown.get("fields", [])}


def _kind_of(given: Mapping[str, Any]) -> SalesforceObject:
    attributes: Any = given.get("attributes")
    named = cast(dict[str, Any], attributes) if isinstance(attributes, dict) else {}
    return get_object_or_refuse(str(named.get("type", "")))


@api.post("/composite/sobjects")
def post_collection(call: Call, version: str, records: list[dict[str, Any]], all_or_none: bool = False) -> list[Given]:
    """Create up to 200 records."""
    return _collect(
        call, records, lambda each: _show_created(create_record(call, _kind_of(each), each)), all_or_none=all_or_none
    )


@api.patch("/composite/sobjects")
def patch_collection(call: Call, version: str, records: list[dict[str, Any]], all_or_none: bool = False) -> list[Given]:
    """Change up to 200 records."""

    def change(given: dict[str, Any]) -> Given:
        kind = _kind_of(given)
        return _show_created(
            change_record(call, kind, find_record(call, kind, str(given.get("id") or given.get("Id"))), given)
        )

    return _collect(call, records, change, all_or_none=all_or_none)


@api.delete("/composite/sobjects")
def delete_collection(call: Call, version: str, ids: str, all_or_none: bool = False) -> list[Given]:
    """Delete up to 200 records."""

    def delete(id: str) -> Given:
        kind = next((each for each in OBJECTS.values() if id.startswith(each.prefix)), None)
        if kind is None:
            raise SalesforceError("MALFORMED_ID", f"malformed id {id}")
        delete_record(call, kind, id)
        return {"id": lengthen_id(id), "success": True, "errors": []}

    return _collect(call, [each for each in ids.split(",") if each], delete, all_or_none=all_or_none)


@api.patch("/composite/sobjects/{type}/{field}")
def upsert_collection(
    call: Call, version: str, type: str, field: str, records: list[dict[str, Any]], all_or_none: bool = False
) -> list[Given]:
    """Change or create up to 200 records by an external id."""
    kind = get_object_or_refuse(type)

    def upsert(given: dict[str, Any]) -> Given:
        value = given.get(field)
        row = find_by_external_id(call, kind, field, str(value)) if value is not None else None
        if row is None:
            return {**_show_created(create_record(call, kind, given)), "created": True}
        return {**_show_created(change_record(call, kind, row, given)), "created": False}

    return _collect(call, records, upsert, all_or_none=all_or_none)

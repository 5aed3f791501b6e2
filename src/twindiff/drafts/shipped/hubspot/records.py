"""Records of the CRM: read, find, create, change and archive, one by one and in batches.

https://developers.hubspot.com/docs/reference/api/crm/objects/contacts
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.http import json_answer
from twindiff.kit.twin import Operations

from .account import KINDS, columns_of, kind_of_type, name_one
from .associations import associate, check_types, list_associated, show_types, unlink
from .object_schemas import get_kind
from .record_history import check_number, extend_history, show_with_history
from .record_lookup import COMPUTED, find_record, find_records, read_property, show_record
from .tables import RECORDS, CrmActivity, CrmAssociationLabel, CrmContactList, CrmListMember, CrmProperty, CrmStage
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict, page_results, show_time

api = Operations(prefix="/crm/v3/objects")
MAX_BATCH_RECORDS = 100
MERGED = "hs_merged_object_ids"
"""The property with the ids of the records that were merged into one."""
UNIQUE = frozenset([("contacts", "email")])
"""Kinds and properties whose values are unique."""
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_INSTANT = re.compile(r"-?\d+|\d{4}-\d\d-\d\d(T.*)?")
_READ_ONLY = frozenset(["hs_object_id", MERGED, "createdate", "lastmodifieddate", "hs_lastmodifieddate"])
Properties = dict[str, Any]


def _read_object(value: Any, name: str) -> dict[str, Any]:
    """Return a value that must be an object, or nothing; raises HubSpotError."""
    if value is not None and not isinstance(value, dict):
        raise HubSpotError(f"Invalid input JSON: '{name}' must be an object.")
    return cast(dict[str, Any], value or {})


def _show_written(kind: str, row: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as an answer to a write shows it: what is set, and what HubSpot computes of it."""
    known = [name for name in columns_of(kind) if getattr(row, name) is not None]
    known += [name for name in COMPUTED if kind == "contacts" and read_property(kind, row, name) is not None]
    return show_record(kind, row, [*known, *row.properties, *given])


def check_properties(call: Call, kind: str, given: Mapping[str, Any]) -> Properties:
    """Return properties as they are stored; raises HubSpotError with all that are wrong."""
    values, problems = read_properties(call, kind, given)
    if problems:
        raise HubSpotError(f"Property values were not valid: {json.dumps(problems)}")
    return values


def read_properties(call: Call, kind: str, given: Mapping[str, Any]) -> tuple[Properties, list[dict[str, Any]]]:
    """Return properties as they are stored, and what is wrong with each that is not valid."""
    known = {each.name: each for each in call.db.rows(CrmProperty, CrmProperty.kind == kind)}
    problems: list[dict[str, Any]] = []
    values: Properties = {}
    for name, value in given.items():
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        problem = _problem_of(call, kind, known.get(name), name, text)
        if problem:
            problems.append({"isValid": False, "message": problem[1], "error": problem[0], "name": name})
        values[name] = text
    return values, problems


def _problem_of(call: Call, kind: str, known: CrmProperty | None, name: str, text: str) -> tuple[str, str] | None:
    """Return the code and the message of what is wrong with a value, if anything is."""
    if name in _READ_ONLY:
        return "READ_ONLY_VALUE", f'"{name}" is a read only property; its value cannot be set.'
    if known is None:
        return "PROPERTY_DOESNT_EXIST", f'Property "{name}" does not exist'
    if not text:
        return None
    if name == "email" and kind == "contacts" and not _EMAIL.fullmatch(text):
        return "INVALID_EMAIL", f"Email address {text} is invalid"
    if known.type == "datetime" and not _INSTANT.fullmatch(text):
        return "INVALID_LONG", f"{text} was not a valid long."
    if known.type == "number" and not re.fullmatch(r"-?\d+(\.\d+)?", text):
        return "INVALID_INTEGER", f"{text} was not a valid number."
    allowed = [each["value"] for each in known.options]
    if name in ("dealstage", "hs_pipeline_stage"):
        allowed = [each.id for each in call.db.rows(CrmStage, CrmStage.kind == kind)]
    if name in ("pipeline", "hs_pipeline"):
        allowed = [each.pipeline for each in call.db.rows(CrmStage, CrmStage.kind == kind)]
    if allowed and text not in allowed:
        return "INVALID_OPTION", f"{text} was not one of the allowed options: {sorted({*allowed})}"
    return None


def create_record(call: Call, kind: str, given: Mapping[str, Any], *, checked: bool = True) -> Any:
    """Add a record; raises HubSpotError, and RecordConflict for a contact whose address is taken."""
    read: Mapping[str, Any] = check_properties(call, kind, given) if checked else given
    values = {name: str(value) for name, value in read.items() if value}
    if kind == "contacts" and values.get("email"):
        values["email"] = str(values["email"]).lower()
        _refuse_taken(call, kind, str(values["email"]))
    if kind == "companies" and values.get("domain"):
        values = {"website": values["domain"], **values}
    if kind == "deals":
        values = {"pipeline": "default", **values}
    if kind == "tickets":
        values = {"hs_pipeline": "0", "hs_pipeline_stage": "1", **values}
    now = call.clock.iso()
    columns = columns_of(kind)
    fields: dict[str, Any] = {name: value for name, value in values.items() if name in columns}
    others = {name: value for name, value in values.items() if name not in columns}
    if kind not in RECORDS:
        fields["kind"] = kind
    table = RECORDS.get(kind, CrmActivity)
    number = str(50_000_000 + call.db.next("record"))
    history = extend_history(kind, None, values, now)
    return call.db.add(table(id=number, properties=others, history=history, created_at=now, updated_at=now, **fields))


def _refuse_taken(call: Call, kind: str, email: str, own: str = "") -> None:
    table = RECORDS[kind]
    known = call.db.find(table, table.email.equals(email), table.archived == False)  # noqa: E712 - an expression
    if known and known.id != own:
        raise RecordConflict(f"Contact already exists. Existing ID: {known.id}")


def change_record(call: Call, kind: str, row: Any, given: Mapping[str, Any]) -> Any:
    """Set properties of a record; an empty text clears one."""
    values = check_properties(call, kind, given)
    if kind == "contacts" and values.get("email"):
        _refuse_taken(call, kind, str(values["email"]), row.id)
    columns = columns_of(kind)
    fields = {name: value for name, value in values.items() if name in columns}
    others = {**row.properties, **{name: value for name, value in values.items() if name not in columns}}
    now = call.clock.iso()
    history = extend_history(kind, row, values, now)
    return call.db.change(row, **fields, properties=others, history=history, updated_at=now)


def archive_record(call: Call, kind: str, id: str) -> None:
    """Archive a record, which ends its associations and its places in lists.

    One that does not exist is no error.
    """
    table = RECORDS.get(kind, CrmActivity)
    row = call.db.find(table, table.id == id)
    if row is not None and not row.archived:
        call.db.change(row, archived=True, updated_at=call.clock.iso())
        unlink(call, kind, id)
        for member in list_places(call, kind, id):
            call.db.remove(member)


def list_places(call: Call, kind: str, id: str) -> list[CrmListMember]:
    """Return the places of a record in lists of its kind."""
    of_kind = {row.id for row in call.db.rows(CrmContactList, CrmContactList.kind == kind)}
    return [row for row in call.db.rows(CrmListMember, CrmListMember.record_id == id) if row.list_id in of_kind]


@api.get("/{objectType}")
def list_records(
    call: Call,
    object_type: str,
    limit: int = 10,
    after: str = "",
    properties: list[str] | None = None,
    properties_with_history: list[str] | None = None,
    associations: list[str] | None = None,
    archived: bool = False,
) -> dict[str, Any]:
    """List records, page by page."""
    kind = get_kind(call, object_type)
    check_number(limit, properties_with_history)
    rows = find_records(call, kind, archived=archived)
    page = page_results(rows, after, min(max(limit, 1), 100))
    page["results"] = [
        show_with_history(kind, row, properties or (), properties_with_history) for row in page["results"]
    ]
    for each in page["results"]:
        _add_associations(call, kind, each, associations)
    return page


def _add_associations(call: Call, kind: str, shown: dict[str, Any], asked: Sequence[str] | None) -> None:
    for each in [name for part in asked or () for name in part.split(",")]:
        to_kind = get_kind(call, each)
        type_name = f"{name_one(kind)}_to_{name_one(to_kind)}"
        results = [{"id": id, "type": type_name} for id in list_associated(call, kind, shown["id"], to_kind)]
        if results:
            shown.setdefault("associations", {})[to_kind] = {"results": results}


@api.post("/{objectType}", status=201)
def post_record(
    call: Call,
    object_type: str,
    properties: dict[str, Any] | None = None,
    associations: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Create a record, with its associations."""
    kind = get_kind(call, object_type)
    row = create_record(call, kind, properties or {})
    _associate_new(call, kind, row.id, associations or [])
    return _show_written(kind, row, properties or {})


def _associate_new(call: Call, kind: str, id: str, given: Sequence[Mapping[str, Any]]) -> None:
    for each in given:
        types: Any = each.get("types")
        first = _read_object(types[0], "types") if isinstance(types, list) and types else {}
        type_id: Any = first.get("associationTypeId")
        to_kind = _find_target(call, kind, type_id) if isinstance(type_id, int) else None
        if to_kind is None:
            raise HubSpotError("No association type with that id leads from this object type.")
        target = find_record(call, to_kind, str(_read_object(each.get("to"), "to").get("id", "")))
        associate(call, (kind, id), (to_kind, target.id), check_types(call, kind, to_kind, types))


def _find_target(call: Call, kind: str, type_id: int) -> str | None:
    """Return the kind to which associations of a type lead from a kind."""
    label = call.db.find(CrmAssociationLabel, CrmAssociationLabel.type_id == type_id)
    if label:
        return label.to_kind if label.from_kind == kind else None
    return kind_of_type(kind, type_id)


@api.get("/{objectType}/{objectId}")
def get_record(
    call: Call,
    object_type: str,
    object_id: str,
    properties: list[str] | None = None,
    properties_with_history: list[str] | None = None,
    associations: list[str] | None = None,
    id_property: str = "",
) -> dict[str, Any]:
    """Return a record; the id of one that was merged leads to the one that it is now."""
    kind = get_kind(call, object_type)
    row = find_record(call, kind, object_id, id_property)
    shown = show_with_history(kind, row, properties or (), properties_with_history)
    _add_associations(call, kind, shown, associations)
    return shown


@api.patch("/{objectType}/{objectId}")
def patch_record(
    call: Call, object_type: str, object_id: str, properties: dict[str, Any] | None = None, id_property: str = ""
) -> dict[str, Any]:
    """Change a record."""
    kind = get_kind(call, object_type)
    row = change_record(call, kind, find_record(call, kind, object_id, id_property), properties or {})
    return _show_written(kind, row, properties or {})


@api.delete("/{objectType}/{objectId}", status=204)
def delete_record(call: Call, object_type: str, object_id: str) -> None:
    """Archive a record."""
    archive_record(call, get_kind(call, object_type), object_id)


def check_batch(inputs: Sequence[Any]) -> None:
    """Raise HubSpotError for more inputs than a batch has."""
    if len(inputs) > MAX_BATCH_RECORDS:
        raise HubSpotError(f"The maximum number of inputs supported in a batch request is {MAX_BATCH_RECORDS}.")


def show_batch(call: Call, results: list[dict[str, Any]], status: int = 200, missing: Sequence[str] = ()) -> Any:
    """Return the answer to a batch; inputs that are `missing` are listed as an error (207)."""
    now = show_time(call.clock.iso())
    body: dict[str, Any] = {"status": "COMPLETE", "results": results, "startedAt": now, "completedAt": now}
    if missing:
        error = {
            "status": "error",
            "category": "OBJECT_NOT_FOUND",
            "message": "Could not get some objects",
            "context": {"ids": [*missing]},
        }
        body |= {"numErrors": 1, "errors": [error]}
        status = 207
    return json_answer(body, status)


@api.post("/{objectType}/batch/read", reads=True)
def read_batch(
    call: Call,
    object_type: str,
    inputs: list[dict[str, Any]],
    properties: list[str] | None = None,
    properties_with_history: list[str] | None = None,
    id_property: str = "",
) -> Any:
    """Return up to 100 records; those that do not exist are listed as an error (207)."""
    kind = get_kind(call, object_type)
    check_batch(inputs)
    check_number(len(inputs), properties_with_history)
    results: list[dict[str, Any]] = []
    missing: list[str] = []
    for each in inputs:
        try:
            row = find_record(call, kind, str(each.get("id")), id_property)
            results.append(show_with_history(kind, row, properties or (), properties_with_history))
        except NoSuchRecord:
            missing.append(str(each.get("id")))
    return show_batch(call, results, missing=missing)


@api.post("/{objectType}/batch/create")
def create_batch(call: Call, object_type: str, inputs: list[dict[str, Any]]) -> Any:
    """Create up to 100 records; if one is refused, none is created."""
    kind = get_kind(call, object_type)
    check_batch(inputs)
    results: list[dict[str, Any]] = []
    for each in inputs:
        given = _read_object(each.get("properties"), "properties")
        row = create_record(call, kind, given)
        _associate_new(call, kind, row.id, each.get("associations") or [])
        results.append(_show_written(kind, row, given))
    return show_batch(call, results, 201)


@api.post("/{objectType}/batch/update")
def update_batch(call: Call, object_type: str, inputs: list[dict[str, Any]]) -> Any:
    """Change up to 100 records."""
    kind = get_kind(call, object_type)
    check_batch(inputs)
    results: list[dict[str, Any]] = []
    for each in inputs:
        given = _read_object(each.get("properties"), "properties")
        row = find_record(call, kind, str(each.get("id")), str(each.get("idProperty") or ""))
        results.append(_show_written(kind, change_record(call, kind, row, given), given))
    return show_batch(call, results)


def _find_unique(call: Call, kind: str, name: str, value: str) -> Any:
    for row in find_records(call, kind):
        if str(read_property(kind, row, name)).lower() == value.lower():
            return row
    return None


@api.post("/{objectType}/batch/upsert")
def upsert_batch(call: Call, object_type: str, inputs: list[dict[str, Any]]) -> Any:
    """Change up to 100 records by a property with unique values, and create those that do not exist."""
    kind = get_kind(call, object_type)
    check_batch(inputs)
    results: list[dict[str, Any]] = []
    for each in inputs:
        given = _read_object(each.get("properties"), "properties")
        name, value = str(each.get("idProperty") or ""), str(each.get("id") or "")
        if not value or (kind, name) not in UNIQUE:
            said = "an id, and an idProperty whose values are unique"
            raise HubSpotError(f"Each input of an upsert has {said}; '{name}' of {kind} with '{value}' is not.")
        row = _find_unique(call, kind, name, value)
        is_new = row is None
        row = create_record(call, kind, {name: value, **given}) if is_new else change_record(call, kind, row, given)
        results.append({**_show_written(kind, row, given), "new": is_new})
    return show_batch(call, results)


@api.post("/{objectType}/merge")
def merge_records(call: Call, object_type: str, primary_object_id: str, object_id_to_merge: str) -> dict[str, Any]:
    """Merge a record into another, which keeps its values and gets those that it lacks, and the associations."""
    kind = get_kind(call, object_type)
    if primary_object_id == object_id_to_merge:
        raise HubSpotError("A record cannot be merged with itself.")
    kept, merged = find_record(call, kind, primary_object_id), find_record(call, kind, object_id_to_merge)
    if kept.id == merged.id:
        raise HubSpotError("The records are merged already.")
    for to_kind in KINDS:
        for id in list_associated(call, kind, merged.id, to_kind):
            types = [each["typeId"] for each in show_types(call, (kind, merged.id), (to_kind, id)) if each["typeId"]]
            associate(call, (kind, kept.id), (to_kind, id), types)
    names = [*columns_of(kind), *merged.properties]
    lacking = {name: read_property(kind, merged, name) for name in names if not read_property(kind, kept, name)}
    archive_record(call, kind, merged.id)
    call.db.change(merged, merged_into=kept.id)
    lacking.pop(MERGED, None)
    row = change_record(call, kind, kept, {name: value for name, value in lacking.items() if value is not None})
    ids = [row.properties.get(MERGED), merged.id, merged.properties.get(MERGED)]
    row = call.db.change(row, properties={**row.properties, MERGED: ";".join(filter(None, ids))})
    return _show_written(kind, row, {})


@api.post("/{objectType}/gdpr-delete", status=204)
def delete_for_good(call: Call, object_type: str, object_id: str, id_property: str = "") -> None:
    """Remove a contact for good."""
    kind = get_kind(call, object_type)
    if kind != "contacts":
        raise HubSpotError(f"Only contacts are deleted for good, not {kind}.")
    row = find_record(call, kind, object_id, id_property)
    archive_record(call, kind, row.id)
    call.db.remove(row)


@api.post("/{objectType}/batch/archive", status=204)
def archive_batch(call: Call, object_type: str, inputs: list[dict[str, Any]]) -> None:
    """Archive up to 100 records."""
    check_batch(inputs)
    for each in inputs:
        archive_record(call, get_kind(call, object_type), str(each.get("id")))

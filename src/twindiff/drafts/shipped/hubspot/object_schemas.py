"""Kinds of records: those of every account and those that the account has added.

https://developers.hubspot.com/docs/reference/api/crm/objects/schemas
"""

from __future__ import annotations

import re
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.http import ValueResponse
from twindiff.kit.twin import Operations

from ..document_collections import DocumentCollection, DocumentRequest, Shown, declare_operation
from .account import DEFAULTS, KINDS, PORTAL, SEARCHED, association_types, find_kind, name_one, type_id_of
from .document_styles import DocumentsOfVersion3
from .tables import CrmActivity, CrmProperty
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict, show_time

api = Operations()
_STYLE = DocumentsOfVersion3()
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_BEGIN = "2026-01-01T00:00:00.000Z"
SCHEMAS = DocumentCollection(
    table="object_schemas", path="/crm/v3/schemas", style=_STYLE, name="object schema", item="/{objectType}",
    key="objectTypeId", aliases=("name", "fullyQualifiedName", "id"), filters=("archived",),
)  # fmt: skip


def get_kind(call: Call, said: str) -> str:
    """Return a kind of records; one that the account has added is called by its type id. Raises HubSpotError."""
    kind = find_kind(said)
    if kind is None:
        word = said.lower().removeprefix("p_")
        for row in SCHEMAS.rows_in(call, ""):
            if word in (row.key, *(str(row.fields.get(name)).lower() for name in SCHEMAS.aliases)):
                return row.key
        raise HubSpotError(f"Unable to infer object type from: {said}")
    return kind


def show_property(row: CrmProperty) -> Shown:
    """Return a property as version 3 shows it."""
    return {
        "name": row.name,
        "label": row.label,
        "type": row.type,
        "fieldType": row.field_type,
        "description": row.description,
        "groupName": row.group_name,
        "options": row.options,
        "displayOrder": -1,
        "calculated": False,
        "externalOptions": False,
        "hasUniqueValue": row.kind == "contacts" and row.name == "email",
        "hidden": False,
        "hubspotDefined": not row.is_custom,
        "formField": True,
        "archived": False,
        "modificationMetadata": {
            "archivable": row.is_custom,
            "readOnlyDefinition": not row.is_custom,
            "readOnlyValue": False,
        },
    }


def _list_properties(call: Call, kind: str) -> list[Shown]:
    return [show_property(row) for row in call.db.rows(CrmProperty, CrmProperty.kind == kind)]


def _show_own(call: Call, row: Any) -> Shown:
    """Return the schema of a kind that the account has added."""
    recorded = row.fields.get("properties")
    return {"associations": [], **row.fields, "properties": recorded or _list_properties(call, row.key)}


def _show_usual(call: Call, kind: str) -> Shown:
    """Return the schema of a kind that every account has."""
    one = name_one(kind)
    first = next(iter(SEARCHED.get(kind, ("hs_object_id",))))
    targets = [(other, association_types(kind, other)) for other in KINDS]
    return {
        "labels": {"singular": one.replace("_", " ").capitalize(), "plural": kind.replace("_", " ").capitalize()},
        "requiredProperties": [],
        "searchableProperties": [*SEARCHED.get(kind, ())],
        "primaryDisplayProperty": first,
        "secondaryDisplayProperties": [*DEFAULTS.get(kind, ())[1:3]],
        "archived": False,
        "restorable": True,
        "metaType": "HUBSPOT",
        "id": KINDS[kind],
        "fullyQualifiedName": one.upper(),
        "createdAt": _BEGIN,
        "updatedAt": _BEGIN,
        "objectTypeId": KINDS[kind],
        "properties": _list_properties(call, kind),
        "associations": [
            {
                "id": str(ids[-1]),
                "fromObjectTypeId": KINDS[kind],
                "toObjectTypeId": KINDS[other],
                "name": f"{one}_to_{name_one(other)}",
            }
            for other, ids in targets
            if ids
        ],
        "name": one.upper(),
    }


def _list_schemas(request: DocumentRequest) -> Any:
    """List the kinds of records that the account has added."""
    return {"results": [_show_own(request.call, row) for row in SCHEMAS.rows_in(request.call, "")]}


def _find_schema(request: DocumentRequest, said: str) -> Any:
    rows = SCHEMAS.rows_in(request.call, "")
    try:
        kind = get_kind(request.call, said)
    except HubSpotError:
        raise NoSuchRecord(f"Unable to infer object type from: {said}") from None
    return next((row for row in rows if row.key == kind), kind)


def _get_schema(request: DocumentRequest) -> Any:
    """Return the schema of a kind of records."""
    schema = _find_schema(request, request.path["objectType"])
    return _show_usual(request.call, schema) if isinstance(schema, str) else _show_own(request.call, schema)


def _find_own(request: DocumentRequest) -> Any:
    schema = _find_schema(request, request.path["objectType"])
    if isinstance(schema, str):
        raise HubSpotError(f"The schema of {schema} is defined by HubSpot and cannot be changed.")
    return schema


def _create_schema(request: DocumentRequest) -> Any:
    """Add a kind of records with its properties."""
    given, call = request.read_object(), request.call
    labels: Any = given.get("labels")
    properties: Any = given.get("properties")
    name = str(given.get("name") or "")
    absent = [each for each in ("name", "labels", "properties", "requiredProperties") if not given.get(each)]
    absent = [each for each in absent if each != "requiredProperties" or each not in given]
    if absent or not isinstance(labels, dict) or not isinstance(properties, list):
        raise _STYLE.refuse_absent("object schema", absent or ["labels"])
    if not _NAME.fullmatch(name):
        raise HubSpotError(f"Object name '{name}' must be letters, digits and underscores, and begin with a letter.")
    known = SCHEMAS.rows_in(call, "")
    if name.lower() in [str(row.fields.get("name")).lower() for row in known] or find_kind(name):
        raise RecordConflict(f"An object type with the name '{name}' exists already.")
    listed = cast(list[Any], properties)
    if not all(isinstance(each, dict) and cast(Shown, each).get("name") for each in listed):
        raise HubSpotError("Invalid input JSON: each of 'properties' must be an object with a name.")
    kind = f"2-{3_000_000 + call.db.next('object_schema')}"
    for each in cast(list[Shown], listed):
        add_schema_property(call, kind, name, each)
    now = show_time(call.clock.iso())
    targets: Any = given.get("associatedObjects")
    associations = _make_associations(
        call, kind, name, [*cast(list[Any], targets)] if isinstance(targets, list) else []
    )
    first = str(cast(Shown, listed[0])["name"]) if listed else "hs_object_id"
    display = {"primaryDisplayProperty": given.get("primaryDisplayProperty") or first}
    fields = _make_schema(given, name, kind, now) | display | {"associations": associations}
    row = SCHEMAS.store(call, "", kind, fields)
    return ValueResponse(_show_own(call, row), 201)


def _make_schema(given: Shown, name: str, kind: str, now: str | None) -> Shown:
    """Return what a new schema says of its kind, without its associations."""
    return {
        "labels": given["labels"],
        "requiredProperties": given.get("requiredProperties") or [],
        "searchableProperties": given.get("searchableProperties") or [],
        "secondaryDisplayProperties": given.get("secondaryDisplayProperties") or [],
        "description": given.get("description"),
        "archived": False,
        "restorable": True,
        "metaType": "PORTAL_SPECIFIC",
        "id": kind.removeprefix("2-"),
        "fullyQualifiedName": f"p{PORTAL}_{name}",
        "createdAt": now,
        "updatedAt": now,
        "objectTypeId": kind,
        "name": name,
    }


def add_schema_property(call: Call, kind: str, name: str, given: Shown) -> None:
    """Add a property of a schema. Raises HubSpotError."""
    options: Any = given.get("options") or []
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(given["name"])):
        raise HubSpotError(f"Property name '{given['name']}' must be lower case letters, digits and underscores.")
    call.db.add(
        CrmProperty(
            kind=kind,
            name=str(given["name"]),
            label=str(given.get("label") or given["name"]),
            type=str(given.get("type") or "string"),
            field_type=str(given.get("fieldType") or "text"),
            group_name=str(given.get("groupName") or f"{name}_information"),
            description=str(given.get("description") or ""),
            options=cast(list[Any], options) if isinstance(options, list) else [],
            is_custom=True,
        )
    )


def _make_associations(call: Call, kind: str, name: str, targets: list[Any]) -> list[Shown]:
    made: list[Shown] = []
    for each in targets:
        other = get_kind(call, str(each))
        about = {"fromObjectTypeId": kind, "toObjectTypeId": type_id_of(other)}
        id = association_types(kind, other)[-1]
        made.append({**about, "name": f"{name}_to_{name_one(other)}", "id": str(id)})
    return made


def _change_schema(request: DocumentRequest) -> Any:
    """Change the labels and the display of a kind that the account has added."""
    row = _find_own(request)
    kept = ("labels", "requiredProperties", "searchableProperties", "primaryDisplayProperty",
            "secondaryDisplayProperties", "restorable", "description")  # fmt: skip
    given = {name: value for name, value in request.read_object().items() if name in kept}
    row = SCHEMAS.change(request, row, given)
    return _show_own(request.call, row)


def _delete_schema(request: DocumentRequest) -> Any:
    """Remove a kind that the account has added and of which there are no records."""
    row, call = _find_own(request), request.call
    if call.db.find(CrmActivity, CrmActivity.kind == row.key, ~CrmActivity.archived):
        raise HubSpotError("The object type cannot be deleted while there are records of it.")
    for each in call.db.rows(CrmProperty, CrmProperty.kind == row.key):
        call.db.remove(each)
    call.db.remove(row)
    return ValueResponse(None, 204)


def _associate_schema(request: DocumentRequest) -> Any:
    """Let records of a kind be associated with those of another."""
    row, given = _find_own(request), request.read_object()
    absent = [name for name in ("fromObjectTypeId", "toObjectTypeId") if not given.get(name)]
    if absent:
        raise _STYLE.refuse_absent("association", absent)
    other = get_kind(request.call, str(given["toObjectTypeId"]))
    made = _make_associations(request.call, row.key, str(row.fields["name"]), [other])[0]
    made |= {"name": given["name"]} if given.get("name") else {}
    SCHEMAS.change(request, row, {"associations": [*row.fields.get("associations", []), made]})
    return ValueResponse({**made, "createdAt": None, "updatedAt": None}, 201)


def _dissociate_schema(request: DocumentRequest) -> Any:
    """Take an association away from a kind."""
    row, wanted = _find_own(request), request.path["associationIdentifier"]
    known: list[Any] = row.fields.get("associations", [])
    left = [each for each in known if wanted not in (each["id"], each["name"])]
    if len(left) == len(known):
        raise NoSuchRecord(f"No association schema with identifier '{wanted}'")
    SCHEMAS.change(request, row, {"associations": left})
    return ValueResponse(None, 204)


for _path in ("/crm/v3/schemas", "/crm-object-schemas/v3/schemas"):
    declare_operation(api, f"GET {_path}", _list_schemas)
    declare_operation(api, f"POST {_path}", _create_schema)
    declare_operation(api, f"GET {_path}/{{objectType}}", _get_schema)
    declare_operation(api, f"PATCH {_path}/{{objectType}}", _change_schema)
    declare_operation(api, f"DELETE {_path}/{{objectType}}", _delete_schema)
    declare_operation(api, f"POST {_path}/{{objectType}}/associations", _associate_schema)
    declare_operation(api, f"DELETE {_path}/{{objectType}}/associations/{{associationIdentifier}}", _dissociate_schema)

"""Properties and owners of an account.

https://developers.hubspot.com/docs/reference/api/crm/properties
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .object_schemas import get_kind, show_property
from .records import check_batch, show_batch
from .tables import CrmOwner, CrmProperty
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict, page_results, show_time

api = Operations()
Shown = dict[str, Any]


def _get_property(call: Call, object_type: str, name: str) -> CrmProperty:
    row = call.db.find(CrmProperty, CrmProperty.kind == get_kind(call, object_type), CrmProperty.name == name)
    if row is None:
        raise NoSuchRecord(f"Property named '{name}' does not exist")
    return row


@api.get("/crm/v3/properties/{objectType}")
def list_properties(call: Call, object_type: str) -> Shown:
    """List the properties of a kind of records."""
    rows = call.db.rows(CrmProperty, CrmProperty.kind == get_kind(call, object_type))
    return {"results": [show_property(each) for each in rows]}


@api.get("/crm/v3/properties/{objectType}/{propertyName}")
def get_property(call: Call, object_type: str, property_name: str) -> Shown:
    """Return a property."""
    return show_property(_get_property(call, object_type, property_name))


@api.post("/crm/v3/properties/{objectType}", status=201)
def post_property(
    call: Call,
    object_type: str,
    name: str,
    label: str = "",
    type: str = "string",
    field_type: str = "text",
    group_name: str = "",
    description: str = "",
    options: list[Any] | None = None,
) -> Shown:
    """Add a property to a kind of records."""
    row = CrmProperty(
        kind=get_kind(call, object_type),
        name=name,
        label=label or name,
        type=type,
        field_type=field_type,
        group_name=group_name,
        description=description,
        options=options or [],
        is_custom=True,
    )
    return show_property(add_property(call, row, f"A property named '{name}' already exists."))


@api.patch("/crm/v3/properties/{objectType}/{propertyName}")
def patch_property(
    call: Call,
    object_type: str,
    property_name: str,
    label: str | None = None,
    type: str | None = None,
    field_type: str | None = None,
    group_name: str | None = None,
    description: str | None = None,
    options: list[Any] | None = None,
) -> Shown:
    """Change a property that the account has added."""
    row = _get_property(call, object_type, property_name)
    if not row.is_custom:
        raise HubSpotError("A property that HubSpot defines cannot be changed.")
    given = {"label": label, "type": type, "field_type": field_type, "group_name": group_name,
             "description": description, "options": options}  # fmt: skip
    return show_property(call.db.change(row, **{key: value for key, value in given.items() if value is not None}))


class NewProperty(msgspec.Struct, rename="camel"):
    """A property of a batch that is to be added."""

    name: str
    label: str = ""
    type: str = "string"
    field_type: str = "text"
    group_name: str = ""
    description: str = ""
    options: list[dict[str, Any]] = msgspec.field(default_factory=list[dict[str, Any]])


@api.post("/crm/v3/properties/{objectType}/batch/create")
def create_properties(call: Call, object_type: str, inputs: list[NewProperty]) -> Any:
    """Add up to 100 properties; if one is refused, none is added."""
    check_batch(inputs)
    return show_batch(call, [post_property(call, object_type, **msgspec.structs.asdict(each)) for each in inputs], 201)


@api.post("/crm/v3/properties/{objectType}/batch/read", reads=True)
def read_properties(call: Call, object_type: str, inputs: list[dict[str, Any]], archived: bool = False) -> Any:
    """Return up to 100 properties by name; those that do not exist are listed as an error (207)."""
    check_batch(inputs)
    kind = get_kind(call, object_type)
    known = {} if archived else {row.name: row for row in call.db.rows(CrmProperty, CrmProperty.kind == kind)}
    names = [str(each.get("name")) for each in inputs]
    shown = [show_property(known[name]) for name in names if name in known]
    return show_batch(call, shown, missing=[name for name in names if name not in known])


@api.post("/crm/v3/properties/{objectType}/batch/archive", status=204)
def archive_properties(call: Call, object_type: str, inputs: list[dict[str, Any]]) -> None:
    """Remove up to 100 properties that the account has added."""
    check_batch(inputs)
    for each in inputs:
        delete_property(call, object_type, str(each.get("name")))


def list_known_properties(call: Call, kind: str) -> set[str]:
    """Return the names of the properties that records of a kind can have."""
    return {row.name for row in call.db.rows(CrmProperty, CrmProperty.kind == kind)}


def add_property(call: Call, row: CrmProperty, taken: str) -> CrmProperty:
    """Add a property. Raises HubSpotError for a name of other signs, RecordConflict with `taken` if its name is."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", row.name):
        raise HubSpotError(f"Property name '{row.name}' must be lower case letters, digits and underscores.")
    if call.db.find(CrmProperty, CrmProperty.kind == row.kind, CrmProperty.name == row.name):
        raise RecordConflict(taken)
    return call.db.add(row)


@api.delete("/crm/v3/properties/{objectType}/{propertyName}", status=204)
def delete_property(call: Call, object_type: str, property_name: str) -> None:
    """Remove a property that the account has added."""
    row = _get_property(call, object_type, property_name)
    if not row.is_custom:
        raise HubSpotError("A property that HubSpot defines cannot be archived.")
    call.db.remove(row)


def _show_owner(row: CrmOwner) -> Shown:
    at = show_time(row.created_at)
    return {
        "id": row.id,
        "email": row.email,
        "type": "PERSON",
        "firstName": row.first_name,
        "lastName": row.last_name,
        "userId": int(row.id),
        "userIdIncludingInactive": int(row.id),
        "createdAt": at,
        "updatedAt": at,
        "archived": False,
    }


@api.get("/crm/v3/owners")
def list_owners(call: Call, email: str = "", after: str = "", limit: int = 100) -> Shown:
    """List the people who can own records."""
    rows = call.db.rows(CrmOwner, *([CrmOwner.email.equals(email)] if email else []))
    return page_results([_show_owner(each) for each in rows], after, limit)


@api.get("/crm/v3/owners/{ownerId}")
def get_owner(call: Call, owner_id: str) -> Shown:
    """Return an owner."""
    return _show_owner(call.db.get(CrmOwner, owner_id, missing=NoSuchRecord))

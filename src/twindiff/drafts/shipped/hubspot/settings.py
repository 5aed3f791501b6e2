"""Properties, owners and pipelines of an account.

https://developers.hubspot.com/docs/reference/api/crm/properties
"""

from __future__ import annotations

import re
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .records import get_kind
from .tables import CrmOwner, CrmProperty, CrmStage
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict, page_results, show_time

api = Operations()
Shown = dict[str, Any]


def _show_property(row: CrmProperty) -> Shown:
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


def _get_property(call: Call, object_type: str, name: str) -> CrmProperty:
    row = call.db.find(CrmProperty, CrmProperty.kind == get_kind(object_type), CrmProperty.name == name)
    if row is None:
        raise NoSuchRecord(f"Property named '{name}' does not exist")
    return row


@api.get("/crm/v3/properties/{objectType}")
def list_properties(call: Call, object_type: str) -> Shown:
    """List the properties of a kind of records."""
    rows = call.db.rows(CrmProperty, CrmProperty.kind == get_kind(object_type))
    return {"results": [_show_property(each) for each in rows]}


@api.get("/crm/v3/properties/{objectType}/{propertyName}")
def get_property(call: Call, object_type: str, property_name: str) -> Shown:
    """Return a property."""
    return _show_property(_get_property(call, object_type, property_name))


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
        kind=get_kind(object_type),
        name=name,
        label=label or name,
        type=type,
        field_type=field_type,
        group_name=group_name,
        description=description,
        options=options or [],
        is_custom=True,
    )
    return _show_property(add_property(call, row, f"A property named '{name}' already exists."))


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


def _pipelines(call: Call, object_type: str) -> list[Shown]:
    kind = get_kind(object_type)
    rows = call.db.rows(CrmStage, CrmStage.kind == kind, order=CrmStage.display_order)
    label = {"default": "Sales Pipeline", "0": "Support Pipeline"}
    return [
        {
            "id": each,
            "label": label.get(each, each),
            "displayOrder": 0,
            "stages": [_show_stage(row) for row in rows if row.pipeline == each],
            "archived": False,
        }
        for each in dict.fromkeys(row.pipeline for row in rows)
    ]


def _show_stage(row: CrmStage) -> Shown:
    names = {"id": row.id, "label": row.label, "displayOrder": row.display_order}
    return {**names, "metadata": row.metadata, "archived": False, "writePermissions": "CRM_PERMISSIONS_ENFORCEMENT"}


@api.get("/crm/v3/pipelines/{objectType}")
def list_pipelines(call: Call, object_type: str) -> Shown:
    """List the pipelines of deals or tickets with their stages."""
    return {"results": _pipelines(call, object_type)}


@api.get("/crm/v3/pipelines/{objectType}/{pipelineId}")
def get_pipeline(call: Call, object_type: str, pipeline_id: str) -> Shown:
    """Return a pipeline."""
    pipelines = [each for each in _pipelines(call, object_type) if each["id"] == pipeline_id]
    if not pipelines:
        raise NoSuchRecord(f"There is no pipeline '{pipeline_id}'.")
    return pipelines[0]


@api.get("/crm/v3/pipelines/{objectType}/{pipelineId}/stages")
def list_stages(call: Call, object_type: str, pipeline_id: str) -> Shown:
    """List the stages of a pipeline."""
    return {"results": get_pipeline(call, object_type, pipeline_id)["stages"]}

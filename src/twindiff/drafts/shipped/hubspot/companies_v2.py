"""Companies, properties and associations of the APIs before version 3, which older clients still call.

https://legacydocs.hubspot.com/docs/methods/companies/companies-overview,
/docs/methods/companies/company-properties-overview,
/docs/methods/crm-associations/crm-associations-overview
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .account import columns_of, kind_of_type
from .associations import associate, list_associated, unlink
from .contact_lists import PORTAL, Pairs, Shown, check_pairs, read_pairs, show_milliseconds, show_value
from .object_schemas import get_kind
from .record_lookup import find_record, find_records
from .records import archive_record, change_record, create_record
from .settings import add_property
from .tables import CrmProperty
from .wire_style import HubSpotError, NoSuchRecord

MAX_COMPANIES = 250
api = Operations()
REQUEST_ID = "e3fce88d-0000-4000-8000-000000000001"
_CALCULATED = ("hs_lastmodifieddate", "website")


def _find_company(call: Call, id: str) -> Any:
    return find_record(call, "companies", id)


def _show_company(row: Any, names: list[str] | None = None) -> Shown:
    own = [name for name in columns_of("companies") if getattr(row, name)]
    listed = ["createdate", "hs_lastmodifieddate", *own, *row.properties] if names is None else names
    at = show_milliseconds(row.updated_at)
    return {
        "portalId": PORTAL,
        "companyId": int(row.id),
        "isDeleted": row.archived,
        "properties": {name: _show_property(name, show_value(row, "companies", name), at) for name in listed},
        "additionalDomains": [],
        "stateChanges": [],
        "mergeAudits": [],
    }


def _show_property(name: str, value: str, at: int) -> Shown:
    about = {"source": "CALCULATED" if name in _CALCULATED else "API", "sourceId": None}
    version: Shown = {"name": name, "value": value, "timestamp": at, "source": about["source"], "sourceVid": []}
    version["requestId"] = REQUEST_ID
    return {"value": value, "timestamp": at, **about, "versions": [version]}


@api.post("/companies/v2/companies")
def post_company(call: Call, properties: Pairs | None = None) -> Shown:
    """Create a company."""
    given = read_pairs(properties, "name")
    check_pairs(call, "companies", given)
    shown = _show_company(create_record(call, "companies", given))
    created = shown["properties"]["createdate"]
    created["versions"].append({**created["versions"][0], "sourceId": "API"})
    return shown


@api.get("/companies/v2/companies/paged")
def list_companies(call: Call, limit: int = 100, offset: int = 0, properties: list[str] | None = None) -> Shown:
    """List companies, page by page, with the properties that are asked for."""
    rows = [each for each in find_records(call, "companies") if int(each.id) > offset]
    most = min(max(limit, 1), MAX_COMPANIES)
    shown = [_show_company(each, [*(properties or [])]) for each in rows[:most]]
    last = shown[-1]["companyId"] if shown else 0
    return {"has-more": len(rows) > most, "offset": last, "companies": shown}


@api.get("/companies/v2/companies/recent/created")
def list_created_companies(call: Call, count: int = 100, offset: int = 0) -> Shown:
    """List companies, the newest first."""
    return _list_recent(call, lambda row: row.created_at, count, offset)


@api.get("/companies/v2/companies/recent/modified")
def list_modified_companies(call: Call, count: int = 100, offset: int = 0) -> Shown:
    """List companies, the last changed first."""
    return _list_recent(call, lambda row: row.updated_at, count, offset)


def _list_recent(call: Call, by: Callable[[Any], str], count: int, offset: int) -> Shown:
    rows = sorted(find_records(call, "companies"), key=lambda row: (by(row), int(row.id)), reverse=True)
    start, most = max(offset, 0), min(max(count, 1), MAX_COMPANIES)
    results = [_show_company(each) for each in rows[start : start + most]]
    return {
        "results": results,
        "hasMore": start + most < len(rows),
        "offset": start + len(results),
        "total": len(rows),
    }


@api.post("/companies/v2/domains/{domain}/companies", reads=True)
def find_companies(call: Call, domain: str, limit: int = 100) -> Shown:
    """List the companies with a domain."""
    rows = [each for each in find_records(call, "companies") if each.domain == domain][: min(max(limit, 1), 100)]
    last = int(rows[-1].id) if rows else 0
    offset = {"companyId": last, "isPrimary": True}
    return {"results": [_show_company(each, []) for each in rows], "hasMore": False, "offset": offset}


@api.get("/companies/v2/companies/{companyId}")
def get_company(call: Call, company_id: str) -> Shown:
    """Return a company."""
    return _show_company(_find_company(call, company_id))


@api.put("/companies/v2/companies/{companyId}")
def put_company(call: Call, company_id: str, properties: Pairs | None = None) -> Shown:
    """Change a company."""
    row = _find_company(call, company_id)
    given = read_pairs(properties, "name")
    check_pairs(call, "companies", given)
    return _show_company(change_record(call, "companies", row, given))


@api.delete("/companies/v2/companies/{companyId}")
def delete_company(call: Call, company_id: str) -> Shown:
    """Archive a company."""
    row = _find_company(call, company_id)
    archive_record(call, "companies", row.id)
    return {"companyId": int(row.id), "deleted": True}


def _find_pair(call: Call, company_id: str, vid: str) -> tuple[Any, Any]:
    try:
        company = _find_company(call, company_id)
    except NoSuchRecord:
        raise NoSuchRecord(f"Couldn't find a company with the ID '{company_id}' in portal '{PORTAL}'") from None
    return company, find_record(call, "contacts", vid)


@api.get("/companies/v2/companies/{companyId}/vids")
def list_contact_ids(call: Call, company_id: str, count: int = 100, vid_offset: int = 0) -> Shown:
    """List the ids of a company's contacts."""
    ids = sorted(map(int, list_associated(call, "companies", _find_company(call, company_id).id, "contacts")))
    listed = [each for each in ids if each > vid_offset]
    most = min(max(count, 1), 100)
    vids = listed[:most]
    return {"vids": vids, "vidOffset": vids[-1] if vids else 0, "hasMore": len(listed) > most}


@api.put("/companies/v2/companies/{companyId}/contacts/{vid}")
def put_company_contact(call: Call, company_id: str, vid: str) -> Shown:
    """Put a contact into a company."""
    company, contact = _find_pair(call, company_id, vid)
    associate(call, ("companies", company.id), ("contacts", contact.id))
    return _show_company(company)


@api.delete("/companies/v2/companies/{companyId}/contacts/{vid}", status=204)
def delete_company_contact(call: Call, company_id: str, vid: str) -> None:
    """Take a contact out of a company."""
    company, contact = _find_pair(call, company_id, vid)
    unlink(call, "companies", company.id, "contacts", contact.id)


# -- properties --------------------------------------------------------------------------------------------------------


def _show_definition(call: Call, row: CrmProperty) -> Shown:
    at = call.clock.micros // 1000 if row.is_custom else None
    return {
        "createdAt": at,
        "updatedAt": at,
        "name": row.name,
        "label": row.label,
        "description": row.description,
        "groupName": row.group_name,
        "type": row.type,
        "fieldType": row.field_type,
        "hidden": False,
        "options": row.options,
        "deleted": False,
        "displayOrder": 0,
        "formField": False,
        "readOnlyValue": False,
        "readOnlyDefinition": not row.is_custom,
        "mutableDefinitionNotDeletable": False,
        "calculated": False,
        "externalOptions": False,
        "displayMode": "current_value",
        "favorited": False,
        "favoritedOrder": -1,
        "hubspotDefined": None if row.is_custom else True,
        "showCurrencySymbol": None,
        "currencyPropertyName": None,
        "createdUserId": None,
        "updatedUserId": None,
        "textDisplayHint": None,
        "numberDisplayHint": None,
        "optionsAreMutable": None,
        "referencedObjectType": None,
        "isCustomizedDefault": False,
        "searchableInGlobalSearch": False,
        "hasUniqueValue": False,
    }


def _find_definition(call: Call, kind: str, name: str) -> CrmProperty:
    row = call.db.find(CrmProperty, CrmProperty.kind == get_kind(call, kind), CrmProperty.name == name)
    if row is None:
        raise NoSuchRecord(f"Couldn't find a Property with the given name '{name}'")
    return row


@api.get("/properties/v1/{objectType}/properties")
def list_definitions(call: Call, object_type: str) -> list[Shown]:
    """List the properties of a kind of records."""
    rows = call.db.rows(CrmProperty, CrmProperty.kind == get_kind(call, object_type))
    return [_show_definition(call, each) for each in rows]


@api.post("/properties/v1/{objectType}/properties")
def post_definition(
    call: Call,
    object_type: str,
    name: str,
    label: str = "",
    description: str = "",
    group_name: str = "",
    type: str = "string",
    field_type: str = "",
    options: list[Any] | None = None,
) -> Shown:
    """Add a property to a kind of records."""
    row = CrmProperty(
        kind=get_kind(call, object_type),
        name=name,
        label=label,
        type=type,
        field_type=field_type,
        group_name=group_name,
        description=description,
        options=options or [],
        is_custom=True,
    )
    return _show_definition(call, add_property(call, row, f"The Property named '{name}' already exists."))


@api.put("/properties/v1/{objectType}/properties/named/{name}")
def put_definition(
    call: Call,
    object_type: str,
    name: str,
    label: str | None = None,
    description: str | None = None,
    group_name: str | None = None,
    field_type: str | None = None,
) -> Shown:
    """Change a property."""
    row = _find_definition(call, object_type, name)
    given = {"label": label, "description": description, "group_name": group_name, "field_type": field_type}
    return _show_definition(
        call, call.db.change(row, **{key: value for key, value in given.items() if value is not None})
    )


@api.delete("/properties/v1/{objectType}/properties/named/{name}", status=204)
def delete_definition(call: Call, object_type: str, name: str) -> None:
    """Remove a property that the account has added."""
    row = _find_definition(call, object_type, name)
    if not row.is_custom:
        raise HubSpotError(f"The property '{name}' is defined by HubSpot and cannot be deleted.")
    call.db.remove(row)


# -- associations ------------------------------------------------------------------------------------------------------

_FROM_KINDS = {1: "contacts", 2: "companies", 3: "deals", 4: "contacts", 5: "deals", 6: "companies", 15: "contacts",
               16: "tickets", 25: "companies", 26: "tickets", 27: "deals", 28: "tickets", 19: "deals"}  # fmt: skip


def kinds_of_definition(definition_id: int) -> tuple[str, str]:
    """Return the kinds that an association leads from and to; raises HubSpotError for an unknown one."""
    from_kind = _FROM_KINDS.get(definition_id)
    to_kind = kind_of_type(from_kind, definition_id) if from_kind else None
    if from_kind is None or to_kind is None:
        raise HubSpotError(f"There is no association definition with id {definition_id}.")
    return from_kind, to_kind


@api.get("/crm-associations/v1/associations/{objectId}/HUBSPOT_DEFINED/{definitionId}")
def list_associations(call: Call, object_id: str, definition_id: int, limit: int = 100, offset: int = 0) -> Shown:
    """List the ids of the records that belong to a record."""
    from_kind, to_kind = kinds_of_definition(definition_id)
    ids = sorted(each for each in map(int, list_associated(call, from_kind, object_id, to_kind)) if each > offset)
    most = min(max(limit, 1), 100)
    listed, has_more = ids[:most], len(ids) > most
    return {"results": listed, "hasMore": has_more, "offset": listed[-1] if listed else 0}


@api.put("/crm-associations/v1/associations", status=204)
def put_association(call: Call, from_object_id: str | int, to_object_id: str | int, definition_id: int) -> None:
    """Associate two records."""
    from_kind, to_kind = kinds_of_definition(definition_id)
    first = find_record(call, from_kind, str(from_object_id))
    associate(call, (from_kind, first.id), (to_kind, find_record(call, to_kind, str(to_object_id)).id))


@api.put("/crm-associations/v1/associations/delete", status=204)
def delete_association(call: Call, from_object_id: str | int, to_object_id: str | int, definition_id: int) -> None:
    """End an association."""
    from_kind, to_kind = kinds_of_definition(definition_id)
    unlink(call, from_kind, str(from_object_id), to_kind, str(to_object_id))

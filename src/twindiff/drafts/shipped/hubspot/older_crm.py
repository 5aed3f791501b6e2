"""Further operations of the CRM's APIs before version 3: contacts, lists, deals, objects, pipelines, associations.

https://legacydocs.hubspot.com/docs/methods/contacts/contacts-overview, /docs/methods/crm-objects/crm-objects-overview
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.http import Response, json_answer
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .account import PORTAL, columns_of
from .associations import associate, list_associated, unlink
from .companies_v2 import kinds_of_definition
from .contact_lists import (
    CrmContactList,
    Pairs,
    Shown,
    check_pairs,
    find_by_email,
    find_contact_list,
    list_rows_of_members,
    read_pairs,
    show_contact,
    show_contact_list,
    show_milliseconds,
    show_value,
)
from .engagements_v1 import list_all_engagements, show_deal
from .list_filters import check_filters
from .object_schemas import get_kind
from .record_lookup import find_record, find_records
from .records import archive_record, change_record, create_record
from .wire_style import HubSpotError, NoSuchRecord

api = Operations()
MAX_PAGE = 100
MAX_RECENT = 1000
Rows = list[dict[str, Any]]


# -- contacts ----------------------------------------------------------------------------------------------------------


@api.post("/contacts/v1/contact/email/{email}/profile", status=204)
def post_profile_by_email(call: Call, email: str, properties: Pairs | None = None) -> None:
    """Change the contact with an address."""
    row = find_by_email(call, email)
    if row is None:
        raise NoSuchRecord("contact does not exist")
    given = read_pairs(properties)
    check_pairs(call, "contacts", given)
    change_record(call, "contacts", row, given)


@api.get("/contacts/v1/contact/utk/{utk}/profile")
def get_contact_by_token(call: Call, utk: str, property_mode: str = "value_and_history") -> Shown:
    """Return the contact of a visitor's cookie."""
    for row in find_records(call, "contacts"):
        if row.properties.get("hs_user_token") == utk:
            return show_contact(call, row, only_values=property_mode == "value_only")
    raise NoSuchRecord("resource not found")


@api.get("/contacts/v1/contact/utks/batch")
def list_contacts_by_token(call: Call, utk: list[str] | None = None) -> Shown:
    """Return the contacts of visitors' cookies, by id; those that do not exist are left out."""
    rows = [row for row in find_records(call, "contacts") if row.properties.get("hs_user_token") in (utk or ())]
    return {row.id: show_contact(call, row, only_values=False) for row in rows}


@api.post("/contacts/v1/contact/batch", status=202)
def post_contacts(call: Call, body: Annotated[Rows, Body]) -> None:
    """Create or change contacts by id or address, at once here."""
    for each in body:
        given = read_pairs(each.get("properties"))
        check_pairs(call, "contacts", given)
        email = str(each.get("email") or given.get("email") or "")
        if each.get("vid") is not None:
            row = _find_vid(call, str(each["vid"]))
        else:
            row = find_by_email(call, email) if email else None
        given = {**({"email": email} if email else {}), **given}
        if row is not None:
            change_record(call, "contacts", row, given)
        elif each.get("vid") is None:
            create_record(call, "contacts", given)


def _find_vid(call: Call, vid: str) -> Any | None:
    """Return a contact by id; None if there is none, which a batch passes over."""
    return next((row for row in find_records(call, "contacts") if row.id == vid), None)


@api.get("/contacts/v1/search/query")
def search_contacts(call: Call, q: str = "", count: int = 20, offset: int = 0) -> Shown:
    """Find contacts by words of their names, addresses, phone numbers and companies."""
    names, words = ("email", "firstname", "lastname", "phone", "company"), q.lower().split()
    rows = [
        row
        for row in find_records(call, "contacts")
        if all(any(word in str(getattr(row, name) or "").lower() for name in names) for word in words)
    ]
    start, most = max(offset, 0), min(max(count, 1), MAX_PAGE)
    shown = [show_contact(call, row, only_values=True) for row in rows[start : start + most]]
    has_more = len(rows) > start + most
    return {"query": q, "offset": start + len(shown), "has-more": has_more, "contacts": shown, "total": len(rows)}


def _page_recent(call: Call, rows: list[Any], by: Callable[[Any], str], count: int, before: int) -> Shown:
    """Return contacts, the last first; `before` is the time in milliseconds where the page begins."""
    listed = sorted(rows, key=lambda row: (by(row), int(row.id)), reverse=True)
    listed = [row for row in listed if not before or show_milliseconds(by(row)) < before]
    most = min(max(count, 1), MAX_PAGE)
    shown = [
        {"addedAt": show_milliseconds(by(row)), **show_contact(call, row, only_values=True)} for row in listed[:most]
    ]
    last = shown[-1] if shown else {"vid": 0, "addedAt": 0}
    page = {"contacts": shown, "has-more": len(listed) > most}
    return {**page, "vid-offset": last["vid"], "time-offset": last["addedAt"]}


@api.get("/contacts/v1/lists/all/contacts/recent")
def list_new_contacts(call: Call, count: int = 20, time_offset: int = 0) -> Shown:
    """List contacts, the newest first."""
    return _page_recent(call, find_records(call, "contacts"), lambda row: row.created_at, count, time_offset)


@api.get("/contacts/v1/lists/recently_updated/contacts/recent")
def list_changed_contacts(call: Call, count: int = 20, time_offset: int = 0) -> Shown:
    """List contacts, the last changed first."""
    return _page_recent(call, find_records(call, "contacts"), lambda row: row.updated_at, count, time_offset)


@api.get("/contacts/v1/lists/{listId}/contacts/recent")
def list_new_members(call: Call, list_id: str, count: int = 20, time_offset: int = 0) -> Shown:
    """List the contacts of a list, the last added first."""
    row = find_contact_list(call, list_id)
    added = {each.record_id: each.added_at for each in list_rows_of_members(call, row)}
    rows = [each for each in find_records(call, "contacts") if each.id in added]
    return _page_recent(call, rows, lambda each: added[each.id], count, time_offset)


@api.get("/contacts/v1/lists/batch")
def list_lists_by_id(call: Call, list_id: list[str] | None = None) -> Shown:
    """Return lists by their ids; those that do not exist are left out."""
    wanted = {*(list_id or ())}
    rows = call.db.rows(CrmContactList, CrmContactList.kind == "contacts", CrmContactList.deleted_at.is_null())
    return {"lists": [show_contact_list(call, row) for row in rows if str(row.id) in wanted]}


@api.post("/contacts/v1/lists/{listId}")
def post_contact_list(call: Call, list_id: str, name: str | None = None, filters: list[Any] | None = None) -> Shown:
    """Change the name or the filters of a list."""
    row = find_contact_list(call, list_id)
    if filters and not row.is_dynamic:
        raise HubSpotError("Only dynamic lists have filters.")
    values: Shown = {**({"name": name} if name else {}), **({"filters": check_filters(filters)} if filters else {})}
    return show_contact_list(call, call.db.change(row, **values, updated_at=call.clock.iso()))


@api.post("/contacts/v1/lists/{listId}/refresh", status=204)
def refresh_list(call: Call, list_id: str) -> None:
    """Find the members of a dynamic list again; here they are always found at once."""
    row = find_contact_list(call, list_id)
    if not row.is_dynamic:
        raise HubSpotError("Only dynamic lists can be refreshed.")


@api.get("/contacts/v1/contacts/statistics")
def count_contacts(call: Call) -> Shown:
    """Return how many contacts there are."""
    now = call.clock.micros // 1000
    return {"contacts": len(find_records(call, "contacts")), "last-new-contact-at": now}


# -- companies and deals -----------------------------------------------------------------------------------------------


@api.get("/companies/v2/companies/{companyId}/contacts")
def list_company_contacts(call: Call, company_id: str, count: int = 20, vid_offset: int = 0) -> Shown:
    """List the contacts of a company."""
    company = find_record(call, "companies", company_id)
    rows = [row for row in _associated_contacts(call, company.id) if int(row.id) > vid_offset]
    most = min(max(count, 1), MAX_PAGE)
    shown: list[Shown] = []
    for row in rows[:most]:
        whole = show_contact(call, row, only_values=True)
        properties = [{"name": name, **value} for name, value in whole["properties"].items()]
        own = {"vid": whole["vid"], "canonicalVid": whole["vid"], "portalId": PORTAL, "isContact": True}
        shown.append(
            {**own, "properties": properties, "formSubmissions": [], "identityProfiles": [], "mergeAudits": []}
        )
    last = shown[-1]["vid"] if shown else 0
    return {"contacts": shown, "vidOffset": last, "hasMore": len(rows) > most}


def _associated_contacts(call: Call, company: str) -> list[Any]:
    ids = {*list_associated(call, "companies", company, "contacts")}
    return [row for row in find_records(call, "contacts") if row.id in ids]


def _change_each(call: Call, kind: str, changes: Rows) -> None:
    for each in changes:
        row = find_record(call, kind, str(each.get("objectId")))
        given = read_pairs(each.get("properties"), "name")
        check_pairs(call, kind, given)
        change_record(call, kind, row, given)


@api.post("/companies/v1/batch-async/update", status=202)
def change_companies(call: Call, body: Annotated[Rows, Body]) -> None:
    """Change companies, at once here."""
    _change_each(call, "companies", body)


@api.post("/deals/v1/batch-async/update", status=202)
def change_deals(call: Call, body: Annotated[Rows, Body]) -> None:
    """Change deals, at once here."""
    _change_each(call, "deals", body)


def _list_recent_deals(call: Call, by: Callable[[Any], str], count: int, offset: int, since: int) -> Shown:
    rows = [row for row in find_records(call, "deals") if show_milliseconds(by(row)) >= since]
    rows.sort(key=lambda row: (by(row), int(row.id)), reverse=True)
    start, most = max(offset, 0), min(max(count, 1), MAX_PAGE)
    shown = [show_deal(call, row) for row in rows[start : start + most]]
    has_more = len(rows) > start + most
    return {"results": shown, "hasMore": has_more, "offset": start + len(shown), "total": len(rows)}


@api.get("/deals/v1/deal/recent/created")
def list_created_deals(call: Call, count: int = 20, offset: int = 0, since: int = 0) -> Shown:
    """List deals, the newest first."""
    return _list_recent_deals(call, lambda row: row.created_at, count, offset, since)


@api.get("/deals/v1/deal/recent/modified")
def list_modified_deals(call: Call, count: int = 20, offset: int = 0, since: int = 0) -> Shown:
    """List deals, the last changed first."""
    return _list_recent_deals(call, lambda row: row.updated_at, count, offset, since)


@api.put("/deals/v1/deal/{dealId}/associations/{objectType}", status=204)
def put_deal_associations(call: Call, deal_id: str, object_type: str, id: list[str] | None = None) -> None:
    """Associate a deal with companies or contacts."""
    deal, kind = find_record(call, "deals", deal_id), get_kind(call, object_type)
    for each in id or ():
        associate(call, ("deals", deal.id), (kind, find_record(call, kind, each).id))


@api.delete("/deals/v1/deal/{dealId}/associations/{objectType}", status=204)
def delete_deal_associations(call: Call, deal_id: str, object_type: str, id: list[str] | None = None) -> None:
    """End the associations of a deal with companies or contacts."""
    deal, kind = find_record(call, "deals", deal_id), get_kind(call, object_type)
    for each in id or ():
        unlink(call, "deals", deal.id, kind, each)


# -- engagements -------------------------------------------------------------------------------------------------------


@api.get("/engagements/v1/engagements/paged")
def list_engagements(call: Call, limit: int = 100, offset: int = 0) -> Shown:
    """List the engagements, page by page."""
    listed = [each for each in list_all_engagements(call) if each["engagement"]["id"] > offset]
    most = min(max(limit, 1), 250)
    last = listed[:most][-1]["engagement"]["id"] if listed else 0
    return {"results": listed[:most], "hasMore": len(listed) > most, "offset": last}


@api.get("/engagements/v1/engagements/recent/modified")
def list_recent_engagements(call: Call, count: int = 20, offset: int = 0, since: int = 0) -> Shown:
    """List the engagements, the last changed first."""
    listed = [each for each in list_all_engagements(call) if each["engagement"]["lastUpdated"] >= since]
    listed.sort(key=lambda each: each["engagement"]["lastUpdated"], reverse=True)
    start, most = max(offset, 0), min(max(count, 1), MAX_PAGE)
    page = listed[start : start + most]
    has_more = len(listed) > start + most
    return {"results": page, "hasMore": has_more, "offset": start + len(page), "total": len(listed)}


# -- objects: products, line items and tickets ------------------------------------------------------------------------

_OBJECTS = "/crm-objects/v1/objects/{objectType}"


def _get_old_kind(call: Call, said: str) -> str:
    kind = get_kind(call, said)
    if kind not in ("products", "line_items", "tickets"):
        raise HubSpotError(f"Unknown object type '{said}'")
    return kind


def _show_object(row: Any, kind: str, names: list[str] | None = None) -> Shown:
    at = show_milliseconds(row.updated_at)
    own = [name for name in columns_of(kind) if getattr(row, name)]
    listed = [*own, *row.properties] if names is None else names
    about = {"timestamp": at, "source": "API", "sourceId": None}
    properties: Shown = {
        name: {
            "versions": [{"name": name, "value": show_value(row, kind, name), **about, "sourceVid": []}],
            "value": show_value(row, kind, name),
            **about,
        }
        for name in listed
    }
    type_name = kind.removesuffix("s").upper()
    own_fields: Shown = {"objectType": type_name, "portalId": PORTAL, "objectId": int(row.id), "properties": properties}
    return {**own_fields, "version": 1, "isDeleted": row.archived}


@api.get(f"{_OBJECTS}/paged")
def list_objects(call: Call, object_type: str, offset: int = 0, properties: list[str] | None = None) -> Shown:
    """List products, line items or tickets, page by page."""
    kind = _get_old_kind(call, object_type)
    rows = [row for row in find_records(call, kind) if int(row.id) > offset]
    shown = [_show_object(row, kind, [*(properties or ())]) for row in rows[:MAX_PAGE]]
    last = shown[-1]["objectId"] if shown else 0
    return {"objects": shown, "hasMore": len(rows) > MAX_PAGE, "offset": last}


@api.post(_OBJECTS)
def post_object(call: Call, object_type: str, body: Annotated[Pairs, Body]) -> Shown:
    """Create a product, a line item or a ticket."""
    kind, given = _get_old_kind(call, object_type), read_pairs(body, "name")
    check_pairs(call, kind, given)
    return _show_object(create_record(call, kind, given), kind)


@api.get(f"{_OBJECTS}/{{objectId}}")
def get_object(call: Call, object_type: str, object_id: str, properties: list[str] | None = None) -> Shown:
    """Return a product, a line item or a ticket with the properties that are asked for."""
    kind = _get_old_kind(call, object_type)
    return _show_object(find_record(call, kind, object_id), kind, [*(properties or ())])


@api.put(f"{_OBJECTS}/{{objectId}}")
def put_object(call: Call, object_type: str, object_id: str, body: Annotated[Pairs, Body]) -> Shown:
    """Change a product, a line item or a ticket."""
    kind, given = _get_old_kind(call, object_type), read_pairs(body, "name")
    row = find_record(call, kind, object_id)
    check_pairs(call, kind, given)
    return _show_object(change_record(call, kind, row, given), kind)


@api.delete(f"{_OBJECTS}/{{objectId}}", status=204)
def delete_object(call: Call, object_type: str, object_id: str) -> None:
    """Archive a product, a line item or a ticket."""
    kind = _get_old_kind(call, object_type)
    archive_record(call, kind, find_record(call, kind, object_id).id)


@api.post(f"{_OBJECTS}/batch-create")
def post_objects(call: Call, object_type: str, body: Annotated[list[Pairs], Body]) -> Response:
    """Create products, line items or tickets."""
    kind = _get_old_kind(call, object_type)
    rows: list[Any] = []
    for each in body:
        given = read_pairs(each, "name")
        check_pairs(call, kind, given)
        rows.append(create_record(call, kind, given))
    return json_answer([_show_object(row, kind) for row in rows])


@api.post(f"{_OBJECTS}/batch-read", reads=True)
def read_objects(
    call: Call, object_type: str, ids: list[int] | None = None, properties: list[str] | None = None
) -> Shown:
    """Return products, line items or tickets by id; those that do not exist are left out."""
    kind = _get_old_kind(call, object_type)
    known = {int(row.id): row for row in find_records(call, kind)}
    return {str(each): _show_object(known[each], kind, [*(properties or ())]) for each in ids or () if each in known}


@api.post(f"{_OBJECTS}/batch-update")
def put_objects(call: Call, object_type: str, body: Annotated[Rows, Body]) -> Response:
    """Change products, line items or tickets."""
    kind = _get_old_kind(call, object_type)
    _change_each(call, kind, body)
    rows = [find_record(call, kind, str(each.get("objectId"))) for each in body]
    return json_answer([_show_object(row, kind) for row in rows])


@api.post(f"{_OBJECTS}/batch-delete", status=204)
def delete_objects(call: Call, object_type: str, ids: list[int] | None = None) -> None:
    """Archive products, line items or tickets."""
    kind = _get_old_kind(call, object_type)
    for each in ids or ():
        archive_record(call, kind, str(each))


# -- associations ------------------------------------------------------------------------------------------------------


@api.put("/crm-associations/v1/associations/create-batch", status=204)
def put_associations(call: Call, body: Annotated[Rows, Body]) -> None:
    """Associate pairs of records."""
    for each in body:
        from_kind, to_kind = kinds_of_definition(_read_definition(each))
        first = find_record(call, from_kind, str(each.get("fromObjectId")))
        associate(call, (from_kind, first.id), (to_kind, find_record(call, to_kind, str(each.get("toObjectId"))).id))


@api.put("/crm-associations/v1/associations/delete-batch", status=204)
def delete_associations(call: Call, body: Annotated[Rows, Body]) -> None:
    """End the associations of pairs of records."""
    for each in body:
        from_kind, to_kind = kinds_of_definition(_read_definition(each))
        unlink(call, from_kind, str(each.get("fromObjectId")), to_kind, str(each.get("toObjectId")))


def _read_definition(given: Shown) -> int:
    number = given.get("definitionId")
    if not isinstance(number, int):
        raise HubSpotError("Each association must have a definitionId.")
    return number

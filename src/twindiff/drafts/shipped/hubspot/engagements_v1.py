"""Deals and engagements of version 1 and the account, which older clients still call.

https://legacydocs.hubspot.com/docs/methods/deals/deals_overview, /docs/methods/engagements/engagements-overview
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .account import columns_of
from .associations import associate, list_associated
from .contact_lists import PORTAL, Pairs, Shown, check_pairs, read_pairs, show_milliseconds, show_value
from .object_schemas import get_kind
from .record_history import extend_history
from .record_lookup import find_record, find_records
from .records import archive_record, change_record, create_record
from .wire_style import HubSpotError, NoSuchRecord

MAX_PAGE = 250
api = Operations()
ENGAGEMENT_FIELDS: Mapping[str, Mapping[str, str]] = {
    "notes": {"body": "hs_note_body"},
    "tasks": {"body": "hs_task_body", "subject": "hs_task_subject", "status": "hs_task_status"},
    "calls": {"body": "hs_call_body", "status": "hs_call_status", "durationMilliseconds": "hs_call_duration"},
    "emails": {"subject": "hs_email_subject", "text": "hs_email_text", "html": "hs_email_html"},
    "meetings": {"body": "hs_meeting_body", "title": "hs_meeting_title", "startTime": "hs_meeting_start_time"},
}
"""The property of version 3 for each field of an engagement's metadata."""
_ASSOCIATED = {"contactIds": "contacts", "companyIds": "companies", "dealIds": "deals", "ticketIds": "tickets"}


@api.get("/integrations/v1/me")
def get_account(call: Call) -> Shown:
    """Return what the account is."""
    zone = {"timeZone": "US/Eastern", "utcOffset": "-05:00", "utcOffsetMilliseconds": -18_000_000}
    return {"portalId": PORTAL, "accountType": "STANDARD", "currency": "USD", **zone}


# -- deals -------------------------------------------------------------------------------------------------------------


def show_deal(call: Call, row: Any) -> Shown:
    """Return a deal as version 1 shows it."""
    own = [name for name in columns_of("deals") if getattr(row, name)]
    at = show_milliseconds(row.updated_at)
    values = {name: show_value(row, "deals", name) for name in ("createdate", *own, *row.properties)}
    values["hs_createdate"] = str(show_milliseconds(row.created_at))
    associated = {"associatedVids": "contacts", "associatedCompanyIds": "companies"}
    return {
        "portalId": PORTAL,
        "dealId": int(row.id),
        "isDeleted": row.archived,
        "associations": {
            **{name: _list_ids(call, "deals", row.id, kind) for name, kind in associated.items()},
            "associatedDealIds": [],
        },
        "properties": {
            name: {
                "value": value,
                "timestamp": at,
                "source": None,
                "sourceId": None,
                "versions": [{"name": name, "value": value, "timestamp": at, "sourceVid": []}],
            }
            for name, value in values.items()
        },
    }


def _list_ids(call: Call, kind: str, id: str, to_kind: str) -> list[int]:
    return [int(each) for each in list_associated(call, kind, id, to_kind)]


def _associate_all(call: Call, kind: str, id: str, to_kind: str, ids: Iterable[Any]) -> None:
    for each in ids:
        if each is not None:
            associate(call, (kind, id), (to_kind, find_record(call, to_kind, str(each)).id))


@api.post("/deals/v1/deal")
def post_deal(call: Call, properties: Pairs | None = None, associations: dict[str, list[int]] | None = None) -> Shown:
    """Create a deal, with its companies and contacts."""
    given = read_pairs(properties, "name")
    check_pairs(call, "deals", given)
    row = create_record(call, "deals", given)
    related = associations or {}
    _associate_all(call, "deals", row.id, "companies", related.get("associatedCompanyIds", []))
    _associate_all(call, "deals", row.id, "contacts", related.get("associatedVids", []))
    return show_deal(call, row)


@api.get("/deals/v1/deal/paged")
def list_deals(call: Call, limit: int = 20, offset: int = 0) -> Shown:
    """List deals, page by page."""
    rows = [each for each in find_records(call, "deals") if int(each.id) > offset]
    return _page_deals(call, rows, limit)


@api.get("/deals/v1/deal/associated/{objectType}/{objectId}/paged")
def list_associated_deals(call: Call, object_type: str, object_id: str, limit: int = 20, offset: int = 0) -> Shown:
    """List the deals of a company or a contact."""
    return _page_deals(call, _find_deals(call, object_type, object_id, offset), limit)


@api.get("/deals/v1/deal/associated/{objectType}/{objectId}")
def list_all_associated_deals(call: Call, object_type: str, object_id: str, limit: int = 20, offset: int = 0) -> Shown:
    """List the ids of the deals of a company or a contact."""
    ids = [int(row.id) for row in _find_deals(call, object_type, object_id, offset)]
    most = min(max(limit, 1), MAX_PAGE)
    return {"results": ids[:most], "hasMore": len(ids) > most, "offset": ids[:most][-1] if ids else 0}


def _find_deals(call: Call, object_type: str, object_id: str, offset: int) -> list[Any]:
    kind = get_kind(call, object_type)
    ids = {*list_associated(call, kind, find_record(call, kind, object_id).id, "deals")}
    return [each for each in find_records(call, "deals") if each.id in ids and int(each.id) > offset]


def _page_deals(call: Call, rows: list[Any], limit: int) -> Shown:
    most = min(max(limit, 1), MAX_PAGE)
    shown = [show_deal(call, each) for each in rows[:most]]
    return {"deals": shown, "hasMore": len(rows) > most, "offset": shown[-1]["dealId"] if shown else 0}


@api.get("/deals/v1/deal/{dealId}")
def get_deal(call: Call, deal_id: str) -> Shown:
    """Return a deal."""
    return show_deal(call, find_record(call, "deals", deal_id))


@api.put("/deals/v1/deal/{dealId}")
def put_deal(call: Call, deal_id: str, properties: Pairs | None = None) -> Shown:
    """Change a deal."""
    row = find_record(call, "deals", deal_id)
    given = read_pairs(properties, "name")
    check_pairs(call, "deals", given)
    return show_deal(call, change_record(call, "deals", row, given))


@api.delete("/deals/v1/deal/{dealId}", status=204)
def delete_deal(call: Call, deal_id: str) -> None:
    """Archive a deal."""
    archive_record(call, "deals", find_record(call, "deals", deal_id).id)


# -- engagements -------------------------------------------------------------------------------------------------------


def _find_engagement(call: Call, id: str) -> tuple[str, Any]:
    """Return the kind and the row of an engagement; raises NoSuchRecord."""
    for kind in ENGAGEMENT_FIELDS:
        try:
            return kind, find_record(call, kind, id)
        except NoSuchRecord:
            continue
    raise NoSuchRecord("resource not found")


def _show_engagement(call: Call, kind: str, row: Any) -> Shown:
    fields = {property_name: name for name, property_name in ENGAGEMENT_FIELDS[kind].items()}
    properties = cast(Shown, row.properties)
    hidden = ("hs_timestamp", "hs_engagement")
    metadata = {fields.get(name, name): value for name, value in properties.items() if name not in hidden}
    made = show_milliseconds(row.created_at)
    at = str(properties.get("hs_timestamp"))
    related = {name: _list_ids(call, kind, row.id, to_kind) for name, to_kind in _ASSOCIATED.items()}
    return {
        "engagement": {
            "id": int(row.id),
            "portalId": PORTAL,
            "active": not row.archived,
            "createdAt": made,
            "lastUpdated": show_milliseconds(row.updated_at),
            "type": kind.removesuffix("s").upper(),
            "timestamp": int(at) if at.isdecimal() else made,
            **properties.get("hs_engagement", {}),
        },
        "associations": {**related, "ownerIds": [], "workflowIds": [], "contentIds": []},
        "attachments": [],
        "metadata": metadata,
    }


@api.post("/engagements/v1/engagements")
def post_engagement(
    call: Call,
    engagement: dict[str, Any],
    metadata: dict[str, Any] | None = None,
    associations: dict[str, list[Any]] | None = None,
) -> Shown:
    """Create a note, a task, a call, an email or a meeting."""
    kind = f"{str(engagement.get('type', '')).lower()}s"
    if kind not in ENGAGEMENT_FIELDS:
        raise HubSpotError(f"Unknown engagement type '{engagement.get('type')}'")
    row = create_record(call, kind, {}, checked=False)
    at = {"hs_timestamp": engagement["timestamp"]} if "timestamp" in engagement else {}
    own = {name: value for name, value in engagement.items() if name not in ("id", "type", "timestamp", "active")}
    kept = {"hs_engagement": own} if own else {}
    row = call.db.change(row, properties={**at, **kept, **_name_properties(kind, metadata or {})})
    for name, to_kind in _ASSOCIATED.items():
        _associate_all(call, kind, row.id, to_kind, (associations or {}).get(name, ()))
    return _show_engagement(call, kind, row)


def _name_properties(kind: str, metadata: Mapping[str, Any]) -> Shown:
    return {ENGAGEMENT_FIELDS[kind].get(name, name): value for name, value in metadata.items()}


@api.get("/engagements/v1/engagements/associated/{objectType}/{objectId}/paged")
def list_engagements(call: Call, object_type: str, object_id: str, limit: int = 100, offset: int = 0) -> Shown:
    """List the engagements of a record, page by page."""
    to_kind = get_kind(call, object_type)
    find_record(call, to_kind, object_id)
    listed = [
        (kind, row)
        for kind in ENGAGEMENT_FIELDS
        for row in find_records(call, kind)
        if int(row.id) > offset and object_id in list_associated(call, kind, row.id, to_kind)
    ]
    listed.sort(key=lambda each: int(each[1].id))
    most = min(max(limit, 1), MAX_PAGE)
    shown = [_show_engagement(call, *each) for each in listed[:most]]
    last = shown[-1]["engagement"]["id"] if shown else 0
    return {"results": shown, "hasMore": len(listed) > most, "offset": last}


def list_all_engagements(call: Call) -> list[Shown]:
    """Return all engagements as version 1 shows them, in the order of their ids."""
    listed = [(kind, row) for kind in ENGAGEMENT_FIELDS for row in find_records(call, kind)]
    return [_show_engagement(call, *each) for each in sorted(listed, key=lambda each: int(each[1].id))]


@api.get("/engagements/v1/engagements/{engagementId}")
def get_engagement(call: Call, engagement_id: str) -> Shown:
    """Return an engagement."""
    return _show_engagement(call, *_find_engagement(call, engagement_id))


@api.patch("/engagements/v1/engagements/{engagementId}")
def patch_engagement(call: Call, engagement_id: str, metadata: dict[str, Any] | None = None) -> Shown:
    """Change the metadata of an engagement."""
    kind, row = _find_engagement(call, engagement_id)
    changed = {**row.properties, **_name_properties(kind, metadata or {})}
    now = call.clock.iso()
    history = extend_history(kind, row, {name: value for name, value in changed.items() if isinstance(value, str)}, now)
    return _show_engagement(call, kind, call.db.change(row, properties=changed, history=history, updated_at=now))


@api.delete("/engagements/v1/engagements/{engagementId}", status=204)
def delete_engagement(call: Call, engagement_id: str) -> None:
    """Archive an engagement."""
    kind, row = _find_engagement(call, engagement_id)
    archive_record(call, kind, row.id)


@api.put("/engagements/v1/engagements/{engagementId}/associations/{objectType}/{objectId}", status=204)
def put_engagement_association(call: Call, engagement_id: str, object_type: str, object_id: str) -> None:
    """Associate an engagement with a record."""
    kind, row = _find_engagement(call, engagement_id)
    _associate_all(call, kind, row.id, get_kind(call, object_type), [object_id])

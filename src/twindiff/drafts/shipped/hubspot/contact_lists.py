"""Contacts and static lists of the contacts API, version 1, which older clients still call.

https://legacydocs.hubspot.com/docs/methods/contacts/contacts-overview, /docs/methods/lists/contact-lists-overview
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.clock import micros_of
from twindiff.kit.http import Response
from twindiff.kit.rows import Expression
from twindiff.kit.twin import Operations

from ..number_ids import read_number_id
from .account import PORTAL, columns_of
from .associations import associate, list_associated
from .list_filters import check_filters
from .list_filters import list_members as list_rows_of_members
from .record_lookup import find_record, find_records, read_property
from .records import archive_record, change_record, create_record, read_properties
from .tables import CrmContact, CrmContactList, CrmListMember
from .wire_style import HubSpotError, NoSuchRecord, RecordConflict


class MethodNotSupported(HubSpotError):
    """This resource can only be read."""

    status = 405


AUTHOR = 71_000_001
"""The user who calls."""
MAX_LISTED = 500
"""Lists of one page, whatever is asked for."""
MAX_CONTACTS = 100
api = Operations(prefix="/contacts/v1")
Shown = dict[str, Any]
Pairs = list[dict[str, Any]]
_CALCULATED = ("lastmodifieddate", "hs_email_domain")
_COUNTS = ("num_conversion_events", "num_unique_conversion_events")


def read_pairs(given: Pairs | None, name: str = "property") -> dict[str, Any]:
    """Return the values of `[{"property": …, "value": …}]` by name; raises HubSpotError for another shape."""
    if any(name not in each for each in given or ()):
        raise HubSpotError(f"Invalid input JSON: each of 'properties' must have '{name}' and 'value'.")
    return {str(each[name]).lower(): each.get("value") for each in given or ()}


def check_pairs(call: Call, kind: str, given: Mapping[str, Any]) -> None:
    """Raise HubSpotError, with a result for each property that is not valid."""
    _, problems = read_properties(call, kind, given)
    if problems:
        raise HubSpotError("Property values were not valid", body={"validationResults": problems})


def show_milliseconds(timestamp: str) -> int:
    """Return a Timestamp in milliseconds."""
    return micros_of(datetime.fromisoformat(timestamp)) // 1000


def show_value(row: Any, kind: str, name: str) -> str:
    """Return a property as the older versions show it: a text, and times in milliseconds."""
    if name == "createdate":
        return str(show_milliseconds(row.created_at))
    if name in ("lastmodifieddate", "hs_lastmodifieddate"):
        return str(show_milliseconds(row.updated_at))
    return str(read_property(kind, row, name))


def _find_contact(call: Call, id: str) -> Any:
    """Return a contact by `vid`; raises NoSuchRecord."""
    return find_record(call, "contacts", id)


def find_by_email(call: Call, email: str) -> Any | None:
    """Return the contact with an address; None if there is none."""
    return call.db.find(
        CrmContact,
        CrmContact.email.equals(email),
        CrmContact.archived == False,  # noqa: E712 - an expression
    )


def _property_names(row: Any) -> list[str]:
    """Return the names of the properties that a contact has, computed ones too."""
    own = [name for name in ("email", "firstname", "lastname", "phone", "company", "jobtitle", "website", "city",
                             "lifecyclestage", "hs_lead_status", "hubspot_owner_id") if getattr(row, name)]  # fmt: skip
    computed = ["createdate", "lastmodifieddate", "hs_all_contact_vids", "hs_is_contact", "hs_is_unworked"]
    domain = ["hs_email_domain"] if row.email else []
    has_mobile = bool(row.properties.get("mobilephone"))
    mobile = ["hs_calculated_mobile_number", "hs_searchable_calculated_mobile_number"] if has_mobile else []
    return [*own, *row.properties, *computed, "hs_object_id", "hs_pipeline", *domain, *mobile]


def _read_values(row: Any, company: str) -> dict[str, str]:
    """Return the values of all properties of a contact; `company` is the id of its first one, if it has any."""
    values = {name: show_value(row, "contacts", name) for name in _property_names(row)}
    values |= {**dict.fromkeys(_COUNTS, "0"), "hs_sequences_actively_enrolled_count": "0"}
    if not row.lifecyclestage:
        began = str(show_milliseconds(row.created_at))
        values |= {"lifecyclestage": "subscriber", "hs_lifecyclestage_subscriber_date": began}
    return {**values, "associatedcompanyid": company} if company else values


def show_contact(call: Call, row: Any, *, only_values: bool, names: Iterable[str] | None = None) -> Shown:
    """Return a contact as version 1 shows it, with all properties or those of the names."""
    company = next(iter(list_associated(call, "contacts", row.id, "companies")), "")
    values = (
        _read_values(row, company) if names is None else {each: show_value(row, "contacts", each) for each in names}
    )
    at = show_milliseconds(row.updated_at)
    versions, origins = _show_version(at), _show_origins(at)
    made, number = show_milliseconds(row.created_at), int(row.id)
    email = [{"type": "EMAIL", "value": row.email, "timestamp": made, "is-primary": True}] if row.email else []
    guid = _guid_of(row)
    memberships = call.db.rows(CrmListMember, CrmListMember.record_id == row.id)
    return {
        "vid": number,
        "canonical-vid": number,
        "merged-vids": [],
        "portal-id": PORTAL,
        "is-contact": True,
        "profile-token": f"AO_T-m{number:054d}",
        "profile-url": f"https://app.hubspot.com/contacts/{PORTAL}/contact/{number}",
        "properties": {
            name: {
                "value": value,
                **({} if only_values else {"versions": [{"value": value, **origins.get(name, versions)}]}),
            }
            for name, value in values.items()
        },
        "form-submissions": [],
        "list-memberships": [_show_membership(each) for each in memberships],
        "identity-profiles": [
            {
                "vid": number,
                "saved-at-timestamp": made,
                "deleted-changed-timestamp": 0,
                "identities": [*email, {"type": "LEAD_GUID", "value": guid, "timestamp": made}],
            }
        ],
        "merge-audits": [],
        **({"associated-company": _show_associated_company(call, company)} if company else {}),
    }


def _show_version(at: int) -> Shown:
    return {"source-type": "API", "source-id": None, "source-label": None, "timestamp": at, "selected": False}


def _show_origins(at: int) -> dict[str, Shown]:
    """Return the versions of computed properties, without their values."""
    calculated = {**_show_version(at), "source-type": "CALCULATED"}
    return {**dict.fromkeys(_CALCULATED, calculated), **{name: {**calculated, "timestamp": 0} for name in _COUNTS}}


def _show_associated_company(call: Call, id: str) -> Shown:
    """Return the first company of a contact, with the values of its properties only."""
    row = find_record(call, "companies", id)
    own = [name for name in columns_of("companies") if getattr(row, name)]
    names = [*own, *row.properties, "createdate", "hs_lastmodifieddate", "hs_object_id"]
    count = len(list_associated(call, "companies", id, "contacts"))
    values = {**{name: show_value(row, "companies", name) for name in names}, "num_associated_contacts": str(count)}
    properties = {name: {"value": value} for name, value in values.items()}
    return {"company-id": int(id), "portal-id": PORTAL, "properties": properties}


def _guid_of(row: Any) -> str:
    return f"00000000-0000-4000-8000-{int(row.id):012d}"


def _show_membership(row: CrmListMember) -> Shown:
    return {
        "static-list-id": row.list_id,
        "internal-list-id": row.list_id,
        "timestamp": show_milliseconds(row.added_at),
        "vid": int(row.record_id),
        "is-member": True,
    }


@api.post("/contact")
def post_contact(call: Call, properties: Pairs | None = None) -> Shown:
    """Create a contact; 409 for an address that another has."""
    given = read_pairs(properties)
    check_pairs(call, "contacts", given)
    known = find_by_email(call, str(given["email"])) if given.get("email") else None
    if known is not None:
        raise RecordConflict(
            "Contact already exists", body={"error": "CONTACT_EXISTS", "identityProfile": _identify(known)}
        )
    row = create_record(call, "contacts", given)
    shown = show_contact(call, row, only_values=False, names=[name for name in given if given[name]])
    _join_company(call, row)
    new: Shown = {"is-deleted": False, "is-contact": False, "pointer-vid": 0, "previous-vid": 0, "linked-vids": []}
    profile: Shown = {**shown["identity-profiles"][0], **new}
    identities: Pairs = profile["identities"]
    profile["identities"] = [{**each, "source": "UNSPECIFIED"} for each in identities]
    return {**shown, "identity-profiles": [profile]}


def _join_company(call: Call, row: Any) -> None:
    """Associate a contact with the company that its property `associatedcompanyid` names, if there is one."""
    company = str(row.properties.get("associatedcompanyid") or "")
    if any(each.id == company for each in find_records(call, "companies")):
        associate(call, ("contacts", row.id), ("companies", company))


def _identify(row: Any) -> Shown:
    at = show_milliseconds(row.created_at)
    identity: Pairs = [{"value": row.email, "type": "EMAIL", "timestamp": at, "isPrimary": True}]
    identity.append({"value": _guid_of(row), "type": "LEAD_GUID", "timestamp": at})
    return {"vid": int(row.id), "identity": identity, "linkedVid": [], "isContact": True, "savedAtTimestamp": at}


@api.post("/contact/createOrUpdate/email/{email}")
def post_contact_by_email(call: Call, email: str, properties: Pairs | None = None) -> Shown:
    """Change the contact with an address, or create it."""
    given = {"email": email, **read_pairs(properties)}
    check_pairs(call, "contacts", given)
    known = find_by_email(call, email)
    row = change_record(call, "contacts", known, given) if known else create_record(call, "contacts", given)
    return {"vid": int(row.id), "isNew": known is None}


@api.get("/contact/email/{email}/profile")
def get_contact_by_email(call: Call, email: str, property_mode: str = "value_and_history") -> Shown:
    """Return the contact with an address."""
    row = find_by_email(call, email)
    if row is None:
        errors = [{"message": f"The contact e:{email} does not exist."}]
        raise NoSuchRecord("contact does not exist", body={"errors": errors})
    return show_contact(call, row, only_values=property_mode == "value_only")


@api.get("/contact/vid/{vid}/profile")
def get_contact(call: Call, vid: str, property_mode: str = "value_and_history") -> Shown:
    """Return a contact."""
    try:
        row = _find_contact(call, vid)
    except NoSuchRecord:
        raise NoSuchRecord("contact does not exist") from None
    return show_contact(call, row, only_values=property_mode == "value_only")


@api.post("/contact/vid/{vid}/profile", status=204)
def post_contact_profile(call: Call, vid: str, properties: Pairs | None = None) -> None:
    """Change a contact."""
    row = _find_contact(call, vid)
    given = read_pairs(properties)
    check_pairs(call, "contacts", given)
    change_record(call, "contacts", row, given)


@api.post("/contact/merge-vids/{vid}")
def merge_contacts(call: Call, vid: str, vid_to_merge: int) -> Response:
    """Merge another contact into one, which keeps its own values."""
    said = "is not a valid contact or is already in the process of being merged"
    rows: list[Any] = []
    for name, id in (("canonical vid", vid), ("vid to merge", str(vid_to_merge))):
        try:
            rows.append(_find_contact(call, id))
        except NoSuchRecord:
            raise HubSpotError(f"{name} {said}") from None
    kept, merged = rows
    names = ("firstname", "lastname", "phone", "company", "jobtitle", "website", "city")
    missing = {name: getattr(merged, name) for name in names if not getattr(kept, name)}
    properties = {**merged.properties, **kept.properties}
    archive_record(call, "contacts", merged.id)
    call.db.change(kept, **missing, properties=properties, updated_at=call.clock.iso())
    return Response(b"SUCCESS", content_type="text/plain")


@api.get("/contact/vids/batch")
def list_contacts_by_id(call: Call, vid: list[str] | None = None, property_mode: str = "value_and_history") -> Shown:
    """Return contacts by their ids, by id; those that do not exist are left out."""
    known = {row.id: row for row in find_records(call, "contacts")}
    rows = [known[each] for each in vid or () if each in known]
    return {row.id: show_contact(call, row, only_values=property_mode == "value_only") for row in rows}


@api.get("/contact/emails/batch")
def list_contacts_by_email(call: Call, email: list[str] | None = None) -> Shown:
    """Return contacts by their addresses, by id; those that do not exist are left out."""
    rows = [find_by_email(call, each) for each in email or ()]
    return {row.id: show_contact(call, row, only_values=False) for row in rows if row is not None}


@api.delete("/contact/vid/{vid}")
def delete_contact(call: Call, vid: str) -> Shown:
    """Archive a contact, which leaves its lists."""
    row = _find_contact(call, vid)
    archive_record(call, "contacts", row.id)
    return {"vid": int(row.id), "deleted": True, "reason": "OK"}


# -- static lists ------------------------------------------------------------------------------------------------------


def find_contact_list(call: Call, id: str) -> CrmContactList:
    """Return a list of contacts; raises NoSuchRecord."""
    row = call.db.find(CrmContactList, CrmContactList.id == read_number_id(id))
    if row is None or row.deleted_at or row.kind != "contacts":
        raise NoSuchRecord(f"Couldn't find a List with the given id '{id}'.")
    return row


def show_contact_list(call: Call, row: CrmContactList) -> Shown:
    """Return a list as version 1 shows it."""
    at = show_milliseconds(row.created_at)
    members = list_rows_of_members(call, row)
    changed = max((show_milliseconds(each.added_at) for each in members), default=0)
    return {
        "portalId": PORTAL,
        "listId": row.id,
        "internalListId": row.id,
        "createdAt": at,
        "updatedAt": at,
        "name": row.name,
        "listType": "DYNAMIC" if row.is_dynamic else "STATIC",
        "filters": row.filters,
        "metaData": {
            "size": len(members) + row.others,
            "lastSizeChangeAt": changed,
            "processing": "DONE",
            "lastProcessingStateChangeAt": at,
            "error": "",
            "listReferencesCount": None,
            "parentFolderId": None,
        },
        "archived": False,
        **({"authorId": row.author_id} if row.author_id else {}),
        "teamIds": [],
        "dynamic": row.is_dynamic,
    }


@api.get("/lists")
def list_lists(call: Call, count: int = 20, offset: int = 0) -> Shown:
    """List the lists, page by page."""
    return _list_page(call, count, offset)


@api.get("/lists/static")
def list_static_lists(call: Call, count: int = 20, offset: int = 0) -> Shown:
    """List the static lists, page by page."""
    return _list_page(call, count, offset, CrmContactList.is_dynamic == False)  # noqa: E712 - an expression


@api.get("/lists/dynamic")
def list_dynamic_lists(call: Call, count: int = 20, offset: int = 0) -> Shown:
    """List the lists whose members follow from filters, page by page."""
    return _list_page(call, count, offset, CrmContactList.is_dynamic == True)  # noqa: E712 - an expression


def _list_page(call: Call, count: int, offset: int, *where: Expression) -> Shown:
    """Return a page in the order of names; the offset of the next one does not depend on how many there are."""
    most, start = min(max(count, 1), MAX_LISTED), max(offset, 0)
    of_contacts = CrmContactList.kind == "contacts", CrmContactList.deleted_at.is_null()
    rows = sorted(call.db.rows(CrmContactList, *of_contacts, *where), key=lambda row: (row.name.lower(), row.id))
    shown = [show_contact_list(call, each) for each in rows[start : start + most]]
    return {"offset": start + most, "lists": shown, "has-more": len(rows) > start + most}


@api.post("/lists")
def post_list(call: Call, name: str, dynamic: bool = False, filters: list[Any] | None = None) -> Shown:
    """Create a static list, or a dynamic one with the contacts that meet its filters."""
    number = call.db.next("contact_list")
    row = CrmContactList(
        id=number,
        name=name,
        is_dynamic=dynamic,
        filters=check_filters(filters) if dynamic else [],
        author_id=AUTHOR,
        created_at=call.clock.iso(),
    )
    return show_contact_list(call, call.db.add(row))


@api.post("/lists/all/contacts/all")
def refuse_contacts(call: Call) -> None:
    """Refuse to write all contacts at once, as HubSpot does."""
    raise MethodNotSupported


@api.get("/lists/{listId}")
def get_list(call: Call, list_id: str) -> Shown:
    """Return a list."""
    return show_contact_list(call, find_contact_list(call, list_id))


@api.delete("/lists/{listId}", status=204)
def delete_list(call: Call, list_id: str) -> None:
    """Remove a list; its contacts stay."""
    row = find_contact_list(call, list_id)
    for member in call.db.rows(CrmListMember, CrmListMember.list_id == row.id):
        call.db.remove(member)
    call.db.remove(row)


@api.post("/lists/{listId}/add")
def add_to_list(call: Call, list_id: str, vids: list[int] | None = None, emails: list[str] | None = None) -> Shown:
    """Add contacts to a list, by id or address."""
    row = find_contact_list(call, list_id)
    _refuse_dynamic(row)
    contacts, invalid = _find_members(call, vids or (), emails or ())
    inside = {each.record_id for each in call.db.rows(CrmListMember, CrmListMember.list_id == row.id)}
    for id in [each for each in contacts if each not in inside]:
        call.db.add(CrmListMember(list_id=row.id, record_id=id, added_at=call.clock.iso()))
    return _report(contacts, inside, invalid)


@api.post("/lists/{listId}/remove")
def remove_from_list(call: Call, list_id: str, vids: list[int] | None = None, emails: list[str] | None = None) -> Shown:
    """Take contacts out of a list, by id or address."""
    row = find_contact_list(call, list_id)
    _refuse_dynamic(row)
    contacts, invalid = _find_members(call, vids or (), emails or ())
    members = {each.record_id: each for each in call.db.rows(CrmListMember, CrmListMember.list_id == row.id)}
    for id in [each for each in contacts if each in members]:
        call.db.remove(members[id])
    return _report(contacts, {each for each in contacts if each not in members}, invalid)


def _refuse_dynamic(row: CrmContactList) -> None:
    if row.is_dynamic:
        raise HubSpotError("Can not operate manually on a dynamic list")


def _find_members(call: Call, vids: Sequence[int], emails: Sequence[str]) -> tuple[list[str], Shown]:
    """Return the ids of contacts by id or address, and those that there are not."""
    known = {each.id for each in find_records(call, "contacts")}
    by_email = {email: find_by_email(call, email) for email in emails}
    contacts = [str(each) for each in vids if str(each) in known]
    contacts += [row.id for row in by_email.values() if row is not None]
    invalid = {
        "invalidVids": [each for each in vids if str(each) not in known],
        "invalidEmails": [email for email, row in by_email.items() if row is None],
    }
    return [*dict.fromkeys(contacts)], invalid


def _report(contacts: Sequence[str], discarded: set[str], invalid: Shown) -> Shown:
    updated = [int(each) for each in contacts if each not in discarded]
    return {"updated": updated, "discarded": [int(each) for each in contacts if each in discarded], **invalid}


@api.get("/lists/{listId}/contacts/all")
def list_members(call: Call, list_id: str, count: int = 20, vid_offset: int = 0) -> Shown:
    """List the contacts of a list; `all` stands for every contact."""
    if list_id == "all":
        rows = find_records(call, "contacts")
    else:
        row = find_contact_list(call, list_id)
        members = list_rows_of_members(call, row)
        rows = [_find_contact(call, each.record_id) for each in members]
    rows = [each for each in sorted(rows, key=lambda each: int(each.id)) if int(each.id) > vid_offset]
    most = min(max(count, 1), MAX_CONTACTS)
    shown = [show_contact(call, each, only_values=True) for each in rows[:most]]
    last = shown[-1]["vid"] if shown else 0
    return {"contacts": shown, "has-more": len(rows) > most, "vid-offset": last}

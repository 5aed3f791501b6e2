"""Contacts and companies. https://developers.freshdesk.com/api/#contacts"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.http import Response
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .tables import FreshdeskCompany, FreshdeskContact, FreshdeskTicket
from .wire_style import (
    FreshdeskError,
    RecordNotFound,
    Shown,
    page_rows,
    read_fields,
    read_number,
    refuse_field,
    show_time,
)

api = Operations(prefix="/api/v2")
Given = Annotated[dict[str, Any], Body]
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_WAYS = ("email", "phone", "mobile", "twitter_id", "unique_external_id")
"""Fields of which a contact has at least one."""
_CONTACT: Mapping[str, Any] = {
    **dict.fromkeys(("name", *_WAYS, "address", "description", "job_title", "language", "time_zone"), str),
    "company_id": int, "view_all_tickets": bool, "tags": list, "other_emails": list, "custom_fields": dict,
}  # fmt: skip
_COMPANY: Mapping[str, Any] = {
    **dict.fromkeys(("name", "description", "note", "health_score", "account_tier", "renewal_date", "industry"), str),
    "domains": list, "custom_fields": dict,
}  # fmt: skip
_ONLY_SINGLE = ("deleted", "tags", "other_emails", "view_all_tickets", "other_companies", "avatar")
"""What a list of contacts does not show."""


def find_contact(call: Call, id: str) -> FreshdeskContact:
    """Return a contact, a deleted one too; raises RecordNotFound."""
    return call.db.get(FreshdeskContact, read_number(id), missing=RecordNotFound)


def show_contact(row: FreshdeskContact) -> Shown:
    """Return a contact."""
    names = ("id", "name", *_WAYS, "address", "description", "job_title", "language", "time_zone", "company_id",
             "view_all_tickets", "tags", "other_emails", "custom_fields", "deleted")  # fmt: skip
    unset: Shown = {"active": False, "facebook_id": None, "csat_rating": None, "preferred_source": None, "avatar": None}
    if row.company_id and row.view_all_tickets is None:
        unset["view_all_tickets"] = False
    times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    return {**{name: getattr(row, name) for name in names}, **unset, **times, "other_companies": []}


def _show_briefly(row: FreshdeskContact) -> Shown:
    hidden = {*_ONLY_SINGLE} - ({"other_companies"} if row.company_id else set())
    return {name: value for name, value in show_contact(row).items() if name not in hidden}


def _show_single(row: FreshdeskContact) -> Shown:
    """Return a contact as it is read, where only one that is deleted says so."""
    shown = show_contact(row)
    return shown if row.deleted else {name: value for name, value in shown.items() if name != "deleted"}


def _check_contact(call: Call, given: Mapping[str, Any], own: FreshdeskContact | None = None) -> Shown:
    values = read_fields(given, _CONTACT)
    email = values.get("email")
    if not values.get("name", own.name if own else None):
        raise refuse_field("name", "It should be a/an String", "missing_field")
    if email is not None and not _ADDRESS.fullmatch(email):
        raise refuse_field("email", "It should be in the 'valid email address' format")
    if not any(values.get(name, getattr(own, name) if own else None) for name in _WAYS):
        said = f"Please fill at least 1 of {', '.join(_WAYS)} fields."
        raise refuse_field("email", said, "missing_field")
    place = values.get("company_id")
    if place is not None and call.db.find(FreshdeskCompany, FreshdeskCompany.id == place) is None:
        raise refuse_field("company_id", "There is no company matching the given company_id")
    for row in call.db.rows(FreshdeskContact):
        for name in ("email", "unique_external_id", "twitter_id"):
            same = values.get(name) is not None and str(getattr(row, name)).lower() == str(values[name]).lower()
            if same and (own is None or row.id != own.id):
                about = {"field": name, "additional_info": {"user_id": row.id}}
                said = {"message": "It should be a unique value", "code": "duplicate_value"}
                raise FreshdeskError(409, [{**about, **said}])
    return {**values, **({"custom_fields": {**own.custom_fields, **values["custom_fields"]}}
                         if own and "custom_fields" in values else {})}  # fmt: skip


def create_contact(call: Call, given: Mapping[str, Any]) -> FreshdeskContact:
    """Add a contact. Raises FreshdeskError."""
    fields = _check_contact(call, given)
    now, number = call.clock.iso(), 72_009_000_000 + call.db.next("contact")
    return call.db.add(FreshdeskContact(id=number, created_at=now, updated_at=now, **fields))


@api.get("/contacts")
def list_contacts(
    call: Call,
    email: str = "",
    phone: str = "",
    mobile: str = "",
    company_id: str = "",
    unique_external_id: str = "",
    state: str = "",
    updated_since: str = "",
    page: int = 1,
    per_page: int = 30,
) -> Response:
    """List the contacts that are not deleted, or those with some values."""
    if state not in ("", "blocked", "deleted", "unverified", "verified"):
        raise refuse_field("state", "It should be one of these values: 'blocked,deleted,unverified,verified'")
    wanted = {"email": email.lower(), "phone": phone, "mobile": mobile, "company_id": company_id,
              "unique_external_id": unique_external_id}  # fmt: skip
    rows = [
        row
        for row in call.db.rows(FreshdeskContact)
        if row.deleted == (state == "deleted")
        and state not in ("blocked", "verified")
        and show_time(row.updated_at) >= updated_since
        and all(str(getattr(row, name) or "").lower() == value for name, value in wanted.items() if value)
    ]
    rows.sort(key=lambda row: row.name)
    query = "&".join(f"{name}={quote(value)}" for name, value in {**wanted, "state": state}.items() if value)
    url = f"{call.base_url}/api/v2/contacts" + (f"?{query}" if query else "")
    return page_rows(url, rows, _show_briefly, page, per_page)


@api.post("/contacts", status=201)
def post_contact(call: Call, body: Given) -> Shown:
    """Create a contact; its address and its external id are its own."""
    return show_contact(create_contact(call, body))


@api.get("/contacts/autocomplete")
def complete_contacts(call: Call, term: str) -> list[Shown]:
    """List the contacts with a word of their name that begins with a text."""
    rows = [row for row in call.db.rows(FreshdeskContact) if not row.deleted]
    is_named = [row for row in rows if any(word.lower().startswith(term.lower()) for word in row.name.split())]
    return [{"id": row.id, "name": row.name} for row in is_named]


@api.get("/contacts/{contact_id}")
def get_contact(call: Call, contact_id: str) -> Shown:
    """Return a contact."""
    return _show_single(find_contact(call, contact_id))


@api.put("/contacts/{contact_id}")
def put_contact(call: Call, contact_id: str, body: Given) -> Shown:
    """Change a contact."""
    row = find_contact(call, contact_id)
    if row.deleted:
        raise RecordNotFound
    return show_contact(call.db.change(row, **_check_contact(call, body, row), updated_at=call.clock.iso()))


@api.delete("/contacts/{contact_id}", status=204)
def delete_contact(call: Call, contact_id: str) -> None:
    """Delete a contact, which can be restored."""
    row = find_contact(call, contact_id)
    if row.deleted:
        raise RecordNotFound
    call.db.change(row, deleted=True, updated_at=call.clock.iso())


@api.put("/contacts/{contact_id}/restore", status=204)
def restore_contact(call: Call, contact_id: str) -> None:
    """Restore a deleted contact."""
    row = find_contact(call, contact_id)
    if not row.deleted:
        raise RecordNotFound
    call.db.change(row, deleted=False, updated_at=call.clock.iso())


@api.delete("/contacts/{contact_id}/hard_delete", status=204)
def delete_for_good(call: Call, contact_id: str, force: bool = False) -> None:
    """Remove a contact and its tickets for good; one that is not deleted needs `force`."""
    row = find_contact(call, contact_id)
    if not row.deleted and not force:
        raise refuse_field("force", "The contact is not deleted; delete it first, or set force=true")
    for ticket in call.db.rows(FreshdeskTicket, FreshdeskTicket.requester_id == row.id):
        call.db.remove(ticket)
    call.db.remove(row)


# -- companies ---------------------------------------------------------------------------------------------------------


def _get_company(call: Call, id: str) -> FreshdeskCompany:
    return call.db.get(FreshdeskCompany, read_number(id), missing=RecordNotFound)


def show_company(row: FreshdeskCompany) -> Shown:
    """Return a company."""
    times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    return {"id": row.id, **{name: getattr(row, name) for name in _COMPANY}, **times}


def _check_company(call: Call, given: Mapping[str, Any], own: FreshdeskCompany | None = None) -> Shown:
    values = read_fields(given, _COMPANY)
    name = values.get("name", own.name if own else None)
    if not name:
        raise refuse_field("name", "It should be a/an String", "missing_field")
    for row in call.db.rows(FreshdeskCompany):
        if row.name.lower() == name.lower() and (own is None or row.id != own.id):
            raise refuse_field("name", "It should be a unique value", "duplicate_value", 409)
    return values


@api.get("/companies")
def list_companies(call: Call, page: int = 1, per_page: int = 30) -> Response:
    """List the companies by name."""
    rows = sorted(call.db.rows(FreshdeskCompany), key=lambda row: row.name)
    return page_rows(f"{call.base_url}/api/v2/companies", rows, show_company, page, per_page)


@api.post("/companies", status=201)
def post_company(call: Call, body: Given) -> Shown:
    """Create a company; its name is its own."""
    fields = _check_company(call, body)
    now, number = call.clock.iso(), 72_000_300_000 + call.db.next("company")
    return show_company(call.db.add(FreshdeskCompany(id=number, created_at=now, updated_at=now, **fields)))


@api.get("/companies/autocomplete")
def complete_companies(call: Call, name: str) -> Shown:
    """List the companies whose name begins with the first word of a text, that of the whole text first."""
    words = name.lower().split()[:1]
    rows = [row for row in call.db.rows(FreshdeskCompany) if words and row.name.lower().startswith(words[0])]
    rows.sort(key=lambda row: (row.name.lower() != name.lower(), row.id))
    return {"companies": [{"id": row.id, "name": row.name} for row in rows]}


@api.get("/companies/{company_id}")
def get_company(call: Call, company_id: str) -> Shown:
    """Return a company."""
    return show_company(_get_company(call, company_id))


@api.put("/companies/{company_id}")
def put_company(call: Call, company_id: str, body: Given) -> Shown:
    """Change a company."""
    row = _get_company(call, company_id)
    return show_company(call.db.change(row, **_check_company(call, body, row), updated_at=call.clock.iso()))


@api.delete("/companies/{company_id}", status=204)
def delete_company(call: Call, company_id: str) -> None:
    """Remove a company; its contacts and tickets are then of none."""
    row = _get_company(call, company_id)
    for table in (FreshdeskContact, FreshdeskTicket):
        for each in call.db.rows(table, table.company_id == row.id):
            call.db.change(each, company_id=None)
    call.db.remove(row)

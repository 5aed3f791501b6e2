"""Marketing: contacts, lists and fields. https://www.twilio.com/docs/sendgrid/api-reference/contacts"""

from __future__ import annotations

import re
from typing import Annotated, Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Body
from twindiff.kit.rows import Expression
from twindiff.kit.twin import Operations

from .mail import Shown, is_address
from .tables import SendGridContact, SendGridField, SendGridList

api = Operations(prefix="/v3/marketing")
BASE = "https://api.sendgrid.com/v3/marketing"
MAX_CONTACTS = 30_000
MAX_FOUND = 50
MIN_PHONE_DIGITS, MAX_PHONE_DIGITS = 7, 15
_FURTHER: dict[str, Any] = {
    **dict.fromkeys(("address_line_1", "address_line_2", "city", "country", "phone_number", "postal_code"), ""),
    **dict.fromkeys(("state_province_region", "whatsapp", "line", "facebook", "unique_name"), ""),
    "alternate_emails": [],
}
"""The fields of a contact that have no column, with what they hold if nobody has given them."""
_PART = re.compile(
    r"\s*(?:(?P<field>\w+)\s*(?P<operator>=|!=|LIKE)\s*'(?P<value>(?:[^']|'')*)'"
    r"|CONTAINS\(\s*list_ids\s*,\s*'(?P<list>[^']*)'\s*\))\s*",
    re.IGNORECASE,
)


class NoSuchSendGridObject(ApiError):
    """The resource does not exist."""

    status = 404


class ContactBody(msgspec.Struct):
    """The contacts to create or change, and the lists that get them."""

    contacts: list[dict[str, Any]]
    list_ids: list[str] = msgspec.field(default_factory=list[str])


def _accept(call: Call) -> ValueResponse:
    return ValueResponse({"job_id": call.ids.uuid()}, 202)


@api.put("/contacts")
def put_contacts(call: Call, body: Annotated[ContactBody, Body]) -> ValueResponse:
    """Create contacts, or change those with the same addresses."""
    if not 1 <= len(body.contacts) <= MAX_CONTACTS:
        raise InvalidParameter("contacts", f"must have between 1 and {MAX_CONTACTS} contacts")
    for number, each in enumerate(body.contacts):
        if not is_address(each.get("email")):
            raise InvalidParameter(f"contacts[{number}].email", f"email '{each.get('email')}' is not valid")
    for list_id in body.list_ids:
        _get_list(call, list_id)
    for each in body.contacts:
        _write_contact(call, each, body.list_ids)
    return _accept(call)


def _read_custom(call: Call, given: Shown) -> Shown:
    """Return custom values by the names of their fields, which a body gives by id.

    What is no value of its field's type is left out, as the job that writes contacts does.
    """
    values: Shown = {}
    for key, value in given.items():
        field = call.db.find(SendGridField, SendGridField.id == key)
        if field is None:
            values[key] = value
        elif field.field_type == "Date":
            if re.match(r"\d{4}-\d\d-\d\d|\d\d?/\d\d?/\d{4}", str(value)):
                values[field.name] = re.sub(r"\.\d+Z$", "Z", str(value))
        elif field.field_type != "Number" or isinstance(value, (int, float)):
            values[field.name] = value
    return values


def _is_kept(name: str, value: Any) -> bool:
    """Return whether the job that writes contacts takes a value; it leaves out a phone number that is not valid."""
    digits = re.sub(r"\D", "", str(value))
    return name != "phone_number" or not value or MIN_PHONE_DIGITS <= len(digits) <= MAX_PHONE_DIGITS


def _write_contact(call: Call, given: Shown, list_ids: list[str]) -> None:
    email, now = str(given["email"]).lower(), call.clock.iso()
    known = call.db.find(SendGridContact, SendGridContact.email == email)
    names: dict[str, Any] = {
        name: str(given[name]) if given[name] is not None else None
        for name in ("first_name", "last_name")
        if name in given
    }
    custom: Any = given.get("custom_fields")
    own = _read_custom(call, cast(Shown, custom) if isinstance(custom, dict) else {})
    further = {name: value for name, value in given.items() if name in _FURTHER and _is_kept(name, value)}
    if known is None:
        call.db.add(
            SendGridContact(
                id=call.ids.uuid(),
                email=email,
                list_ids=sorted({*list_ids}),
                custom_fields=own,
                fields=further,
                created_at=now,
                updated_at=now,
                **names,
            )
        )
        return
    joined = sorted({*cast(list[str], known.list_ids), *list_ids})
    changed = {**cast(Shown, known.custom_fields), **own}
    more = {**cast(Shown, known.fields), **further}
    call.db.change(known, list_ids=joined, custom_fields=changed, fields=more, updated_at=now, **names)


@api.delete("/contacts")
def delete_contacts(call: Call, ids: str = "", delete_all_contacts: str = "") -> ValueResponse:
    """Delete contacts, by their ids or all."""
    if not ids and delete_all_contacts != "true":
        raise InvalidParameter("ids", "ids or delete_all_contacts is required")
    wanted = [SendGridContact.id.in_(ids.split(","))] if ids else []
    for each in call.db.rows(SendGridContact, *wanted):
        call.db.remove(each)
    return _accept(call)


@api.get("/contacts")
def list_contacts(call: Call) -> Shown:
    """List up to 50 contacts, the newest first."""
    rows = call.db.rows(SendGridContact, order=-SendGridContact.updated_at, limit=MAX_FOUND)
    return _show_found(call, rows, f"{BASE}/contacts", call.db.count(SendGridContact))


@api.get("/contacts/count")
def get_count(call: Call) -> Shown:
    """Count the contacts."""
    count = call.db.count(SendGridContact)
    return {"contact_count": count, "billable_count": count}


@api.post("/contacts/search", reads=True)
def post_search(call: Call, query: str) -> Shown:
    """Find contacts by conditions joined by AND: `email = 'ada@example.com'`, `LIKE`, `CONTAINS(list_ids, 'id')`."""
    where = [_read_condition(part) for part in re.split(r"\s+AND\s+", query.strip(), flags=re.IGNORECASE)]
    rows = call.db.rows(SendGridContact, *where, order=-SendGridContact.updated_at, limit=MAX_FOUND)
    return _show_found(call, rows, f"{BASE}/contacts/search", call.db.count(SendGridContact, *where))


def _read_condition(part: str) -> Expression:
    match = _PART.fullmatch(part)
    if match is None:
        raise InvalidParameter("query", f"'{part}' is not a condition that this drafted twin knows")
    if match["list"] is not None:
        return SendGridContact.list_ids.contains(msgspec.json.encode(match["list"]).decode())
    name, value = match["field"].lower(), match["value"].replace("''", "'")
    columns = {
        "email": SendGridContact.email,
        "first_name": SendGridContact.first_name,
        "last_name": SendGridContact.last_name,
        "contact_id": SendGridContact.id,
    }
    column: Any = columns.get(name)
    column = SendGridContact.custom_fields.json(match["field"]) if column is None else column
    value = value.lower() if name == "email" else value
    match match["operator"].upper():
        case "=":
            return column == value
        case "!=":
            return column != value
        case _:
            return column.contains(value.strip("%"), fold=True)


def _show_found(call: Call, rows: list[SendGridContact], address: str, count: int) -> Shown:
    shown = [_show_contact(call, each) for each in rows]
    return {"contact_count": count, "result": shown, "_metadata": {"self": address}}


def _show_contact(call: Call, row: SendGridContact) -> Shown:
    return {
        **_FURTHER,
        **cast(Shown, row.fields),
        "id": row.id,
        "email": row.email,
        "first_name": row.first_name or "",
        "last_name": row.last_name or "",
        "list_ids": row.list_ids,
        "segment_ids": None,
        "custom_fields": row.custom_fields,
        "created_at": row.created_at[:19] + "Z",
        "updated_at": row.updated_at[:19] + "Z",
        "_metadata": {"self": f"{BASE}/contacts/{row.id}"},
    }


@api.get("/contacts/{id}")
def get_contact(call: Call, id: str) -> Shown:
    """Return a contact."""
    row = call.db.find(SendGridContact, SendGridContact.id == id)
    if row is None:
        raise NoSuchSendGridObject("contact not found")
    return _show_contact(call, row)


# -- lists -------------------------------------------------------------------------------------------------------------


def _get_list(call: Call, id: str) -> SendGridList:
    row = call.db.find(SendGridList, SendGridList.id == id)
    if row is None:
        raise NoSuchSendGridObject("list not found")
    return row


def _count_members(call: Call, id: str) -> int:
    return call.db.count(SendGridContact, SendGridContact.list_ids.contains(f'"{id}"'))


def _show_list(call: Call, row: SendGridList) -> Shown:
    told = {"id": row.id, "name": row.name, "contact_count": _count_members(call, row.id)}
    return {**told, "_metadata": {"self": f"{BASE}/lists/{row.id}"}}


@api.get("/lists")
def list_lists(call: Call, page_size: int = 100) -> Shown:
    """List the lists in the order of their ids, as recordings show it."""
    rows = call.db.rows(SendGridList, order=SendGridList.id, limit=max(1, min(page_size, 1000)))
    shown = [_show_list(call, each) for each in rows]
    return {"result": shown, "_metadata": {"self": f"{BASE}/lists?page_size={page_size}", "count": len(shown)}}


@api.post("/lists", status=201)
def post_list(call: Call, name: str) -> Shown:
    """Create a list; no two have the same name."""
    if not 1 <= len(name) <= 100:
        raise InvalidParameter("name", "must have between 1 and 100 characters")
    if call.db.find(SendGridList, SendGridList.name == name):
        raise InvalidParameter("name", f"list name '{name}' is already in use")
    row = SendGridList(id=call.ids.uuid(), name=name, created_number=call.db.next("list"))
    return _show_list(call, call.db.add(row))


@api.get("/lists/{id}")
def get_list(call: Call, id: str) -> Shown:
    """Return a list."""
    return _show_list(call, _get_list(call, id))


@api.patch("/lists/{id}")
def patch_list(call: Call, id: str, name: str) -> Shown:
    """Rename a list."""
    return _show_list(call, call.db.change(_get_list(call, id), name=name))


@api.delete("/lists/{id}")
def delete_list(call: Call, id: str, delete_contacts: str = "") -> ValueResponse:
    """Delete a list, with its contacts if that is wished."""
    row = _get_list(call, id)
    _leave_list(call, id, None, is_deleted=delete_contacts == "true")
    call.db.remove(row)
    return _accept(call) if delete_contacts == "true" else ValueResponse(None, 204)


@api.delete("/lists/{id}/contacts")
def delete_list_contacts(call: Call, id: str, contact_ids: str) -> ValueResponse:
    """Take contacts from a list."""
    _get_list(call, id)
    _leave_list(call, id, contact_ids.split(","), is_deleted=False)
    return _accept(call)


def _leave_list(call: Call, id: str, contact_ids: list[str] | None, *, is_deleted: bool) -> None:
    where = [] if contact_ids is None else [SendGridContact.id.in_(contact_ids)]
    for each in call.db.rows(SendGridContact, SendGridContact.list_ids.contains(f'"{id}"'), *where):
        if is_deleted:
            call.db.remove(each)
        else:
            call.db.change(each, list_ids=[other for other in cast(list[str], each.list_ids) if other != id])


@api.get("/lists/{id}/contacts/count")
def get_list_count(call: Call, id: str) -> Shown:
    """Count the contacts of a list."""
    count = _count_members(call, _get_list(call, id).id)
    return {"contact_count": count, "billable_count": count}


# -- fields ------------------------------------------------------------------------------------------------------------

_RESERVED = (
    ("first_name", "Text"),
    ("last_name", "Text"),
    ("email", "Text"),
    ("alternate_emails", "Text"),
    ("address_line_1", "Text"),
    ("address_line_2", "Text"),
    ("city", "Text"),
    ("state_province_region", "Text"),
    ("postal_code", "Text"),
    ("country", "Text"),
    ("phone_number", "Text"),
    ("whatsapp", "Text"),
    ("line", "Text"),
    ("facebook", "Text"),
    ("unique_name", "Text"),
)
_COMPUTED = (
    ("email_domains", "Text"), ("last_clicked", "Date"), ("last_opened", "Date"), ("last_emailed", "Date"),
    ("singlesend_id", "Text"), ("automation_id", "Text"), ("created_at", "Date"), ("updated_at", "Date"),
    ("contact_id", "Text"),
)  # fmt: skip
"""Reserved fields that no request writes."""


@api.get("/field_definitions")
def list_fields(call: Call) -> Shown:
    """List the fields of contacts."""
    reserved: list[Shown] = [
        {"id": f"_rf{n}_{kind[0]}", "name": name, "field_type": kind}
        | ({"read_only": True} if n >= len(_RESERVED) else {})
        for n, (name, kind) in enumerate((*_RESERVED, *_COMPUTED))
    ]
    custom = [_show_field(each) for each in call.db.rows(SendGridField)]
    return {"custom_fields": custom, "reserved_fields": reserved, "_metadata": {"self": f"{BASE}/field_definitions"}}


def _show_field(row: SendGridField) -> Shown:
    told = {"id": row.id, "name": row.name, "field_type": row.field_type}
    return {**told, "_metadata": {"self": f"{BASE}/field_definitions/{row.id}"}}


@api.post("/field_definitions")
def post_field(call: Call, name: str, field_type: str) -> Shown:
    """Add a field to contacts."""
    if field_type not in ("Text", "Number", "Date"):
        raise InvalidParameter("field_type", "must be Text, Number or Date")
    if call.db.find(SendGridField, SendGridField.name == name):
        raise InvalidParameter("name", f"field name '{name}' is already in use")
    id = f"e{call.db.next('field')}_{field_type[0]}"
    return _show_field(call.db.add(SendGridField(id=id, name=name, field_type=field_type)))

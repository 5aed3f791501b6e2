"""Contacts: create, search, archive, and what belongs to them.

https://developers.intercom.com/docs/references/rest-api/api.intercom.io/contacts
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .memberships import list_targets, show_tags
from .tables import IntercomContact, IntercomNote
from .wire_style import IntercomError, page_list, show_seconds, wrap_list

api = Operations()
Shown = dict[str, Any]
WORKSPACE = "tw1ndiff"
MAX_SEARCH_DEPTH = 3
MAX_CONDITIONS = 15
_PLAIN = (
    "external_id", "email", "phone", "name", "avatar", "owner_id", "role", "signed_up_at", "last_seen_at",
    "unsubscribed_from_emails",
)  # fmt: skip
_UNKNOWN = (
    "last_replied_at", "last_contacted_at", "last_email_opened_at", "last_email_clicked_at", "language_override",
    "browser", "browser_version", "browser_language", "os", "android_app_name", "android_app_version",
    "android_device", "android_os_version", "android_sdk_version", "android_last_seen_at", "ios_app_name",
    "ios_app_version", "ios_device", "ios_os_version", "ios_sdk_version", "ios_last_seen_at",
)  # fmt: skip
"""What only a visit would tell."""


def find_contact(call: Call, id: str) -> IntercomContact:
    """Return a contact that is not archived; raises IntercomError."""
    row = call.db.find(IntercomContact, IntercomContact.id == id)
    if row is None or row.is_archived or row.is_deleted:
        raise IntercomError(404, "not_found", "User Not Found")
    return row


def list_contacts_there(call: Call) -> list[IntercomContact]:
    """Return the contacts that are not archived, in the order of their creation."""
    rows = call.db.rows(IntercomContact, order=IntercomContact.made_number)
    return [row for row in rows if not row.is_archived and not row.is_deleted]


def show_contact(call: Call, row: IntercomContact) -> Shown:
    """Return a contact."""
    base = f"/contacts/{row.id}"
    tags = [{"id": each, "type": "tag", "url": f"/tags/{each}"} for each in list_targets(call, "contact_tag", row.id)]
    companies = [
        {"id": each, "type": "company", "url": f"/companies/{each}"}
        for each in list_targets(call, "contact_company", row.id)
    ]
    notes = call.db.rows(IntercomNote, IntercomNote.contact_id == row.id)
    noted = [{"id": each.id, "type": "note", "url": f"/notes/{each.id}"} for each in notes]
    return {
        "type": "contact",
        "id": row.id,
        "workspace_id": WORKSPACE,
        **{name: getattr(row, name) for name in _PLAIN},
        **dict.fromkeys(_UNKNOWN),
        "avatar": {"type": "avatar", "image_url": row.avatar} if row.avatar else None,
        "social_profiles": wrap_list([]),
        "has_hard_bounced": False,
        "marked_email_as_spam": False,
        "created_at": show_seconds(row.created_at),
        "updated_at": show_seconds(row.updated_at),
        "location": {"type": "location", "country": None, "region": None, "city": None},
        "custom_attributes": row.custom_attributes,
        "tags": _show_part(tags, f"{base}/tags"),
        "notes": _show_part(noted, f"{base}/notes"),
        "companies": _show_part(companies, f"{base}/companies"),
    }


def _show_part(data: list[Shown], url: str) -> Shown:
    return wrap_list(data, url=url, total_count=len(data), has_more=False)


def _read_values(given: Mapping[str, Any], known: IntercomContact | None) -> Shown:
    """Return the columns of what a body gives; raises IntercomError for a role that there is not."""
    values = {name: given[name] for name in _PLAIN if name in given}
    if values.get("role", "user") not in ("user", "lead"):
        raise IntercomError(400, "parameter_invalid", "role must be 'user' or 'lead'")
    if "external_id" in values and values["external_id"] is None:
        del values["external_id"]
    if known is not None and "email" in values:
        values["email"] = values["email"] or ""
    if values.get("email"):
        values["email"] = str(values["email"]).strip()
    own: Any = given.get("custom_attributes")
    if isinstance(own, dict):
        values["custom_attributes"] = {**(known.custom_attributes if known else {}), **cast(Shown, own)}
    return values


def _refuse_taken(call: Call, values: Mapping[str, Any], own: str = "") -> None:
    """Raise IntercomError for an external id that another contact has, or an address that another user has."""
    for row in call.db.rows(IntercomContact):
        if row.id == own or row.is_deleted:
            continue
        same_id = values.get("external_id") is not None and row.external_id == values["external_id"]
        is_user = row.role == "user" and values.get("role") == "user"
        same_email = is_user and values.get("email") and (row.email or "").lower() == str(values["email"]).lower()
        if same_id or same_email:
            kind = "An archived contact" if row.is_archived else "A contact"
            raise IntercomError(409, "conflict", f"{kind} matching those details already exists with id={row.id}")


@api.get("/contacts")
def list_contacts(call: Call, per_page: int = 50, starting_after: str = "") -> Shown:
    """List the contacts, page by page."""
    rows = list_contacts_there(call)
    return page_list(rows, lambda row: show_contact(call, row), lambda row: row.id, per_page, starting_after)


@api.post("/contacts")
def post_contact(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Create a contact. A lead gets an external id."""
    values = _read_values(body, None)
    if not any(values.get(name) for name in ("email", "external_id", "role")):
        raise IntercomError(400, "parameter_not_found", "One of email, external_id or role is required")
    _refuse_taken(call, {"role": "user", **values})
    if values.get("role") == "lead":
        values.setdefault("external_id", call.ids.uuid())
    now = call.clock.iso()
    id = call.ids.uuid().replace("-", "")[:24]
    number = call.db.next("contact")
    row = IntercomContact(id=id, created_at=now, updated_at=now, made_number=number, **values)
    return show_contact(call, call.db.add(row))


@api.get("/contacts/find_by_external_id/{external_id}")
def get_contact_by_external_id(call: Call, external_id: str) -> Shown:
    """Return the contact with an id of the application's own."""
    row = next((row for row in list_contacts_there(call) if row.external_id == external_id), None)
    if row is None:
        raise IntercomError(404, "not_found", "User Not Found")
    return show_contact(call, row)


@api.get("/contacts/{id}")
def get_contact(call: Call, id: str) -> Shown:
    """Return a contact."""
    return show_contact(call, find_contact(call, id))


@api.put("/contacts/{id}")
def put_contact(call: Call, id: str, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change a contact; what the body does not give stays."""
    row = find_contact(call, id)
    values = _read_values(body, row)
    _refuse_taken(call, {"role": row.role, **values}, row.id)
    return show_contact(call, call.db.change(row, **values, updated_at=call.clock.iso()))


@api.delete("/contacts/{id}")
def delete_contact(call: Call, id: str) -> Shown:
    """Delete a contact for good."""
    call.db.change(find_contact(call, id), is_deleted=True, updated_at=call.clock.iso())
    return {"id": id, "object": "contact", "deleted": True}


def _change_archived(call: Call, id: str, *, is_archived: bool) -> Shown:
    row = call.db.find(IntercomContact, IntercomContact.id == id)
    if row is None:
        raise IntercomError(404, "not_found", "User Not Found")
    if row.is_deleted:
        said = "User has been marked for permanent deletion and is not restorable."
        raise IntercomError(400, "bad_request", said)
    call.db.change(row, is_archived=is_archived, updated_at=call.clock.iso())
    return {"id": id, "object": "contact", "archived": is_archived}


@api.post("/contacts/{id}/archive")
def archive_contact(call: Call, id: str) -> Shown:
    """Hide a contact."""
    return _change_archived(call, id, is_archived=True)


@api.post("/contacts/{id}/unarchive")
def unarchive_contact(call: Call, id: str) -> Shown:
    """Show an archived contact again."""
    return _change_archived(call, id, is_archived=False)


@api.get("/contacts/{id}/tags")
def list_contact_tags(call: Call, id: str) -> Shown:
    """List the tags of a contact by name."""
    return wrap_list(show_tags(call, "contact_tag", find_contact(call, id).id))


@api.get("/contacts/{id}/notes")
def list_notes(call: Call, id: str) -> Shown:
    """List the notes about a contact, the newest first."""
    contact = find_contact(call, id)
    rows = call.db.rows(IntercomNote, IntercomNote.contact_id == contact.id, order=-IntercomNote.created_at)
    return page_list(rows, _show_note, lambda row: row.id, 50, "")


@api.post("/contacts/{id}/notes")
def post_note(call: Call, id: str, body: str) -> Shown:
    """Write a note about a contact."""
    number = str(30_000_000 + call.db.next("note"))
    note = IntercomNote(id=number, contact_id=find_contact(call, id).id, body=body, created_at=call.clock.iso())
    return _show_note(call.db.add(note))


def _show_note(row: IntercomNote) -> Shown:
    contact = {"type": "contact", "id": row.contact_id}
    return {
        "type": "note", "id": row.id, "created_at": show_seconds(row.created_at), "contact": contact, "body": row.body,
    }  # fmt: skip


# -- search ------------------------------------------------------------------------------------------------------------


@api.post("/contacts/search", reads=True)
def search_contacts(call: Call, query: dict[str, Any], pagination: dict[str, Any] | None = None) -> Shown:
    """Find contacts by conditions, which `AND` and `OR` join."""
    meets = _compile(query, 0)
    rows = [row for row in list_contacts_there(call) if meets(row)]
    asked = pagination or {}
    per_page, after = asked.get("per_page"), str(asked.get("starting_after") or "")
    most = per_page if isinstance(per_page, int) else 50
    return page_list(rows, lambda row: show_contact(call, row), lambda row: row.id, most, after)


def _compile(given: Any, depth: int) -> Callable[[IntercomContact], bool]:
    query = cast(Shown, given) if isinstance(given, dict) else {}
    operator, wanted = query.get("operator"), query.get("value")
    if operator in ("AND", "OR"):
        listed = cast(list[Any], wanted) if isinstance(wanted, list) else []
        if depth >= MAX_SEARCH_DEPTH or not 1 <= len(listed) <= MAX_CONDITIONS:
            raise IntercomError(400, "invalid_query", f"'{operator}' joins 1 to {MAX_CONDITIONS} conditions")
        parts = [_compile(each, depth + 1) for each in listed]
        join = all if operator == "AND" else any
        return lambda row: join(part(row) for part in parts)
    compare = _OPERATORS.get(str(operator))
    field = str(query.get("field") or "")
    if compare is None or not field:
        raise IntercomError(400, "invalid_query", f"The condition {given} is not valid")
    return lambda row: compare(_read_field(row, field), wanted)


def _read_field(row: IntercomContact, field: str) -> Any:
    if field.startswith("custom_attributes."):
        return cast(Shown, row.custom_attributes).get(field.removeprefix("custom_attributes."))
    if field in ("created_at", "updated_at"):
        return show_seconds(getattr(row, field))
    value = getattr(row, field, None) if field in ("id", *_PLAIN) else None
    return value.lower() if field == "email" and isinstance(value, str) else value


def _same(value: Any, wanted: Any) -> bool:
    first, second = ("" if each is None else str(each).lower() for each in (value, wanted))
    return first == second


def _is_among(value: Any, wanted: Any) -> bool:
    return isinstance(wanted, list) and any(_same(value, each) for each in cast(list[Any], wanted))


def _order(value: Any, wanted: Any) -> int:
    """Return how a number or a time stands to another: -1, 0 or 1; 0 for what has no order."""
    try:
        first, second = float(value), float(wanted)
    except (TypeError, ValueError):
        return 0
    return (first > second) - (first < second)


_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": _same,
    "!=": lambda value, wanted: not _same(value, wanted),
    "IN": _is_among,
    "NIN": lambda value, wanted: not _is_among(value, wanted),
    "<": lambda value, wanted: _order(value, wanted) < 0,
    ">": lambda value, wanted: _order(value, wanted) > 0,
    "~": lambda value, wanted: str(wanted).lower() in str(value or "").lower(),
    "!~": lambda value, wanted: str(wanted).lower() not in str(value or "").lower(),
    "^": lambda value, wanted: str(value or "").lower().startswith(str(wanted).lower()),
    "$": lambda value, wanted: str(value or "").lower().endswith(str(wanted).lower()),
}  # fmt: skip

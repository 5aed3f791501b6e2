"""Tags, companies, conversations and attributes of a workspace.

https://developers.intercom.com/docs/references/rest-api/api.intercom.io/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body, Named
from twindiff.kit.twin import Operations, Rows

from .contacts import WORKSPACE, find_contact
from .memberships import add_member, find_tag, list_targets, remove_member, show_tag, show_tags
from .tables import (
    IntercomAttribute,
    IntercomCompany,
    IntercomConversation,
    IntercomMembership,
    IntercomTag,
)
from .wire_style import IntercomError, page_list, show_seconds, wrap_list

api = Operations()
ADMIN = "991267001"
Shown = dict[str, Any]
_COMPANY = ("name", "plan", "size", "website", "industry", "monthly_spend", "custom_attributes")
_COMPANY_TYPES: Mapping[str, Any] = {
    "size": int, "remote_created_at": int, "monthly_spend": (int, float), "custom_attributes": dict,
}  # fmt: skip
"""Types of the fields of companies that are no texts."""
MAX_NUMBER = 2**53
_USUAL = (
    ("id", "string", False), ("external_id", "string", True), ("role", "string", True), ("name", "string", True),
    ("email", "string", True), ("phone", "string", True), ("avatar", "string", True), ("owner_id", "integer", True),
    ("created_at", "date", False), ("updated_at", "date", False), ("signed_up_at", "date", True),
    ("last_seen_at", "date", True), ("unsubscribed_from_emails", "boolean", True),
)  # fmt: skip
"""The attributes of contacts that every workspace has: name, type, and whether clients may set it."""


def workspace_rows() -> Rows:
    """Return the rows that every workspace has."""
    rows = [
        {"model": "contact", "full_name": name, "data_type": kind, "position": number, "shown": {"api_writable": able}}
        for number, (name, kind, able) in enumerate(_USUAL)
    ]
    return {"data_attributes": rows}


@api.get("/me")
def get_me(call: Call) -> Shown:
    """Return the teammate who calls."""
    app = {"type": "app", "id_code": WORKSPACE, "name": "Twindiff", "region": "US"}
    return {"type": "admin", "id": ADMIN, "name": "Agent", "email": "agent@example.com", "app": app}


# -- tags --------------------------------------------------------------------------------------------------------------


@api.get("/tags")
def list_tags(call: Call) -> Shown:
    """List the tags by name."""
    rows = sorted(call.db.rows(IntercomTag), key=lambda row: row.name.lower())
    return wrap_list([show_tag(each) for each in rows])


@api.post("/tags")
def post_tag(call: Call, name: str, id: str = "") -> Shown:
    """Create a tag, or rename that with an id; a tag of that name is returned as it is."""
    if id:
        return show_tag(call.db.change(find_tag(call, id), name=name))
    known = call.db.find(IntercomTag, IntercomTag.name.equals(name))
    row = known or call.db.add(IntercomTag(id=str(5_000_000 + call.db.next("tag")), name=name))
    return show_tag(row)


@api.get("/tags/{id}")
def get_tag(call: Call, id: str) -> Shown:
    """Return a tag."""
    return show_tag(find_tag(call, id))


@api.delete("/tags/{id}", status=200)
def delete_tag(call: Call, id: str) -> None:
    """Remove a tag, also from what has it."""
    row = find_tag(call, id)
    for kind in ("contact_tag", "company_tag", "conversation_tag"):
        for each in call.db.rows(
            IntercomMembership, IntercomMembership.kind == kind, IntercomMembership.target == row.id
        ):
            call.db.remove(each)
    call.db.remove(row)


@api.post("/contacts/{contact_id}/tags")
def tag_contact(call: Call, contact_id: str, id: str) -> Shown:
    """Give a contact a tag."""
    contact, tag = find_contact(call, contact_id), find_tag(call, id)
    add_member(call, "contact_tag", contact.id, tag.id)
    return show_tag(tag)


@api.delete("/contacts/{contact_id}/tags/{id}")
def untag_contact(call: Call, contact_id: str, id: str) -> Shown:
    """Take a tag from a contact."""
    contact, tag = find_contact(call, contact_id), find_tag(call, id)
    remove_member(call, "contact_tag", contact.id, tag.id)
    return show_tag(tag)


# -- companies ---------------------------------------------------------------------------------------------------------


def find_company(call: Call, id: str) -> IntercomCompany:
    """Return a company by id; raises IntercomError."""
    row = call.db.find(IntercomCompany, IntercomCompany.id == id)
    if row is None:
        raise IntercomError(404, "company_not_found", "Company Not Found")
    return row


def show_company(call: Call, row: IntercomCompany) -> Shown:
    """Return a company with its tags and the number of its contacts."""
    table = IntercomMembership
    members = call.db.count(table, table.kind == "contact_company", table.target == row.id)
    tags = show_tags(call, "company_tag", row.id)
    return {
        "type": "company",
        "id": row.id,
        "company_id": row.company_id,
        "app_id": WORKSPACE,
        **{name: getattr(row, name) for name in _COMPANY},
        "plan": {"type": "plan", "name": row.plan} if row.plan else {},
        "size": row.size,
        "user_count": members,
        "session_count": 0,
        "remote_created_at": row.remote_created_at,
        "last_request_at": None,
        "created_at": show_seconds(row.created_at),
        "updated_at": show_seconds(row.updated_at),
        "tags": {"type": "tag.list", "tags": tags},
        "segments": {"type": "segment.list", "segments": []},
    }


def read_company(body: Mapping[str, Any], known: IntercomCompany | None) -> Shown:
    """Return the columns of what a body gives of a company. Raises IntercomError for a value of another type."""
    values = {name: body[name] for name in (*_COMPANY, "remote_created_at") if name in body}
    for name, value in values.items():
        kind = _COMPANY_TYPES.get(name, str)
        is_right = isinstance(value, kind) and not isinstance(value, bool)
        if isinstance(value, (int, float)) and not abs(value) < MAX_NUMBER:
            is_right = False
        if value is not None and not is_right:
            raise IntercomError(400, "parameter_invalid", f"{name} is invalid")
    own = values.pop("custom_attributes", None)
    if own is not None:
        if not all(value is None or isinstance(value, (str, int, float)) for value in own.values()):
            raise IntercomError(400, "parameter_invalid", "custom_attributes have values that are no text or number")
        values["custom_attributes"] = {**(known.custom_attributes if known else {}), **own}
    return values


@api.get("/companies")
def list_companies(call: Call, name: str = "", company_id: str = "", per_page: int = 15, tag_id: str = "") -> Shown:
    """List the companies; one that is asked for by name or id is returned alone."""
    rows = call.db.rows(IntercomCompany, order=IntercomCompany.created_at)
    if name or company_id:
        matches = [row for row in rows if (company_id and row.company_id == company_id) or (name and row.name == name)]
        if not matches:
            raise IntercomError(404, "company_not_found", "Company Not Found")
        return show_company(call, matches[0])
    rows = [row for row in rows if not tag_id or tag_id in list_targets(call, "company_tag", row.id)]
    return page_list(rows, lambda row: show_company(call, row), lambda row: row.id, per_page, "")


@api.post("/companies")
def post_company(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Create a company, or change that with the client's id."""
    company_id = body.get("company_id")
    if not isinstance(company_id, str) or not company_id:
        raise IntercomError(400, "bad_request", "company_id is required")
    known = call.db.find(IntercomCompany, IntercomCompany.company_id == company_id)
    values = read_company(body, known)
    now = call.clock.iso()
    if known:
        return show_company(call, call.db.change(known, **values, updated_at=now))
    id = call.ids.uuid().replace("-", "")[:24]
    row = IntercomCompany(id=id, company_id=company_id, created_at=now, updated_at=now, **values)
    return show_company(call, call.db.add(row))


@api.get("/companies/{id}")
def get_company(call: Call, id: str) -> Shown:
    """Return a company."""
    return show_company(call, find_company(call, id))


@api.get("/contacts/{contact_id}/companies")
def list_contact_companies(call: Call, contact_id: str) -> Shown:
    """List the companies of a contact."""
    ids = list_targets(call, "contact_company", find_contact(call, contact_id).id)
    rows = [find_company(call, each) for each in ids]
    return page_list(rows, lambda row: show_company(call, row), lambda row: row.id, 50, "")


@api.post("/contacts/{contact_id}/companies")
def add_contact_company(call: Call, contact_id: str, id: str) -> Shown:
    """Put a contact into a company."""
    contact, company = find_contact(call, contact_id), find_company(call, id)
    add_member(call, "contact_company", contact.id, company.id)
    return show_company(call, company)


@api.delete("/contacts/{contact_id}/companies/{id}")
def remove_contact_company(call: Call, contact_id: str, id: str) -> Shown:
    """Take a contact out of a company."""
    contact, company = find_contact(call, contact_id), find_company(call, id)
    if company.id not in list_targets(call, "contact_company", contact.id):
        raise IntercomError(404, "company_not_found", "Company Not Found")
    remove_member(call, "contact_company", contact.id, company.id)
    return show_company(call, company)


# -- attributes --------------------------------------------------------------------------------------------------------


def show_attribute(row: IntercomAttribute) -> Shown:
    """Return an attribute of contacts or companies."""
    name = row.full_name.rpartition(".")[2]
    return {
        "type": "data_attribute",
        "name": name,
        "full_name": row.full_name,
        "label": name.replace("_", " ").capitalize(),
        "description": "",
        "data_type": row.data_type,
        "api_writable": True,
        "ui_writable": False,
        "custom": row.full_name.startswith("custom_attributes."),
        "archived": False,
        "model": row.model,
        **row.shown,
    }


@api.get("/data_attributes")
def list_attributes(call: Call, model: str = "") -> Shown:
    """List the attributes of contacts or companies."""
    where = [IntercomAttribute.model == model] if model else []
    rows = call.db.rows(IntercomAttribute, *where, order=IntercomAttribute.position)
    return wrap_list([show_attribute(each) for each in rows])


@api.post("/data_attributes")
def post_attribute(call: Call, name: str, model: str, data_type: str) -> Shown:
    """Add an attribute to contacts or companies."""
    if model not in ("contact", "company"):
        raise IntercomError(400, "parameter_invalid", "model must be contact or company")
    number = 8_000_000 + call.db.next("attribute")
    full_name = f"custom_attributes.{name}"
    if call.db.find(IntercomAttribute, IntercomAttribute.model == model, IntercomAttribute.full_name == full_name):
        raise IntercomError(400, "parameter_invalid", f"You already have '{name}' in your {model} data.")
    shown = {"id": number, "label": name, "admin_id": ADMIN}
    row = IntercomAttribute(model=model, full_name=full_name, data_type=data_type, position=number, shown=shown)
    return show_attribute(call.db.add(row))


# -- conversations -----------------------------------------------------------------------------------------------------


def find_conversation(call: Call, id: str) -> IntercomConversation:
    """Return a conversation by id; raises IntercomError."""
    row = call.db.find(IntercomConversation, IntercomConversation.id == id)
    if row is None:
        raise IntercomError(404, "not_found", "Resource Not Found")
    return row


def show_conversation(call: Call, row: IntercomConversation) -> Shown:
    """Return a conversation with its parts."""
    author = {"type": "user", "id": row.contact_id}
    return {
        "type": "conversation",
        "id": row.id,
        "created_at": show_seconds(row.created_at),
        "updated_at": show_seconds(row.updated_at),
        "state": row.state,
        "open": row.state == "open",
        "read": False,
        "source": {"type": "conversation", "body": row.body, "author": author},
        "contacts": {"type": "contact.list", "contacts": [{"type": "contact", "id": row.contact_id}]},
        "tags": {"type": "tag.list", "tags": show_tags(call, "conversation_tag", row.id)},
        "conversation_parts": {
            "type": "conversation_part.list",
            "conversation_parts": row.parts,
            "total_count": len(row.parts),
        },
    }


@api.get("/conversations")
def list_conversations(call: Call, per_page: int = 20, starting_after: str = "") -> Shown:
    """List the conversations, the last changed first."""
    rows = call.db.rows(IntercomConversation, order=-IntercomConversation.updated_at)
    page = page_list(rows, lambda row: show_conversation(call, row), lambda row: row.id, per_page, starting_after)
    return {
        "type": "conversation.list",
        "conversations": page["data"],
        **{n: page[n] for n in ("total_count", "pages")},
    }


@api.post("/conversations")
def post_conversation(call: Call, body: str, sender: Annotated[dict[str, Any], Named("from")]) -> Shown:
    """Begin a conversation as a contact."""
    contact = find_contact(call, str(sender.get("id")))
    now, id = call.clock.iso(), str(200_000 + call.db.next("conversation"))
    row = IntercomConversation(id=id, contact_id=contact.id, body=body, created_at=now, updated_at=now)
    call.db.add(row)
    at = show_seconds(now)
    return {
        "type": "user_message",
        "id": id,
        "created_at": at,
        "body": body,
        "message_type": "inapp",
        "conversation_id": id,
    }


@api.get("/conversations/{id}")
def get_conversation(call: Call, id: str) -> Shown:
    """Return a conversation."""
    return show_conversation(call, find_conversation(call, id))


@api.post("/conversations/{id}/reply")
def post_reply(call: Call, id: str, body: str, type: str = "admin", message_type: str = "comment") -> Shown:
    """Reply to a conversation, as a teammate or its contact."""
    return _add_part(call, find_conversation(call, id), message_type, body, type)


@api.post("/conversations/{id}/parts")
def post_part(call: Call, id: str, message_type: str, body: str = "") -> Shown:
    """Close, open or snooze a conversation."""
    row = find_conversation(call, id)
    states = {"close": "closed", "open": "open", "snoozed": "snoozed"}
    if message_type not in states:
        raise IntercomError(400, "parameter_invalid", f"message_type must be {', '.join(states)}")
    return _add_part(call, call.db.change(row, state=states[message_type]), message_type, body, "admin")


def _add_part(call: Call, row: IntercomConversation, kind: str, body: str, author: str) -> Shown:
    number, now = str(900_000 + call.db.next("part")), call.clock.iso()
    by = {"type": author, "id": ADMIN if author == "admin" else row.contact_id}
    part = {
        "type": "conversation_part", "id": number, "part_type": kind, "body": body or None,
        "created_at": show_seconds(now), "author": by,
    }  # fmt: skip
    return show_conversation(call, call.db.change(row, parts=[*row.parts, part], updated_at=now))


@api.post("/conversations/{conversation_id}/tags")
def tag_conversation(call: Call, conversation_id: str, id: str) -> Shown:
    """Give a conversation a tag."""
    conversation, tag = find_conversation(call, conversation_id), find_tag(call, id)
    add_member(call, "conversation_tag", conversation.id, tag.id)
    return show_tag(tag)


@api.delete("/conversations/{conversation_id}/tags/{id}")
def untag_conversation(call: Call, conversation_id: str, id: str) -> Shown:
    """Take a tag from a conversation."""
    conversation, tag = find_conversation(call, conversation_id), find_tag(call, id)
    remove_member(call, "conversation_tag", conversation.id, tag.id)
    return show_tag(tag)

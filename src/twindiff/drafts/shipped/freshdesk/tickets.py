"""Tickets, their conversations, agents and groups. https://developers.freshdesk.com/api/#tickets"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.http import Response
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .contacts import create_contact
from .tables import (
    AGENT,
    FreshdeskAgent,
    FreshdeskCompany,
    FreshdeskContact,
    FreshdeskConversation,
    FreshdeskGroup,
    FreshdeskTicket,
)
from .wire_style import RecordNotFound, Shown, page_rows, read_fields, read_number, refuse_field, show_time

api = Operations(prefix="/api/v2")
Given = Annotated[dict[str, Any], Body]
_TICKET: Mapping[str, Any] = {
    "subject": str, "description": str, "status": (2, 3, 4, 5, 6, 7), "priority": (1, 2, 3, 4),
    "source": (1, 2, 3, 5, 7, 9, 10), "type": str, "requester_id": int, "responder_id": int, "group_id": int,
    "company_id": int, "cc_emails": list, "tags": list, "custom_fields": dict, "email": str, "phone": str, "name": str,
}  # fmt: skip
_REFERENCES: Mapping[str, Any] = {
    "requester_id": FreshdeskContact, "responder_id": FreshdeskAgent, "group_id": FreshdeskGroup,
    "company_id": FreshdeskCompany,
}  # fmt: skip
_NOTE: Mapping[str, Any] = {
    "body": str, "private": bool, "user_id": int, "incoming": bool, "notify_emails": list, "cc_emails": list,
    "bcc_emails": list, "from_email": str,
}  # fmt: skip
_ORDERS = ("created_at", "updated_at", "due_by", "status")


def _to_text(body: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", body)).strip()


def show_ticket(row: FreshdeskTicket, *, is_listed: bool = False) -> Shown:
    """Return a ticket, without its texts if `is_listed`."""
    names = ("id", "subject", "status", "priority", "source", "type", "requester_id", "responder_id", "group_id",
             "company_id", "cc_emails", "tags", "custom_fields")  # fmt: skip
    unset: Shown = {"fwd_emails": [], "reply_cc_emails": row.cc_emails, "spam": False, "email_config_id": None,
             "to_emails": None, "product_id": None, "due_by": None, "fr_due_by": None, "fr_escalated": False,
             "is_escalated": False, "association_type": None}  # fmt: skip
    shown: Shown = {**{name: getattr(row, name) for name in names}, **unset}
    shown |= {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    if is_listed:
        return shown
    texts = {"description": row.description, "description_text": _to_text(row.description)}
    return {**shown, **texts, "attachments": [], **({"deleted": True} if row.deleted else {})}


def _find_ticket(call: Call, id: str) -> FreshdeskTicket:
    return call.db.get(FreshdeskTicket, read_number(id), missing=RecordNotFound)


def _find_open(call: Call, id: str) -> FreshdeskTicket:
    """Return a ticket that is not deleted; raises RecordNotFound."""
    row = _find_ticket(call, id)
    if row.deleted:
        raise RecordNotFound
    return row


def _check(call: Call, given: Mapping[str, Any]) -> Shown:
    values = read_fields(given, _TICKET)
    for name, table in _REFERENCES.items():
        if values.get(name) is not None and call.db.find(table, table.id == values[name]) is None:
            raise refuse_field(name, f"There is no {name.removesuffix('_id')} matching the given {name}")
    return values


def _find_requester(call: Call, values: Shown) -> int:
    """Return the contact of a new ticket, who is made from an address or a number. Raises FreshdeskError."""
    about = {name: values.pop(name) for name in ("email", "phone", "name") if name in values}
    if values.get("requester_id") is not None:
        return int(values["requester_id"])
    way = next((name for name in ("email", "phone") if about.get(name)), None)
    if way is None:
        said = "It should be a valid requester: one of requester_id, email and phone is mandatory"
        raise refuse_field("requester_id", said, "missing_field")
    for row in call.db.rows(FreshdeskContact):
        if str(getattr(row, way) or "").lower() == about[way].lower() and not row.deleted:
            return row.id
    return create_contact(call, {"name": about[way].partition("@")[0], **about}).id


@api.get("/tickets")
def list_tickets(
    call: Call,
    requester_id: str = "",
    email: str = "",
    company_id: str = "",
    updated_since: str = "",
    filter: str = "",
    order_by: str = "created_at",
    order_type: str = "desc",
    page: int = 1,
    per_page: int = 30,
) -> Response:
    """List the tickets that are not deleted, the newest first."""
    if filter not in ("", "new_and_my_open", "watching", "spam", "deleted") or order_by not in _ORDERS:
        raise refuse_field("filter" if order_by in _ORDERS else "order_by", "It is not one of those that there are")
    people = {row.id for row in call.db.rows(FreshdeskContact) if (row.email or "").lower() == email.lower()}
    rows = [
        row
        for row in call.db.rows(FreshdeskTicket)
        if row.deleted == (filter == "deleted")
        and filter not in ("watching", "spam")
        and (filter != "new_and_my_open" or (row.status == 2 and row.responder_id in (None, AGENT)))
        and (not requester_id or str(row.requester_id) == requester_id)
        and (not email or row.requester_id in people)
        and (not company_id or str(row.company_id) == company_id)
        and show_time(row.updated_at) >= updated_since
    ]
    by = "created_at" if order_by == "due_by" else order_by
    rows.sort(key=lambda row: (getattr(row, by), row.id), reverse=order_type != "asc")
    given = {"requester_id": requester_id, "email": email, "company_id": company_id, "filter": filter}
    query = "&".join(f"{name}={quote(value)}" for name, value in given.items() if value)
    url = f"{call.base_url}/api/v2/tickets" + (f"?{query}" if query else "")
    return page_rows(url, rows, lambda row: show_ticket(row, is_listed=True), page, per_page)


@api.post("/tickets", status=201)
def post_ticket(call: Call, body: Given) -> Shown:
    """Create a ticket of a contact."""
    values = _check(call, body)
    for name in ("subject", "description"):
        if not values.get(name):
            raise refuse_field(name, "It should be a/an String", "missing_field")
    requester = _find_requester(call, values)
    usual: Shown = {"company_id": call.db.get(FreshdeskContact, requester).company_id}
    fields: Shown = {**usual, **values, "requester_id": requester}
    now = call.clock.iso()
    row = FreshdeskTicket(id=call.db.next("ticket"), created_at=now, updated_at=now, **fields)
    return show_ticket(call.db.add(row))


@api.get("/tickets/{ticket_id}")
def get_ticket(call: Call, ticket_id: str, include: str = "") -> Shown:
    """Return a ticket, with the conversations, the requester or the company that are asked for."""
    row = _find_ticket(call, ticket_id)
    shown, asked = show_ticket(row), include.split(",")
    if "conversations" in asked:
        shown["conversations"] = [_show_conversation(each) for each in _list_conversations(call, row)[:10]]
    if "requester" in asked:
        person = call.db.get(FreshdeskContact, row.requester_id)
        shown["requester"] = {name: getattr(person, name) for name in ("id", "name", "email", "mobile", "phone")}
    if "company" in asked:
        company = call.db.find(FreshdeskCompany, FreshdeskCompany.id == row.company_id) if row.company_id else None
        shown["company"] = {"id": company.id, "name": company.name} if company else {}
    return shown


@api.put("/tickets/{ticket_id}")
def put_ticket(call: Call, ticket_id: str, body: Given) -> Shown:
    """Change a ticket."""
    row, values = _find_open(call, ticket_id), _check(call, body)
    if not values:
        raise refuse_field("request", "The request has no field of a ticket", "missing_field")
    if {"email", "phone", "name"} & values.keys() or values.get("requester_id", 1) is None:
        raise refuse_field("requester_id", "The requester of a ticket is changed by requester_id", "invalid_field")
    values["custom_fields"] = {**row.custom_fields, **values.get("custom_fields", {})}
    if values.get("description", "") is None:
        del values["description"]
    return show_ticket(call.db.change(row, **values, updated_at=call.clock.iso()))


@api.delete("/tickets/{ticket_id}", status=204)
def delete_ticket(call: Call, ticket_id: str) -> None:
    """Delete a ticket, which can be restored."""
    call.db.change(_find_open(call, ticket_id), deleted=True, updated_at=call.clock.iso())


@api.put("/tickets/{ticket_id}/restore", status=204)
def restore_ticket(call: Call, ticket_id: str) -> None:
    """Restore a deleted ticket."""
    row = _find_ticket(call, ticket_id)
    if not row.deleted:
        raise RecordNotFound
    call.db.change(row, deleted=False, updated_at=call.clock.iso())


# -- conversations -----------------------------------------------------------------------------------------------------


def _list_conversations(call: Call, row: FreshdeskTicket) -> list[FreshdeskConversation]:
    return call.db.rows(
        FreshdeskConversation, FreshdeskConversation.ticket_id == row.id, order=FreshdeskConversation.id
    )


def _show_conversation(row: FreshdeskConversation) -> Shown:
    names = ("id", "body", "private", "user_id", "ticket_id", "source")
    times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    shown: Shown = {name: getattr(row, name) for name in names}
    return {**shown, **times, "body_text": _to_text(row.body), "incoming": False, "attachments": []}


def _write(call: Call, ticket_id: str, given: Mapping[str, Any], source: int, is_private: bool) -> Shown:
    row, values = _find_open(call, ticket_id), read_fields(given, _NOTE)
    if not values.get("body"):
        raise refuse_field("body", "It should be a/an String", "missing_field")
    now, number = call.clock.iso(), 72_100_000_000 + call.db.next("conversation")
    made = FreshdeskConversation(
        id=number, ticket_id=row.id, user_id=values.get("user_id") or AGENT, body=values["body"], private=is_private,
        source=source, created_at=now, updated_at=now,
    )  # fmt: skip
    call.db.change(row, updated_at=now)
    return _show_conversation(call.db.add(made))


@api.get("/tickets/{ticket_id}/conversations")
def list_conversations(call: Call, ticket_id: str, page: int = 1, per_page: int = 30) -> Response:
    """List the replies and notes of a ticket, the oldest first."""
    row = _find_ticket(call, ticket_id)
    url = f"{call.base_url}/api/v2/tickets/{row.id}/conversations"
    return page_rows(url, _list_conversations(call, row), _show_conversation, page, per_page)


@api.post("/tickets/{ticket_id}/reply", status=201)
def post_reply(call: Call, ticket_id: str, body: Given) -> Shown:
    """Reply to a ticket."""
    return _write(call, ticket_id, body, 0, False)


@api.post("/tickets/{ticket_id}/notes", status=201)
def post_note(call: Call, ticket_id: str, body: Given) -> Shown:
    """Write a note on a ticket, which is private unless it says otherwise."""
    return _write(call, ticket_id, body, 2, body.get("private") is not False)


@api.delete("/conversations/{conversation_id}", status=204)
def delete_conversation(call: Call, conversation_id: str) -> None:
    """Remove a reply or a note."""
    call.db.remove(call.db.get(FreshdeskConversation, read_number(conversation_id), missing=RecordNotFound))


# -- agents and groups -------------------------------------------------------------------------------------------------


def show_agent(row: FreshdeskAgent) -> Shown:
    """Return an agent."""
    at = show_time(row.created_at)
    contact = {"active": True, "email": row.email, "name": row.name, "phone": None, "mobile": None, "job_title": None}
    about = {"id": row.id, "available": True, "occasional": False, "ticket_scope": 1, "type": "support_agent"}
    return {**about, **row.details, "contact": contact, "created_at": at, "updated_at": at}


@api.get("/agents")
def list_agents(call: Call, email: str = "", page: int = 1, per_page: int = 30) -> Response:
    """List the agents."""
    rows = [row for row in call.db.rows(FreshdeskAgent) if not email or row.email.lower() == email.lower()]
    return page_rows(f"{call.base_url}/api/v2/agents", rows, show_agent, page, per_page)


@api.get("/agents/me")
def get_own_agent(call: Call) -> Shown:
    """Return the agent who calls."""
    return show_agent(call.db.get(FreshdeskAgent, AGENT))


@api.get("/agents/{agent_id}")
def get_agent(call: Call, agent_id: str) -> Shown:
    """Return an agent."""
    return show_agent(call.db.get(FreshdeskAgent, read_number(agent_id), missing=RecordNotFound))


def _show_group(row: FreshdeskGroup) -> Shown:
    times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
    about = {"id": row.id, "name": row.name, "description": row.description, "agent_ids": row.agent_ids}
    return {**about, "escalate_to": None, "unassigned_for": None, **times}


@api.get("/groups")
def list_groups(call: Call, page: int = 1, per_page: int = 30) -> Response:
    """List the groups of agents."""
    url = f"{call.base_url}/api/v2/groups"
    return page_rows(url, call.db.rows(FreshdeskGroup), _show_group, page, per_page)


@api.post("/groups", status=201)
def post_group(call: Call, body: Given) -> Shown:
    """Create a group of agents; its name is its own."""
    values = read_fields(body, {"name": str, "description": str, "agent_ids": list})
    if not values.get("name"):
        raise refuse_field("name", "It should be a/an String", "missing_field")
    if values["name"] in [row.name for row in call.db.rows(FreshdeskGroup)]:
        raise refuse_field("name", "It should be a unique value", "duplicate_value", 409)
    now, number = call.clock.iso(), 72_200_000_000 + call.db.next("group")
    return _show_group(call.db.add(FreshdeskGroup(id=number, created_at=now, updated_at=now, **values)))


@api.get("/groups/{group_id}")
def get_group(call: Call, group_id: str) -> Shown:
    """Return a group."""
    return _show_group(call.db.get(FreshdeskGroup, read_number(group_id), missing=RecordNotFound))


@api.delete("/groups/{group_id}", status=204)
def delete_group(call: Call, group_id: str) -> None:
    """Remove a group; its tickets are then of none."""
    row = call.db.get(FreshdeskGroup, read_number(group_id), missing=RecordNotFound)
    for ticket in call.db.rows(FreshdeskTicket, FreshdeskTicket.group_id == row.id):
        call.db.change(ticket, group_id=None)
    call.db.remove(row)

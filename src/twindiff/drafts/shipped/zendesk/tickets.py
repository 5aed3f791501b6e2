"""Tickets, their comments and tags. https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast
from urllib.parse import quote

from twindiff.kit.call import Call
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .fields import TICKET, read_fields, read_object
from .objects import read_number, show_group, show_organization
from .tables import AGENT, ZendeskAudit, ZendeskComment, ZendeskGroup, ZendeskOrganization, ZendeskTicket, ZendeskUser
from .ticket_audits import VIA, add_audit, list_audits, read_audited, show_audit, show_comment
from .users import create_user, find_user, list_users_there, show_user
from .wire_style import (
    PageChoice,
    RecordNotFound,
    Shown,
    page_rows,
    refuse_fields,
    refuse_parameter,
    show_time,
)

api = Operations(prefix="/api/v2")
Given = Annotated[dict[str, Any], Body]
_REFERENCES: Mapping[str, Any] = {
    "requester_id": ZendeskUser, "submitter_id": ZendeskUser, "assignee_id": ZendeskUser, "group_id": ZendeskGroup,
    "organization_id": ZendeskOrganization,
}  # fmt: skip
_SORTS = {"created_at", "updated_at", "id", "status", "subject", "priority"}


def show_ticket(call: Call, row: ZendeskTicket) -> Shown:
    """Return a ticket."""
    names = ("id", "external_id", "type", "subject", "description", "priority", "status", "requester_id",
             "submitter_id", "assignee_id", "organization_id", "group_id", "collaborator_ids", "due_at", "tags",
             "custom_fields")  # fmt: skip
    shown: Shown = {name: getattr(row, name) for name in names}
    return {
        "url": f"{call.base_url}/api/v2/tickets/{row.id}.json",
        **shown,
        "via": VIA,
        "created_at": show_time(row.created_at),
        "updated_at": show_time(row.updated_at or row.created_at),
        "raw_subject": row.subject,
        "recipient": None,
        "follower_ids": [],
        "email_cc_ids": row.collaborator_ids,
        "forum_topic_id": None,
        "problem_id": None,
        "has_incidents": False,
        "is_public": True,
        "satisfaction_rating": None,
        "sharing_agreement_ids": [],
        "fields": row.custom_fields,
        "followup_ids": [],
        "brand_id": None,
        "allow_channelback": False,
        "allow_attachments": True,
        "from_messaging_channel": False,
    }


def list_tickets_there(call: Call) -> list[ZendeskTicket]:
    """Return the tickets that are not deleted, the oldest first."""
    return [row for row in call.db.rows(ZendeskTicket, order=ZendeskTicket.id) if not row.is_deleted]


def find_ticket(call: Call, id: str) -> ZendeskTicket:
    """Return a ticket that is not deleted; raises RecordNotFound."""
    row = call.db.get(ZendeskTicket, read_number(id), missing=RecordNotFound)
    if row.is_deleted:
        raise RecordNotFound
    return row


def _load_beside(call: Call, rows: Sequence[ZendeskTicket], include: str) -> Shown:
    """Return what is asked for beside tickets: their users, groups and organizations."""
    asked = {each.strip() for each in include.split(",") if each.strip()}
    loaded: Shown = {}
    for name, columns, table, show in (
        ("users", ("requester_id", "submitter_id", "assignee_id"), ZendeskUser, show_user),
        ("groups", ("group_id",), ZendeskGroup, show_group),
        ("organizations", ("organization_id",), ZendeskOrganization, show_organization),
    ):
        if name in asked:
            ids = {getattr(row, column) for row in rows for column in columns} - {None}
            loaded[name] = [cast(Any, show)(call, row) for row in call.db.rows(cast(Any, table)) if row.id in ids]
    return loaded


def _page(call: Call, url: str, rows: Sequence[ZendeskTicket], page: PageChoice, per_page: int, include: str) -> Shown:
    where = call.base_url + url + (f"?include={quote(include)}" if include else "")
    shown = page_rows(where, "tickets", rows, lambda row: show_ticket(call, row), page, per_page)
    listed = {each["id"] for each in shown["tickets"]}
    return {**shown, **_load_beside(call, [row for row in rows if row.id in listed], include)}


@api.get("/tickets")
def list_tickets(
    call: Call,
    external_id: str = "",
    sort_by: str = "",
    sort_order: str = "asc",
    include: str = "",
    page: PageChoice = 1,
    per_page: int = 100,
) -> Shown:
    """List the tickets."""
    rows = [row for row in list_tickets_there(call) if not external_id or row.external_id == external_id]
    if sort_by and sort_by not in _SORTS:
        raise refuse_parameter(f"sort_by is one of: {', '.join(sorted(_SORTS))}", "Invalid parameter")
    if sort_by:
        rows.sort(key=lambda row: str(getattr(row, sort_by) or "") if sort_by != "id" else f"{row.id:020}")
    if sort_order == "desc":
        rows.reverse()
    return _page(call, "/api/v2/tickets.json", rows, page, per_page, include)


def _read_comment(given: Mapping[str, Any]) -> Shown | None:
    comment: Any = given.get("comment")
    if comment is None:
        return None
    fields = cast(Shown, comment) if isinstance(comment, dict) else {"body": comment}
    body = fields.get("body") or fields.get("html_body")
    if not isinstance(body, str) or not body.strip():
        raise refuse_fields({"base": "Description: cannot be blank"}, {"base": "BlankValue"})
    return {**fields, "body": body}


def add_comment(call: Call, row: ZendeskTicket, given: Shown, author: int) -> ZendeskComment:
    """Store a comment on a ticket; raises RecordNotFound for an author that there is not."""
    is_public = given.get("public", True)
    said = given.get("author_id")
    known = find_user(call, str(said)) if said is not None else None
    comment = ZendeskComment(
        id=360_900_000 + call.db.next("comment"), ticket_id=row.id, author_id=known.id if known else author,
        body=given["body"], public=is_public is not False, created_at=call.clock.iso(),
    )  # fmt: skip
    return call.db.add(comment)


def _check(call: Call, given: Mapping[str, Any]) -> Shown:
    """Return the fields of a ticket; raises ZendeskError for what cannot be and for what does not exist."""
    values = read_fields(given, TICKET)
    if "tags" in values:
        values["tags"] = sorted(values["tags"])
    problems = {
        name: f"{name.removesuffix('_id').capitalize()}: {values[name]} does not exist"
        for name, table in _REFERENCES.items()
        if values.get(name) is not None and call.db.find(table, table.id == values[name]) is None
    }
    if "requester_id" in values and values["requester_id"] is None:
        problems["requester_id"] = "Requester: cannot be blank"
    if problems:
        raise refuse_fields(problems)
    return values


def _read_requester(call: Call, given: Mapping[str, Any]) -> int | None:
    """Return the user of `requester`, who is made if there is none with the address."""
    asked: Any = given.get("requester")
    if asked is None:
        return None
    about = read_object(given, "requester")
    known = [row for row in list_users_there(call) if (row.email or "").lower() == str(about.get("email")).lower()]
    return (known[0] if known else create_user(call, about)).id


@api.post("/tickets", status=201)
def post_ticket(call: Call, body: Given) -> Shown:
    """Create a ticket; its comment is its description."""
    row = create_ticket(call, read_object(body, "ticket"))
    return _show_written(call, row, list_audits(call, row.id)[0])


def create_ticket(call: Call, given: Mapping[str, Any]) -> ZendeskTicket:
    """Add a ticket with its first comment; raises ZendeskError."""
    values, comment = _check(call, given), _read_comment(given)
    if comment is None and isinstance(given.get("description"), str):
        comment = _read_comment({"comment": given["description"]})
    if comment is None:
        raise refuse_fields({"base": "Description: cannot be blank"}, {"base": "BlankValue"})
    requester = _read_requester(call, given) or values.get("requester_id") or AGENT
    status = "open" if values.get("assignee_id") else "new"
    usual: Shown = {"status": status, "submitter_id": requester, "subject": None}
    usual["organization_id"] = find_user(call, requester).organization_id
    now = call.clock.iso()
    fields: Shown = {**usual, **values, "requester_id": requester, "description": comment["body"]}
    row = ZendeskTicket(id=call.db.next("ticket"), created_at=now, updated_at=now, **fields)
    call.db.add(row)
    add_audit(call, row, requester, None, add_comment(call, row, comment, requester))
    return row


def _show_written(call: Call, row: ZendeskTicket, audit: ZendeskAudit) -> Shown:
    """Return a ticket and the audit of its change."""
    return {"ticket": show_ticket(call, row), "audit": show_audit(audit)}


@api.get("/tickets/count")
def count_tickets(call: Call) -> Shown:
    """Return how many tickets there are."""
    return {"count": {"value": len(list_tickets_there(call)), "refreshed_at": show_time(call.clock.iso())}}


@api.get("/tickets/show_many")
def show_tickets(call: Call, ids: str, include: str = "") -> Shown:
    """Return the tickets of up to 100 ids."""
    wanted = {each.strip() for each in ids.split(",")}
    rows = [row for row in list_tickets_there(call) if str(row.id) in wanted]
    return _page(call, "/api/v2/tickets/show_many.json", rows, 1, 100, include)


@api.get("/tickets/{ticket_id}")
def get_ticket(call: Call, ticket_id: str, include: str = "") -> Shown:
    """Return a ticket."""
    row = find_ticket(call, ticket_id)
    return {"ticket": show_ticket(call, row), **_load_beside(call, [row], include)}


@api.put("/tickets/{ticket_id}")
def put_ticket(call: Call, ticket_id: str, body: Given) -> Shown:
    """Change a ticket, and comment on it; one that is closed stays as it is."""
    row, given = find_ticket(call, ticket_id), read_object(body, "ticket")
    values, comment = _check(call, given), _read_comment(given)
    if row.status == "closed":
        raise refuse_fields({"status": "Status: closed prevents ticket update"})
    if values.get("status") == "new" and row.status != "new":
        raise refuse_fields({"status": "Status: a ticket that was open cannot be new again"})
    if values.get("assignee_id") and row.status == "new":
        values = {"status": "open", **values}
    if "custom_fields" in values:
        values["custom_fields"] = _merge_fields(row.custom_fields, values["custom_fields"])
    before = read_audited(row)
    row = call.db.change(row, **values, updated_at=call.clock.iso())
    added = add_comment(call, row, comment, AGENT) if comment is not None else None
    return _show_written(call, row, add_audit(call, row, AGENT, before, added))


def _merge_fields(known: Any, given: Any) -> list[Any]:
    """Return custom fields with those that are given in place of those of the same id."""
    fields = [cast(Shown, each) for each in given if isinstance(each, dict)]
    ids = {each.get("id") for each in fields}
    return [*(each for each in known if each.get("id") not in ids), *fields]


@api.delete("/tickets/{ticket_id}", status=204)
def delete_ticket(call: Call, ticket_id: str) -> None:
    """Delete a ticket, which can be restored."""
    call.db.change(find_ticket(call, ticket_id), is_deleted=True, updated_at=call.clock.iso())


@api.get("/deleted_tickets")
def list_deleted_tickets(call: Call, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the tickets that are deleted and can be restored."""
    rows = [row for row in call.db.rows(ZendeskTicket, order=ZendeskTicket.id) if row.is_deleted]

    def show(row: ZendeskTicket) -> Shown:
        known = {"id": row.id, "subject": row.subject, "previous_state": row.status, "actor": {"id": AGENT}}
        return {**known, "deleted_at": show_time(row.updated_at or row.created_at)}

    return page_rows(f"{call.base_url}/api/v2/deleted_tickets.json", "deleted_tickets", rows, show, page, per_page)


@api.put("/deleted_tickets/{ticket_id}/restore")
def restore_ticket(call: Call, ticket_id: str) -> Shown:
    """Restore a deleted ticket."""
    row = call.db.get(ZendeskTicket, read_number(ticket_id), missing=RecordNotFound)
    if not row.is_deleted:
        raise RecordNotFound
    call.db.change(row, is_deleted=False, updated_at=call.clock.iso())
    return {}


@api.get("/tickets/{ticket_id}/comments")
def list_comments(
    call: Call,
    ticket_id: str,
    sort_order: str = "asc",
    include: str = "",
    page: PageChoice = 1,
    per_page: int = 100,
) -> Shown:
    """List the comments of a ticket, the oldest first."""
    row = find_ticket(call, ticket_id)
    rows = call.db.rows(ZendeskComment, ZendeskComment.ticket_id == row.id, order=ZendeskComment.id)
    rows = rows[::-1] if sort_order == "desc" else rows
    url = f"{call.base_url}/api/v2/tickets/{row.id}/comments.json"
    shown = page_rows(url, "comments", rows, show_comment, page, per_page)
    if "users" in include.split(","):
        shown["users"] = [show_user(call, find_user(call, id)) for id in sorted({each.author_id for each in rows})]
    return shown


@api.get("/tickets/{ticket_id}/comments/count")
def count_comments(call: Call, ticket_id: str) -> Shown:
    """Return how many comments a ticket has."""
    number = call.db.count(ZendeskComment, ZendeskComment.ticket_id == find_ticket(call, ticket_id).id)
    return {"count": {"value": number, "refreshed_at": show_time(call.clock.iso())}}


@api.put("/tickets/{ticket_id}/comments/{comment_id}/make_private")
def make_private(call: Call, ticket_id: str, comment_id: str) -> Shown:
    """Hide a comment from the requester."""
    row = call.db.get(ZendeskComment, read_number(comment_id), missing=RecordNotFound)
    if row.ticket_id != find_ticket(call, ticket_id).id:
        raise RecordNotFound
    call.db.change(row, public=False)
    return {}


# -- tags --------------------------------------------------------------------------------------------------------------


@api.get("/tickets/{ticket_id}/tags")
def list_ticket_tags(call: Call, ticket_id: str) -> Shown:
    """List the tags of a ticket."""
    return {"tags": find_ticket(call, ticket_id).tags}


def _read_tags(body: Mapping[str, Any]) -> list[str]:
    tags: Any = body.get("tags")
    if not isinstance(tags, list) or not all(isinstance(each, str) for each in cast(list[Any], tags)):
        raise refuse_parameter("tags must be a list of texts")
    return cast(list[str], tags)


def _set_tags(call: Call, ticket_id: str, tags: set[str]) -> Shown:
    row = find_ticket(call, ticket_id)
    before = read_audited(row)
    row = call.db.change(row, tags=sorted(tags), updated_at=call.clock.iso())
    add_audit(call, row, AGENT, before, None)
    return {"tags": row.tags}


@api.post("/tickets/{ticket_id}/tags", status=201)
def post_ticket_tags(call: Call, ticket_id: str, body: Given) -> Shown:
    """Replace the tags of a ticket."""
    return _set_tags(call, ticket_id, {*_read_tags(body)})


@api.put("/tickets/{ticket_id}/tags")
def put_ticket_tags(call: Call, ticket_id: str, body: Given) -> Shown:
    """Add tags to a ticket."""
    return _set_tags(call, ticket_id, {*find_ticket(call, ticket_id).tags, *_read_tags(body)})


@api.delete("/tickets/{ticket_id}/tags")
def delete_ticket_tags(call: Call, ticket_id: str, body: Given) -> Shown:
    """Take tags from a ticket."""
    return _set_tags(call, ticket_id, {*find_ticket(call, ticket_id).tags} - {*_read_tags(body)})


@api.get("/tags")
def list_tags(call: Call, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the tags of tickets, the most used first."""
    counts = Counter(tag for row in list_tickets_there(call) for tag in row.tags).most_common()
    url = f"{call.base_url}/api/v2/tags.json"
    return page_rows(
        url, "tags", counts, lambda each: {"name": each[0], "count": each[1]}, page, per_page
    )  # fmt: skip


# -- further lists -----------------------------------------------------------------------------------------------------


@api.get("/users/{user_id}/tickets/requested")
def list_requested(call: Call, user_id: str, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the tickets that a user asked for."""
    user = find_user(call, user_id)
    rows = [row for row in list_tickets_there(call) if row.requester_id == user.id]
    return _page(call, f"/api/v2/users/{user.id}/tickets/requested.json", rows, page, per_page, "")


@api.get("/users/{user_id}/tickets/assigned")
def list_assigned(call: Call, user_id: str, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the tickets that an agent has."""
    user = find_user(call, user_id)
    rows = [row for row in list_tickets_there(call) if row.assignee_id == user.id]
    return _page(call, f"/api/v2/users/{user.id}/tickets/assigned.json", rows, page, per_page, "")


@api.get("/organizations/{organization_id}/tickets")
def list_of_organization(call: Call, organization_id: str, page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the tickets of an organization."""
    place = call.db.get(ZendeskOrganization, read_number(organization_id), missing=RecordNotFound)
    rows = [row for row in list_tickets_there(call) if row.organization_id == place.id]
    return _page(call, f"/api/v2/organizations/{place.id}/tickets.json", rows, page, per_page, "")

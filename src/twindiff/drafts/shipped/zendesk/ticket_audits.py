"""Audits, which say what each change of a ticket did, and comments, which are events of audits.

https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_audits/
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any, cast

from twindiff.kit.call import Call

from .tables import ZendeskAudit, ZendeskComment, ZendeskTicket
from .wire_style import Shown, show_time

VIA: Shown = {"channel": "api", "source": {"from": {}, "to": {}, "rel": None}}
AUDIT_AFTER_COMMENT = 1_000_000
"""What the id of the audit of a comment is above the id of the comment."""
_AUDITED = (
    "subject", "status", "priority", "type", "requester_id", "assignee_id", "group_id", "organization_id",
    "external_id", "due_at", "tags", "collaborator_ids",
)  # fmt: skip


def read_audited(row: ZendeskTicket) -> Shown:
    """Return the fields of a ticket that audits tell, with custom fields by their ids."""
    listed = [cast(Shown, each) for each in cast(list[Any], row.custom_fields) if isinstance(each, dict)]
    custom = {str(each["id"]): each.get("value") for each in listed if "id" in each}
    return {**{name: getattr(row, name) for name in _AUDITED}, **custom}


def add_audit(
    call: Call, row: ZendeskTicket, author: int, before: Mapping[str, Any] | None, comment: ZendeskComment | None
) -> ZendeskAudit:
    """Store the audit of a change from `before`, which is None for a new ticket."""
    events = [_show_comment_event(comment)] if comment is not None else []
    for name, value in read_audited(row).items():
        former = None if before is None else before.get(name)
        if value == former or (before is None and value in (None, [])):
            continue
        about: Shown = {"id": 362_000_000 + call.db.next("audit event"), "field_name": name, "value": _to_text(value)}
        change = {"type": "Create"} if before is None else {"type": "Change", "previous_value": _to_text(former)}
        events.append({**about, **change})
    number = comment.id + AUDIT_AFTER_COMMENT if comment is not None else 361_000_000 + call.db.next("audit")
    now = call.clock.iso()
    return call.db.add(ZendeskAudit(id=number, ticket_id=row.id, author_id=author, events=events, created_at=now))


def _to_text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def show_audit(row: ZendeskAudit) -> Shown:
    """Return an audit."""
    about: Shown = {"id": row.id, "ticket_id": row.ticket_id, "author_id": row.author_id}
    about |= {"created_at": show_time(row.created_at), "metadata": {"system": {}, "custom": {}}}
    return {**about, "events": row.events, "via": VIA}


def list_audits(call: Call, ticket_id: int) -> list[ZendeskAudit]:
    """Return the audits of a ticket, the oldest first; a comment that none tells has one of its own."""
    rows = [*call.db.rows(ZendeskAudit, ZendeskAudit.ticket_id == ticket_id)]
    known = {row.id for row in rows}
    for comment in call.db.rows(ZendeskComment, ZendeskComment.ticket_id == ticket_id):
        number = comment.id + AUDIT_AFTER_COMMENT
        if number not in known:
            events = [_show_comment_event(comment)]
            author, at = comment.author_id, comment.created_at
            rows.append(ZendeskAudit(id=number, ticket_id=ticket_id, author_id=author, events=events, created_at=at))
    return sorted(rows, key=lambda row: (row.created_at, row.id))


def _show_comment_event(row: ZendeskComment) -> Shown:
    text = html.escape(row.body, quote=False).replace("\n", "<br>")
    names = {"id": row.id, "type": "Comment", "author_id": row.author_id, "body": row.body, "plain_body": row.body}
    rendered = f'<div class="zd-comment" dir="auto"><p dir="auto">{text}</p></div>'
    about: Shown = {"public": row.public, "attachments": [], "audit_id": row.id + AUDIT_AFTER_COMMENT}
    return {**names, "html_body": rendered, **about}


def show_comment(row: ZendeskComment) -> Shown:
    """Return a comment."""
    return {**_show_comment_event(row), "via": VIA, "metadata": {}, "created_at": show_time(row.created_at)}

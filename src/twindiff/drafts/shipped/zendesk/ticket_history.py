"""The audits of tickets, merged tickets, and exports of what changed.

https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import micros_of
from twindiff.kit.errors import ApiError
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from .settings import run_job
from .tables import AGENT, ZendeskTicket
from .ticket_audits import add_audit, list_audits, read_audited, show_audit
from .tickets import add_comment, find_ticket, show_ticket
from .wire_style import (
    PageChoice,
    RecordNotFound,
    Shown,
    ZendeskError,
    page_rows,
    refuse_fields,
    refuse_parameter,
)

api = Operations(prefix="/api/v2")
Given = Annotated[dict[str, Any], Body]
MAX_MERGED = 100
MAX_EXPORTED = 1000
RECENT_SECONDS = 60
"""What changed in the last minute is not exported."""
_CURSOR = "tickets"


class InvalidExportCursor(ApiError):
    """The cursor is not one of an export."""

    status = 400


@api.get("/tickets/{ticket_id}/audits")
def get_audits(call: Call, ticket_id: str, sort_order: str = "asc", page: PageChoice = 1, per_page: int = 100) -> Shown:
    """List the audits of a ticket, the oldest first."""
    row = find_ticket(call, ticket_id)
    rows = list_audits(call, row.id)
    rows = rows[::-1] if sort_order == "desc" else rows
    return page_rows(f"{call.base_url}/api/v2/tickets/{row.id}/audits.json", "audits", rows, show_audit, page, per_page)


@api.get("/tickets/{ticket_id}/audits/{audit_id}")
def get_audit(call: Call, ticket_id: str, audit_id: str) -> Shown:
    """Return an audit of a ticket."""
    for row in list_audits(call, find_ticket(call, ticket_id).id):
        if str(row.id) == audit_id:
            return {"audit": show_audit(row)}
    raise RecordNotFound


# -- merging -----------------------------------------------------------------------------------------------------------


@api.post("/tickets/{ticket_id}/merge")
def merge_tickets(call: Call, ticket_id: str, body: Given) -> Shown:
    """Merge tickets into one by a job: they are closed, and their requesters get copies of what comes."""
    target = find_ticket(call, ticket_id)
    ids: Any = body.get("ids")
    listed = cast(list[Any], ids) if isinstance(ids, list) else []
    if not listed or not all(isinstance(each, (int, str)) and not isinstance(each, bool) for each in listed):
        raise refuse_parameter("ids must be a list of the ids of tickets")
    if len(listed) > MAX_MERGED:
        raise refuse_parameter(f"ids must have at most {MAX_MERGED} ids", "TooManyValues")
    comments = {name: _read_text(body, name) for name in ("source_comment", "target_comment")}
    sources = [find_ticket(call, str(each)) for each in dict.fromkeys(listed)]
    if any(each.id == target.id for each in sources):
        raise refuse_fields({"base": "A ticket cannot be merged into itself"})
    if any(each.status == "closed" for each in (target, *sources)):
        raise refuse_fields({"status": "Status: closed prevents ticket merging"})
    copied = {*target.collaborator_ids, *(each.requester_id for each in sources)} - {target.requester_id}

    def write(given: Shown) -> int:
        row: ZendeskTicket = given["row"]
        name = given["comment"]
        is_public = body.get(f"{name}_is_public") is True
        _change_merged(call, row, given["values"], comments[name], is_public)
        return row.id

    closed = [
        {"row": each, "comment": "source_comment",
         "values": {"status": "closed", "tags": sorted({*each.tags, "closed_by_merge"})}}
        for each in sources
    ]  # fmt: skip
    kept = {"row": target, "comment": "target_comment", "values": {"collaborator_ids": sorted(copied)}}
    return run_job(call, [kept, *closed], write, "update")


def _read_text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise refuse_parameter(f"{name} must be a text")
    return (value or "").strip()


def _change_merged(call: Call, row: ZendeskTicket, values: Shown, text: str, is_public: bool) -> None:
    before = read_audited(row)
    row = call.db.change(row, **values, updated_at=call.clock.iso())
    comment = add_comment(call, row, {"body": text, "public": is_public}, AGENT) if text else None
    add_audit(call, row, AGENT, before, comment)


# -- exports -----------------------------------------------------------------------------------------------------------


def _show_exported(call: Call, row: ZendeskTicket) -> Shown:
    shown = show_ticket(call, row)
    shown["generated_timestamp"] = _seconds(row)
    return {**shown, "status": "deleted"} if row.is_deleted else shown


def _seconds(row: ZendeskTicket) -> int:
    return micros_of(datetime.fromisoformat(row.updated_at or row.created_at)) // 1_000_000


def _list_changed(call: Call, since: int) -> list[ZendeskTicket]:
    """Return the tickets that changed since a second and before the last minute, the first change first."""
    end = call.clock.micros // 1_000_000 - RECENT_SECONDS
    rows = [row for row in call.db.rows(ZendeskTicket) if since <= _seconds(row) <= end]
    return sorted(rows, key=lambda row: (row.updated_at or row.created_at, row.id))


def _read_start(call: Call, start_time: str) -> int:
    """Return the second from which an export starts. Raises ZendeskError for none, and for one of the last minute."""
    if not start_time.isascii() or not start_time.isdecimal() or len(start_time) > 12:
        raise refuse_parameter("start_time must be a number of seconds", "Invalid attribute")
    start = int(start_time)
    if start > call.clock.micros // 1_000_000 - RECENT_SECONDS:
        said = "Too recent start_time. Use a start_time older than 60 seconds"
        raise ZendeskError(422, {"error": "StartTimeTooRecent", "description": said})
    return start


def _check_size(per_page: int) -> None:
    if not 1 <= per_page <= MAX_EXPORTED:
        raise refuse_parameter(f"per_page must be a number from 1 to {MAX_EXPORTED}", "Invalid parameter")


@api.get("/incremental/tickets/cursor")
def export_tickets_by_cursor(call: Call, start_time: str = "", cursor: str = "", per_page: int = MAX_EXPORTED) -> Shown:
    """Export the tickets that changed since a time or after a cursor, deleted ones too."""
    _check_size(per_page)
    after = _read_cursor(cursor) if cursor else None
    rows = _list_changed(call, 0 if after else _read_start(call, start_time))
    if after:
        rows = [row for row in rows if (row.updated_at or row.created_at, row.id) > after]
    page = rows[:per_page]
    last = _write_cursor(page) or cursor or None
    url = f"{call.base_url}/api/v2/incremental/tickets/cursor.json?cursor={last}" if last else None
    return {
        "tickets": [_show_exported(call, row) for row in page],
        "after_cursor": last,
        "after_url": url,
        "before_cursor": None,
        "before_url": None,
        "end_of_stream": len(rows) <= per_page,
    }


def _write_cursor(page: Sequence[ZendeskTicket]) -> str:
    return encode_cursor(_CURSOR, f"{page[-1].updated_at or page[-1].created_at}|{page[-1].id}") if page else ""


def _read_cursor(cursor: str) -> tuple[str, int]:
    try:
        at, _, number = decode_cursor(_CURSOR, cursor, InvalidExportCursor).partition("|")
        return at, int(number)
    except (InvalidExportCursor, ValueError):
        raise refuse_parameter("cursor must be one of an earlier answer", "Invalid cursor") from None


@api.get("/incremental/tickets")
def export_tickets(call: Call, start_time: str = "", per_page: int = MAX_EXPORTED) -> Shown:
    """Export the tickets that changed since a time; the next page begins at the time of the last change."""
    _check_size(per_page)
    start = _read_start(call, start_time)
    rows = _list_changed(call, start)
    page = rows[:per_page]
    end = _seconds(page[-1]) if page else start
    page += [row for row in rows[per_page:] if _seconds(row) == end]
    following = end + 1 if len(page) < len(rows) else end
    return {
        "tickets": [_show_exported(call, row) for row in page],
        "count": len(page),
        "end_time": following,
        "end_of_stream": len(page) == len(rows),
        "next_page": f"{call.base_url}/api/v2/incremental/tickets.json?start_time={following}",
    }

"""The events stream: of the caller, and for administrators of the enterprise.

https://developer.box.com/guides/events
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, Response
from twindiff.kit.http import json_answer
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import BadRequest, check_limit

from ..core.access import NONE, TABLE_OF, require_admin, rights
from ..core.row_stamps import read_instant
from ..tables.further_tables import StreamEvent
from .enterprise_events import enterprise_event_object, types_named
from .event_emission import event_object

api = Operations(prefix="/2.0")
_LOOKED_AT = 2_000
"""So many events at most are looked through for one page."""


def _position(text: str, last: int) -> int:
    """The position that a page begins behind."""
    if text == "now":
        return last
    if not text.isdecimal() or len(text) > 18:
        raise BadRequest.of("invalid_parameter", "stream_position", f"Invalid value '{text[:40]}'.")
    return int(text)


def _last(call: Call) -> int:
    latest = call.db.rows(StreamEvent, order=-StreamEvent.position, limit=1)
    return latest[0].position if latest else 0


def _is_for(call: Call, event: StreamEvent) -> bool:
    """Whether the caller is told of an event: they made it happen, or can see what it is about."""
    if call.actor in (event.created_by_id, event.owned_by_id):
        return True
    table = TABLE_OF.get(event.source_type or "")
    item = call.db.find(table, table.id == event.source_id) if table else None
    return item is not None and rights(call, item) != NONE


@api.get("/events")
def list_events(
    call: Call,
    stream_type: Literal["all", "changes", "sync", "admin_logs", "admin_logs_streaming"] = "all",
    stream_position: str = "0",
    limit: int = 100,
    event_type: str = "",
    created_after: str = "",
    created_before: str = "",
) -> dict[str, Any]:
    """List events from a position on; `now` gives none, and the position of what comes next.

    The enterprise's have types of their own, such as UPLOAD for ITEM_UPLOAD; either finds them there.

    https://developer.box.com/reference/get-events
    """
    check_limit(limit, 500)
    of_enterprise = stream_type.startswith("admin_logs")
    if of_enterprise:
        require_admin(call)
    after = _position(stream_position, _last(call))
    where: list[Expression] = [StreamEvent.position > after]
    if event_type:
        where.append(StreamEvent.event_type.in_(types_named([each.strip() for each in event_type.split(",")])))
    if created_after:
        where.append(StreamEvent.created_at >= read_instant(created_after, "created_after"))
    if created_before:
        where.append(StreamEvent.created_at < read_instant(created_before, "created_before"))
    rows = call.db.rows(StreamEvent, *where, order=StreamEvent.position, limit=_LOOKED_AT)
    seen = rows if of_enterprise else [row for row in rows if _is_for(call, row)]
    page = seen[:limit]
    last = page if len(seen) > limit else rows
    end = last[-1].position if last else after
    shown = enterprise_event_object if of_enterprise else event_object
    entries = [shown(call, row) for row in page]
    return {"chunk_size": len(entries), "next_stream_position": end, "entries": entries}


@api.options("/events", reads=True)
def realtime_server(call: Call) -> dict[str, Any]:
    """Give the address that tells when there is something new.

    https://developer.box.com/reference/options-events
    """
    server = {
        "type": "realtime_server",
        "url": f"{call.base_url}/2.0/events/realtime?channel={call.actor}&stream_type=all",
        "ttl": "10",
        "max_retries": "10",
        "retry_timeout": 610,
    }
    return {"chunk_size": 1, "entries": [server]}


@api.get("/events/realtime", open=True)
def realtime(call: Call, channel: str = "", stream_position: str = "0") -> Response:
    """Say whether there is something new behind a position.

    It answers at once: time in an environment does not pass while somebody waits.
    https://developer.box.com/guides/events/user-events/polling
    """
    last = _last(call)
    message = "new_change" if last > _position(stream_position, last) else "reconnect"
    return json_answer({"version": 1, "message": message})

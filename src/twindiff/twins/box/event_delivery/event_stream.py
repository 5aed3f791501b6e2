"""The event streams: the caller's own, and the enterprise's for administrators.

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
from .enterprise_events import ENTERPRISE_ONLY, enterprise_event_object, types_named
from .event_emission import event_object

api = Operations(prefix="/2.0")
_LOOKED_AT = 2_000
"""Maximum number of events that are examined for one page."""


def _position(text: str, last: int) -> int:
    """Return the position after which a page starts; raise BadRequest if `text` is not a position."""
    if text == "now":
        return last
    if not text.isdecimal() or len(text) > 18:
        raise BadRequest.of("invalid_parameter", "stream_position", f"Invalid value '{text[:40]}'.")
    return int(text)


def _last(call: Call) -> int:
    latest = call.db.rows(StreamEvent, order=-StreamEvent.position, limit=1)
    return latest[0].position if latest else 0


def _is_for(call: Call, event: StreamEvent) -> bool:
    """Return whether the caller's own stream has an event: they caused it, or can see the item it is about."""
    if event.event_type in ENTERPRISE_ONLY:
        return False
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
    """List events after a position. `now` returns no events, only the next position.

    Events of the enterprise have types of their own, such as UPLOAD for ITEM_UPLOAD. Either name selects them.

    https://developer.box.com/reference/get-events
    """
    check_limit(limit, 500)
    of_enterprise = stream_type.startswith("admin_logs")
    after = _position(stream_position, _last(call))
    where: list[Expression] = [StreamEvent.position > after]
    if of_enterprise:
        require_admin(call)
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
    """Get the URL of the long-polling server.

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
    """Return whether there are events after a position.

    It responds at once: an environment's clock does not advance while a client waits.

    https://developer.box.com/guides/events/user-events/polling
    """
    last = _last(call)
    message = "new_change" if last > _position(stream_position, last) else "reconnect"
    return json_answer({"version": 1, "message": message})

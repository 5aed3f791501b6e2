"""The log of what was created, changed and removed. https://developer.close.com/resources/event-log/"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.parameter_sources import Named
from twindiff.kit.twin import Operations

from .list_queries import filter_times, read_query
from .shown_objects import ORGANIZATION, SHOWN
from .tables import (
    CloseActivity,
    CloseContact,
    CloseCustomField,
    CloseEvent,
    CloseLead,
    CloseOpportunity,
    CloseStatus,
    CloseTask,
)
from .wire_style import CloseError, pick_fields, show_time

api = Operations(prefix="/api/v1")
Shown = dict[str, Any]
MAX_EVENTS = 50
_CURSOR = "events"
_PARTS = frozenset(["contacts", "tasks", "opportunities", "integration_links"])
"""What belongs to a lead and has events of its own, and what follows from its name."""
_TYPES: dict[type[Any], str] = {
    CloseLead: "lead", CloseContact: "contact", CloseOpportunity: "opportunity", CloseTask: "task.lead",
}  # fmt: skip
_FILTERS = ("object_type", "object_id", "action", "lead_id", "user_id", "request_id")


class InvalidEventCursor(ApiError):
    """The cursor is not one of the event log."""

    status = 400


def _type_of(row: Any) -> str:
    if isinstance(row, CloseActivity):
        return f"activity.{row.kind}"
    if isinstance(row, CloseCustomField | CloseStatus):
        return f"{'status' if isinstance(row, CloseStatus) else 'custom_field'}.{row.owner}"
    return _TYPES[type(row)]


def show_logged(call: Call, row: Any) -> Shown:
    """Return an object as events show it."""
    return {name: value for name, value in SHOWN[type(row)](call, row).items() if name not in _PARTS}


def log_event(call: Call, action: str, row: Any, user_id: str, before: Shown | None = None) -> None:
    """Store an event; a change that changed nothing has none."""
    data = show_logged(call, row)
    previous = {name: value for name, value in (before or {}).items() if data.get(name) != value}
    changed = sorted({*previous, *(set(data) - set(before))} - {"date_updated"}) if before is not None else []
    if action == "updated" and not changed:
        return
    event = CloseEvent(
        id=call.ids.new("ev_", 22),
        object_type=_type_of(row),
        object_id=row.id,
        action=action,
        lead_id=row.id if isinstance(row, CloseLead) else getattr(row, "lead_id", None),
        user_id=user_id,
        data=data,
        previous_data={name: value for name, value in previous.items() if name != "date_updated"},
        changed_fields=changed,
        date_created=call.clock.iso(),
        made_number=call.db.next("event"),
    )
    call.db.add(event)


def _show_event(row: CloseEvent) -> Shown:
    names = ("id", "object_type", "object_id", "action", "lead_id", "user_id", "changed_fields", "previous_data")
    at = show_time(row.date_created)
    shown = {name: getattr(row, name) for name in names}
    about: Shown = {"organization_id": ORGANIZATION, "request_id": f"req_{row.id[3:]}", "api_key_id": None, "meta": {}}
    data: Shown = {} if row.action == "deleted" else row.data
    previous: Shown = row.data if row.action == "deleted" else row.previous_data
    return {**shown, **about, "data": data, "previous_data": previous, "date_created": at, "date_updated": at}


@api.get("/event/")
def list_events(
    call: Call,
    limit: Annotated[int, Named("_limit")] = MAX_EVENTS,
    cursor: Annotated[str, Named("_cursor")] = "",
    fields: Annotated[str, Named("_fields")] = "",
) -> Shown:
    """List events, the newest first; a cursor leads to older or newer ones."""
    if limit < 1:
        raise CloseError(fields={"_limit": "The limit must be at least 1."})
    if "_skip" in read_query(call):
        raise CloseError(fields={"_skip": "Events are paged by _cursor."})
    side, at = _read_cursor(cursor) if cursor else ("", 0)
    rows = _list_wanted(call, is_paged=bool(cursor))
    newer = [row for row in rows if row.made_number > at]
    most = min(limit, MAX_EVENTS)
    if side == "previous":
        page, has_older = newer[-most:], True
    else:
        rows = [row for row in rows if row.made_number < at] if side else rows
        page, has_older = rows[:most], len(rows) > most
    last = page[-1].made_number if page else at
    return {
        "data": [pick_fields(_show_event(row), fields) for row in page],
        "cursor_next": encode_cursor(_CURSOR, f"next|{last}") if has_older and last else None,
        "cursor_previous": encode_cursor(_CURSOR, f"previous|{page[0].made_number if page else at}"),
    }


def _list_wanted(call: Call, *, is_paged: bool) -> list[CloseEvent]:
    """Return the events that the parameters ask for, the newest first; a page has the times of its cursor alone."""
    given = read_query(call)
    wanted = {name: given[name] for name in _FILTERS if given.get(name)}
    rows = call.db.rows(CloseEvent, order=-CloseEvent.made_number)
    rows = [row for row in rows if all(_value_of(row, name) == value for name, value in wanted.items())]
    return rows if is_paged else filter_times(given, rows, "date_updated", lambda row: f"{row.date_created}+00:00")


def _value_of(row: CloseEvent, name: str) -> Any:
    return f"req_{row.id[3:]}" if name == "request_id" else getattr(row, name)


def _read_cursor(cursor: str) -> tuple[str, int]:
    try:
        side, _, number = decode_cursor(_CURSOR, cursor, InvalidEventCursor).partition("|")
        return side, int(number)
    except (InvalidEventCursor, ValueError):
        raise CloseError(fields={"_cursor": "The cursor is not valid."}) from None


@api.get("/event/{id}/")
def get_event(call: Call, id: str) -> Shown:
    """Return an event."""
    row = call.db.find(CloseEvent, CloseEvent.id == id)
    if row is None:
        raise CloseError(f"Event {id} was not found.", status=404)
    return _show_event(row)

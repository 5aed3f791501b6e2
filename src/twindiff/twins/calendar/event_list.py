"""Event lists: a window of the agenda with series expanded, in pages or since a sync token.

https://developers.google.com/workspace/calendar/api/v3/reference/events/list
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec

from twindiff.kit import Call
from twindiff.kit.paging import decode_cursor, encode_cursor

from .access import Access
from .changes import read_sync_token, sync_token
from .errors import InvalidPageToken
from .event_filters import Filters, matching
from .event_views import Lens, Occurrences, attendees_of, event_object, render_removed_event, shown_events
from .recurrence import between
from .tables import AgendaEntry, CalendarEventCopy
from .times import DAY, FAR

MAX_PAGE_EVENTS = 2_500
HORIZON = 2 * 366 * DAY
"""Microseconds after now, or after timeMin if later, up to which lists without timeMax expand series."""

WHOLE = -FAR
"""The `start` of an item that is a whole event or series, not an occurrence."""

Item = tuple[int | str, str, int]
"""Sort key, event id and start of the occurrence; also serves as the position in page tokens."""


class Window(NamedTuple):
    """A time range in microseconds since 1970; `high` is exclusive."""

    low: int
    high: int


class EventListQuery(NamedTuple):
    """The conditions and order of an event list."""

    window: Window
    filters: Filters
    is_expanded: bool = False
    order: str = ""
    shows_deleted: bool = False
    updated_min: str = ""
    since: int | None = None
    """The change number of a sync token: only later changes are listed."""


class Light(NamedTuple):
    """The columns of an agenda entry that a list needs."""

    event_id: str
    begins: int
    duration: int
    schedule: str | None
    series: str | None
    status: str
    updated: str
    changed: int


_COLUMNS = tuple(getattr(AgendaEntry, name) for name in Light._fields)
_SERIES = Light._fields.index("series")


class PageToken(NamedTuple):
    """The last item before a page, and the change number for the sync token after the last page."""

    place: tuple[Any, str, int]
    changed: int


def read_page_token(token: str) -> PageToken | None:
    """Decode a page token, or return None for an empty one; raises InvalidPageToken."""
    if not token:
        return None
    try:
        text = decode_cursor("events", token, InvalidPageToken)
        return msgspec.json.decode(text, type=PageToken)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidPageToken from None


def events_page(
    call: Call, lens: Lens, wanted: EventListQuery, *, limit: int, page_token: str = "", token_is_due: bool = True
) -> dict[str, Any]:
    """Return the fields `items` and either `nextPageToken` or `nextSyncToken` of an event list."""
    page, last = read_page_token(page_token), last_change(call, lens.calendar_id)
    items = sorted(items_of(call, lens.access, wanted))
    try:
        rest = items[bisect_right(items, page.place) :] if page else items
    except TypeError:
        raise InvalidPageToken from None
    limit = min(limit, MAX_PAGE_EVENTS)
    answer: dict[str, Any] = {"items": [*_objects(call, lens, rest[:limit], wanted)]}
    changed = page.changed if page else last
    if len(rest) > limit:
        token = msgspec.json.encode(PageToken(rest[limit - 1], changed)).decode()
        return {**answer, "nextPageToken": encode_cursor("events", token)}
    return {**answer, "nextSyncToken": sync_token(_collection(lens.calendar_id), changed)} if token_is_due else answer


def _collection(calendar_id: str) -> str:
    return f"/calendars/{calendar_id}/events"


def since_of(call: Call, calendar_id: str, token: str) -> int | None:
    """Return the change number of a sync token, or None without a token; raises FullSyncRequired."""
    return read_sync_token(_collection(calendar_id), token, last_change(call, calendar_id)) if token else None


def last_change(call: Call, calendar_id: str) -> int:
    """Return the number of the latest change of a calendar's events, or 0."""
    return _newest_entry(call, calendar_id)[0]


def last_update(call: Call, calendar_id: str) -> str:
    """Return when the calendar's events last changed, as a Timestamp column has it, or an empty text."""
    return _newest_entry(call, calendar_id)[1]


def _newest_entry(call: Call, calendar_id: str) -> tuple[int, str]:
    """Return change number and time of the agenda entry that changed last, looked up once per operation."""
    key = f"newest {calendar_id}"
    if key not in call.memo:
        here, columns = AgendaEntry.calendar_id == calendar_id, (AgendaEntry.changed, AgendaEntry.updated)
        rows = call.db.rows(AgendaEntry, here, order=-AgendaEntry.changed, limit=1, columns=columns)
        call.memo[key] = rows[0] if rows else (0, "")
    return call.memo[key]


def items_of(call: Call, access: Access, wanted: EventListQuery) -> list[Item]:
    """Return the items of an event list, unsorted."""
    calendar_id = access.calendar.id
    entries = [*_entries(call, calendar_id, wanted)]
    series, filters = wanted.filters.series_id, wanted.filters._replace(series_id="")
    if series:
        entries = [entry for entry in entries if series in (entry.event_id, entry.series)]
    if not filters.is_empty:
        ids = matching(call, filters, [entry.event_id for entry in entries])
        entries = [entry for entry in entries if entry.event_id in ids]
    taken = (
        _find_replaced_occurrences(call, calendar_id, wanted)
        if any(entry.schedule for entry in entries)
        else set[tuple[str, int]]()
    )
    order = "changed" if wanted.since is not None else "updated" if wanted.order == "updated" else "begins"
    place = attrgetter(order)
    items: list[Item] = []
    for entry in entries:
        if wanted.updated_min and entry.updated < wanted.updated_min:
            continue
        if entry.schedule and wanted.is_expanded:
            id, starts = entry.event_id, _starts(entry, wanted.window, taken)
            items += [(start if order == "begins" else place(entry), id, start) for start in starts]
        elif not entry.schedule or _has_occurrence(entry, wanted):
            items.append((place(entry), entry.event_id, WHOLE))
    return items


def _starts(entry: Light, window: Window, taken: Collection[tuple[str, int]]) -> Sequence[int]:
    """Return the starts of a series' occurrences in the window, without those that an exception replaces."""
    starts = between(entry.schedule or "", window.low - entry.duration + 1, window.high)
    return [start for start in starts if (entry.event_id, start) not in taken] if taken else starts


def _has_occurrence(entry: Light, wanted: EventListQuery) -> bool:
    low, high = wanted.window
    if low <= entry.begins < high or wanted.since is not None:
        return True
    return bool(between(entry.schedule or "", low - entry.duration + 1, min(high, max(low, entry.begins) + HORIZON)))


def _entries(call: Call, calendar_id: str, wanted: EventListQuery) -> Iterable[Light]:
    """Yield the agenda entries in the window, or those changed since a sync token.

    Short entries are found by their start, which uses the index; the few long ones by start and end.
    """
    here, alive = AgendaEntry.calendar_id == calendar_id, AgendaEntry.status != "cancelled"
    if wanted.since is not None:
        rows = call.db.rows(AgendaEntry, here, AgendaEntry.changed > wanted.since, columns=_COLUMNS)
        return map(Light._make, rows)
    low, high = wanted.window
    where = (here,) if wanted.shows_deleted else (here, alive)
    past = (AgendaEntry.begins > low - DAY, AgendaEntry.ends > low) if low > 0 else ()
    short = (*where, ~AgendaEntry.is_long, AgendaEntry.begins < high, *past)
    long = (*where, AgendaEntry.is_long.is_true, AgendaEntry.begins < high, AgendaEntry.ends > low)
    rows = [*call.db.rows(AgendaEntry, *short, columns=_COLUMNS), *call.db.rows(AgendaEntry, *long, columns=_COLUMNS)]
    if not wanted.is_expanded and not wanted.shows_deleted:
        rows += _cancelled_occurrences(call, calendar_id, wanted.window)
    return map(Light._make, rows)


def _cancelled_occurrences(call: Call, calendar_id: str, window: Window) -> list[Any]:
    """Return the entries of cancelled occurrences whose series is not cancelled.

    A list of unexpanded series includes them, so that clients can expand the series correctly.
    """
    here, is_exception = AgendaEntry.calendar_id == calendar_id, AgendaEntry.original_start > -FAR
    touching = AgendaEntry.status == "cancelled", AgendaEntry.begins < window.high, AgendaEntry.ends > window.low
    rows = call.db.rows(AgendaEntry, here, is_exception, *touching, columns=_COLUMNS)
    if not rows:
        return []
    alive = AgendaEntry.event_id.in_(sorted({row[_SERIES] for row in rows})), AgendaEntry.status != "cancelled"
    kept = {id for (id,) in call.db.rows(AgendaEntry, here, *alive, columns=(AgendaEntry.event_id,))}
    return [row for row in rows if row[_SERIES] in kept]


def _find_replaced_occurrences(call: Call, calendar_id: str, wanted: EventListQuery) -> set[tuple[str, int]]:
    """Return the occurrences that an exception replaces, as pairs of series id and original start."""
    low, high = wanted.window
    where = AgendaEntry.calendar_id == calendar_id, AgendaEntry.original_start > low - 366 * DAY
    columns = AgendaEntry.series, AgendaEntry.original_start
    return {*call.db.rows(AgendaEntry, *where, AgendaEntry.original_start < high, columns=columns)}


def _objects(call: Call, lens: Lens, items: Sequence[Item], wanted: EventListQuery) -> Iterator[dict[str, Any]]:
    ids = sorted({id for _, id, _ in items})
    events = shown_events(call, ids)
    invited = attendees_of(call, ids)
    here = CalendarEventCopy.calendar_id == lens.calendar_id, CalendarEventCopy.event_id.in_(ids)
    copies = {copy.event_id: copy for copy in call.db.rows(CalendarEventCopy, *here)} if ids else {}
    series: dict[str, Occurrences] = {}
    for _, id, start in items:
        event, people, copy = events[id], invited.get(id, ()), copies.get(id)
        if start == WHOLE:
            value = event_object(event, people, lens, copy)
        else:
            if id not in series:
                series[id] = Occurrences(event, people, lens, copy)
            value = series[id].at(start)
        is_here = event.calendar_id == lens.calendar_id or any(each.email == lens.calendar_id for each in people)
        yield value if is_here else {**render_removed_event(event, lens), "id": value["id"]}


def full_window(low: int | None, high: int | None, now: int, *, is_expanded: bool) -> Window:
    """Return the window of a request; if series are expanded, an open end is limited to `HORIZON`."""
    start = low if low is not None else -FAR
    return Window(start, high if high is not None else max(now, start) + HORIZON if is_expanded else FAR + 1)

"""Which events of a calendar a list has, in which order: a window of the agenda with its series expanded.

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
"""How far beyond now, or beyond its timeMin, a list without timeMax expands series."""

WHOLE = -FAR
"""The start of an item that is an event itself."""

Item = tuple[int | str, str, int]
"""By what it is ordered, the id of its event, and when the occurrence begins that it is: also its place in the list."""


class Window(NamedTuple):
    """From when to when events are wanted, in microseconds since 1970."""

    low: int
    high: int


class EventListQuery(NamedTuple):
    """What a request asks of a calendar's events."""

    window: Window
    filters: Filters
    is_expanded: bool = False
    order: str = ""
    shows_deleted: bool = False
    updated_min: str = ""
    since: int | None = None
    """The change after which a sync goes on."""


class Light(NamedTuple):
    """As much of an agenda entry as a list is made of."""

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
    """Where a page begins; `changed` is how far a sync after the last page has to look back."""

    place: tuple[Any, str, int]
    changed: int


def read_page_token(token: str) -> PageToken | None:
    """The place in a page token; raises InvalidPageToken."""
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
    """The items of a page, with the token of the next page or of the next sync."""
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
    """The change that a sync token names; raises FullSyncRequired."""
    return read_sync_token(_collection(calendar_id), token, last_change(call, calendar_id)) if token else None


def last_change(call: Call, calendar_id: str) -> int:
    """The number of the last change of a calendar's events."""
    here, newest = AgendaEntry.calendar_id == calendar_id, -AgendaEntry.changed
    rows = call.db.rows(AgendaEntry, here, order=newest, limit=1, columns=(AgendaEntry.changed,))
    return rows[0][0] if rows else 0


def items_of(call: Call, access: Access, wanted: EventListQuery) -> list[Item]:
    """The items of a list, in no order."""
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
    """When the occurrences of a series begin, without those in whose place an exception stands."""
    starts = between(entry.schedule or "", window.low - entry.duration + 1, window.high)
    return [start for start in starts if (entry.event_id, start) not in taken] if taken else starts


def _has_occurrence(entry: Light, wanted: EventListQuery) -> bool:
    low, high = wanted.window
    if low <= entry.begins < high or wanted.since is not None:
        return True
    return bool(between(entry.schedule or "", low - entry.duration + 1, min(high, max(low, entry.begins) + HORIZON)))


def _entries(call: Call, calendar_id: str, wanted: EventListQuery) -> Iterable[Light]:
    """The entries in the window: the short ones by when they begin, and the few that last long.

    One that is gone is cancelled too.
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
    """The entries of occurrences that were cancelled, of series that were not: a list of series tells of them."""
    here, is_exception = AgendaEntry.calendar_id == calendar_id, AgendaEntry.original_start > -FAR
    touching = AgendaEntry.status == "cancelled", AgendaEntry.begins < window.high, AgendaEntry.ends > window.low
    rows = call.db.rows(AgendaEntry, here, is_exception, *touching, columns=_COLUMNS)
    if not rows:
        return []
    alive = AgendaEntry.event_id.in_(sorted({row[_SERIES] for row in rows})), AgendaEntry.status != "cancelled"
    kept = {id for (id,) in call.db.rows(AgendaEntry, here, *alive, columns=(AgendaEntry.event_id,))}
    return [row for row in rows if row[_SERIES] in kept]


def _find_replaced_occurrences(call: Call, calendar_id: str, wanted: EventListQuery) -> set[tuple[str, int]]:
    """The occurrences in whose place an exception stands, by series and original start."""
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
    """The window that a request means; without an end it is open, but series are not expanded for ever."""
    start = low if low is not None else -FAR
    return Window(start, high if high is not None else max(now, start) + HORIZON if is_expanded else FAR + 1)

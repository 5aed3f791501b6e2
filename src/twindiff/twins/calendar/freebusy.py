"""Free/busy information: https://developers.google.com/workspace/calendar/api/v3/reference/freebusy"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from twindiff.kit import Body, Call, Operations
from twindiff.kit.clock import Clock

from .access import is_at_least, resolve_calendar_id, roles_of
from .errors import Invalid, Required, TimeRangeEmpty, TimeRangeTooLong
from .recurrence import between
from .tables import AgendaEntry, Calendar
from .times import DAY, format_instant, read_instant, stamp, zone_of

api = Operations()

MAX_CALENDARS = 50
MAX_GROUPS = 100
MAX_RANGE_DAYS = 92
"""Not documented. Programs that ask for 90 days at a time are answered: https://github.com/calcom/cal.diy/pull/11962"""
Span = tuple[int, int]


class FreeBusyItem(Struct):
    """A calendar or group in a request body."""

    id: str = ""


class FreeBusyRequest(Struct, rename="camel"):
    """A free/busy query in a request body."""

    time_min: str | UnsetType | None = UNSET
    time_max: str | UnsetType | None = UNSET
    time_zone: str | UnsetType | None = UNSET
    items: list[FreeBusyItem] | UnsetType | None = UNSET
    group_expansion_max: int | UnsetType | None = UNSET
    calendar_expansion_max: int | UnsetType | None = UNSET


@api.post("/freeBusy", reads=True)
def query(call: Call, request: Annotated[FreeBusyRequest, Body]) -> dict[str, Any]:
    """Return the busy times of calendars; each calendar that the actor may not query has an error instead."""
    low, high = _range(request)
    most = request.calendar_expansion_max or MAX_CALENDARS
    ids = list(dict.fromkeys(item.id for item in request.items or ()))
    if not 1 <= most <= MAX_CALENDARS or not 1 <= (request.group_expansion_max or MAX_GROUPS) <= MAX_GROUPS:
        name = "groupExpansionMax" if 1 <= most <= MAX_CALENDARS else "calendarExpansionMax"
        problem = f"At most {MAX_CALENDARS} calendars and {MAX_GROUPS} groups can be asked for."
        raise Invalid(problem, location=("parameter", name))
    try:
        zone = zone_of(request.time_zone or "UTC")
    except ValueError:
        raise Invalid(f"Invalid time zone: '{request.time_zone}'.", location=("parameter", "timeZone")) from None
    real = {id: resolve_calendar_id(call, id) for id in ids}
    visible = _visible(call, sorted({*real.values()}))
    busy = busy_spans(call, sorted(visible), low, high)
    answer: dict[str, Any] = {}
    for number, id in enumerate(ids):
        if number >= most:
            answer[id] = {"errors": [{"domain": "calendar", "reason": "tooManyCalendarsRequested"}], "busy": []}
        elif real[id] not in visible:
            answer[id] = {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
        else:
            spans = busy.get(real[id], [])
            answer[id] = {
                "busy": [
                    {"start": format_instant(begin, zone), "end": format_instant(end, zone)} for begin, end in spans
                ]
            }
    return {
        "kind": "calendar#freeBusy",
        "timeMin": stamp(Clock(low).iso()),
        "timeMax": stamp(Clock(high).iso()),
        "calendars": answer,
    }


def _range(request: FreeBusyRequest) -> Span:
    for name, value in (("timeMin", request.time_min), ("timeMax", request.time_max)):
        if not value:
            raise Required(f"Missing {name} parameter.", location=("parameter", name))
    low, high = read_instant(request.time_min or "", "timeMin"), read_instant(request.time_max or "", "timeMax")
    if low >= high:
        raise TimeRangeEmpty
    if high - low > MAX_RANGE_DAYS * DAY:
        raise TimeRangeTooLong
    return low, high


def _visible(call: Call, ids: list[str]) -> set[str]:
    """Return the ids, out of `ids`, of calendars whose free/busy information the actor may read."""
    calendars = [calendar for calendar in call.db.rows(Calendar, Calendar.id.in_(ids)) if not calendar.deleted]
    roles = roles_of(call, calendars) if calendars else {}
    return {id for id, role in roles.items() if is_at_least(role, "freeBusyReader")}


def busy_spans(call: Call, ids: list[str], low: int, high: int, without: str = "") -> dict[str, list[Span]]:
    """Map calendar ids to busy times in a window, merged and sorted; takes three statements for any number of ids.

    `without` is the id of an event to ignore, together with its exceptions if it is a series. Times are in microseconds
    since 1970.
    """
    here = AgendaEntry.calendar_id.in_(ids), AgendaEntry.busy.is_true, AgendaEntry.begins < high, AgendaEntry.ends > low
    short = call.db.rows(AgendaEntry, *here, ~AgendaEntry.is_long, AgendaEntry.begins > low - DAY, columns=_COLUMNS)
    long = call.db.rows(AgendaEntry, *here, AgendaEntry.is_long.is_true, columns=_COLUMNS)
    taken = _find_replaced_occurrences(call, ids, low, high)
    spans: dict[str, list[Span]] = {}
    for calendar_id, event_id, series, begins, ends, duration, schedule in (*short, *long):
        if without and without in (event_id, series):
            continue
        own = spans.setdefault(calendar_id, [])
        if schedule is None:
            own.append((begins, ends))
            continue
        starts = between(schedule, low - duration + 1, high)
        own += ((each, each + duration) for each in starts if (calendar_id, event_id, each) not in taken)
    return {id: [*merge_spans(each, low, high)] for id, each in spans.items()}


_COLUMNS = (
    AgendaEntry.calendar_id,
    AgendaEntry.event_id,
    AgendaEntry.series,
    AgendaEntry.begins,
    AgendaEntry.ends,
    AgendaEntry.duration,
    AgendaEntry.schedule,
)


def _find_replaced_occurrences(call: Call, ids: list[str], low: int, high: int) -> set[tuple[str, str, int]]:
    """Return the occurrences that an exception replaces, as calendar id, series id and original start."""
    late = AgendaEntry.original_start > low - 366 * DAY, AgendaEntry.original_start < high
    columns = AgendaEntry.calendar_id, AgendaEntry.series, AgendaEntry.original_start
    return {*call.db.rows(AgendaEntry, AgendaEntry.calendar_id.in_(ids), *late, columns=columns)}


def merge_spans(spans: Iterable[Span], low: int, high: int) -> Iterator[Span]:
    """Clip spans to the window and merge those that overlap or touch; yields them in order."""
    begin = end = -1
    for start, stop in sorted((max(start, low), min(stop, high)) for start, stop in spans):
        if stop <= start:
            continue
        if start <= end:
            end = max(end, stop)
            continue
        if end > begin:
            yield begin, end
        begin, end = start, stop
    if end > begin:
        yield begin, end

"""Inspector views of calendars: a week or month in the calendar's zone with series expanded, and a page per event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from twindiff.kit import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenTable

from .access import Access, primary_of
from .errors import NotFound
from .event_changes import find_event
from .event_filters import Filters
from .event_list import EventListQuery, Window, events_page
from .event_views import Lens, event_object, lens_of
from .settings import settings_of
from .tables import Calendar, CalendarUser
from .times import begin_of, instant_of

SHOWN = 200
"""The most calendars, events of a week, and guests of an event on a page."""
SHOWN_OF_A_MONTH = 600
YEARS = range(1970, 2200)
"""The years whose weeks and months have a page."""
DAY = timedelta(days=1)
WEEK = timedelta(days=7)

Values = dict[str, Any]


def screen(call: Call, path: str) -> Screen | None:
    """Return the view at a path, or None.

    Paths are `calendars/ID` for this week, `calendars/ID/weeks/DAY`, `calendars/ID/months/DAY` and
    `calendars/ID/events/ID`; the empty path shows the user's own calendar.
    """
    calendars = call.db.rows(Calendar, ~Calendar.deleted, order=(Calendar.summary, Calendar.id), limit=SHOWN)
    parts = path.split("/")
    if not path:
        calendar = _own(call) or next(iter(calendars), None)
    else:
        calendar = call.db.find(Calendar, Calendar.id == parts[1], ~Calendar.deleted) if len(parts) in (2, 4) else None
    if calendar is None or (path and parts[0] != "calendars"):
        return None if path else Screen("No calendars")
    lens = lens_of(Access(calendar, "owner"))
    part = _part(call, lens, *(parts[2:] or ("weeks", "")))
    others = "Calendars", [ScreenLink(each.summary, f"calendars/{each.id}") for each in calendars]
    return part._replace(places=[*part.places, others]) if part else None


def _own(call: Call) -> Calendar | None:
    """Return the primary calendar of the user that the template marks as `self`, if there is one."""
    user = call.db.find(CalendarUser, CalendarUser.self.is_true)
    return call.db.find(Calendar, Calendar.id == primary_of(call, user), ~Calendar.deleted) if user else None


def _part(call: Call, lens: Lens, kind: str, name: str) -> Screen | None:
    if kind == "events":
        return _event(call, lens, name)
    day = _day_of(name) if name else instant_of(call.clock.micros, lens.zone).date()
    show = {"weeks": _week, "months": _month}.get(kind)
    return show(call, lens, day) if show and day else None


def _day_of(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in YEARS else None


def _week(call: Call, lens: Lens, day: date) -> Screen:
    """Render the week of a day; it begins on the weekday of the owner's setting `weekStart`."""
    calendar = lens.access.calendar
    first = _begin_of_week(call, calendar, day)
    events, note = _events(call, lens, first, first + WEEK, SHOWN)
    here = f"calendars/{calendar.id}"
    weeks = [
        ScreenLink("Week before", f"{here}/weeks/{first - WEEK}"),
        ScreenLink("This week", here),
        ScreenLink("Week after", f"{here}/weeks/{first + WEEK}"),
    ]
    columns = ("Day", "Time", "Event", "Where", "Guests")
    return Screen(
        title=calendar.summary,
        subtitle=calendar.description or "",
        facts=[
            ("Week", f"{_format_day(first)} to {_format_day(first + WEEK - timedelta(days=1))} {first.year}"),
            ("Zone", lens.zone.key),
        ],
        places=[("Weeks", weeks), ("Months", [ScreenLink("Its month", f"{here}/months/{day}")])],
        tables=[ScreenTable("Events", columns, _rows(events, here, first), note)],
    )


def _begin_of_week(call: Call, calendar: Calendar, day: date) -> date:
    starts = settings_of(call, calendar.owner_id)["weekStart"].value
    return day - timedelta(days=(day.isoweekday() - (int(starts) if starts in ("1", "6") else 0)) % 7)


def _events(call: Call, lens: Lens, first: date, end: date, limit: int) -> tuple[list[Values], str]:
    """Return the events from `first` to before `end`, and a note if there are more than `limit`."""
    window = Window(*(begin_of({"date": each.isoformat()}, lens.zone.key) for each in (first, end)))
    page = events_page(call, lens, EventListQuery(window, Filters(), is_expanded=True), limit=limit, token_is_due=False)
    return page["items"], f"Only the first {limit} are shown." if "nextPageToken" in page else ""


def _month(call: Call, lens: Lens, day: date) -> Screen:
    """Render the month of a day in whole weeks; an event appears on each of its days."""
    calendar = lens.access.calendar
    begins = day.replace(day=1)
    after = (begins + timedelta(days=31)).replace(day=1)
    first = _begin_of_week(call, calendar, begins)
    end = _begin_of_week(call, calendar, after - DAY) + WEEK
    events, note = _events(call, lens, first, end, SHOWN_OF_A_MONTH)
    here, today = f"calendars/{calendar.id}", instant_of(call.clock.micros, lens.zone).date()
    months = [
        ScreenLink("Month before", f"{here}/months/{(begins - DAY).replace(day=1)}"),
        ScreenLink("Month after", f"{here}/months/{after}"),
    ]
    cards: dict[date, list[Card]] = {first + timedelta(days=number): [] for number in range((end - first).days)}
    for event in events:
        for each in _days_of(event, first, end - DAY):
            cards[each].append(_card(event, each, here))
    return Screen(
        title=calendar.summary,
        subtitle=calendar.description or "",
        note=note,
        facts=[("Month", f"{begins:%B} {begins.year}"), ("Zone", lens.zone.key)],
        places=[("Months", months), ("Weeks", [ScreenLink("This week", here)])],
        days=[Lane(_format_day(each) + (", today" if each == today else ""), on_day) for each, on_day in cards.items()],
    )


def _days_of(event: Values, first: date, last: date) -> list[date]:
    """Return the days of an event within a window; the end of an event is exclusive."""
    start, end = (datetime.fromisoformat(_moment(event[name])) for name in ("start", "end"))
    low, high = max(start.date(), first), min(max(start, end - timedelta(microseconds=1)).date(), last)
    return [low + timedelta(days=number) for number in range((high - low).days + 1)]


def _card(event: Values, day: date, here: str) -> Card:
    start = datetime.fromisoformat(_moment(event["start"]))
    is_timed = "dateTime" in event["start"] and start.date() == day
    times = [f"{start:%H:%M}"] if is_timed else ["all day" if "date" in event["start"] else "goes on"]
    return Card(event.get("summary") or "(No title)", f"{here}/events/{event['id']}", times)


def _rows(events: Sequence[Values], here: str, first: date) -> list[tuple[str | ScreenLink, ...]]:
    """Build table rows of a week's events; only the first event of a day shows the day."""
    rows: list[tuple[str | ScreenLink, ...]] = []
    shown: date | None = None
    for each in events:
        day = max(first, date.fromisoformat(_moment(each["start"])[:10]))
        attendees: list[Values] = each.get("attendees", [])
        rows.append(
            (
                _format_day(day) if day != shown else "",
                _span(each),
                ScreenLink(each.get("summary") or "(No title)", f"{here}/events/{each['id']}", _note(each)),
                each.get("location", ""),
                f"{_count_accepted(attendees)} of {len(attendees)} accepted" if attendees else "",
            )
        )
        shown = day
    return rows


def _note(event: Values) -> str:
    """Return the remarks on an event: whether it repeats, its visibility and its status."""
    repeats = ["repeats"] if "recurringEventId" in event or "recurrence" in event else []
    return ", ".join([*repeats, *(event[name] for name in ("visibility",) if name in event), *_standing(event)])


def _standing(event: Values) -> list[str]:
    return [event["status"]] if event.get("status") in ("tentative", "cancelled") else []


def _count_accepted(attendees: Sequence[Values]) -> int:
    return sum(each["responseStatus"] == "accepted" for each in attendees)


def _event(call: Call, lens: Lens, event_id: str) -> Screen | None:
    try:
        seen = find_event(call, lens.access, event_id)
    except NotFound:
        return None
    event = event_object(seen.event, seen.attendees, lens, seen.copy)
    here = f"calendars/{lens.calendar_id}"
    start = event.get("start") or event["originalStartTime"]
    day = date.fromisoformat(_moment(start)[:10])
    series = event.get("recurringEventId")
    facts: dict[str, str | ScreenLink] = {
        "When": f"{_format_day(day)} {day.year}, {_span(event)}"
        if "start" in event
        else f"{_format_day(day)} {day.year}",
        "Zone": lens.zone.key,
        "Status": ", ".join(_standing(event)),
        "Repeats": ScreenLink("as its series", f"{here}/events/{series}")
        if series
        else "; ".join(event.get("recurrence", ())),
        "Where": event.get("location", ""),
        "Meeting": event.get("hangoutLink", ""),
        "Organizer": _name(event.get("organizer", {})),
        "Visibility": event.get("visibility", ""),
        "Shown as": "free" if event.get("transparency") == "transparent" else "",
    }
    return Screen(
        title=event.get("summary") or "(No title)",
        trail=[ScreenLink(lens.access.calendar.summary, here), ScreenLink("Its week", f"{here}/weeks/{day}")],
        facts=[(name, value) for name, value in facts.items() if value],
        text=event.get("description", ""),
        tables=[_guests(event["attendees"])] if event.get("attendees") else [],
    )


def _guests(attendees: Sequence[Values]) -> ScreenTable:
    rows = [(_name(each), each["responseStatus"], each.get("comment", "")) for each in attendees[:SHOWN]]
    left_out = len(attendees) - len(rows)
    return ScreenTable(
        "Guests", ("Name", "Answer", "Comment"), rows, f"{left_out:,} more are left out." if left_out else ""
    )


def _name(person: Values) -> str:
    return person.get("displayName") or person.get("email") or ""


def _moment(when: Values) -> str:
    return when.get("date") or when["dateTime"]


def _span(event: Values) -> str:
    """Format the time span of an event, with its days if there are several."""
    start, end = (datetime.fromisoformat(_moment(event[name])) for name in ("start", "end"))
    if "date" in event["start"]:
        last = end - timedelta(days=1)
        return "all day" if last <= start else f"all day, {_format_day(start)} to {_format_day(last)}"
    if start.date() == end.date():
        return f"{start:%H:%M} to {end:%H:%M}"
    return f"{_format_day(start)} {start:%H:%M} to {_format_day(end)} {end:%H:%M}"


def _format_day(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"

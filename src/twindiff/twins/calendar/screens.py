"""Calendars as people see them: a week of one in its zone, series expanded, and a page for each event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from twindiff.kit import Call
from twindiff.kit.screens import Link, Screen, Table

from .access import Access, primary_of
from .errors import NotFound
from .event_changes import find_event
from .event_filters import Filters
from .event_list import Wanted, Window, events_page
from .event_views import Lens, event_object, lens_of
from .settings import settings_of
from .tables import Calendar, CalendarUser
from .times import begin_of, instant_of

SHOWN = 200
"""Calendars, events of a week, and guests of an event."""
YEARS = range(1970, 2200)
"""Those whose weeks can be looked at."""
WEEK = timedelta(days=7)

Values = dict[str, Any]


def screen(call: Call, path: str) -> Screen | None:
    """Weeks at `calendars/ID/weeks/DAY`, this one at `calendars/ID`, events at `calendars/ID/events/ID`."""
    calendars = call.db.rows(Calendar, ~Calendar.deleted, order=(Calendar.summary, Calendar.id), limit=SHOWN)
    parts = path.split("/")
    if not path:
        calendar = _own(call) or next(iter(calendars), None)
    else:
        calendar = call.db.find(Calendar, Calendar.id == parts[1], ~Calendar.deleted) if len(parts) in (2, 4) else None
    if calendar is None or (path and parts[0] != "calendars"):
        return None if path else Screen("No calendars")
    lens = lens_of(Access(calendar, "owner"))
    found = _part(call, lens, *(parts[2:] or ("weeks", "")))
    others = "Calendars", [Link(each.summary, f"calendars/{each.id}") for each in calendars]
    return found._replace(places=[*found.places, others]) if found else None


def _own(call: Call) -> Calendar | None:
    """The primary calendar of whom the template calls oneself."""
    user = call.db.find(CalendarUser, CalendarUser.self.is_true)
    return call.db.find(Calendar, Calendar.id == primary_of(call, user), ~Calendar.deleted) if user else None


def _part(call: Call, lens: Lens, kind: str, name: str) -> Screen | None:
    if kind == "events":
        return _event(call, lens, name)
    day = _day_of(name) if name else instant_of(call.clock.micros, lens.zone).date()
    return _week(call, lens, day) if kind == "weeks" and day else None


def _day_of(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day.year in YEARS else None


def _week(call: Call, lens: Lens, day: date) -> Screen:
    """The week around a day, which begins as its owner likes."""
    calendar = lens.access.calendar
    starts = settings_of(call, calendar.owner_id)["weekStart"].value
    first = day - timedelta(days=(day.isoweekday() - (int(starts) if starts in ("1", "6") else 0)) % 7)
    window = Window(*(begin_of({"date": each.isoformat()}, lens.zone.key) for each in (first, first + WEEK)))
    page = events_page(call, lens, Wanted(window, Filters(), is_expanded=True), limit=SHOWN, token_is_due=False)
    here = f"calendars/{calendar.id}"
    weeks = [
        Link("Week before", f"{here}/weeks/{first - WEEK}"),
        Link("This week", here),
        Link("Week after", f"{here}/weeks/{first + WEEK}"),
    ]
    note = f"Only the first {SHOWN} are shown." if "nextPageToken" in page else ""
    columns = ("Day", "Time", "Event", "Where", "Guests")
    return Screen(
        title=calendar.summary,
        subtitle=calendar.description or "",
        facts=[
            ("Week", f"{_said(first)} to {_said(first + WEEK - timedelta(days=1))} {first.year}"),
            ("Zone", lens.zone.key),
        ],
        places=[("Weeks", weeks)],
        tables=[Table("Events", columns, _rows(page["items"], here, first), note)],
    )


def _rows(events: Sequence[Values], here: str, first: date) -> list[tuple[str | Link, ...]]:
    """The events of a week, each day named once."""
    rows: list[tuple[str | Link, ...]] = []
    shown: date | None = None
    for each in events:
        day = max(first, date.fromisoformat(_moment(each["start"])[:10]))
        attendees: list[Values] = each.get("attendees", [])
        rows.append(
            (
                _said(day) if day != shown else "",
                _span(each),
                Link(each.get("summary") or "(No title)", f"{here}/events/{each['id']}", _note(each)),
                each.get("location", ""),
                f"{_accepted(attendees)} of {len(attendees)} accepted" if attendees else "",
            )
        )
        shown = day
    return rows


def _note(event: Values) -> str:
    """What is special about an event."""
    repeats = ["repeats"] if "recurringEventId" in event or "recurrence" in event else []
    return ", ".join([*repeats, *(event[name] for name in ("visibility",) if name in event), *_standing(event)])


def _standing(event: Values) -> list[str]:
    return [event["status"]] if event.get("status") in ("tentative", "cancelled") else []


def _accepted(attendees: Sequence[Values]) -> int:
    return sum(each["responseStatus"] == "accepted" for each in attendees)


def _event(call: Call, lens: Lens, event_id: str) -> Screen | None:
    try:
        found = find_event(call, lens.access, event_id)
    except NotFound:
        return None
    event = event_object(found.event, found.attendees, lens, found.copy)
    here = f"calendars/{lens.calendar_id}"
    start = event.get("start") or event["originalStartTime"]
    day = date.fromisoformat(_moment(start)[:10])
    series = event.get("recurringEventId")
    facts: dict[str, str | Link] = {
        "When": f"{_said(day)} {day.year}, {_span(event)}" if "start" in event else f"{_said(day)} {day.year}",
        "Zone": lens.zone.key,
        "Status": ", ".join(_standing(event)),
        "Repeats": Link("as its series", f"{here}/events/{series}")
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
        trail=[Link(lens.access.calendar.summary, here), Link("Its week", f"{here}/weeks/{day}")],
        facts=[(name, value) for name, value in facts.items() if value],
        text=event.get("description", ""),
        tables=[_guests(event["attendees"])] if event.get("attendees") else [],
    )


def _guests(attendees: Sequence[Values]) -> Table:
    rows = [(_name(each), each["responseStatus"], each.get("comment", "")) for each in attendees[:SHOWN]]
    left_out = len(attendees) - len(rows)
    return Table("Guests", ("Name", "Answer", "Comment"), rows, f"{left_out:,} more are left out." if left_out else "")


def _name(person: Values) -> str:
    return person.get("displayName") or person.get("email") or ""


def _moment(when: Values) -> str:
    return when.get("date") or when["dateTime"]


def _span(event: Values) -> str:
    """From when to when an event lasts; its days are named where there are several."""
    start, end = (datetime.fromisoformat(_moment(event[name])) for name in ("start", "end"))
    if "date" in event["start"]:
        last = end - timedelta(days=1)
        return "all day" if last <= start else f"all day, {_said(start)} to {_said(last)}"
    if start.date() == end.date():
        return f"{start:%H:%M} to {end:%H:%M}"
    return f"{_said(start)} {start:%H:%M} to {_said(end)} {end:%H:%M}"


def _said(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"

"""Derived rows of templates: agenda entries and alarms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from twindiff.kit.clock import Clock

from .agenda import calendars_of, entry_of
from .reminders import minutes_of, next_alarm
from .tables import AgendaEntry, Alarm, Calendar, CalendarEvent, CalendarEventAttendee

Values = dict[str, Any]
Rows = dict[str, Any]

BEGINS = "2018-06-17T00:00:00-07:00"
"""The start of the clock in environments of these templates."""

_NOW = 1_529_218_800_000_000


def complete_rows(rows: Rows) -> Rows:
    """Add agenda entries and alarms to a template's rows, unless it has an agenda already."""
    if rows.get("calendar_agenda"):
        return rows
    calendars = {row["id"]: msgspec.convert(row, Calendar) for row in rows.get("calendars", ())}
    written = [*_events(rows)]
    events = [msgspec.convert(row, CalendarEvent) for row in written]
    attendees: list[Values] = [
        {"id": number, **row} for number, row in enumerate(rows.get("calendar_event_attendees", ()), 1)
    ]
    invited: dict[str, list[CalendarEventAttendee]] = {}
    for row in attendees:
        invited.setdefault(row["event_id"], []).append(msgspec.convert(row, CalendarEventAttendee))
    entries = [
        (event, calendar, entry_of(event, calendar, invited.get(event.id, ())))
        for event in events
        for calendar in calendars_of(event, invited.get(event.id, ()), calendars)
    ]
    alarms = (_alarm(entry, event, calendar, rows) for event, calendar, entry in entries)
    return {
        **rows,
        "calendar_events": written,
        "calendar_event_attendees": attendees,
        "calendar_agenda": [msgspec.structs.asdict(entry) for _, _, entry in entries],
        "calendar_alarms": [msgspec.structs.asdict(alarm) for alarm in alarms if alarm],
    }


def _events(rows: Rows) -> Iterator[Values]:
    """Yield the events, with the reminders that the template has in a separate table."""
    overrides: dict[str, list[Values]] = {}
    for row in rows.get("calendar_event_reminders", ()):
        overrides.setdefault(row["event_id"], []).append({"method": row["method"], "minutes": row["minutes"]})
    for event in rows.get("calendar_events", ()):
        own = overrides.get(event["id"])
        yield {"reminders": {"useDefault": False, "overrides": own}, **event} if own else event


def _alarm(entry: AgendaEntry, event: CalendarEvent, calendar: Calendar, rows: Rows) -> Alarm | None:
    """Build the alarm for the first reminder to a calendar's owner; attendees' copies use their calendar's defaults."""
    own = None if entry.is_copy else event.reminders
    minutes = minutes_of(own, _defaults(calendar, rows) if not own or own.get("useDefault") else None)
    due = next_alarm(entry, minutes, _NOW)
    if due is None:
        return None
    return Alarm(calendar_id=entry.calendar_id, event_id=event.id, user_id=calendar.owner_id, next_at=Clock(due).iso())


def _defaults(calendar: Calendar, rows: Rows) -> Any:
    for row in rows.get("calendar_list_entries", ()):
        if row["calendar_id"] == calendar.id and row["user_id"] == calendar.owner_id:
            return row.get("default_reminders")
    return None

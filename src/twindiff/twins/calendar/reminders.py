"""Email reminders: one mail to the owner of each calendar that shows an event, at each requested time.

https://developers.google.com/workspace/calendar/api/concepts/reminders
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from twindiff.kit import Call, Operations, revise
from twindiff.kit.clock import Clock

from .mail import SUBJECTS, send
from .recurrence import between
from .tables import AgendaEntry, Alarm, Calendar, CalendarEvent, CalendarEventCopy, CalendarListEntry, CalendarUser
from .times import DAY

api = Operations()

MINUTE = 60_000_000
HORIZON = 800 * DAY
"""Microseconds after now within which the next occurrence of a series is searched."""


def minutes_of(reminders: Mapping[str, Any] | None, defaults: Sequence[Mapping[str, Any]] | None) -> list[int]:
    """Return how many minutes before an event its email reminders are due, longest first.

    `defaults` apply if `reminders` are None or have `useDefault`.
    """
    own = reminders or {"useDefault": True}
    wanted: Iterable[Mapping[str, Any]] = (defaults or ()) if own.get("useDefault") else own.get("overrides") or ()
    return sorted({each["minutes"] for each in wanted if each.get("method") == "email"}, reverse=True)


def next_alarm(entry: AgendaEntry, minutes: Sequence[int], now: int, taken: Collection[int | None] = ()) -> int | None:
    """Return the time of the next reminder of an entry after `now`, in microseconds since 1970, or None.

    `taken` are the original starts of occurrences that exceptions replace.
    """
    if not minutes or entry.status == "cancelled":
        return None
    low, high = now, now + HORIZON + minutes[0] * MINUTE
    starts = [entry.begins]
    if entry.schedule:
        starts = [start for start in between(entry.schedule, low, high) if start not in taken]
    times = (start - each * MINUTE for start in starts[: 2 + len(minutes)] for each in minutes)
    return min((time for time in times if time > now), default=None)


def set_alarms(call: Call, event: CalendarEvent) -> None:
    """Reschedule the alarms of an event in all calendars that show it."""
    known = {alarm.calendar_id: alarm for alarm in call.db.rows(Alarm, Alarm.event_id == event.id)}
    entries = call.db.rows(AgendaEntry, AgendaEntry.event_id == event.id)
    for entry in entries:
        due = next_alarm(entry, _minutes(call, event, entry), call.clock.micros, _find_replaced_starts(call, entry))
        _set(call, known.get(entry.calendar_id), entry, due)


def follow_defaults(call: Call, calendar_id: str) -> None:
    """Reschedule the alarms of a calendar's events that use the owner's default reminders."""
    now, minutes = call.clock.micros, minutes_of(None, _defaults(call, calendar_id))
    here, alive = AgendaEntry.calendar_id == calendar_id, AgendaEntry.status != "cancelled"
    entries = call.db.rows(AgendaEntry, here, alive, AgendaEntry.ends > now)
    own = _with_own_reminders(call, calendar_id, entries)
    known = {alarm.event_id: alarm for alarm in call.db.rows(Alarm, Alarm.calendar_id == calendar_id)}
    columns = AgendaEntry.series, AgendaEntry.original_start
    taken: dict[str, set[int | None]] = {}
    for series, start in call.db.rows(AgendaEntry, here, AgendaEntry.original_start > now, columns=columns):
        taken.setdefault(series, set()).add(start)
    for entry in entries:
        if entry.event_id not in own:
            due = next_alarm(entry, minutes, now, taken.get(entry.event_id, ()))
            _set(call, known.get(entry.event_id), entry, due)


def _with_own_reminders(call: Call, calendar_id: str, entries: Sequence[AgendaEntry]) -> set[str]:
    """Return the ids of a calendar's events with reminders other than the defaults."""
    ids = [entry.event_id for entry in entries if not entry.is_copy]
    columns = CalendarEvent.id, CalendarEvent.reminders
    given = [
        row
        for at in range(0, len(ids), 500)
        for row in call.db.rows(CalendarEvent, CalendarEvent.id.in_(ids[at : at + 500]), columns=columns)
    ]
    columns = CalendarEventCopy.event_id, CalendarEventCopy.reminders
    given += call.db.rows(CalendarEventCopy, CalendarEventCopy.calendar_id == calendar_id, columns=columns)
    return {id for id, reminders in given if reminders and not reminders.get("useDefault")}


def _minutes(call: Call, event: CalendarEvent, entry: AgendaEntry) -> list[int]:
    own: Mapping[str, Any] | None = event.reminders
    if entry.is_copy:
        here = CalendarEventCopy.calendar_id == entry.calendar_id, CalendarEventCopy.event_id == event.id
        copy = call.db.find(CalendarEventCopy, *here)
        own = copy.reminders if copy else None
    if own and not own.get("useDefault"):
        return minutes_of(own, None)
    return minutes_of(own, _defaults(call, entry.calendar_id))


def _defaults(call: Call, calendar_id: str) -> Sequence[Mapping[str, Any]] | None:
    owner = _owner(call, calendar_id)
    here = CalendarListEntry.calendar_id == calendar_id, CalendarListEntry.user_id == owner
    entry = call.db.find(CalendarListEntry, *here)
    return entry.default_reminders if entry else None


def _owner(call: Call, calendar_id: str) -> str:
    calendar = call.db.find(Calendar, Calendar.id == calendar_id)
    return calendar.owner_id if calendar else ""


def _find_replaced_starts(call: Call, entry: AgendaEntry) -> set[int | None]:
    if not entry.schedule:
        return set()
    here = AgendaEntry.calendar_id == entry.calendar_id, AgendaEntry.series == entry.event_id
    later = AgendaEntry.original_start > call.clock.micros
    return {start for (start,) in call.db.rows(AgendaEntry, *here, later, columns=(AgendaEntry.original_start,))}


def _set(call: Call, known: Alarm | None, entry: AgendaEntry, due: int | None) -> None:
    if due is None:
        if known:
            call.db.remove(known)
        return
    at = Clock(due).iso()
    if known:
        revise(call.db, known, next_at=at)
        return
    owner = _owner(call, entry.calendar_id)
    call.db.add(Alarm(calendar_id=entry.calendar_id, event_id=entry.event_id, user_id=owner, next_at=at))


@api.due(Alarm.next_at, actor=Alarm.user_id)
def send_reminder(call: Call, alarm: Alarm) -> None:
    """Mail a reminder to the calendar's owner, and schedule the next one."""
    event = call.db.find(CalendarEvent, CalendarEvent.id == alarm.event_id)
    here = AgendaEntry.calendar_id == alarm.calendar_id, AgendaEntry.event_id == alarm.event_id
    entry, user = call.db.find(AgendaEntry, *here), call.db.find(CalendarUser, CalendarUser.id == alarm.user_id)
    if event is None or entry is None or user is None:
        call.db.remove(alarm)
        return
    subject = f"{SUBJECTS['reminder']}: {event.summary or '(No title)'}"
    send(call, "reminder", [user.email], subject, alarm.calendar_id, event.id)
    due = next_alarm(entry, _minutes(call, event, entry), call.clock.micros, _find_replaced_starts(call, entry))
    if due is None:
        call.db.remove(alarm)
    else:
        call.db.change(alarm, next_at=Clock(due).iso())

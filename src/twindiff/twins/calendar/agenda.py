"""The agenda: an index of the events that each calendar shows, so that a time window is one range query.

Google copies an event into the calendar of every attendee. The twin stores one event and one `AgendaEntry` for each
calendar that shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import asdict, replace

from twindiff.kit import Call

from .changes import emit_change, next_change
from .recurrence import Schedule, last_start
from .tables import AgendaEntry, Calendar, CalendarEvent, CalendarEventAttendee, CalendarEventCopy
from .times import DAY, FAR, begin_of, local_of

Attendees = Sequence[CalendarEventAttendee]


def zone_name(calendar: Calendar) -> str:
    """Return the IANA time zone of a calendar, `UTC` by default."""
    return calendar.time_zone or "UTC"


def span_of(event: CalendarEvent, zone: str) -> tuple[int, int]:
    """Return start and end of an event, or of the first occurrence of a series, in microseconds since 1970.

    `zone` applies to days and to times without a zone.
    """
    begins = begin_of(event.start, zone)
    return begins, max(begins, begin_of(event.end, zone)) if event.end else begins


def schedule_of(event: CalendarEvent, zone: str) -> Schedule | None:
    """Return the recurrence of a series in a calendar with this zone, or None for a single event."""
    if not event.recurrence:
        return None
    is_all_day = bool(event.start.get("date"))
    own = zone if is_all_day else event.start.get("timeZone") or zone
    return Schedule(own, local_of(event.start, zone).isoformat(), is_all_day, tuple(event.recurrence))


def entry_of(
    event: CalendarEvent, calendar: Calendar, attendees: Attendees = (), *, invited: bool = True
) -> AgendaEntry:
    """Build the agenda entry of an event in a calendar; with `invited=False` the entry is marked gone and cancelled."""
    zone = zone_name(calendar)
    begins, ends = span_of(event, zone)
    schedule = schedule_of(event, zone)
    last = last_start(schedule) if schedule else begins
    response = next((each.response_status for each in attendees if each.email == calendar.id), "")
    original = event.original_start_time
    return AgendaEntry(
        calendar_id=calendar.id,
        event_id=event.id,
        is_copy=calendar.id != event.calendar_id,
        gone=not invited,
        is_long=schedule is not None or ends - begins > DAY,
        begins=begins,
        ends=min(FAR, last + ends - begins),
        duration=ends - begins,
        schedule=schedule.text() if schedule else None,
        series=event.recurring_event_id,
        original_start=begin_of(original, zone) if original else None,
        status=event.status if invited else "cancelled",
        busy=invited and event.status != "cancelled" and event.transparency != "transparent" and response != "declined",
        updated=event.updated_at or "",
    )


def calendars_of(event: CalendarEvent, attendees: Attendees, calendars: Mapping[str, Calendar]) -> list[Calendar]:
    """Return the undeleted calendars that show an event: the organizer's and those of the attendees.

    `calendars` maps ids to the calendars to choose from.
    """
    ids = dict.fromkeys([event.calendar_id, *(each.email for each in attendees)])
    return [calendars[id] for id in ids if id in calendars and not calendars[id].deleted]


def place(call: Call, event: CalendarEvent, attendees: Attendees) -> None:
    """Update the agenda entries of an event; calendars that no longer show the event get a cancelled entry."""
    known = {entry.calendar_id: entry for entry in call.db.rows(AgendaEntry, AgendaEntry.event_id == event.id)}
    ids = {event.calendar_id, *(each.email for each in attendees), *known, *_of_series(call, event)}
    calendars = {calendar.id: calendar for calendar in call.db.rows(Calendar, Calendar.id.in_(sorted(ids)))}
    shown = {calendar.id for calendar in calendars_of(event, attendees, calendars)}
    removed = _removed_from(call, event)
    for id, calendar in calendars.items():
        entry = entry_of(event, calendar, attendees, invited=id in shown)
        _put(call, known.get(id), replace(entry, status="cancelled", busy=False) if id in removed else entry)


def _of_series(call: Call, event: CalendarEvent) -> Iterable[str]:
    """Return the ids of calendars that show the series of an exception.

    The exception replaces an occurrence in all of them, whether or not their owners are invited to it.
    """
    if not event.recurring_event_id:
        return ()
    here = AgendaEntry.event_id == event.recurring_event_id
    return [id for (id,) in call.db.rows(AgendaEntry, here, columns=(AgendaEntry.calendar_id,))]


def _removed_from(call: Call, event: CalendarEvent) -> set[str]:
    """Return the ids of calendars whose owners, as attendees, have deleted their copy of the event."""
    here = CalendarEventCopy.event_id == event.id, CalendarEventCopy.removed.is_true
    return {copy.calendar_id for copy in call.db.rows(CalendarEventCopy, *here)}


def _put(call: Call, known: AgendaEntry | None, entry: AgendaEntry) -> None:
    number = next_change(call)
    if known is None:
        call.db.add(replace(entry, changed=number))
    else:
        call.db.change(known, **{**asdict(entry), "changed": number})
    emit_change(call, f"/calendars/{entry.calendar_id}/events")

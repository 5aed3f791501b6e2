"""Writes to events: creation, change and cancellation, with attendees, exceptions, agenda entries, alarms and mails."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec.structs import replace

from twindiff.kit import Call

from .access import Access
from .agenda import Attendees, place, schedule_of, zone_name
from .attendees import AttendeeChanges, copy_attendees, invite
from .changes import amend, etag_for, next_change, stamp
from .errors import NotFound
from .event_views import attendees_of, occurrence
from .mail import send_about
from .recurrence import is_occurrence
from .reminders import set_alarms
from .tables import AgendaEntry, Calendar, CalendarEvent, CalendarEventAttendee, CalendarEventCopy
from .times import begin_of, is_same_time, local_of, micros_of, read_datetime

INHERITED = (
    "summary",
    "description",
    "location",
    "color_id",
    "transparency",
    "visibility",
    "reminders",
    "conference_data",
    "hangout_link",
    "attachments",
    "extended_properties",
    "source",
    "guests_can_invite_others",
    "guests_can_modify",
    "guests_can_see_other_guests",
    "anyone_can_add_self",
)
"""The columns that an exception inherits from its series until it has a value of its own."""


class SeenEvent(NamedTuple):
    """An event as one calendar shows it; `series` is set for an occurrence without a row of its own."""

    event: CalendarEvent
    attendees: list[CalendarEventAttendee]
    copy: CalendarEventCopy | None = None
    series: CalendarEvent | None = None


def find_event(call: Call, access: Access, event_id: str) -> SeenEvent:
    """Find an event, an exception or an occurrence in a calendar, including cancelled ones; raises NotFound."""
    calendar = access.calendar
    entry = _entry(call, calendar, event_id)
    if entry and entry.gone:
        raise NotFound
    if entry:
        event = call.db.get(CalendarEvent, event_id, missing=NotFound)
        return SeenEvent(event, attendees_of(call, [event.id]).get(event.id, []), _copy(call, calendar, event.id))
    series_id, _, suffix = event_id.rpartition("_")
    entry = _entry(call, calendar, series_id) if series_id else None
    start = _start_of(suffix, calendar) if entry else None
    if not entry or entry.gone or not entry.schedule or start is None or not is_occurrence(entry.schedule, start):
        raise NotFound
    series = call.db.get(CalendarEvent, series_id, missing=NotFound)
    invited = attendees_of(call, [series_id]).get(series_id, [])
    return SeenEvent(occurrence(series, start, zone_name(calendar)), invited, _copy(call, calendar, series_id), series)


def _entry(call: Call, calendar: Calendar, event_id: str) -> AgendaEntry | None:
    here = AgendaEntry.calendar_id == calendar.id, AgendaEntry.event_id == event_id
    return call.db.find(AgendaEntry, *here)


def _copy(call: Call, calendar: Calendar, event_id: str) -> CalendarEventCopy | None:
    here = CalendarEventCopy.calendar_id == calendar.id, CalendarEventCopy.event_id == event_id
    return call.db.find(CalendarEventCopy, *here)


def _start_of(suffix: str, calendar: Calendar) -> int | None:
    """Parse the suffix of an occurrence's id to its start in microseconds since 1970; None if it is no date or time."""
    try:
        if len(suffix) == 8 and suffix.isdecimal():
            day = f"{suffix[:4]}-{suffix[4:6]}-{suffix[6:]}"
            return begin_of({"date": day}, zone_name(calendar))
        if len(suffix) == 16 and suffix[8] == "T" and suffix[15] == "Z":
            s = suffix
            return micros_of(read_datetime(f"{s[:4]}-{s[4:6]}-{s[6:8]}T{s[9:11]}:{s[11:13]}:{s[13:15]}Z"))
    except (ValueError, OverflowError):
        return None
    return None


def organizer_zone(call: Call, event: CalendarEvent) -> str:
    """Return the time zone of the calendar that organizes an event."""
    calendar = call.db.find(Calendar, Calendar.id == event.calendar_id)
    return zone_name(calendar) if calendar else "UTC"


def local_columns(event: CalendarEvent, zone: str) -> dict[str, Any]:
    """Return the derived columns of start and end: local datetimes, or dates for an all-day event."""
    if event.start.get("date"):
        days = {"start_date": event.start["date"], "end_date": event.end["date"]}
        return {**days, "start_datetime": None, "end_datetime": None}
    times = {f"{name}_datetime": local_of(getattr(event, name), zone).isoformat() for name in ("start", "end")}
    return {**times, "start_date": None, "end_date": None}


def write_new(call: Call, access: Access, event: CalendarEvent, attendees: Attendees, mails: str) -> CalendarEvent:
    """Add an event with its attendees; `mails` is a value of `sendUpdates`."""
    made = replace(event, **local_columns(event, zone_name(access.calendar)))
    call.db.add(made)
    for attendee in attendees:
        call.db.add(attendee)
    _spread(call, made, attendees)
    _mail(call, made, AttendeeChanges(attendees, frozenset(each.email for each in attendees)), mails, "update")
    return made


def write_change(
    call: Call, access: Access, seen: SeenEvent, after: CalendarEvent, attendees: Attendees | None, mails: str
) -> CalendarEvent:
    """Save the change from `seen.event` to `after`; an occurrence becomes an exception of its series.

    A change of reminders alone does not set `updated`, see
    https://developers.google.com/workspace/calendar/api/v3/reference/events
    """
    before, zone = seen.event, zone_name(access.calendar)
    wanted = {name: getattr(after, name) for name in CalendarEvent.__struct_fields__}
    if is_moved(before, after, zone):
        wanted |= {**local_columns(after, zone), "sequence": max(after.sequence, before.sequence + 1)}
    wanted = {name: value for name, value in wanted.items() if name not in ("etag", "updated_at")}
    if seen.series:
        row = make_exception(call, seen, replace(after, **wanted))
    elif {name for name, value in wanted.items() if value != getattr(before, name)} == {"reminders"}:
        row = call.db.change(before, reminders=after.reminders, etag=etag_for(next_change(call)))
    else:
        row = amend(call, before, **wanted)
    change = invite(call, row, attendees) if attendees is not None else AttendeeChanges(_of(call, row), is_same=True)
    if row.etag == before.etag and change.is_same:
        return row
    if row.etag == before.etag:
        row = call.db.change(row, **stamp(call))
    if row.recurrence or before.recurrence:
        _carry_to_exceptions(call, access, before, row, change)
    _spread(call, row, change.now)
    _mail(call, row, change, mails, "update")
    return row


def is_moved(before: CalendarEvent, after: CalendarEvent, zone: str) -> bool:
    """Whether an event happens at other instants; `zone` is its calendar's. A series also moves with its zone."""
    if before.recurrence != after.recurrence:
        return True
    if after.recurrence and before.start.get("timeZone", zone) != after.start.get("timeZone", zone):
        return True
    return not (is_same_time(before.start, after.start, zone) and is_same_time(before.end, after.end, zone))


def _of(call: Call, event: CalendarEvent) -> list[CalendarEventAttendee]:
    return attendees_of(call, [event.id]).get(event.id, [])


def make_exception(call: Call, seen: SeenEvent, event: CalendarEvent | None = None) -> CalendarEvent:
    """Give an occurrence a row of its own, with the attendees of its series."""
    made = event or seen.event
    zone = organizer_zone(call, made)
    row = call.db.add(replace(made, created_at=call.clock.iso(), **local_columns(made, zone), **stamp(call)))
    for attendee in copy_attendees(call, seen.attendees, row.id):
        call.db.add(attendee)
    return row


def _spread(call: Call, event: CalendarEvent, attendees: Attendees) -> None:
    """Update what derives from an event: its agenda entries and alarms."""
    place(call, event, attendees)
    set_alarms(call, event)
    series = call.db.find(CalendarEvent, CalendarEvent.id == event.recurring_event_id)
    if series:
        set_alarms(call, series)


def exceptions_of(call: Call, series: CalendarEvent) -> list[CalendarEvent]:
    """Return the exceptions of a series, including cancelled ones."""
    return call.db.rows(CalendarEvent, CalendarEvent.recurring_event_id == series.id)


def _carry_to_exceptions(
    call: Call, access: Access, before: CalendarEvent, after: CalendarEvent, change: AttendeeChanges
) -> None:
    """Apply changes of a series to its exceptions where they have no value of their own.

    Exceptions whose occurrence no longer exists are cancelled.
    """
    schedule = schedule_of(after, zone_name(access.calendar))
    text = schedule.text() if schedule else ""
    for event in exceptions_of(call, after):
        start = begin_of(event.original_start_time or event.start, zone_name(access.calendar))
        if after.status == "cancelled" or not text or not is_occurrence(text, start):
            wanted: dict[str, Any] = {"status": "cancelled"}
        else:
            wanted = {name: getattr(after, name) for name in INHERITED if getattr(event, name) == getattr(before, name)}
        row = amend(call, event, **wanted)
        invited = _of(call, row)
        if not change.is_none:
            kept = [each for each in invited if each.email not in change.removed]
            known = {each.email for each in kept}
            new = [each for each in change.now if each.email in change.added - known]
            invited = [*invite(call, row, [*kept, *copy_attendees(call, new, row.id)]).now]
        if row.etag != event.etag or not change.is_none:
            _spread(call, row, invited)


def cancel(call: Call, access: Access, seen: SeenEvent, mails: str) -> None:
    """Cancel an event, a whole series with its exceptions, or one occurrence."""
    event = seen.event
    after = replace(event, status="cancelled")
    if seen.series:
        row = make_exception(call, seen, after)
    else:
        row = amend(call, event, status="cancelled")
        if event.recurrence:
            _carry_to_exceptions(call, access, event, row, AttendeeChanges(seen.attendees))
    _spread(call, row, seen.attendees)
    _mail(call, row, AttendeeChanges(seen.attendees), mails, "cancellation")


def cancel_all(call: Call, calendar: Calendar) -> None:
    """Cancel all events of a calendar."""
    here = CalendarEvent.calendar_id == calendar.id, CalendarEvent.status != "cancelled"
    events = call.db.rows(CalendarEvent, *here)
    invited = attendees_of(call, [event.id for event in events])
    for event in events:
        _spread(call, amend(call, event, status="cancelled"), invited.get(event.id, []))


def _mail(call: Call, event: CalendarEvent, change: AttendeeChanges, mails: str, kind: str) -> None:
    """Write the mails that `sendUpdates` asks for."""
    if mails == "none":
        return
    own_domain = "@" + event.calendar_id.rpartition("@")[2]

    def is_recipient(email: str) -> bool:
        return email != event.calendar_id and (mails == "all" or not email.endswith(own_domain))

    stay = [each.email for each in change.now if each.email not in change.added]
    send_about(call, "invitation", filter(is_recipient, sorted(change.added)), event)
    send_about(call, kind, filter(is_recipient, stay), event)
    send_about(call, "cancellation", filter(is_recipient, sorted(change.removed)), event)

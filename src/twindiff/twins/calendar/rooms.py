"""Rooms that respond to invitations automatically: calendars whose `autoAcceptInvitations` is on.

A free room accepts and a busy one declines. In a series it declines the occurrences that conflict; if those are more
than eight or more than half, it declines the whole series.
https://support.google.com/calendar/answer/16107253
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence

from twindiff.kit import Call, revise

from .agenda import place, zone_name
from .event_changes import SeenEvent, make_exception
from .event_views import attendees_of, occurrence
from .freebusy import busy_spans
from .mail import send_about
from .recurrence import between
from .reminders import set_alarms
from .tables import AgendaEntry, Calendar, CalendarEvent, CalendarEventAttendee
from .times import DAY

MAX_DECLINED_OCCURRENCES = 8
HORIZON = 366 * DAY
"""Microseconds ahead within which a room checks the occurrences of a series."""


def answer_for_rooms(call: Call, calendar: Calendar, event: CalendarEvent, *, is_moved: bool) -> None:
    """Write the responses of invited rooms: those without a response yet, or all if the event was moved."""
    invited = _list_attendees(call, event)
    wanted = [each.email for each in invited if is_moved or each.response_status == "needsAction"]
    is_room = Calendar.auto_accept_invitations.is_true, ~Calendar.deleted
    rooms = call.db.rows(Calendar, Calendar.id.in_(wanted), *is_room, order=Calendar.id) if wanted else ()
    declined: dict[int, set[str]] = {}
    responses: dict[str, str] = {}
    for room in rooms:
        starts, taken = _starts_and_conflicts(call, room.id, event)
        refuses = len(taken) > MAX_DECLINED_OCCURRENCES or 2 * len(taken) > len(starts)
        responses[room.id] = "declined" if refuses else "accepted"
        for start in () if refuses else taken:
            declined.setdefault(start, set()).add(room.id)
    if responses:
        _answer(call, event, invited, responses)
    for start, emails in sorted(declined.items()):
        _decline_occurrence(call, calendar, event, start, emails)


def _list_attendees(call: Call, event: CalendarEvent) -> list[CalendarEventAttendee]:
    return attendees_of(call, [event.id]).get(event.id, [])


def _starts_and_conflicts(call: Call, room: str, event: CalendarEvent) -> tuple[Sequence[int], list[int]]:
    """Return the starts of an event in a room, and those starts that conflict with another event."""
    entry = call.db.find(AgendaEntry, AgendaEntry.calendar_id == room, AgendaEntry.event_id == event.id)
    if entry is None or entry.status == "cancelled":
        return (), []
    low = max(entry.begins, call.clock.micros)
    starts = between(entry.schedule, low, low + HORIZON) if entry.schedule else (entry.begins,)
    if not starts:
        return starts, []
    busy = busy_spans(call, [room], starts[0], starts[-1] + entry.duration, without=event.id).get(room, [])

    def is_taken(start: int) -> bool:
        before = bisect_left(busy, (start + entry.duration, 0)) - 1
        return before >= 0 and busy[before][1] > start

    return starts, [start for start in starts if is_taken(start)]


def _answer(
    call: Call, event: CalendarEvent, invited: Sequence[CalendarEventAttendee], responses: dict[str, str]
) -> None:
    """Write the responses of rooms; the organizer gets a mail about each that declines."""
    answered = [
        revise(call.db, each, resource=True, response_status=responses[each.email]) if each.email in responses else each
        for each in invited
    ]
    place(call, event, answered)
    for room in sorted(email for email, response in responses.items() if response == "declined"):
        _notify_organizer(call, event, room)


def _notify_organizer(call: Call, event: CalendarEvent, room: str) -> None:
    """Mail the organizer, except for secondary calendars, which have no mailbox."""
    if not event.calendar_id.endswith("group.calendar.google.com"):
        send_about(call, "response", [event.calendar_id], event, sender=room)


def _decline_occurrence(
    call: Call, calendar: Calendar, series: CalendarEvent, start: int, rooms: Collection[str]
) -> None:
    one = occurrence(series, start, zone_name(calendar))
    event = make_exception(call, SeenEvent(one, _list_attendees(call, series), series=series))
    _answer(call, event, _list_attendees(call, event), dict.fromkeys(rooms, "declined"))
    set_alarms(call, event)

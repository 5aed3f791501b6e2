"""Rooms that answer invitations by themselves: calendars whose `autoAcceptInvitations` is on.

A room that is free accepts, one that is not declines. Of a series it declines the occurrences that it is not free for,
unless those are more than eight or more than half: then it declines the series.
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
"""How far ahead a room looks at the occurrences of a series."""


def answer_for_rooms(call: Call, calendar: Calendar, event: CalendarEvent, *, is_moved: bool) -> None:
    """Have the rooms that are invited answer: those that have not yet, and all of them where the time is another."""
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
    """When an event is in a room, and those times of them at which something else is there."""
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
    """Write what rooms answer; the organizer is told of those that decline."""
    answered = [
        revise(call.db, each, resource=True, response_status=responses[each.email]) if each.email in responses else each
        for each in invited
    ]
    place(call, event, answered)
    for room in sorted(email for email, response in responses.items() if response == "declined"):
        _notify_organizer(call, event, room)


def _notify_organizer(call: Call, event: CalendarEvent, room: str) -> None:
    """Nobody is told of events of secondary calendars."""
    if not event.calendar_id.endswith("group.calendar.google.com"):
        send_about(call, "response", [event.calendar_id], event, sender=room)


def _decline_occurrence(
    call: Call, calendar: Calendar, series: CalendarEvent, start: int, rooms: Collection[str]
) -> None:
    one = occurrence(series, start, zone_name(calendar))
    event = make_exception(call, SeenEvent(one, _list_attendees(call, series), series=series))
    _answer(call, event, _list_attendees(call, event), dict.fromkeys(rooms, "declined"))
    set_alarms(call, event)

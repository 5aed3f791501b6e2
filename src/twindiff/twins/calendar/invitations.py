"""What an attendee may do with an event: respond, change their own copy, or remove it from their calendar.

https://developers.google.com/workspace/calendar/api/concepts/sharing#propagation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UnsetType
from msgspec.structs import replace

from twindiff.kit import Call, revise

from .access import Access
from .agenda import place
from .attendees import invite, is_same_list, rows_of
from .changes import stamp
from .errors import ForbiddenForNonOrganizer
from .event_bodies import fields_of
from .event_changes import SeenEvent, make_exception, organizer_zone
from .event_rules import check_attendees
from .event_views import attendees_of
from .mail import organizer_of, send_about
from .reminders import set_alarms
from .tables import CalendarEvent, CalendarEventAttendee, CalendarEventCopy
from .times import is_same_time

OWN = ("color_id", "transparency", "visibility", "reminders")
"""The columns that each attendee's copy of an event has for itself."""

_BLANK = {"transparency": "opaque", "visibility": "default"}


def change_copy(
    call: Call,
    access: Access,
    seen: SeenEvent,
    columns: Mapping[str, Any],
    given: Sequence[Mapping[str, Any]] | UnsetType | None,
    mails: str,
) -> None:
    """Apply an attendee's change to their own copy and response.

    Raises ForbiddenForNonOrganizer if `columns` change a field that all attendees share.
    """
    _refuse_shared(seen.event, columns, organizer_zone(call, seen.event))
    given_properties = fields_of(columns.get("extended_properties"))
    _refuse_shared_properties(seen.event, given_properties)
    own = {name: columns[name] for name in OWN if name in columns and columns[name] != _shown_value(seen, name)}
    properties = given_properties.get("private")
    if properties is not None:
        own["private_properties"] = properties
    answers = _answers(call, access, seen, given) if isinstance(given, Sequence) else None
    if not own and answers is None:
        return
    event = _row(call, seen)
    if own:
        _save_copy(call, access, event, own)
    attendees = (
        _record_responses(call, event, answers, access, mails) if answers is not None else _list_attendees(call, event)
    )
    call.db.change(event, **stamp(call))
    place(call, event, attendees)
    set_alarms(call, event)


def _shown_value(seen: SeenEvent, name: str) -> Any:
    value = getattr(seen.copy, name) if seen.copy else None
    return value if value is not None else _BLANK.get(name)


def _refuse_shared(event: CalendarEvent, columns: Mapping[str, Any], zone: str) -> None:
    for name, value in columns.items():
        before = getattr(event, name)
        if name in ("start", "end") and not event.recurrence and is_same_time(value, before, zone):
            continue
        if name in (*OWN, "extended_properties", "conference_data", "hangout_link") or value in (None, before):
            continue
        if value in (False, "confirmed", "opaque", "default", True) and name.startswith(
            ("guests_", "anyone_", "status")
        ):
            continue
        raise ForbiddenForNonOrganizer


def _refuse_shared_properties(event: CalendarEvent, given: Mapping[str, Any]) -> None:
    shared = given.get("shared")
    if shared and shared != fields_of(event.extended_properties).get("shared"):
        raise ForbiddenForNonOrganizer


def _answers(
    call: Call, access: Access, seen: SeenEvent, given: Sequence[Mapping[str, Any]]
) -> list[CalendarEventAttendee] | None:
    """Return the attendees with the actor's response and, where guests may invite others, new attendees.

    None if nothing differs.
    """
    check_attendees(given)
    known = {each.email: each for each in seen.attendees}
    own = [each for each in given if each["email"] == access.calendar.id]
    new = [each for each in given if each["email"] not in known]
    if new and not seen.event.guests_can_invite_others:
        raise ForbiddenForNonOrganizer
    if not own and not new:
        return None
    rows = rows_of(call, seen.event, [*own, *new], seen.attendees, others_stay=True)
    answers = [_keep_invitation(each, known.get(each.email)) for each in rows]
    return None if is_same_list(seen.attendees, answers) else answers


def _keep_invitation(row: CalendarEventAttendee, before: CalendarEventAttendee | None) -> CalendarEventAttendee:
    """Keep what the organizer says of an attendee: an attendee's response does not change it."""
    return replace(row, optional=before.optional, display_name=before.display_name) if before else row


def _row(call: Call, seen: SeenEvent) -> CalendarEvent:
    return make_exception(call, seen) if seen.series else seen.event


def _list_attendees(call: Call, event: CalendarEvent) -> list[CalendarEventAttendee]:
    return attendees_of(call, [event.id]).get(event.id, [])


def _save_copy(call: Call, access: Access, event: CalendarEvent, own: dict[str, Any]) -> None:
    here = CalendarEventCopy.calendar_id == access.calendar.id, CalendarEventCopy.event_id == event.id
    copy = call.db.find(CalendarEventCopy, *here)
    if copy:
        revise(call.db, copy, **own)
    else:
        call.db.add(CalendarEventCopy(calendar_id=access.calendar.id, event_id=event.id, **own))


def _record_responses(
    call: Call, event: CalendarEvent, answers: Sequence[CalendarEventAttendee], access: Access, mails: str
) -> Sequence[CalendarEventAttendee]:
    change = invite(call, event, [replace(each, event_id=event.id) for each in answers])
    if mails != "none":
        send_about(call, "response", [organizer_of(event)], event)
        send_about(call, "invitation", sorted(change.added), event)
    return change.now


def remove_copy(call: Call, access: Access, seen: SeenEvent, mails: str) -> None:
    """Decline an invitation and remove the event from the attendee's calendar; other attendees keep it."""
    event = _row(call, seen)
    _save_copy(call, access, event, {"removed": True})
    attendees = _list_attendees(call, event)
    declined = [
        revise(call.db, each, response_status="declined") if each.email == access.calendar.id else each
        for each in attendees
    ]
    call.db.change(event, **stamp(call))
    place(call, event, declined)
    set_alarms(call, event)
    if mails != "none":
        send_about(call, "response", [organizer_of(event)], event)

"""Attendees of events and their responses.

https://developers.google.com/workspace/calendar/api/concepts/sharing#inviting_attendees_to_events
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.kit import Call, revise

from .event_rules import check_attendees
from .mail import organizer_of
from .tables import CalendarEvent, CalendarEventAttendee, CalendarUser

Given = Sequence[Mapping[str, Any]]
Attendees = Sequence[CalendarEventAttendee]


class AttendeeChanges(NamedTuple):
    """The attendees of an event after a change, with the email addresses that were added and removed."""

    now: Attendees
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    is_same: bool = False
    """Whether every attendee is as before, so that there is nothing to tell anybody."""

    @property
    def is_none(self) -> bool:
        return not self.added and not self.removed


def rows_of(
    call: Call, event: CalendarEvent, given: Given, known: Attendees = (), *, others_stay: bool = False
) -> list[CalendarEventAttendee]:
    """Build attendee rows from a request, in which an omitted field means its default: no response, not optional.

    Addresses in other letters are the same, and the first spelling stays.
    `known` are the attendees before. With `others_stay`, those that the request does not name stay as they are.
    Raises the errors of `check_attendees`.
    """
    check_attendees(given)
    before = {each.email: each for each in known}
    spelled = {email.casefold(): email for email in before}
    for each in given:
        spelled.setdefault(each["email"].casefold(), each["email"])
    named = [{**each, "email": spelled[each["email"].casefold()]} for each in given]
    rows = {each["email"]: _row(call, event, each, before.get(each["email"])) for each in named}
    return [*({**before, **rows} if others_stay else rows).values()]


def _row(
    call: Call, event: CalendarEvent, given: Mapping[str, Any], before: CalendarEventAttendee | None
) -> CalendarEventAttendee:
    email: str = given["email"]
    is_organizer = email == organizer_of(event)
    return CalendarEventAttendee(
        id=before.id if before else call.db.next("calendar_attendee"),
        event_id=event.id,
        email=email,
        display_name=given.get("displayName") or _name_of(call, email),
        organizer=is_organizer,
        self=before.self if before else False,
        resource=before.resource if before else bool(given.get("resource")),  # only set when an attendee is added
        optional=bool(given.get("optional")),
        response_status=given.get("responseStatus") or ("accepted" if is_organizer else "needsAction"),
        comment=given.get("comment"),
        additional_guests=int(given.get("additionalGuests") or 0),
    )


def _name_of(call: Call, email: str) -> str | None:
    user = call.db.find(CalendarUser, CalendarUser.email == email)
    return user.display_name if user else None


_CHANGEABLE = ("display_name", "optional", "resource", "response_status", "comment", "additional_guests")


def is_same_list(before: Attendees, now: Attendees) -> bool:
    """Whether two lists have the same attendees with the same responses."""
    shown = ({each.email: [getattr(each, name) for name in _CHANGEABLE] for each in rows} for rows in (before, now))
    return next(shown) == next(shown)


def invite(call: Call, event: CalendarEvent, wanted: Attendees) -> AttendeeChanges:
    """Make `wanted` the attendees of an event; those who were invited before keep their rows and ids."""
    known = {row.email: row for row in call.db.rows(CalendarEventAttendee, CalendarEventAttendee.event_id == event.id)}
    now = {row.email: row for row in wanted}
    added, removed = frozenset(now.keys() - known.keys()), frozenset(known.keys() - now.keys())
    for email in removed:
        call.db.remove(known[email])
    for email, row in now.items():
        if email not in known:
            call.db.add(row)
        else:
            now[email] = revise(call.db, known[email], **{name: getattr(row, name) for name in _CHANGEABLE})
    return AttendeeChanges([*now.values()], added, removed, now == known)


def copy_attendees(call: Call, attendees: Attendees, event_id: str) -> list[CalendarEventAttendee]:
    """Copy the attendees of a series for one of its exceptions."""
    return [
        CalendarEventAttendee(
            id=call.db.next("calendar_attendee"),
            event_id=event_id,
            email=each.email,
            display_name=each.display_name,
            organizer=each.organizer,
            self=each.self,
            resource=each.resource,
            optional=each.optional,
            response_status=each.response_status,
            comment=each.comment,
            additional_guests=each.additional_guests,
        )
        for each in attendees
    ]

"""The rules of each event type.

https://developers.google.com/workspace/calendar/api/guides/event-types and
https://developers.google.com/workspace/calendar/api/guides/calendar-status
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from .errors import (
    EventTypeRestriction,
    Invalid,
    MalformedFocusTimeEvent,
    MalformedOutOfOfficeEvent,
    MalformedWorkingLocationEvent,
    Required,
)
from .event_bodies import fields_of
from .tables import CalendarEvent


class EventType(NamedTuple):
    """A type other than `default`: its name in messages, error, properties column, and required column values."""

    name: str
    error: type[EventTypeRestriction]
    properties: str
    must: dict[str, str]


TYPES = {
    "outOfOffice": EventType(
        "An out of office event", MalformedOutOfOfficeEvent, "out_of_office_properties", {"transparency": "opaque"}
    ),
    "focusTime": EventType(
        "A focus time event", MalformedFocusTimeEvent, "focus_time_properties", {"transparency": "opaque"}
    ),
    "workingLocation": EventType(
        "A working location event",
        MalformedWorkingLocationEvent,
        "working_location_properties",
        {"transparency": "transparent", "visibility": "public"},
    ),
    "birthday": EventType(
        "A birthday event",
        EventTypeRestriction,
        "birthday_properties",
        {"transparency": "transparent", "visibility": "private"},
    ),
}
_WORDS = {
    "autoDeclineMode": ("declineNone", "declineAllConflictingInvitations", "declineOnlyNewConflictingInvitations"),
    "chatStatus": ("available", "doNotDisturb"),
}
_PLACES = ("homeOffice", "officeLocation", "customLocation")
_YEARLY = (["RRULE:FREQ=YEARLY"], ["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1"])


def check_type(event: CalendarEvent, *, is_primary: bool, has_attendees: bool) -> None:
    """Raise the API's error if the event violates the rules of its type; empty properties of another type do.

    https://github.com/dust-tt/dust/pull/25311
    """
    for kind, each in TYPES.items():
        if getattr(event, each.properties) is not None and kind != event.event_type:
            raise EventTypeRestriction(f"{kind}Properties requires an event type of {kind}.")
    if event.event_type not in TYPES:
        return
    if not is_primary:
        raise EventTypeRestriction(f"Events of type {event.event_type} can only be created on primary calendars.")
    type = TYPES[event.event_type]
    _check_properties(event.event_type, fields_of(getattr(event, type.properties)))
    for problem in _problems(event, type, has_attendees=has_attendees):
        raise type.error(f"{type.name} {problem}.")


def _check_properties(kind: str, properties: dict[str, Any]) -> None:
    for name, allowed in _WORDS.items():
        if properties.get(name) is not None and properties[name] not in allowed:
            raise Invalid(f"Invalid value for {name}: '{properties[name]}'. Allowed values: [{', '.join(allowed)}]")
    if kind == "workingLocation" and not properties.get("type"):
        raise Required("Missing workingLocationProperties.type.")
    if kind == "workingLocation" and properties["type"] not in _PLACES:
        raise Invalid(f"Invalid working location: '{properties['type']}'. Allowed values: [{', '.join(_PLACES)}]")
    if kind == "birthday" and properties.get("type", "birthday") != "birthday":
        raise Invalid("Only birthdays can be created: other dates come from contacts.")


def _problems(event: CalendarEvent, type: EventType, *, has_attendees: bool) -> Iterator[str]:
    if has_attendees:
        yield "must not have attendees"
    for name, value in type.must.items():
        if getattr(event, name) != value:
            yield f"must have a {name} setting of {value}"
    days = _days(event)
    if event.event_type in ("outOfOffice", "focusTime") and days:
        yield "must not be an all-day event"
    if event.event_type == "workingLocation" and days > 1:
        yield "that lasts all day must be exactly one day long"
    if event.event_type == "outOfOffice":
        yield from (f"must not have a {name}" for name in ("description", "location") if getattr(event, name))
    if event.event_type == "birthday" and days != 1:
        yield "must be an all-day event of one day"
    if event.event_type == "birthday" and not event.recurring_event_id and event.recurrence not in _YEARLY:
        yield f"must have the recurrence {' or '.join(rules[0] for rules in _YEARLY)}"


def _days(event: CalendarEvent) -> int:
    """Return the length of an all-day event in days; 0 for a timed event."""
    if not event.start.get("date"):
        return 0
    return (date.fromisoformat(event.end["date"]) - date.fromisoformat(event.start["date"])).days

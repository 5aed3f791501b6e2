"""Filters of event lists by the content of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from twindiff.kit import Call

from .errors import Invalid
from .event_bodies import fields_of
from .event_views import attendees_of
from .tables import CalendarEvent, CalendarEventAttendee

_TEXTS = ("summary", "description", "location", "organizer_email", "organizer_display_name")
_OF_PLACES = ("label", "buildingId", "deskId")
_TITLES = {"outOfOffice": "Out of office", "focusTime": "Focus time"}
_PLACES = {"homeOffice": "Home", "officeLocation": "Office"}
"""Default titles of events without a summary, in English only."""


class Filters(NamedTuple):
    """Conditions on events; an empty field is no condition.

    `q` are words that must all occur, `private` and `shared` are pairs of name and value, and `series_id` is the series
    of
    the events. `answered_by` is an email address that, if invited, must have responded.
    """

    q: str = ""
    ical_uid: str = ""
    event_types: tuple[str, ...] = ()
    private: tuple[tuple[str, str], ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    series_id: str = ""
    answered_by: str = ""

    @property
    def is_empty(self) -> bool:
        return not any(self)


def read_properties(given: Sequence[str], name: str) -> tuple[tuple[str, str], ...]:
    """Parse constraints `name=value` on extended properties; raises Invalid for one without a value."""
    for each in given:
        if "=" not in each:
            raise Invalid(f"Invalid {name}: '{each}'. Use propertyName=value", location=("parameter", name))
    pairs = (each.partition("=") for each in given)
    return tuple((left, right) for left, _, right in pairs)


def matching(call: Call, filters: Filters, ids: Sequence[str]) -> set[str]:
    """Return the ids, out of `ids`, of events that match all filters."""
    fitting: set[str] = set()
    for at in range(0, len(ids), 500):
        events = call.db.rows(CalendarEvent, CalendarEvent.id.in_(ids[at : at + 500]))
        invited = attendees_of(call, [event.id for event in events]) if filters.q or filters.answered_by else {}
        fitting |= {event.id for event in events if _fits(event, invited.get(event.id, []), filters)}
    return fitting


def _fits(event: CalendarEvent, attendees: list[CalendarEventAttendee], filters: Filters) -> bool:
    properties = fields_of(event.extended_properties)
    private, shared = fields_of(properties.get("private")), fields_of(properties.get("shared"))
    return (
        (not filters.ical_uid or (event.ical_uid or f"{event.id}@google.com") == filters.ical_uid)
        and (not filters.event_types or event.event_type in filters.event_types)
        and all(private.get(name) == value for name, value in filters.private)
        and all(shared.get(name) == value for name, value in filters.shared)
        and (not filters.q or _says(event, attendees, filters.q))
        and (not filters.answered_by or _has_answered(event, attendees, filters.answered_by))
    )


def _has_answered(event: CalendarEvent, attendees: list[CalendarEventAttendee], email: str) -> bool:
    answers = [each.response_status for each in attendees if each.email == email]
    return event.calendar_id == email or "needsAction" not in answers


def _says(event: CalendarEvent, attendees: list[CalendarEventAttendee], q: str) -> bool:
    """Whether every word of `q` occurs in one of the texts that Google's documentation of `q` lists."""
    texts = [getattr(event, name) for name in _TEXTS]
    texts += [text for each in attendees for text in (each.email, each.display_name)]
    place = fields_of(event.working_location_properties)
    texts += [fields_of(part).get(name) for part in place.values() for name in _OF_PLACES]
    texts += [_TITLES.get(event.event_type), _PLACES.get(place.get("type", ""))]
    whole = "\n".join(text for text in texts if isinstance(text, str)).casefold()
    return all(word in whole for word in q.casefold().split())

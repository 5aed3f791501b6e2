"""Rendering of `event` resources, as seen from one calendar."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple, cast
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from twindiff.kit import Call
from twindiff.kit.throttling import yield_processor

from .access import Access, is_at_least
from .agenda import span_of, zone_name
from .errors import Invalid
from .mail import organizer_of
from .tables import CalendarEvent, CalendarEventAttendee, CalendarEventCopy
from .times import begin_of, format_instant, instant_of, stamp, zone_of

Attendees = Sequence[CalendarEventAttendee]

_SELDOM = (
    ("colorId", "color_id"),
    ("recurringEventId", "recurring_event_id"),
    ("hangoutLink", "hangout_link"),
    ("conferenceData", "conference_data"),
    ("attachments", "attachments"),
    ("source", "source"),
    ("gadget", "gadget"),
    ("workingLocationProperties", "working_location_properties"),
    ("outOfOfficeProperties", "out_of_office_properties"),
    ("focusTimeProperties", "focus_time_properties"),
    ("birthdayProperties", "birthday_properties"),
    ("endTimeUnspecified", "end_time_unspecified"),
    ("guestsCanModify", "guests_can_modify"),
    ("anyoneCanAddSelf", "anyone_can_add_self"),
    ("privateCopy", "private_copy"),
    ("locked", "locked"),
)
_SELDOM_NAMES = tuple(name for name, _ in _SELDOM)
_seldom = attrgetter(*(column for _, column in _SELDOM))
_NOT_SHOWN = frozenset(
    {
        "creator_id",
        "creator_profile_id",
        "creator_self",
        "organizer_profile_id",
        "organizer_self",
        "start_datetime",
        "end_datetime",
        "start_date",
        "end_date",
    }
)
_SHOWN_NAMES = [name for name in CalendarEvent.__struct_fields__ if name not in _NOT_SHOWN]
_SHOWN = tuple(getattr(CalendarEvent, name) for name in _SHOWN_NAMES)
_ShownEvent = namedtuple("_ShownEvent", _SHOWN_NAMES)  # pyright: ignore[reportUntypedNamedTuple] - typed by the table
_FREE_BUSY = ("kind", "etag", "id", "status", "htmlLink", "iCalUID", "created", "updated", "eventType")
_OF_SERIES = ("recurrence", "recurringEventId", "originalStartTime", "sequence", "transparency")


class Lens(NamedTuple):
    """The view in which events are rendered: a calendar, the actor's role, the time zone and the attendee limit."""

    access: Access
    zone: ZoneInfo
    calendar_id: str
    calendar_zone: str
    max_attendees: int | None = None


def lens_of(access: Access, zone: str = "", max_attendees: int | None = None) -> Lens:
    """Build the lens for a request; raises Invalid if `zone` is unknown. A calendar with an unknown zone uses UTC."""
    try:
        own = zone_of(zone or zone_name(access.calendar))
    except ValueError:
        if zone:
            raise Invalid(f"Invalid time zone: '{zone}'.", location=("parameter", "timeZone")) from None
        own = zone_of("UTC")
    return Lens(access, own, access.calendar.id, zone_name(access.calendar), max_attendees)


@lru_cache(maxsize=16_384)
def _moment(micros: int, zone: ZoneInfo) -> str:
    return format_instant(micros, zone)


@lru_cache(maxsize=16_384)
def _moment_of(moment: str, own: str, zone: ZoneInfo) -> str:
    """Convert a `dateTime` from the zone `own` to another zone."""
    return format_instant(begin_of({"dateTime": moment}, own), zone)


@lru_cache(maxsize=16_384)
def _length(start: str, end: str, start_zone: str, end_zone: str) -> int:
    return max(0, begin_of({"dateTime": end}, end_zone) - begin_of({"dateTime": start}, start_zone))


@lru_cache(maxsize=16_384)
def _basic(micros: int) -> str:
    return f"{instant_of(micros):%Y%m%dT%H%M%SZ}"


def render_time(when: Mapping[str, Any], lens: Lens) -> dict[str, Any]:
    """Return a start or end in the time zone of the response: `date`, or `dateTime` and maybe `timeZone`."""
    if when.get("date"):
        return {"date": when["date"]}
    zone = when.get("timeZone")
    moment = _moment_of(when["dateTime"], zone or lens.calendar_zone, lens.zone)
    return {"dateTime": moment, "timeZone": zone} if zone else {"dateTime": moment}


def occurrence(series: CalendarEvent, start: int, zone: str) -> CalendarEvent:
    """Build the event of one occurrence of a series; it has no row. `start` is in microseconds since 1970."""
    begin, end = occurrence_times(series, start, zone)
    return replace(
        series,
        id=occurrence_id(series, start, zone),
        recurrence=None,
        recurring_event_id=series.id,
        original_start_time=begin,
        start=begin,
        end=end,
    )


def occurrence_times(series: CalendarEvent, start: int, zone: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return start and end of an occurrence in the form that its series uses.

    All-day occurrences keep their number of days across daylight saving changes.
    """
    if series.start.get("date"):
        first = instant_of(start, zone_of(zone)).date()
        length = date.fromisoformat(series.end["date"]) - date.fromisoformat(series.start["date"])
        return {"date": first.isoformat()}, {"date": (first + max(length, timedelta(days=1))).isoformat()}
    begins, ends = span_of(series, zone)
    return _at(series.start, start, zone), _at(series.end, start + ends - begins, zone)


def _at(like: Mapping[str, Any], micros: int, zone: str) -> dict[str, Any]:
    own = like.get("timeZone") or zone
    return {"dateTime": _moment(micros, zone_of(own)), "timeZone": own}


def occurrence_id(series: CalendarEvent, start: int, zone: str) -> str:
    """Return an occurrence's id: the series' id, `_`, and its original start in UTC, or its day if it is all-day."""
    if series.start.get("date"):
        return f"{series.id}_{instant_of(start, zone_of(zone)):%Y%m%d}"
    return f"{series.id}_{_basic(start)}"


class Occurrences:
    """Renders occurrences of a series; shares what they have in common, as a page may have many of one series."""

    def __init__(
        self, series: CalendarEvent, attendees: Attendees, lens: Lens, copy: CalendarEventCopy | None = None
    ) -> None:
        self._common = _common(series, attendees, lens, copy)
        self._common["recurringEventId"] = series.id
        self._common.pop("recurrence", None)
        self._series, self._lens = series, lens
        self._is_timed = not series.start.get("date")
        self._zones = (
            series.start.get("timeZone") or lens.calendar_zone,
            series.end.get("timeZone") or lens.calendar_zone,
        )
        if self._is_timed:
            self._length = _length(series.start["dateTime"], series.end["dateTime"], *self._zones)

    def at(self, start: int) -> dict[str, Any]:
        """Return the `event` resource of the occurrence that begins at `start`, in microseconds since 1970."""
        if self._is_timed:
            zone, (first, last) = self._lens.zone, self._zones
            begin = {"dateTime": _moment(start, zone), "timeZone": first}
            end = {"dateTime": _moment(start + self._length, zone), "timeZone": last}
        else:
            begin, end = occurrence_times(self._series, start, self._lens.calendar_zone)
        id = occurrence_id(self._series, start, self._lens.calendar_zone)
        return {**self._common, "id": id, "start": begin, "originalStartTime": begin, "end": end}


def event_object(
    event: CalendarEvent, attendees: Attendees, lens: Lens, copy: CalendarEventCopy | None = None
) -> dict[str, Any]:
    """Return an `event` resource as the actor may see it in the calendar of the lens."""
    yield_processor()
    if event.status == "cancelled" and event.recurring_event_id:
        return _cancelled_occurrence(event, lens)
    value = _common(event, attendees, lens, copy)
    value["start"] = render_time(event.start, lens)
    value["end"] = render_time(event.end or event.start, lens)
    return value


def _common(event: CalendarEvent, attendees: Attendees, lens: Lens, copy: CalendarEventCopy | None) -> dict[str, Any]:
    """Render all fields except start and end, which differ between the occurrences of a series."""
    value = _full(event, lens, copy)
    least = "writer" if value.get("visibility") in ("private", "confidential") else "reader"
    if not is_at_least(lens.access.role, least):
        kept = {name: value[name] for name in (*_FREE_BUSY, *_OF_SERIES) if name in value}
        return {**kept, "visibility": "private"}
    if attendees:
        value |= _attendees(event, attendees, lens)
    return value


def render_removed_event(event: CalendarEvent, lens: Lens) -> dict[str, Any]:
    """Return the resource of an event that has left the calendar of the lens: its id and the status `cancelled`."""
    if event.recurring_event_id:
        return _cancelled_occurrence(event, lens)
    return {"kind": "calendar#event", "etag": event.etag, "id": event.id, "status": "cancelled"}


def _cancelled_occurrence(event: CalendarEvent, lens: Lens) -> dict[str, Any]:
    """Render a cancelled exception: like Google, only the fields that identify the occurrence."""
    return {
        "kind": "calendar#event",
        "etag": event.etag,
        "id": event.id,
        "status": "cancelled",
        "recurringEventId": event.recurring_event_id,
        "originalStartTime": render_time(event.original_start_time or event.start, lens),
    }


def _full(event: CalendarEvent, lens: Lens, copy: CalendarEventCopy | None) -> dict[str, Any]:
    value: dict[str, Any] = {
        "kind": "calendar#event",
        "etag": event.etag,
        "id": event.id,
        "status": event.status,
        "created": stamp(event.created_at),
        "updated": stamp(event.updated_at),
        "iCalUID": event.ical_uid or f"{event.id}@google.com",
        "sequence": event.sequence,
        "eventType": event.event_type,
        "reminders": event.reminders or {"useDefault": True},
        "creator": _person(event.creator_email, event.creator_display_name, lens.calendar_id),
        "organizer": _organizer(event, lens),
    }
    _add_texts(value, event)
    if any(seldom := _seldom(event)):
        value |= {name: each for name, each in zip(_SELDOM_NAMES, seldom, strict=True) if each}
    if event.original_start_time:
        value["originalStartTime"] = render_time(event.original_start_time, lens)
    if event.transparency != "opaque":
        value["transparency"] = event.transparency
    if event.visibility != "default":
        value["visibility"] = event.visibility
    if not event.guests_can_invite_others:
        value["guestsCanInviteOthers"] = False
    if not event.guests_can_see_other_guests:
        value["guestsCanSeeOtherGuests"] = False
    return _with_properties(value, event, lens, copy)


def _add_texts(value: dict[str, Any], event: CalendarEvent) -> None:
    """Add the common text fields. Separate `if`s take half the time of a loop over names."""
    if event.html_link:
        value["htmlLink"] = event.html_link
    if event.summary:
        value["summary"] = event.summary
    if event.description:
        value["description"] = event.description
    if event.location:
        value["location"] = event.location
    if event.recurrence:
        value["recurrence"] = event.recurrence


def _with_properties(
    value: dict[str, Any], event: CalendarEvent, lens: Lens, copy: CalendarEventCopy | None
) -> dict[str, Any]:
    """Add what belongs to each calendar's copy of an event: private properties and an attendee's own settings."""
    if copy is None and lens.calendar_id == event.calendar_id:
        if event.extended_properties:
            value["extendedProperties"] = event.extended_properties
        return value
    properties = dict[str, Any](event.extended_properties or {})
    if lens.calendar_id != event.calendar_id:
        properties.pop("private", None)
        value.pop("colorId", None)
        value["reminders"] = {"useDefault": True}
    if copy:
        own = {"colorId": copy.color_id, "transparency": copy.transparency, "visibility": copy.visibility}
        value |= {name: each for name, each in own.items() if each}
        value["reminders"] = copy.reminders or value["reminders"]
        if copy.private_properties:
            properties["private"] = copy.private_properties
        if copy.removed:
            value["status"] = "cancelled"
    if properties:
        value["extendedProperties"] = properties
    return value


@lru_cache(maxsize=16_384)
def _person(email: str | None, name: str | None, calendar_id: str) -> Mapping[str, Any]:
    """Render a creator or organizer; responses share the cached dict and must not change it."""
    person: dict[str, Any] = {"email": email or "unknownorganizer@calendar.google.com"}
    if name:
        person["displayName"] = name
    if email == calendar_id:
        person["self"] = True
    return person


def _organizer(event: CalendarEvent, lens: Lens) -> Mapping[str, Any]:
    """Render the organizer: the event's calendar, or the organizer that an imported event names."""
    if event.organizer_id is None:
        return _person(event.organizer_email, event.organizer_display_name, lens.calendar_id)
    name = event.organizer_display_name if event.organizer_email == event.calendar_id else None
    return _person(event.calendar_id, name, lens.calendar_id)


def _attendees(event: CalendarEvent, attendees: Attendees, lens: Lens) -> dict[str, Any]:
    own = [each for each in attendees if each.email == lens.calendar_id]
    is_organizer = event.calendar_id == lens.calendar_id
    visible = attendees if is_organizer or event.guests_can_see_other_guests else own
    omitted = event.attendees_omitted or len(visible) < len(attendees)
    if lens.max_attendees is not None and len(visible) > lens.max_attendees:
        visible, omitted = own, True
    shown_ones = [_attendee(each, event, lens) for each in visible]
    return {**({"attendees": shown_ones} if shown_ones else {}), **({"attendeesOmitted": True} if omitted else {})}


def _attendee(attendee: CalendarEventAttendee, event: CalendarEvent, lens: Lens) -> dict[str, Any]:
    flags = {
        "organizer": attendee.organizer or attendee.email == organizer_of(event),
        "self": attendee.email == lens.calendar_id,
        "resource": attendee.resource,
        "optional": attendee.optional,
        "displayName": attendee.display_name,
        "comment": attendee.comment,
        "additionalGuests": attendee.additional_guests,
    }
    return {
        "email": attendee.email,
        **{name: value for name, value in flags.items() if value},
        "responseStatus": attendee.response_status,
    }


def shown_events(call: Call, event_ids: Collection[str]) -> dict[str, CalendarEvent]:
    """Map ids to events that have only the columns needed for rendering; half the cost of full rows."""
    rows = call.db.rows(CalendarEvent, CalendarEvent.id.in_(event_ids), columns=_SHOWN) if event_ids else ()
    return {event.id: cast(CalendarEvent, event) for event in map(_ShownEvent._make, rows)}


def attendees_of(call: Call, event_ids: Iterable[str]) -> dict[str, list[CalendarEventAttendee]]:
    """Map the ids of events to their attendees, in the order of invitation."""
    ids = sorted({*event_ids})
    order = (CalendarEventAttendee.event_id, CalendarEventAttendee.id)
    invited: dict[str, list[CalendarEventAttendee]] = {}
    for row in call.db.rows(CalendarEventAttendee, CalendarEventAttendee.event_id.in_(ids), order=order) if ids else ():
        invited.setdefault(row.event_id, []).append(row)
    return invited

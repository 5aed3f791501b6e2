"""Validation of events before anything is written.

https://developers.google.com/workspace/calendar/api/v3/reference/events#resource
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import UNSET

from .agenda import schedule_of, span_of
from .colors import EVENT as COLORS
from .errors import (
    BadRequest,
    CannotUseDefaultRemindersAndSpecifyOverride,
    EventRemindersCountExceedsLimit,
    Invalid,
    MixedTimes,
    Required,
    TimeRangeEmpty,
    TooManyAttendees,
)
from .event_bodies import fields_of
from .event_limits import check_sizes
from .event_types import check_type
from .recurrence import check
from .tables import CalendarEvent
from .times import check_time

MAX_ATTENDEES = 200
MAX_OVERRIDES = 5
MAX_REMINDER_MINUTES = 40_320
MAX_ATTACHMENTS = 25
_ID = re.compile(r"[a-v0-9]{5,1024}")
_EMAIL = re.compile(r"[^@\s<>,;]+@[^@\s<>,;]+")
ALLOWED_VALUES = {
    "status": ("confirmed", "tentative", "cancelled"),
    "transparency": ("opaque", "transparent"),
    "visibility": ("default", "public", "private", "confidential"),
    "event_type": ("default", "outOfOffice", "focusTime", "workingLocation", "fromGmail", "birthday"),
}
RESPONSES = ("needsAction", "declined", "tentative", "accepted")


def check_id(given: str) -> None:
    """Raise Invalid unless `given` is a valid event id."""
    if not _ID.fullmatch(given):
        raise Invalid("Invalid resource id value.")


def check_sequence(given: Any, current: int) -> int:
    """Return the sequence number of an event after a change that gives one, or none; raises Invalid for a lower one."""
    if given is None or given is UNSET:
        return current
    if given < current:
        raise Invalid(
            "Invalid sequence value. The specified sequence number is below the current sequence number of the"
            " resource. Re-fetch the resource and use its sequence number on the following request."
        )
    return int(given)


def check_columns(columns: Mapping[str, Any]) -> None:
    """Raise Invalid or Required for invalid column values, reminders, attachments or extended properties."""
    for name, allowed in ALLOWED_VALUES.items():
        if name in columns and columns[name] not in allowed:
            raise Invalid(f"Invalid value for: {name}. '{columns[name]}' is none of [{', '.join(allowed)}]")
    if columns.get("color_id") and columns["color_id"] not in COLORS:
        raise Invalid(f"Invalid value for colorId: '{columns['color_id']}'. The colors resource lists those there are.")
    _check_reminders(columns.get("reminders"))
    _check_attachments(columns.get("attachments"))
    _check_properties(columns.get("extended_properties"))
    _check_source(columns.get("source"))
    check_sizes(columns)


def _check_reminders(reminders: Any) -> None:
    """Raise an error for invalid reminders; overrides ask for a `useDefault` that is said to be false.

    https://github.com/googleapis/google-api-php-client/issues/233
    """
    if not reminders:
        return
    overrides: Any = reminders.get("overrides") or []
    if overrides and reminders.get("useDefault") is not False:
        raise CannotUseDefaultRemindersAndSpecifyOverride
    if not isinstance(overrides, list):
        raise Invalid("Invalid reminders: overrides are a list.")
    if len(cast(list[Any], overrides)) > MAX_OVERRIDES:
        raise EventRemindersCountExceedsLimit
    check_overrides(cast(list[Any], overrides))


def check_overrides(overrides: Sequence[Any]) -> None:
    """Raise Invalid for reminders whose minutes are no whole number."""
    for each in overrides:
        minutes = fields_of(each).get("minutes")
        if not isinstance(minutes, int) or isinstance(minutes, bool):
            raise Invalid("Invalid reminder minutes: a whole number is needed.")


def settle_overrides(overrides: Sequence[Any]) -> list[dict[str, Any]]:
    """Return reminders as Google keeps them: without unknown methods and doubles, minutes brought into their range.

    Google answers success to all of these, as programs that were tried against it report.
    """
    kept = [
        {"method": each["method"], "minutes": min(max(each["minutes"], 0), MAX_REMINDER_MINUTES)}
        for each in overrides
        if each.get("method") in ("email", "popup")
    ]
    return [each for at, each in enumerate(kept) if each not in kept[:at]]


def settle_reminders(columns: dict[str, Any]) -> dict[str, Any]:
    """Return checked columns with their `reminders` as Google keeps them; an empty list of overrides is left out."""
    reminders = columns.get("reminders")
    if not reminders or "overrides" not in reminders:
        return columns
    kept = {name: value for name, value in reminders.items() if name != "overrides"}
    overrides = settle_overrides(reminders["overrides"] or [])
    return {**columns, "reminders": {**kept, **({"overrides": overrides} if overrides else {})}}


def _check_attachments(attachments: Any) -> None:
    if attachments and len(attachments) > MAX_ATTACHMENTS:
        raise Invalid(f"An event has at most {MAX_ATTACHMENTS} attachments.")
    if attachments and not all(isinstance(each.get("fileUrl"), str) and each["fileUrl"] for each in attachments):
        raise Required("Missing attachment fileUrl.")


def _check_source(source: Any) -> None:
    url = fields_of(source).get("url")
    if url and not str(url).startswith(("http://", "https://")):
        raise Invalid(f"Invalid value for source.url: '{url}'. Use an address of the scheme HTTP or HTTPS")


def _check_properties(properties: Any) -> None:
    for kind in ("private", "shared"):
        values: Any = fields_of(properties).get(kind) or {}
        if not isinstance(values, dict) or not all(isinstance(each, str | None) for each in fields_of(values).values()):
            raise Invalid(f"Invalid extended properties: {kind} ones are texts by name.")


def check_email(email: Any, whose: str) -> None:
    """Raise Invalid unless a value is an email address; `whose` is `attendee` or `organizer`."""
    if not isinstance(email, str) or not _EMAIL.fullmatch(email):
        raise Invalid(f"Invalid {whose} email.")


def check_attendees(attendees: Sequence[Mapping[str, Any]]) -> None:
    """Raise Invalid, Required or TooManyAttendees unless all attendees can be invited."""
    if len(attendees) > MAX_ATTENDEES:
        raise TooManyAttendees(f"An event has at most {MAX_ATTENDEES} attendees; {len(attendees)} were given.")
    for each in attendees:
        if not each.get("email"):
            raise Required("Missing attendee email.")
        check_email(each["email"], "attendee")
        if each.get("additionalGuests") and _to_number(each["additionalGuests"]) < 0:
            raise Invalid(f"Invalid attendee: additionalGuests is {each['additionalGuests']}, not a number from 0.")
        if (each.get("responseStatus") or "needsAction") not in RESPONSES:
            raise Invalid(f"Invalid attendee response: '{each['responseStatus']}'. It is one of {', '.join(RESPONSES)}")


def _to_number(value: Any) -> int:
    return value if isinstance(value, int) else -1


def complete_times(columns: dict[str, Any], zone: str, *, is_series: bool) -> dict[str, Any]:
    """Return the columns with `start` and `end` completed by the time zone `zone` where they lack one.

    Raises Required if a series has no zone, or a time has neither zone nor offset.
    """
    times = {name: check_time(columns[name], name) for name in ("start", "end") if name in columns}
    for name, when in times.items():
        if "dateTime" in when and "timeZone" not in when:
            has_offset = re.search(r"([Zz]|[+-]\d\d:?\d\d)$", when["dateTime"])
            if is_series or not has_offset:
                raise Required(f"Missing time zone definition for {name} time.")
            when["timeZone"] = zone
    return {**columns, **times}


def check_event(event: CalendarEvent, zone: str, *, is_primary: bool, has_attendees: bool) -> None:
    """Raise the API's error if the event as a whole is invalid: its times, recurrence or type.

    Of a date before an instant Google says nothing but that the request is bad:
    https://github.com/derekantrican/GAS-ICS-Sync/issues/289, https://github.com/t4t5/caldir/issues/20
    """
    if bool(event.start.get("date")) != bool(event.end.get("date")):
        raise BadRequest if event.start.get("date") else MixedTimes
    begins, ends = span_of(event, zone)
    if _ends_before(event, zone) or (event.start.get("date") and ends == begins):
        raise TimeRangeEmpty
    schedule = schedule_of(event, zone)
    if schedule:
        check(schedule)
    check_type(event, is_primary=is_primary, has_attendees=has_attendees)


def _ends_before(event: CalendarEvent, zone: str) -> bool:
    swapped = CalendarEvent(id="", calendar_id="", start=event.end, end=event.start)
    return span_of(swapped, zone)[0] < span_of(event, zone)[0]

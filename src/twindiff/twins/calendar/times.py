"""Parsing and formatting of the times and days of events; instants are microseconds since 1970.

https://developers.google.com/workspace/calendar/api/concepts/events-calendars#time_zones
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from twindiff.kit.clock import SECOND

from .errors import BadRequest, Invalid, Required

FAR = 9_999_999_999 * SECOND
"""The end of endless series."""

DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?")


@lru_cache(maxsize=1_000)
def zone_of(name: str) -> ZoneInfo:
    """Return a zone of the IANA database; raises ValueError for an unknown name."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise ValueError(f"'{name}' is no IANA time zone") from None


def micros_of(instant: datetime) -> int:
    """Convert an aware datetime to microseconds since 1970."""
    return (instant - _EPOCH) // _MICROSECOND


def instant_of(micros: int, zone: ZoneInfo | None = None) -> datetime:
    """Convert microseconds since 1970 to an aware datetime, in UTC by default."""
    return (_EPOCH + timedelta(microseconds=micros)).astimezone(zone or UTC)


def read_datetime(text: str) -> datetime:
    """Parse an RFC 3339 time; the result is aware only if the text has an offset. Raises ValueError."""
    if not _RFC_3339.fullmatch(text):
        raise ValueError(f"'{text}' is no RFC 3339 instant")
    whole = re.sub(r"\.(\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text.upper())
    return datetime.fromisoformat(whole)


def read_instant(text: str, name: str) -> int:
    """Parse the time in the parameter `name`, which must have an offset; raises BadRequest, as Google says no more."""
    try:
        return micros_of(read_datetime(text.replace(" ", "+")))  # a plus sign that was not escaped in a query
    except (ValueError, OverflowError, TypeError):
        raise BadRequest(location=("parameter", name)) from None


def begin_of(when: Mapping[str, Any], zone: str) -> int:
    """Return the instant of an event's start or end; `zone` applies to days and to times without a zone."""
    return _begin(when.get("date") or "", when.get("dateTime") or "", when.get("timeZone") or zone)


@lru_cache(maxsize=16_384)
def _begin(day: str, moment: str, zone: str) -> int:
    if day:
        return micros_of(datetime.fromisoformat(day).replace(tzinfo=zone_of(zone)))
    return micros_of(aware({"dateTime": moment}, zone))


def aware(when: Mapping[str, Any], zone: str) -> datetime:
    """Return a `dateTime` as an aware datetime in its own zone, else in `zone`."""
    instant = read_datetime(when["dateTime"])
    own = zone_of(when.get("timeZone") or zone)
    return instant.astimezone(own) if instant.tzinfo else instant.replace(tzinfo=own)


def local_of(when: Mapping[str, Any], zone: str) -> datetime:
    """Return the naive local time of an event's start or end in the event's own zone."""
    if when.get("date"):
        return datetime.fromisoformat(when["date"])
    return aware(when, zone).replace(tzinfo=None)


def check_time(when: Any, name: str) -> dict[str, Any]:
    """Return a start or end without null fields; `name` is `start` or `end`.

    Raises Required, Invalid for a time that is a date too, and BadRequest, which names no field, for a text that is no
    date or time: https://github.com/googleapis/google-api-java-client/issues/1628
    """
    if not isinstance(when, dict) or not (when.get("date") or when.get("dateTime")):  # pyright: ignore[reportUnknownMemberType]
        raise Required(f"Missing {name} time.")
    given: dict[str, Any] = {key: value for key, value in when.items() if value is not None}  # pyright: ignore[reportUnknownVariableType]
    try:
        zone_of(given.get("timeZone") or "UTC")
    except ValueError:
        raise Invalid(f"Invalid time zone definition for {name} time.") from None
    try:
        if given.get("date"):
            date.fromisoformat(given["date"])
        else:
            begin_of(given, "UTC")
    except (ValueError, OverflowError, TypeError):
        raise BadRequest from None
    if given.get("date") and given.get("dateTime"):
        raise Invalid(f"Invalid {name} time.")
    return given


def is_same_time(one: Mapping[str, Any], other: Mapping[str, Any], zone: str) -> bool:
    """Whether two starts or ends name the same day or the same second; `zone` applies to times without a zone.

    Responses show whole seconds, so a client cannot know of fractions.
    """
    if one.get("date") or other.get("date"):
        return one.get("date") == other.get("date")
    return begin_of(one, zone) // SECOND == begin_of(other, zone) // SECOND


def names_same_time(given: Mapping[str, Any], before: Mapping[str, Any], zone: str) -> bool:
    """Whether a given start or end names the time of before and no other zone; `zone` is the event's calendar's.

    A client may write the time that it has read with another offset; that changes nothing.
    """
    if given == before:
        return True
    own, now = before.get("timeZone") or zone, given.get("timeZone")
    if not before or (given.get("dateTime") and (now or own) != own):
        return False
    if given.get("dateTime") and not now and read_datetime(given["dateTime"]).tzinfo is None:
        return False
    return is_same_time({**given, "timeZone": own}, before, zone)


def format_instant(micros: int, zone: ZoneInfo) -> str:
    """Format an instant as responses do: RFC 3339 in seconds, with `Z` for UTC."""
    text = instant_of(micros, zone).isoformat(timespec="seconds")
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


@lru_cache(maxsize=16_384)
def stamp(text: str | None) -> str:
    """Format a Timestamp column as `created` and `updated` do, with milliseconds and `Z`."""
    return f"{(text or '1970-01-01T00:00:00')[:23].ljust(19, '0')}{'' if '.' in (text or '') else '.000'}Z"

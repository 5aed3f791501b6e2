"""Instants and days as Calendar writes them; instants are microseconds since 1970.

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

from .errors import Invalid, Required

FAR = 9_999_999_999 * SECOND
"""Where what does not end ends."""

DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?")


@lru_cache(maxsize=1_000)
def zone_of(name: str) -> ZoneInfo:
    """A zone of the IANA database; raises ValueError for another name."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        raise ValueError(f"'{name}' is no IANA time zone") from None


def micros_of(instant: datetime) -> int:
    """Microseconds since 1970 of an aware instant."""
    return (instant - _EPOCH) // _MICROSECOND


def instant_of(micros: int, zone: ZoneInfo | None = None) -> datetime:
    """An instant in a zone."""
    return (_EPOCH + timedelta(microseconds=micros)).astimezone(zone or UTC)


def read_datetime(text: str) -> datetime:
    """An RFC 3339 instant, aware only if it has an offset; raises ValueError."""
    if not _RFC_3339.fullmatch(text):
        raise ValueError(f"'{text}' is no RFC 3339 instant")
    whole = re.sub(r"\.(\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), text.upper())
    return datetime.fromisoformat(whole)


def read_instant(text: str, name: str) -> int:
    """An instant of a parameter, which must have an offset; raises Invalid."""
    try:
        return micros_of(read_datetime(text.replace(" ", "+")))  # a plus that was not escaped in a query
    except (ValueError, OverflowError, TypeError):
        raise Invalid(
            f"Invalid value for: {name}. '{text}' is no RFC 3339 instant with an offset", location=("parameter", name)
        ) from None


def begin_of(when: Mapping[str, Any], zone: str) -> int:
    """The instant that an event's start or end names; days and times without a zone are those of `zone`."""
    return _begin(when.get("date") or "", when.get("dateTime") or "", when.get("timeZone") or zone)


@lru_cache(maxsize=16_384)
def _begin(day: str, moment: str, zone: str) -> int:
    if day:
        return micros_of(datetime.fromisoformat(day).replace(tzinfo=zone_of(zone)))
    return micros_of(aware({"dateTime": moment}, zone))


def aware(when: Mapping[str, Any], zone: str) -> datetime:
    """The instant of a `dateTime`, in its zone."""
    instant = read_datetime(when["dateTime"])
    own = zone_of(when.get("timeZone") or zone)
    return instant.astimezone(own) if instant.tzinfo else instant.replace(tzinfo=own)


def local_of(when: Mapping[str, Any], zone: str) -> datetime:
    """The naive local time in the event's own zone."""
    if when.get("date"):
        return datetime.fromisoformat(when["date"])
    return aware(when, zone).replace(tzinfo=None)


def check_time(when: Any, name: str) -> dict[str, Any]:
    """A start or end as it may be stored; `name` is `start` or `end`. Raises Required, Invalid."""
    if not isinstance(when, dict) or not (when.get("date") or when.get("dateTime")):  # pyright: ignore[reportUnknownMemberType]
        raise Required(f"Missing {name} time.")
    given: dict[str, Any] = {key: value for key, value in when.items() if value is not None}  # pyright: ignore[reportUnknownVariableType]
    if given.get("date") and given.get("dateTime"):
        raise Invalid(f"Invalid {name} time: it is either a date or a dateTime.")
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
        raise Invalid(f"Invalid {name} time.") from None
    return given


def format_instant(micros: int, zone: ZoneInfo) -> str:
    """An instant as answers write it."""
    text = instant_of(micros, zone).isoformat(timespec="seconds")
    return f"{text[:-6]}Z" if text.endswith("+00:00") else text


@lru_cache(maxsize=16_384)
def stamp(text: str | None) -> str:
    """A Timestamp column as `created` and `updated` show it."""
    return f"{(text or '1970-01-01T00:00:00')[:23].ljust(19, '0')}{'' if '.' in (text or '') else '.000'}Z"


def same_moment(like: Mapping[str, Any], micros: int, zone: str) -> dict[str, Any]:
    """An instant written as another start or end is: a day where that is one, in its zone where it has one."""
    if like.get("date"):
        return {"date": instant_of(micros, zone_of(zone)).date().isoformat()}
    own = like.get("timeZone")
    moment = {"dateTime": format_instant(micros, zone_of(own or zone))}
    return {**moment, "timeZone": own} if own else moment

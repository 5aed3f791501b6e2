"""Parsing of reminder times: `in 20 minutes`, `tomorrow at 9am`, `every Monday at 10:30`.

https://docs.slack.dev/reference/methods/reminders.add
"""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = {"minute": 60, "min": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_MAX_WAIT_SECONDS = 24 * 3600
_FIVE_YEARS = 5 * 366 * 86400
_MORNING = time(9)

_WAIT = re.compile(r"in (an?|\d{1,4}) (minute|min|hour|day|week)s?")
_CLOCK = re.compile(r"(?:at )?(?:(noon|midnight)|(\d{1,2})(?::(\d\d))? ?(am|pm)?)")
_EVERY = re.compile(r"every (day|weekday|week|month|[a-z]+)")
_NUMBER = re.compile(r"\d{1,12}")


class ReminderTime(NamedTuple):
    """The next time in seconds since 1970, and the recurrence, if any."""

    at: int
    recurrence: dict[str, Any] | None = None


def parse_reminder_time(text: str, now: datetime, zone: tzinfo) -> ReminderTime | None:
    """Parse a time for a user in a time zone; None if it is no time, has passed or is over five years ahead."""
    moment = _parse(text, now, zone)
    return moment if moment and moment.at <= now.timestamp() + _FIVE_YEARS else None


def _parse(text: str, now: datetime, zone: tzinfo) -> ReminderTime | None:
    words = " ".join(text.lower().split())
    if _NUMBER.fullmatch(words):
        return _parse_number(int(words), now)
    local = now.astimezone(zone)
    if wait := _WAIT.fullmatch(words):
        count = 1 if wait[1].startswith("a") else int(wait[1])
        return ReminderTime(int(now.timestamp()) + count * _UNITS[wait[2]])
    if every := _EVERY.match(words):
        return _recurring(every[1], words[every.end() :].strip(), local)
    return _once(words, local)


def _parse_number(number: int, now: datetime) -> ReminderTime | None:
    """Read a number as seconds since 1970, or up to a day as seconds from now."""
    seconds = int(now.timestamp())
    if number <= _MAX_WAIT_SECONDS:
        return ReminderTime(seconds + number)
    return ReminderTime(number) if number > seconds else None


def _once(words: str, local: datetime) -> ReminderTime | None:
    day, rest = _day(words, local)
    clock = _time(rest)
    if clock is None or (day is None and not rest):
        return None
    moment = datetime.combine(day or local.date(), clock, local.tzinfo)
    if moment <= local and day is None:
        moment += timedelta(days=1)
    return ReminderTime(int(moment.timestamp())) if moment > local else None


def _day(words: str, local: datetime) -> tuple[Any, str]:
    """Split the day from the beginning of a text; the day is None if there is none."""
    first, _, rest = words.removeprefix("on ").removeprefix("next ").partition(" ")
    today = local.date()
    if first in ("today", "tomorrow"):
        return today + timedelta(days=first == "tomorrow"), rest
    if first in _WEEKDAYS:
        return today + timedelta(days=(_WEEKDAYS.index(first) - today.weekday() - 1) % 7 + 1), rest
    return None, words


def _time(words: str) -> time | None:
    """Parse a time of day; an empty text means 9 am."""
    if not words:
        return _MORNING
    match = _CLOCK.fullmatch(words)
    if match is None:
        return None
    if match[1]:
        return time(12 if match[1] == "noon" else 0)
    hour, minute = int(match[2]), int(match[3] or 0)
    if match[4]:
        hour = hour % 12 + 12 * (match[4] == "pm") if 1 <= hour <= 12 else 24
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _recurring(name: str, rest: str, local: datetime) -> ReminderTime | None:
    clock = _time(rest)
    days = _days(name, local)
    if clock is None or not days:
        return None
    at = datetime.combine(local.date(), clock, local.tzinfo)
    while at <= local or at.weekday() not in days:
        at += timedelta(days=1)
    frequency = {"day": "daily", "weekday": "weekdays", "month": "monthly"}.get(name, "weekly")
    recurrence: dict[str, Any] = {"frequency": frequency}
    if frequency == "weekly":
        recurrence["weekdays"] = [_WEEKDAYS[day] for day in days]
    return ReminderTime(int(at.timestamp()), recurrence)


def _days(name: str, local: datetime) -> list[int]:
    """Return the numbers of the weekdays on which a reminder recurs."""
    if name in ("week", "month"):
        return [local.weekday()]
    if name in ("day", "weekday"):
        return list(range(7 if name == "day" else 5))
    return [day for day, weekday in enumerate(_WEEKDAYS) if name.removesuffix("s") == weekday]


def time_after(at: int, recurrence: dict[str, Any], zone: tzinfo) -> int:
    """Return the next time of a recurrence after `at`, at the same time of day in a time zone.

    Months and years without that day are skipped.
    """
    local = datetime.fromtimestamp(at, zone)
    frequency = recurrence.get("frequency")
    if frequency in ("monthly", "yearly"):
        return int(_same_day_later(local, 1 if frequency == "monthly" else 12).timestamp())
    weekdays = recurrence.get("weekdays") if frequency == "weekly" else None
    days = {_WEEKDAYS.index(day) for day in weekdays or () if day in _WEEKDAYS}
    if not days:
        days = {local.weekday()} if frequency == "weekly" else set(range(5 if frequency == "weekdays" else 7))
    later = local + timedelta(days=1)
    while later.weekday() not in days:
        later += timedelta(days=1)
    return int(later.timestamp())


def _same_day_later(local: datetime, months: int) -> datetime:
    number = local.year * 12 + local.month - 1
    while True:
        number += months
        try:
            return local.replace(year=number // 12, month=number % 12 + 1)
        except ValueError:
            continue

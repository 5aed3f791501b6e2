"""Parses details of records in a prompt: prices, days and times."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple

from twindiff.server.apis.twin_runs.world_prompt_words import (
    COMING,
    CURRENCIES,
    DAY,
    DAYS,
    EVERY,
    NEARBY,
    NEXT,
    NUMBER,
    NUMBERS,
    OFTEN,
    UNITS,
    ZERO,
)

FIRST_MONDAY = date(2026, 1, 5)
"""The date at which seeded worlds begin, which is today for the prompt; weekdays mean the first one from here."""

RULES = {
    "day": "RRULE:FREQ=DAILY;COUNT=20",
    "week": "RRULE:FREQ=WEEKLY;COUNT=12",
    "month": "RRULE:FREQ=MONTHLY;COUNT=12",
    "year": "RRULE:FREQ=YEARLY;COUNT=5",
}
"""Recurrence rules by frequency; meetings without an end are limited to a number of occurrences."""


def pattern(text: str) -> re.Pattern[str]:
    """Compile a case-insensitive pattern."""
    return re.compile(text, re.IGNORECASE)


_UNIT = "|".join(CURRENCIES.values())
_TIMES = "|".join(UNITS[unit] for unit in ("day", "week", "month", "year"))
PRICE = pattern(
    rf"(?:(?<!\w)({_UNIT})\s?)?(?<![\w.,])(\d{{1,3}}(?:[.,]\d{{3}}){{1,3}}(?:[.,]\d\d)?|\d{{1,6}}(?:[.,]\d\d)?)(?![\w,.]{{0,9}}\d)"
    rf"(?:\s{{0,3}}({_UNIT})(?!\w))?"
    rf"(?:\s{{0,3}}(?:an?|per|every|/|pro|im|je|{EVERY})\s{{0,3}}({_TIMES})\b|\s{{1,3}}({OFTEN})\b)?"
)
WEEKDAY = pattern(rf"(?:({NEXT})\s+|(?:{COMING})\s+)?({DAY})s?\b")
_DATE = pattern(r"(?:(\d{4})-(\d\d)-(\d\d)|(\d{1,2})\.(\d{1,2})\.(\d{4}))(?!\d)")
_NEARBY = [pattern(rf"(?:{'|'.join(said)})\b") for said in NEARBY]
_AHEAD = pattern(rf"in\s+({NUMBER})\s+(?:({UNITS['day']})|{UNITS['week']})\b")
_NEXT_WEEK = pattern(rf"(?:{NEXT})\s+(?:week|woche)\b")
_TIME = pattern(
    r"at\s+(\d{1,2})(?::([0-5]\d))?(?:\s{0,3}(am|pm))?(?![\w:])"
    r"|(?:um|gegen)\s+(\d{1,2})(?:[:.]([0-5]\d))?(?:\s{0,3}uhr\b)?(?![\w:])"
)
_REPEATED = pattern(rf"(?:(?:{EVERY})\s+({_TIMES}|{DAY})|({OFTEN}))\b")
_LENGTH = pattern(rf"(?:for|für|fuer)\s+({NUMBER})\s+(?:({UNITS['minute']})|{UNITS['hour']})\b")


class Price(NamedTuple):
    """The price of a product; `amount` is in the smallest unit of the currency."""

    amount: int
    currency: str
    interval: str | None


class Meetings:
    """The time of a group of meetings; attributes that the prompt does not mention are None."""

    def __init__(self) -> None:
        self.day: date | None = None
        self.weeks = 0
        """Without a day: the week of the meetings, counted from the first."""
        self.time: time | None = None
        self.is_weekday = False
        """Whether `day` is the first weekday of a name, which "next week" moves."""
        self.minutes: int | None = None
        self.rule: str | None = None
        self.is_all_day = False


def price_of(match: re.Match[str]) -> Price | None:
    """The price in a match of `PRICE`; None for a number without a currency, and for thousandths of a dollar."""
    unit, often = match[1] or match[3], match[4] or match[5]
    currency = _key(CURRENCIES, unit or "")
    if not currency or (currency != "eur" and re.search(r"\.\d{3}", match[2])):
        return None
    return Price(_amount(match[2]), currency, (often and _key(UNITS, often)) or None)


def read_when(text: str, at: int, meetings: Meetings) -> int:
    """Parse one time phrase at a position into `meetings`; returns its end, or the position itself if there is none."""
    for part, take in _PHRASES:
        match = part.match(text, at)
        if match and take(meetings, match):
            return match.end()
    return at


def _set_recurrence(meetings: Meetings, match: re.Match[str]) -> bool:
    often = match[1] or match[2]
    weekday = _weekday(often)
    if meetings.rule or (weekday and not _on(meetings, weekday)):
        return False
    meetings.rule = RULES[_key(UNITS, often) or "week"]
    return True


def _at(meetings: Meetings, match: re.Match[str]) -> bool:
    time_of_day = _time(int(match[1] or match[4]), int(match[2] or match[5] or 0), (match[3] or "").lower())
    if time_of_day is None or meetings.time is not None:
        return False
    meetings.time = time_of_day
    return True


def _lasting(meetings: Meetings, match: re.Match[str]) -> bool:
    if meetings.minutes is not None:
        return False
    meetings.minutes = number_of(match[1]) * (1 if match[2] else 60) or None
    return meetings.minutes is not None


def _on(meetings: Meetings, day: date | None) -> bool:
    """Set the day; false if there is none, or another one already."""
    if day is None or meetings.day is not None or meetings.weeks:
        return False
    meetings.day = day
    return True


def _set_date(meetings: Meetings, match: re.Match[str]) -> bool:
    return _on(meetings, _date(match))


def _nearby(meetings: Meetings, match: re.Match[str]) -> bool:
    days = next(days for days, said in enumerate(_NEARBY) if said.fullmatch(match[0]))
    return _on(meetings, FIRST_MONDAY + timedelta(days=days))


def _ahead(meetings: Meetings, match: re.Match[str]) -> bool:
    return _on(meetings, FIRST_MONDAY + timedelta(days=number_of(match[1]) * (1 if match[2] else 7)))


def _in_next_week(meetings: Meetings, _: re.Match[str]) -> bool:
    if meetings.weeks or (meetings.day and not meetings.is_weekday):
        return False
    meetings.weeks = 1
    meetings.day = meetings.day and meetings.day + timedelta(weeks=1)
    return True


def _on_weekday(meetings: Meetings, match: re.Match[str]) -> bool:
    day = _weekday(match[2])
    if day is None or meetings.day is not None or (meetings.weeks and match[1]):
        return False
    meetings.day = day + timedelta(weeks=1 if match[1] else meetings.weeks)
    meetings.is_weekday = not match[1]
    return True


_PHRASES = (
    (_REPEATED, _set_recurrence),
    (_TIME, _at),
    (_LENGTH, _lasting),
    (_DATE, _set_date),
    *((said, _nearby) for said in reversed(_NEARBY)),
    (_AHEAD, _ahead),
    (_NEXT_WEEK, _in_next_week),
    (WEEKDAY, _on_weekday),
)


@cache
def _words_of_numbers() -> dict[int, re.Pattern[str]]:
    return {at: pattern("|".join(said)) for at, said in enumerate(NUMBERS)}


def number_of(text: str) -> int:
    """The value of a number in digits or words."""
    if text.isdigit():
        return int(text)
    if re.fullmatch(rf"(?:{ZERO})(?:\s+any)?", text, re.IGNORECASE):
        return 0
    return next(at for at, said in _words_of_numbers().items() if said.fullmatch(text))


def _key(said: Mapping[str, str], text: str) -> str:
    """The key whose pattern matches a text; empty if none does."""
    return next((key for key, each in said.items() if re.fullmatch(each, text, re.IGNORECASE)), "")


def _amount(text: str) -> int:
    """Parse an amount into the smallest unit; its two decimals may follow a point or a comma."""
    whole, cents = (text[:-3], text[-2:]) if text[-3:-2] in (".", ",") else (text, "00")
    return int(re.sub("[.,]", "", whole) + cents)


def _weekday(name: str) -> date | None:
    number = next((at for at, said in enumerate(DAYS) if name.lower() in said), None)
    return None if number is None else FIRST_MONDAY + timedelta(days=number)


def _date(match: re.Match[str]) -> date | None:
    given: Sequence[str] = match.groups()
    year, month, day = given[:3] if given[0] else reversed(given[3:])
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _time(hour: int, minute: int, half: str) -> time | None:
    if hour > (12 if half else 23) or (half and not hour):
        return None
    return time(hour % 12 + 12 * (half == "pm") if half else hour, minute)


def span(meetings: Meetings, day: date, at: time) -> tuple[str, str]:
    """The start and end of a meeting in the format of the calendar's seed configuration."""
    start = datetime.combine(meetings.day or day, meetings.time or at)
    end = start + timedelta(minutes=meetings.minutes or 60)
    return start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes")

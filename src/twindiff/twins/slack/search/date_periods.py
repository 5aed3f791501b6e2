"""Parsing of dates in search queries: `2026-01-31`, `yesterday`, `june` or `2026`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%d-%m-%Y")
_ONE_DAY = timedelta(days=1)


class Period(NamedTuple):
    """A range of days, from `first` to before `after`."""

    first: date
    after: date


def period_of(text: str, today: date) -> Period | None:
    """Parse a text to a range of days, relative to `today`; None if it is no date."""
    word = text.lower()
    for reading in (_day, _relative, _weekday, _month, _year):
        try:
            period = reading(word, today)
        except (ValueError, OverflowError):
            continue
        if period:
            return period
    return None


def _one_day(day: date) -> Period:
    return Period(day, day + _ONE_DAY)


def _day(word: str, today: date) -> Period | None:
    if re.fullmatch(r"\d{9,10}", word):
        return _one_day(datetime.fromtimestamp(int(word), UTC).date())
    for form in _FORMS:
        try:
            return _one_day(datetime.strptime(word, form).replace(tzinfo=UTC).date())
        except ValueError:
            continue
    return None


def _relative(word: str, today: date) -> Period | None:
    monday = today - timedelta(days=today.weekday())
    days = {
        "today": _one_day(today),
        "yesterday": _one_day(today - _ONE_DAY),
        "tomorrow": _one_day(today + _ONE_DAY),
        "week": Period(monday, monday + timedelta(days=7)),
        "month": _month_from(today.year, today.month),
        "year": _month_from(today.year, 1, 12),
    }
    return days.get(word)


def _weekday(word: str, today: date) -> Period | None:
    """Return the latest day with that name up to today."""
    at = _find_name(word, _WEEKDAYS)
    return None if at is None else _one_day(today - timedelta(days=(today.weekday() - at) % 7))


def _month(word: str, today: date) -> Period | None:
    """Return a month: `2026-01`, or the latest one with that name that has begun."""
    if match := re.fullmatch(r"(\d{4})-(\d{1,2})", word):
        return _month_from(int(match[1]), int(match[2]))
    at = _find_name(word, _MONTHS)
    return None if at is None else _month_from(today.year - (at + 1 > today.month), at + 1)


def _year(word: str, today: date) -> Period | None:
    return _month_from(int(word), 1, 12) if re.fullmatch(r"\d{4}", word) else None


def _find_name(word: str, names: Sequence[str]) -> int | None:
    return next((at for at, name in enumerate(names) if len(word) > 2 and name.startswith(word)), None)


def _month_from(year: int, month: int, months: int = 1) -> Period:
    past, zero_based = divmod(month - 1 + months, 12)
    return Period(date(year, month, 1), date(year + past, zero_based + 1, 1))


def start_of(day: date, zone: tzinfo) -> str:
    """Return the start of a day in the form of a message's `ts`."""
    instant = datetime.combine(day, time(), zone)
    return f"{max(0, int(instant.timestamp())):010d}.000000"

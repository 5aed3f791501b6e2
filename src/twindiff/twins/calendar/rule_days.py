"""Checks that a recurrence rule has any occurrence in the next century, the longest that a series lasts.

dateutil searches up to the year 9999, which takes seconds if there is none. Rules without occurrences are therefore
detected first, by testing each day of the rule's months against the parts of RFC 5545, 3.3.10.
"""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
YEARS = 100
_BY_DAY = ("BYDAY", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO")
_LAST = date(9_998, 12, 31)
_CENTURY = timedelta(days=366 * YEARS)


class Days(NamedTuple):
    """The days that a rule selects, in every `interval`-th period."""

    frequency: str
    interval: int
    week_start: int
    months: frozenset[int]
    month_days: frozenset[int]
    year_days: frozenset[int]
    weeks: frozenset[int]
    weekdays: frozenset[tuple[int, int]]
    """Pairs of the weekday's ordinal in the month or year, or 0 for all, and the weekday's number."""
    least: int
    """The number of days that a period must have so that BYSETPOS selects one."""


def can_occur(parts: Mapping[str, str], start: date) -> bool:
    """Whether a rule with these parts, like `{"FREQ": "DAILY"}`, has an occurrence on or after `start`."""
    if not any(name.startswith("BY") for name in parts):
        return True
    return _can_occur(tuple(sorted(parts.items())), start)


@lru_cache(maxsize=1_024)
def _can_occur(parts: tuple[tuple[str, str], ...], start: date) -> bool:
    days = _days(_with_defaults(dict(parts), start))
    period, count = -1, 0
    for each in _periods(days, start):
        period, count = each, count + 1 if each == period else 1
        if count >= days.least:
            return True
    return False


def _with_defaults(rule: dict[str, str], start: date) -> dict[str, str]:
    """Return the rule with the parts that its first day implies."""
    if any(name in rule for name in _BY_DAY) or rule["FREQ"] == "DAILY":
        return rule
    if rule["FREQ"] == "WEEKLY":
        return {**rule, "BYDAY": WEEKDAYS[start.weekday()]}
    month = {} if rule["FREQ"] == "MONTHLY" or "BYMONTH" in rule else {"BYMONTH": str(start.month)}
    return {**rule, **month, "BYMONTHDAY": str(start.day)}


def _days(rule: Mapping[str, str]) -> Days:
    def numbers(name: str) -> frozenset[int]:
        return frozenset(int(each) for each in rule[name].split(",")) if name in rule else frozenset()

    counts = rule["FREQ"] in ("MONTHLY", "YEARLY")
    named = [each for each in rule.get("BYDAY", "").split(",") if each]
    return Days(
        rule["FREQ"],
        int(rule.get("INTERVAL", "1")),
        WEEKDAYS.index(rule.get("WKST", "MO")),
        numbers("BYMONTH"),
        numbers("BYMONTHDAY"),
        numbers("BYYEARDAY"),
        numbers("BYWEEKNO") if rule["FREQ"] == "YEARLY" else frozenset(),
        frozenset((int(each[:-2] or "0") if counts else 0, WEEKDAYS.index(each[-2:])) for each in named),
        min((abs(each) for each in numbers("BYSETPOS")), default=1),
    )


def _periods(days: Days, start: date) -> Iterator[int]:
    """Yield the period's number for each day that the rule may select."""
    day = start if days.frequency in ("DAILY", "WEEKLY") else start.replace(month=1, day=1)
    last = day + _CENTURY if day < _LAST - _CENTURY else _LAST
    while day <= last:
        if days.months and day.month not in days.months:
            day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
            continue
        period = _period(days, start, day)
        if period >= 0 and period % days.interval == 0 and _fits(days, day):
            yield period
        day += timedelta(days=1)


def _period(days: Days, start: date, day: date) -> int:
    if days.frequency == "DAILY":
        return (day - start).days
    if days.frequency == "WEEKLY":
        return ((day - start).days + (start.weekday() - days.week_start) % 7) // 7
    months = (day.year - start.year) * 12 + day.month - start.month
    return months if days.frequency == "MONTHLY" else day.year - start.year


def _fits(days: Days, day: date) -> bool:
    if days.month_days and day.day not in days.month_days:
        from_end = day.day - monthrange(day.year, day.month)[1] - 1
        if from_end not in days.month_days:
            return False
    if days.weekdays and not _is_weekday(days, day):
        return False
    if days.year_days:
        of_year = day.timetuple().tm_yday
        if days.year_days.isdisjoint((of_year, of_year - 366 - isleap(day.year))):
            return False
    return not days.weeks or _is_in_week(days, day)


def _is_weekday(days: Days, day: date) -> bool:
    weekday = day.weekday()
    if (0, weekday) in days.weekdays:
        return True
    if days.frequency == "MONTHLY" or days.months:
        at, length = day.day, monthrange(day.year, day.month)[1]
    else:
        at, length = day.timetuple().tm_yday, 365 + isleap(day.year)
    return not days.weekdays.isdisjoint((((at + 6) // 7, weekday), (-((length - at) // 7 + 1), weekday)))


def _is_in_week(days: Days, day: date) -> bool:
    """Whether a day may be in one of the weeks.

    ISO weeks are compared with a tolerance of one, as weeks that begin on another day differ by at most one.
    """
    week = day.isocalendar().week
    return week >= 52 or any(each < 0 or abs(each - week) <= 1 for each in days.weeks)

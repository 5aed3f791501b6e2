"""What a prompt says of records beside how many there are: names, prices, days and times."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from twindiff.server.twin_runs.prompt_words import (
    COMING,
    CURRENCIES,
    DAY,
    DAYS,
    EVERY,
    NAMEABLE,
    NAMED,
    NEARBY,
    NEXT,
    NUMBER,
    NUMBERS,
    OFTEN,
    PRICED,
    UNITS,
    words,
)

FIRST_MONDAY = date(2026, 1, 5)
"""When seeded worlds begin: today, for whoever writes a prompt. A day of the week is the first one from here."""

RULES = {
    "day": "RRULE:FREQ=DAILY;COUNT=20",
    "week": "RRULE:FREQ=WEEKLY;COUNT=12",
    "month": "RRULE:FREQ=MONTHLY;COUNT=12",
    "year": "RRULE:FREQ=YEARLY;COUNT=5",
}
"""How meetings are repeated that are every day, week, month or year."""


def pattern(text: str) -> re.Pattern[str]:
    """A pattern in which case does not matter."""
    return re.compile(text, re.IGNORECASE)


_NAME = (
    rf'(?:(?:(?:{NAMED})\s+)?["„“]([^"„“”\n]{{1,100}})["“”]'
    rf'|(?:{NAMED})\s+([^\s"„“]+(?:\s[A-ZÄÖÜ][^\s"]*)*))'
)
_NOUN = {kind: pattern(words(said)) for kind, said in NAMEABLE.items()}
_NAMED = {kind: re.compile(rf"((?i:\b(?:{said})\s+)){_NAME}") for kind, said in NAMEABLE.items()}
_QUOTED = re.compile(r'^()["„“]([^"„“”\n]{1,100})["“”]()')
_UNIT = "|".join(CURRENCIES.values())
_TIMES = "|".join(UNITS[unit] for unit in ("day", "week", "month", "year"))
_PRICES = pattern(words(PRICED))
_PRICE = pattern(
    rf"(?:({_UNIT})\s?)?(?<![\w.,])(\d{{1,3}}(?:[.,]\d{{3}})+(?:[.,]\d\d)?|\d{{1,6}}(?:[.,]\d\d)?)(?![\w,.]*\d)"
    rf"(?:\s*({_UNIT})(?!\w))?(?:\s*(?:an?|per|every|/|pro|im|je|{EVERY})\s*({_TIMES})\b|\s+({OFTEN})\b)?"
)
_WEEKDAY = pattern(rf"\b(?:({NEXT})\s+|(?:{COMING})\s+)?({DAY})s?\b")
_DATE = pattern(r"\b(?:(\d{4})-(\d\d)-(\d\d)|(\d{1,2})\.(\d{1,2})\.(\d{4}))(?!\d)")
_NEARBY = [pattern(words("|".join(said))) for said in NEARBY]
_AHEAD = pattern(rf"\bin\s+({NUMBER})\s+(?:({UNITS['day']})|{UNITS['week']})\b")
_NEXT_WEEK = pattern(rf"\b(?:{NEXT})\s+(?:week|woche)\b")
_TIME = pattern(
    r"\bat\s+(\d{1,2})(?::([0-5]\d))?(?:\s*(am|pm))?(?![\w:])"
    r"|\b(?:um|gegen)\s+(\d{1,2})(?:[:.]([0-5]\d))?(?:\s*uhr\b)?(?![\w:])"
)
_REPEATED = pattern(rf"\b(?:(?:{EVERY})\s+({_TIMES}|{DAY})|({OFTEN}))\b")
_LENGTH = pattern(rf"\b(?:for|für|fuer)\s+({NUMBER})\s+(?:({UNITS['minute']})|{UNITS['hour']})\b")


class Price(NamedTuple):
    """What a product costs, in the smallest unit."""

    amount: int
    currency: str
    interval: str | None


class File(NamedTuple):
    """A file by name, in a folder by name where the prompt says so."""

    name: str
    folder: str | None


class Meetings:
    """Meetings that are spoken of together; what is not said of them is None."""

    def __init__(self, count: int) -> None:
        self.names: list[str] = []
        self.count = count
        self.day: date | None = None
        self.weeks = 0
        """Where no day is said, in which week from the first it is."""
        self.time: time | None = None
        self.minutes = 60
        self.rule: str | None = None


class Details:
    """Reads clauses one after the other; what follows a noun without one of its own is said of that noun."""

    def __init__(self) -> None:
        self.names: dict[str, list[str]] = {kind: [] for kind in ("customers", "products", "folders")}
        self.files: list[File] = []
        self.prices: list[Price] = []
        self.price_of: dict[str, Price] = {}
        self.meetings: list[Meetings] = []
        self._spoken_of: str | None = None
        self._unpriced: list[str] = []

    def nouns(self, clause: str) -> list[str]:
        """The kinds of records that a clause speaks of."""
        return [kind for kind, noun in _NOUN.items() if noun.search(unquoted(clause))]

    def read(self, clause: str, counts: dict[str, int]) -> str:
        """Take what a clause says, in which so many of each kind were counted; gives what is left of it."""
        nouns = self.nouns(clause)
        if nouns:
            self._spoken_of = nouns[-1]
        if self._spoken_of == "meetings" and nouns:
            self.meetings.append(Meetings(counts.get("meetings", 1)))
        if self._spoken_of == "products" and nouns:
            self._unpriced = []
        for kind in nouns or filter(None, [self._spoken_of]):
            naming = _NAMED[kind] if nouns else _QUOTED
            for match in naming.finditer(clause):
                self._name(kind, match[2] or match[3])
            clause = naming.sub(r"\1", clause)
        if self._spoken_of == "products":
            clause = _PRICES.sub("", _taken(clause, _PRICE, self._price))
        elif self._spoken_of == "meetings" and self.meetings:
            clause = self._when(clause, self.meetings[-1])
        return clause

    def _name(self, kind: str, name: str) -> None:
        if kind == "meetings":
            self.meetings[-1].names.append(name)
        elif kind == "files":
            self.files.append(File(name, self.names["folders"][-1] if self.names["folders"] else None))
        elif name not in self.names[kind]:
            self.names[kind].append(name)
            self._unpriced += [name] if kind == "products" else []

    def _price(self, match: re.Match[str]) -> bool:
        unit = match[1] or match[3]
        if unit is None:
            return False
        often = match[4] or match[5]
        price = Price(_amount(match[2]), _key(CURRENCIES, unit), often and _key(UNITS, often))
        self.price_of.update(dict.fromkeys(self._unpriced, price))
        self.prices += [] if self._unpriced else [price]
        self._unpriced = []
        return True

    def _when(self, clause: str, meetings: Meetings) -> str:
        """Take when meetings are; gives what is left of a clause."""

        def repeated(match: re.Match[str]) -> bool:
            often = match[1] or match[2]
            meetings.rule = RULES[_key(UNITS, often) or "week"]
            meetings.day = _weekday(often) or meetings.day
            return True

        def at(match: re.Match[str]) -> bool:
            time_of_day = _time(int(match[1] or match[4]), int(match[2] or match[5] or 0), (match[3] or "").lower())
            meetings.time = time_of_day or meetings.time
            return time_of_day is not None

        def lasting(match: re.Match[str]) -> bool:
            meetings.minutes = number_of(match[1]) * (1 if match[2] else 60)
            return meetings.minutes > 0

        for part, take in ((_REPEATED, repeated), (_TIME, at), (_LENGTH, lasting)):
            clause = _taken(clause, part, take)
        return self._day(clause, meetings)

    def _day(self, clause: str, meetings: Meetings) -> str:
        """Take on which day meetings are; gives what is left of a clause."""

        def on(day: date | None) -> bool:
            meetings.day = day or meetings.day
            return day is not None

        def in_next_week(match: re.Match[str]) -> bool:
            meetings.weeks = 1
            return True

        def weekday(match: re.Match[str]) -> bool:
            day = _weekday(match[2])
            return on(day and day + timedelta(weeks=1 if match[1] else 0))

        def ahead(match: re.Match[str]) -> bool:
            return on(FIRST_MONDAY + timedelta(days=number_of(match[1]) * (1 if match[2] else 7)))

        clause = _taken(clause, _DATE, lambda match: on(_date(match)))
        for days, said in reversed([*enumerate(_NEARBY)]):
            clause = _taken(clause, said, lambda _, days=days: on(FIRST_MONDAY + timedelta(days=days)))
        for part, take in ((_AHEAD, ahead), (_NEXT_WEEK, in_next_week), (_WEEKDAY, weekday)):
            clause = _taken(clause, part, take)
        return clause


def number_of(text: str) -> int:
    """The number of a digit or word."""
    if text.isdigit():
        return int(text)
    return next(at for at, said in enumerate(NUMBERS) if re.fullmatch("|".join(said), text, re.IGNORECASE))


def unquoted(text: str) -> str:
    """A text without what stands in quotation marks, which is somebody's name for something."""
    return re.sub(r'["„“][^"„“”\n]*["“”]', '""', text)


def _taken(clause: str, part: re.Pattern[str], take: Callable[[re.Match[str]], bool]) -> str:
    """A clause without the matches that could be taken."""
    return part.sub(lambda match: "" if take(match) else match[0], clause)


def _key(said: Mapping[str, str], text: str) -> str:
    """Under which key a text stands as one of its words; empty for none."""
    return next((key for key, each in said.items() if re.fullmatch(each, text, re.IGNORECASE)), "")


def _amount(text: str) -> int:
    """A price in the smallest unit, with a point or a comma before its two decimals."""
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
    """When a meeting begins and ends, as a calendar is seeded with."""
    start = datetime.combine(meetings.day or day, meetings.time or at)
    end = start + timedelta(minutes=meetings.minutes)
    return start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes")

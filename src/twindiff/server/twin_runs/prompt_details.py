"""What a prompt says of records beside how many there are: names, prices, days and times."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

NOUNS = {
    "customers": r"customers?|clients?",
    "products": r"products?",
    "folders": r"folders?|director(?:y|ies)",
    "files": r"files?|documents?|docs?",
    "meetings": r"meetings?|events?|appointments?|calls?",
}
"""The records that may have names, and the words for them."""
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FIRST_MONDAY = date(2026, 1, 5)
"""When seeded worlds begin; a day of the week is the first one from here."""
CURRENCIES = {"$": "usd", "€": "eur", "£": "gbp", "dollar": "usd", "euro": "eur", "pound": "gbp"}

_NAME = r'(?:(?:(?:named|called)\s+)?"([^"\n]{1,100})"|(?:named|called)\s+([^\s"]+(?:\s[A-Z][^\s"]*)*))'
_NOUN = {kind: re.compile(rf"(?i:\b(?:{words})\b)") for kind, words in NOUNS.items()}
_NAMED = {kind: re.compile(rf"((?i:\b(?:{words})\s+)){_NAME}") for kind, words in NOUNS.items()}
_QUOTED = re.compile(r'^()"([^"\n]{1,100})"()')
_PRICES = re.compile(r"\bpric(?:es?|ed)\b", re.IGNORECASE)
_PRICE = re.compile(
    r"(?:([$€£])\s?)?\b(\d{1,3}(?:,\d{3})+(?:\.\d\d)?|\d{1,6}(?:\.\d\d)?)\b(?:\s*(usd|eur|gbp|dollar|euro|pound)s?\b)?"
    r"(?:\s*(?:a|per|every|/)\s*(day|week|month|year)\b)?",
    re.IGNORECASE,
)
_DAY = re.compile(rf"\b(?:({'|'.join(DAYS)})|(\d{{4}}-\d\d-\d\d))\b", re.IGNORECASE)
_TIME = re.compile(r"\bat\s+(\d{1,2})(?::([0-5]\d))?(?:\s*(am|pm))?(?![\w:])", re.IGNORECASE)
_REPEATED = re.compile(rf"\b(?:(?:every|each)\s+(day|week|{'|'.join(DAYS)})|(daily|weekly))\b", re.IGNORECASE)
_LENGTH = re.compile(r"\bfor\s+(\d{1,3}|an?)\s+(minute|hour)s?\b", re.IGNORECASE)


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
            pattern = _NAMED[kind] if nouns else _QUOTED
            for match in pattern.finditer(clause):
                self._name(kind, match[2] or match[3])
            clause = pattern.sub(r"\1", clause)
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
        currency = CURRENCIES.get(unit.lower(), unit.lower())
        price = Price(round(float(match[2].replace(",", "")) * 100), currency, match[4] and match[4].lower())
        self.price_of.update(dict.fromkeys(self._unpriced, price))
        self.prices += [] if self._unpriced else [price]
        self._unpriced = []
        return True

    def _when(self, clause: str, meetings: Meetings) -> str:
        def repeated(match: re.Match[str]) -> bool:
            often = (match[1] or match[2]).lower()
            meetings.rule = "RRULE:FREQ=DAILY;COUNT=20" if often in ("day", "daily") else "RRULE:FREQ=WEEKLY;COUNT=12"
            meetings.day = _weekday(often) if often in DAYS else meetings.day
            return True

        def day(match: re.Match[str]) -> bool:
            found = _weekday(match[1].lower()) if match[1] else _date(match[2])
            meetings.day = found or meetings.day
            return found is not None

        def at(match: re.Match[str]) -> bool:
            found = _time(int(match[1]), int(match[2] or 0), (match[3] or "").lower())
            meetings.time = found or meetings.time
            return found is not None

        def lasting(match: re.Match[str]) -> bool:
            number = int(match[1]) if match[1].isdigit() else 1
            meetings.minutes = number * (60 if match[2].lower() == "hour" else 1)
            return number > 0

        for pattern, take in ((_REPEATED, repeated), (_DAY, day), (_TIME, at), (_LENGTH, lasting)):
            clause = _taken(clause, pattern, take)
        return clause


def unquoted(text: str) -> str:
    """A text without what stands in quotation marks, which is somebody's name for something."""
    return re.sub(r'"[^"\n]*"', '""', text)


def _taken(clause: str, pattern: re.Pattern[str], take: Callable[[re.Match[str]], bool]) -> str:
    """A clause without the matches that could be taken."""
    return pattern.sub(lambda match: "" if take(match) else match[0], clause)


def _weekday(name: str) -> date:
    return FIRST_MONDAY + timedelta(days=DAYS.index(name))


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
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

"""Parsing of the sentences that `quickAdd` takes, in this grammar.

    text     = parts in any order; what is none of the following is the title
    day      = "today" | "tonight" | "tomorrow" | [("on" | "next" | "this")] weekday
             | ["on"] month day [","] [year] | ["on"] day month [year] | yyyy-mm-dd | m/d[/yyyy]
    time     = ["at" | "from"] clock [("-" | "to" | "until") clock]
    clock    = h[:mm] ("am" | "pm") | hh:mm | "noon" | "midnight" | h, after "at" or "from"
    length   = "for" number ("minutes" | "hours" | "days")
    repeats  = "every" ("day" | "week" | "month" | "year" | "weekday" | weekday)
             | "daily" | "weekly" | "monthly" | "yearly"
    place    = ("at" | "in") words, at the end

A time that has passed today means tomorrow; a month and day that have passed mean next year. An event without a time
lasts all day, one without a day is today, and one without a length lasts an hour.
https://support.google.com/calendar/answer/37188 has Google's own examples.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from .times import format_instant, instant_of, zone_of
from .times import micros_of as instant_micros

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_NAMES = "|".join((*WEEKDAYS, *(f"{name[:3]}" for name in WEEKDAYS), "tues", "thurs"))
_MONTH_NAMES = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_CLOCK = r"(?:\d{1,2}(?::\d\d)?\s*[ap]\.?m\b\.?|\d{1,2}:\d\d|noon|midnight)"
_BARE = rf"(?:{_CLOCK}|\d{{1,2}}(?![\d/]))"

_ISO = re.compile(r"\b(?:on\s+)?(\d{4})-(\d\d)-(\d\d)\b")
_MONTH_DAY = re.compile(
    rf"\b(?:on\s+)?({_MONTH_NAMES})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE
)
_DAY_MONTH = re.compile(
    rf"\b(?:on\s+)?(\d{{1,2}})(?:st|nd|rd|th)?\s+({_MONTH_NAMES})\b\.?(?:,?\s+(\d{{4}})\b)?", re.IGNORECASE
)
_SLASHES = re.compile(r"\b(?:on\s+)?(\d{1,2})/(\d{1,2})(?:/(\d{4}))?\b")
_NEAR = re.compile(rf"\b(?:(?:on|next|this)\s+)?(today|tonight|tomorrow|{_DAY_NAMES})\b", re.IGNORECASE)
_EVERY = re.compile(
    rf"\b(?:every\s+(day|week|month|year|weekday|{_DAY_NAMES})|(daily|weekly|monthly|yearly))\b", re.IGNORECASE
)
_TIMES = re.compile(
    rf"\b(?:(?:from|at)\s+({_BARE})|({_CLOCK}))(?:\s*(?:-|\u2013|to|until)\s*({_BARE}))?|\b(\d{{1,2}})\s*(?:-|\u2013)\s*({_CLOCK})",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"\bfor\s+(\d{1,4}(?:\.\d)?)\s*(minutes?|mins?|hours?|hrs?|days?)\b", re.IGNORECASE)
_PLACE = re.compile(r"\s(?:at|in)\s+([^,]+)$", re.IGNORECASE)


class Rest(NamedTuple):
    """The part of the sentence that is not parsed yet."""

    text: str

    def without(self, match: re.Match[str]) -> Rest:
        return Rest(f"{self.text[: match.start()]} {self.text[match.end() :]}")


def read_quick_text(text: str, now: int, zone: str) -> dict[str, Any]:
    """Parse a sentence to event columns: `summary`, `location`, `start`, `end` and maybe `recurrence`.

    `now` is in microseconds since 1970.
    """
    here = instant_of(now, zone_of(zone)).replace(tzinfo=None)
    rest = Rest(text.strip().rstrip("."))
    recurrence, every, rest = _repeats(rest)
    length, rest = _length(rest)
    day, rest = _day(rest, here)
    first, last, rest = _times(rest)
    title, place = _title(rest.text)
    on = day or (_next_weekday(here.date(), every) if every is not None else here.date())
    columns: dict[str, Any] = {"summary": title or None, "location": place}
    if recurrence:
        columns["recurrence"] = [recurrence]
    if first is None:
        days = length.days if length and length.days else 1
        return {**columns, "start": {"date": on.isoformat()}, "end": {"date": (on + timedelta(days=days)).isoformat()}}
    begin = datetime.combine(on, datetime.min.time()) + first
    if day is None and every is None and begin < here:
        begin += timedelta(days=1)
    end = begin + (length or (_span(first, last) if last is not None else timedelta(hours=1)))
    return {**columns, "start": _moment(begin, zone), "end": _moment(end, zone)}


def _moment(local: datetime, zone: str) -> dict[str, str]:
    own = zone_of(zone)
    return {"dateTime": format_instant(instant_micros(local.replace(tzinfo=own)), own), "timeZone": zone}


def _span(first: timedelta, last: timedelta) -> timedelta:
    return last - first if last > first else last - first + timedelta(days=1)


def _repeats(rest: Rest) -> tuple[str | None, int | None, Rest]:
    match = _EVERY.search(rest.text)
    if not match:
        return None, None, rest
    word = (match[1] or match[2]).lower()
    plain = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
    if word == "weekday":
        return "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", None, rest.without(match)
    if word in plain or match[2]:
        return f"RRULE:FREQ={plain.get(word, word.upper())}", None, rest.without(match)
    number = _weekday(word)
    return f"RRULE:FREQ=WEEKLY;BYDAY={WEEKDAYS[number][:2].upper()}", number, rest.without(match)


def _length(rest: Rest) -> tuple[timedelta | None, Rest]:
    match = _LENGTH.search(rest.text)
    if not match:
        return None, rest
    unit = {"m": "minutes", "h": "hours", "d": "days"}[match[2][0].lower()]
    return timedelta(**{unit: float(match[1])}), rest.without(match)


def _weekday(word: str) -> int:
    return next(number for number, name in enumerate(WEEKDAYS) if name.startswith(word[:3]))


def _next_weekday(today: date, number: int) -> date:
    return today + timedelta(days=(number - today.weekday()) % 7)


def _day(rest: Rest, now: datetime) -> tuple[date | None, Rest]:
    for pattern, order in ((_ISO, "ymd"), (_MONTH_DAY, "mdy"), (_DAY_MONTH, "dmy"), (_SLASHES, "mdy")):
        match = pattern.search(rest.text)
        day = _parse_date(dict(zip(order, match.groups(), strict=True)), now.date()) if match else None
        if match and day:
            return day, rest.without(match)
    match = _NEAR.search(rest.text)
    if not match:
        return None, rest
    word = match[1].lower()
    if word in ("today", "tonight"):
        return now.date(), rest.without(match)
    if word == "tomorrow":
        return now.date() + timedelta(days=1), rest.without(match)
    day = _next_weekday(now.date(), _weekday(word))
    return day + timedelta(days=7 if day == now.date() else 0), rest.without(match)


def _parse_date(parts: dict[str, str | None], today: date) -> date | None:
    month = parts["m"] or ""
    number = int(month) if month.isdecimal() else MONTHS.index(month[:3].lower()) + 1
    try:
        day = date(int(parts["y"] or today.year), number, int(parts["d"] or 0))
        return day.replace(year=today.year + 1) if not parts["y"] and day < today else day
    except ValueError:
        return None


def _times(rest: Rest) -> tuple[timedelta | None, timedelta | None, Rest]:
    match = _TIMES.search(rest.text)
    if not match:
        return None, None, rest
    first, last = match[1] or match[2] or match[4], match[3] or match[5]
    end = _clock(last, None) if last else None
    begin = _clock(first, last)
    if begin is None or (last and end is None):
        return None, None, rest
    return begin, end, rest.without(match)


def _clock(text: str, like: str | None) -> timedelta | None:
    """Parse a time of day; `like` is the end of a range, so that `9` in `9-11am` is in the morning."""
    word = text.strip().lower().replace(".", "")
    if word in ("noon", "midnight"):
        return timedelta(hours=12 if word == "noon" else 0)
    half = word[-2:] if word.endswith("m") else (like or "").strip().lower().replace(".", "")[-2:]
    hours, _, minutes = word.removesuffix("am").removesuffix("pm").strip().partition(":")
    hour, minute = int(hours), int(minutes or 0)
    if hour > 23 or minute > 59 or (half in ("am", "pm") and not 1 <= hour <= 12):
        return None
    if half in ("am", "pm"):
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif ":" not in word and hour < 8:
        hour += 12  # "at 5" means the afternoon
    return timedelta(hours=hour, minutes=minute)


def _title(text: str) -> tuple[str, str | None]:
    words = re.sub(r"\s+", " ", text).strip(" ,")
    words = re.sub(r"\s+(?:at|on|from|in|,)$", "", words).strip(" ,")
    match = _PLACE.search(words)
    return (words[: match.start()].strip(" ,"), match[1].strip()) if match else (words, None)

"""Reads the days and times of a sentence."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from twindiff.server.apis.twin_runs.world_prompt_details import FIRST_MONDAY, Meetings, read_when
from twindiff.server.apis.twin_runs.world_prompt_words import DAYS

from .noun_phrases import PhraseReader

_CLOCK = r"(\d{1,2})(?::([0-5]\d))?\s{0,2}(am|pm)?"
_FROM_TO = re.compile(rf"from\s+{_CLOCK}\s+(?:to|until|till)\s+{_CLOCK}(?![\w:])", re.IGNORECASE)
_AGO = re.compile(r"(\d{1,3}|an?|one|two|three|four|five|six|seven)\s+(hour|day|week)s?\s+ago\b", re.IGNORECASE)
_AHEAD = re.compile(r"in\s+(\d{1,3}|an?|one|two|three|four|five|six|seven)\s+(day|week)s?\b", re.IGNORECASE)
_NAMED_DAY = re.compile(rf"(?:on\s+)?(?:(next|this)\s+)?({'|'.join(names[0] for names in DAYS)})\b", re.IGNORECASE)
_DATE = re.compile(r"(?:on\s+)?(\d{4}-\d\d-\d\d)(?!\d)")
_NEAR = {"yesterday": -1, "today": 0, "tomorrow": 1}
_TAKES_PLACE = ("takes place", "take place", "starts", "scheduled")
_NUMBERS = {word: number for number, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven"])}


def read_day(words: PhraseReader, at: int) -> tuple[str | None, int]:
    """The day at a token, as an ISO date in a world that begins on `FIRST_MONDAY`, and the token after it."""
    if at >= len(words.tokens):
        return None, at
    if words.lower(at) in _NEAR:
        return (FIRST_MONDAY + timedelta(days=_NEAR[words.lower(at)])).isoformat(), at + 1
    text, begin = words.text, words.tokens[at].begin
    for form, read in ((_AGO, _ago), (_AHEAD, _ahead), (_DATE, _read_date), (_NAMED_DAY, _weekday)):
        match = form.match(text, begin)
        day = read(match) if match else None
        if match and day:
            return day.isoformat(), words.token_after(match.end())
    return None, at


def _number(text: str) -> int:
    lower = text.lower()
    return int(lower) if lower.isdigit() else _NUMBERS.get(lower, 1)


def _ago(match: re.Match[str]) -> date:
    units = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
    begins = datetime.combine(FIRST_MONDAY, time(9))
    return (begins - _number(match[1]) * units[match[2].lower()]).date()


def _ahead(match: re.Match[str]) -> date:
    return FIRST_MONDAY + timedelta(days=_number(match[1]) * (7 if match[2].lower() == "week" else 1))


def _read_date(match: re.Match[str]) -> date | None:
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def _weekday(match: re.Match[str]) -> date:
    number = next(at for at, names in enumerate(DAYS) if names[0] == match[2].lower())
    return FIRST_MONDAY + timedelta(days=number, weeks=1 if (match[1] or "").lower() == "next" else 0)


def read_meeting(words: PhraseReader, at: int, when: Meetings) -> int:
    """Read a phrase of time into that of a meeting; returns the token after it, or the token itself."""
    taken = words.match(at, _TAKES_PLACE)
    if taken:
        return taken
    text, begin = words.text, words.tokens[at].begin
    span = _FROM_TO.match(text, begin)
    if span and _set_span(span, when):
        return words.token_after(span.end())
    skipped = at + 1 if words.lower(at) in ("on", "am") and at + 1 < len(words.tokens) else at
    end = read_when(text, words.tokens[skipped].begin, when)
    if end > words.tokens[skipped].begin:
        return words.token_after(end)
    if words.lower(at) == "daily" and when.rule is None:
        return at
    return at


def _set_span(match: re.Match[str], when: Meetings) -> bool:
    begin, end = _clock(match[1], match[2], match[3] or match[6]), _clock(match[4], match[5], match[6])
    if begin is None or end is None or end <= begin or when.time or when.minutes:
        return False
    when.time = begin
    when.minutes = (end.hour - begin.hour) * 60 + end.minute - begin.minute
    return True


def _clock(hour: str, minute: str | None, half: str | None) -> time | None:
    number = int(hour)
    if number > (12 if half else 23):
        return None
    number = number % 12 + 12 * (half.lower() == "pm") if half else number
    return time(number, int(minute or 0))

"""Expansion of recurrences: RRULE, EXRULE, RDATE and EXDATE lines.

https://developers.google.com/workspace/calendar/api/concepts/events-calendars#recurrence_rule and RFC 5545, 3.8.5.
Rules apply in the local time of the event's zone: a meeting at nine stays at nine across daylight saving changes.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import msgspec
from dateutil.rrule import rrulestr

from .errors import InvalidRecurrence
from .rule_days import YEARS, can_occur
from .times import FAR, instant_of, micros_of, zone_of

MAX_YEARS = YEARS
"""Years after its start at which every series ends."""

MAX_OCCURRENCES = 20_000
"""The most occurrences that a rule expands to."""

_RULE_PARTS = frozenset(
    [
        "FREQ",
        "INTERVAL",
        "COUNT",
        "UNTIL",
        "WKST",
        "BYDAY",
        "BYMONTH",
        "BYMONTHDAY",
        "BYYEARDAY",
        "BYWEEKNO",
        "BYSETPOS",
    ]
)
_FLOATING_UNTIL = re.compile(r"(?i)UNTIL=\d{8}T\d{6}(?![Z\d])")
"""An UNTIL that is neither a day nor in UTC, which Google refuses for timed series."""

_FREQUENCIES = frozenset(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
_PROBLEMS = (ValueError, KeyError, IndexError, TypeError, OverflowError, AttributeError)


class Schedule(NamedTuple):
    """A recurrence: the zone, the local start of the first occurrence in ISO format, and the recurrence lines."""

    zone: str
    start: str
    is_all_day: bool
    lines: tuple[str, ...]

    def text(self) -> str:
        """Return the JSON text that is stored in a column and that `between` takes."""
        return msgspec.json.encode(self).decode()


class Line(NamedTuple):
    """A parsed recurrence line: `NAME;TZID=ZONE:VALUE`."""

    name: str
    zone: str
    value: str
    text: str
    """The whole line, for messages."""


def check(schedule: Schedule) -> None:
    """Raise InvalidRecurrence unless all lines can be expanded."""
    lines = [*_lines(schedule)]
    if not any(line.name in ("RRULE", "RDATE") for line in lines):
        raise InvalidRecurrence("Invalid recurrence rule. There is neither an RRULE nor an RDATE.")
    for line in lines:
        if line.name.endswith("RULE") and _has_wrong_end(line.value.upper(), schedule):
            raise _invalid(line.text)
    _expand(schedule, datetime.fromisoformat(schedule.start) + timedelta(days=1))


def _has_wrong_end(rule: str, schedule: Schedule) -> bool:
    """Return whether a rule has both COUNT and UNTIL, or a floating UNTIL although its series is timed.

    https://developers.google.com/workspace/calendar/api/concepts/events-calendars#recurrence_rule
    """
    has_both = "COUNT=" in rule and "UNTIL=" in rule
    return has_both or (not schedule.is_all_day and bool(_FLOATING_UNTIL.search(rule)))


def is_endless(schedule: Schedule) -> bool:
    """Whether a rule has neither COUNT nor UNTIL."""
    rules = [line.value.upper() for line in _lines(schedule) if line.name == "RRULE"]
    return any("COUNT=" not in rule and "UNTIL=" not in rule for rule in rules)


def last_start(schedule: Schedule) -> int:
    """Return the start of the last occurrence in microseconds since 1970, FAR if endless, or -1 if there is none."""
    if is_endless(schedule):
        return FAR
    starts = occurrences(schedule.text(), datetime.fromisoformat(schedule.start).year + MAX_YEARS)
    return starts[-1] if starts else -1


def between(schedule: str, low: int, high: int) -> Sequence[int]:
    """Return the starts in `low <= start < high`, sorted, in microseconds since 1970."""
    starts = occurrences(schedule, _year_of(min(high, FAR)) + 1)
    first = bisect_left(starts, low)
    return starts[first : bisect_left(starts, high, first)]


@lru_cache(maxsize=1_024)
def _year_of(micros: int) -> int:
    return instant_of(micros).year


def is_occurrence(schedule: str, start: int) -> bool:
    """Whether an occurrence starts at `start`, in microseconds since 1970."""
    return bool(between(schedule, start, start + 1))


@lru_cache(maxsize=2_048)
def occurrences(schedule: str, year: int) -> array[int]:
    """Return all starts up to the end of `year`, sorted, in microseconds since 1970."""
    given = msgspec.json.decode(schedule, type=Schedule)
    zone, first = zone_of(given.zone), datetime.fromisoformat(given.start)
    limit = datetime(min(year, first.year + MAX_YEARS, 9_998), 12, 31, 23, 59, 59)  # noqa: DTZ001 - local time
    return array("q", sorted({micros_of(each.replace(tzinfo=zone)) for each in _expand(given, limit)}))


def _expand(schedule: Schedule, limit: datetime) -> set[datetime]:
    start = datetime.fromisoformat(schedule.start)
    lines = [*_lines(schedule)]
    wanted: set[datetime] = set() if any(line.name == "RRULE" for line in lines) else {start}
    unwanted: set[datetime] = set()
    for line in lines:
        into = wanted if line.name in ("RRULE", "RDATE") else unwanted
        try:
            into.update(_rule(line, schedule, limit) if line.name.endswith("RULE") else _dates(line, schedule))
        except _PROBLEMS:
            raise _invalid(line.text) from None
    return {each for each in wanted - unwanted if each <= limit}


def _lines(schedule: Schedule) -> Iterator[Line]:
    for text in schedule.lines:
        head, colon, value = text.strip().partition(":")
        name, *options = head.upper().split(";")
        if name not in ("RRULE", "EXRULE", "RDATE", "EXDATE") or not colon:
            raise _invalid(text)
        zones = [option[5:].strip('"') for option in head.split(";")[1:] if option.upper().startswith("TZID=")]
        if any("PERIOD" in option for option in options):
            raise _invalid(text)
        yield Line(name, zones[0] if zones else "", value.strip(), text)


def _invalid(line: str) -> InvalidRecurrence:
    return InvalidRecurrence(f"Invalid recurrence rule. {line}"[:500])


def _rule(line: Line, schedule: Schedule, limit: datetime) -> Iterator[datetime]:
    """Yield the local starts of one rule; that of the series is one of an RRULE's, in its pattern or not.

    COUNT counts those in the pattern, as at Google: https://github.com/googleapis/google-api-nodejs-client/issues/2214
    and https://github.com/fmeringdal/rust-rrule/issues/119

    COUNT is applied here and UNTIL is passed to dateutil; `check` refuses rules with both, seeds may have them.
    """
    parts = dict(part.upper().split("=", 1) for part in line.value.rstrip(";").split(";"))
    if not parts.keys() <= _RULE_PARTS or parts.get("FREQ") not in _FREQUENCIES:
        raise ValueError(line.value)
    count, until = parts.pop("COUNT", None), parts.pop("UNTIL", None)
    if (count is not None and int(count) < 1) or not 1 <= int(parts.get("INTERVAL", "1")) <= MAX_YEARS * 366:
        raise ValueError(line.value)
    start = datetime.fromisoformat(schedule.start)
    end = min(limit, _until(until, schedule)) if until else limit
    rule = cast(Any, rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=start))
    own = [start] if line.name == "RRULE" and start <= end else []
    if not can_occur(parts, start.date()):
        return iter(own)
    most = min(int(count), MAX_OCCURRENCES) if count else MAX_OCCURRENCES
    return chain(own, islice(iter(rule.replace(until=end)), most))


def _until(text: str, schedule: Schedule) -> datetime:
    if len(text) == 8:
        return datetime.combine(datetime.strptime(text, "%Y%m%d").date(), time.max)  # noqa: DTZ007 - a local day
    if schedule.is_all_day:
        return datetime.combine(datetime.strptime(text[:8], "%Y%m%d").date(), time.max)  # noqa: DTZ007 - a local day
    return _local(text, "", schedule)


def _dates(line: Line, schedule: Schedule) -> Iterator[datetime]:
    for text in filter(None, line.value.split(",")):
        if schedule.is_all_day or len(text) == 8:
            day = datetime.strptime(text[:8], "%Y%m%d")  # noqa: DTZ007 - a local day
            first = datetime.fromisoformat(schedule.start)
            yield datetime.combine(day.date(), first.time())
        else:
            yield _local(text, line.zone, schedule)


def _local(text: str, zone: str, schedule: Schedule) -> datetime:
    """Convert a basic-format time to local time of the series: from UTC with a Z, from `zone`, or local already."""
    own = zone_of(schedule.zone)
    if text.upper().endswith("Z"):
        moment = datetime.strptime(text[:-1].upper(), "%Y%m%dT%H%M%S").replace(tzinfo=UTC)
    else:
        moment = datetime.strptime(text.upper(), "%Y%m%dT%H%M%S").replace(tzinfo=zone_of(zone) if zone else own)
    return moment.astimezone(own).replace(tzinfo=None)

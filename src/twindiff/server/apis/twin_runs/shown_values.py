"""Decides whether the values of a row show a fact of a prompt: a name, a quoted text, a number, a day or a time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

from twindiff.browser.page_text import normalize_blanks
from twindiff.browser.prompt_facts import Fact
from twindiff.server.apis.twin_runs.world_prompt_words import DAYS

MAX_WEEKDAY_DISTANCE = timedelta(days=14)
"""How far from the start of a run a day may be that a prompt names by its weekday."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")
_TIMED = re.compile(r"creat|date|start|end|due|_at$|At$|period|cancel|due|ts$", re.IGNORECASE)
_MENTION = re.compile(
    r"\b(?:about|mention\w*|contain\w*|includ\w+|with the words?|says? that|regarding|reported|asks?|why)\b",
    re.IGNORECASE,
)
_EPOCHS = range(1_000_000_000, 4_000_000_000)


def list_leaves(value: Any) -> Iterator[Any]:
    """Yield the plain values in a JSON value."""
    if isinstance(value, dict):
        for each in cast("dict[str, Any]", value).values():
            yield from list_leaves(each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from list_leaves(each)
    else:
        yield value


def read_instant(path: str, value: Any) -> datetime | None:
    """Return the day or instant that a value is, in UTC without a zone; None for any other value."""
    if isinstance(value, str) and _INSTANT.fullmatch(value):
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return None
        return read.replace(tzinfo=None)
    if isinstance(value, int) and not isinstance(value, bool) and value in _EPOCHS and _TIMED.search(path):
        return datetime.fromtimestamp(value, UTC).replace(tzinfo=None)
    return None


def shows_name(values: Iterable[Any], text: str) -> bool:
    """Return whether a value has a name as whole words, in any case."""
    wanted = re.compile(rf"(?<![\w@.-]){re.escape(normalize_blanks(text))}(?![\w@-]|\.\w)", re.IGNORECASE)
    return any(isinstance(leaf, str) and wanted.search(normalize_blanks(leaf)) for leaf in _leaves(values))


def shows_quoted(values: Iterable[Any], text: str, clause: str) -> bool:
    """Return whether a value is a quoted text; it may be a part where the prompt says `about` or `mentions`."""
    wanted = _bare(text)
    texts = [_bare(leaf) for leaf in _leaves(values) if isinstance(leaf, str)]
    return wanted in texts or (bool(_MENTION.search(clause)) and any(wanted in each for each in texts))


def shows_date(values: dict[str, Any], fact: Fact) -> bool:
    """Return whether a value is a date of a prompt."""
    days = [instant.date().isoformat() for path, each in values.items() for instant in _instants(path, each)]
    return any(fact.is_said_in(day) for day in days) or any(fact.is_said_in(_text(each)) for each in values.values())


def shows_day(values: dict[str, Any], day: date) -> bool:
    """Return whether a value is on a day."""
    return any(instant.date() == day for path, each in values.items() for instant in _instants(path, each))


def find_weekday(text: str) -> int | None:
    """Return the number of a weekday, Monday 0; None for another word."""
    word = text.lower().removesuffix("s")
    return next((at for at, names in enumerate(DAYS) if word in names), None)


def shows_weekday(values: dict[str, Any], weekday: int, now: date) -> bool:
    """Return whether a value is on a weekday that is near the start of the run."""
    days = [instant.date() for path, each in values.items() for instant in _instants(path, each)]
    return any(day.weekday() == weekday and abs(day - now) <= MAX_WEEKDAY_DISTANCE for day in days)


def shows_month(values: dict[str, Any], month: int) -> bool:
    """Return whether a value is in a month of any year."""
    return any(instant.month == month for path, each in values.items() for instant in _instants(path, each))


def shows_recent(values: dict[str, Any], length: timedelta, today: date) -> bool:
    """Return whether a value is in the time before the run."""
    days = [instant.date() for path, each in values.items() for instant in _instants(path, each)]
    return any(today - length <= day <= today for day in days)


def shows_time(values: dict[str, Any], hour: int, minute: int) -> bool:
    """Return whether a value is at a time of a day."""
    instants = (instant for path, each in values.items() for instant in _instants(path, each))
    return any((instant.hour, instant.minute) == (hour, minute) for instant in instants)


def shows_duration(values: dict[str, Any], length: timedelta) -> bool:
    """Return whether two values are that far from each other."""
    instants = [instant for path, each in values.items() for instant in _instants(path, each)]
    return any(one - other == length for one in instants for other in instants)


def shows_number(values: Iterable[Any], number: float) -> bool:
    """Return whether a value is a number, or a text that is nothing else."""
    return any(_is_number(leaf, number) for leaf in _leaves(values))


def _is_number(leaf: Any, number: float) -> bool:
    if isinstance(leaf, str) and re.fullmatch(r"-?\d{1,15}(?:\.\d{1,9})?", leaf):
        return float(leaf) == number
    return isinstance(leaf, int | float) and not isinstance(leaf, bool) and leaf == number


def _instants(path: str, value: Any) -> Iterator[datetime]:
    for leaf in list_leaves(value):
        instant = read_instant(path, leaf)
        if instant:
            yield instant


def _leaves(values: Iterable[Any]) -> Iterator[Any]:
    for each in values:
        yield from list_leaves(each)


def _bare(text: str) -> str:
    return normalize_blanks(text.replace("_", " ")).casefold().strip(" .!?,;:")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def list_operand_texts(operands: Sequence[Any]) -> list[str]:
    """Return the texts among operands of comparisons."""
    return [leaf for leaf in _leaves(operands) if isinstance(leaf, str)]

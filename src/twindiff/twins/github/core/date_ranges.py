"""Ranges of dates and numbers in searches: `>=2026-01-01`, `2026-01-01..2026-02-01`, `>10`, `5..*`.

https://docs.github.com/en/search-github/getting-started-with-searching-on-github/understanding-the-search-syntax
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from twindiff.kit.rows import Expression

from ..wire_style import Unprocessable
from .stamps import parse_instant

OPERATORS = (">=", "<=", ">", "<")


def split_range(text: str) -> tuple[str, str, str]:
    """Return the operator, the first and the last value of a range; `..` is the operator of two values."""
    low, dots, high = text.partition("..")
    if dots:
        return "..", low, high
    for operator in OPERATORS:
        if text.startswith(operator):
            return operator, text.removeprefix(operator), ""
    return "=", text, ""


def _day_after(text: str, instant: str) -> str:
    """Return the first instant after a date, or after a second."""
    step = timedelta(days=1) if "T" not in text else timedelta(seconds=1)
    return (datetime.fromisoformat(instant) + step).isoformat()


def _read(text: str) -> str:
    instant = parse_instant(text)
    if instant is None:
        raise Unprocessable("Validation Failed", errors=[f'"{text[:50]}" is not a recognized date/time format.'])
    return instant


def date_conditions(column: Any, text: str) -> list[Expression]:
    """Return the conditions of a range of dates."""
    operator, low, high = split_range(text)
    if operator == "..":
        conditions: list[Expression] = [] if low in ("", "*") else [column >= _read(low)]
        return conditions if high in ("", "*") else [*conditions, column < _day_after(high, _read(high))]
    instant = _read(low)
    return {
        ">=": [column >= instant],
        ">": [column >= _day_after(low, instant)],
        "<": [column < instant],
        "<=": [column < _day_after(low, instant)],
        "=": [column >= instant, column < _day_after(low, instant)],
    }[operator]


def number_matches(value: int, text: str) -> bool:
    """Return whether a number is in a range; raise GitHub's 422 for a range that is none."""
    operator, low, high = split_range(text)
    if operator == "..":
        return (low in ("", "*") or value >= _whole(low)) and (high in ("", "*") or value <= _whole(high))
    other = _whole(low)
    return {">=": value >= other, ">": value > other, "<": value < other, "<=": value <= other, "=": value == other}[
        operator
    ]


def _whole(text: str) -> int:
    if not text.lstrip("-").isdecimal() or len(text) > 15:
        raise Unprocessable("Validation Failed", errors=[f'"{text[:50]}" is not a number.'])
    return int(text)

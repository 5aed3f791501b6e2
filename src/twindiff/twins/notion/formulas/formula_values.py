"""The values of formulas: numbers, texts, truth values, dates, lists, people and pages; None is empty."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..core.body_rules import is_list
from .syntax import FormulaError

Value = Any


class DateValue(NamedTuple):
    """A date or a range; `has_time` is whether it has a time of day."""

    start: datetime
    end: datetime | None = None
    has_time: bool = False


class PersonValue(NamedTuple):
    """A person."""

    id: str
    name: str
    email: str


class PageValue(NamedTuple):
    """A page; `read` returns the value of a property by its id or name."""

    id: str
    title: str
    read: Callable[[str], Value]


def parse_date_value(text: str) -> DateValue:
    """Return the date of an ISO text."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise FormulaError(f"Not a date: {text}") from None
    return DateValue(at if at.tzinfo else at.replace(tzinfo=UTC), None, len(text) > 10)


def format_number(value: float) -> str:
    """Return a number as JavaScript writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return re.sub(r"e([+-])0*(\d)", r"e\1\2", repr(value))


def format_value(value: Value) -> str:
    """Return any value as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return format_number(value)
    if isinstance(value, DateValue):
        return _format_date_value(value)
    if is_list(value):
        return ",".join(format_value(each) for each in value)
    return value.name if isinstance(value, PersonValue) else value.title


def _format_date_value(value: DateValue) -> str:
    pattern = "MMMM D, YYYY HH:mm" if value.has_time else "MMMM D, YYYY"
    start = format_date(value.start, pattern)
    return f"{start} → {format_date(value.end, pattern)}" if value.end else start


_DATE_TOKEN = re.compile(r"\[([^\]]*)\]|Y{4}|Y{2}|Y|Q|M{1,4}|Do|D{1,4}|d{1,4}|[Ee]|w{1,2}|W{1,2}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|S{1,3}|A|a|Z{1,2}|X|x|LLLL|LLL|LL|LT|L")  # fmt: skip  # noqa: E501
_LONG = {
    "L": "MM/DD/YYYY",
    "LL": "MMMM D, YYYY",
    "LLL": "MMMM D, YYYY h:mm A",
    "LLLL": "dddd, MMMM D, YYYY h:mm A",
    "LT": "h:mm A",
}


def format_date(at: datetime, pattern: str) -> str:
    """Return a date by a pattern of Moment's tokens: `MMMM D, YYYY`."""
    for name in ("LLLL", "LLL", "LL", "LT"):
        pattern = pattern.replace(name, _LONG[name])
    return _DATE_TOKEN.sub(lambda match: match[1] if match[1] is not None else _format_token(at, match[0]), pattern)


def _format_token(at: datetime, token: str) -> str:
    hour = at.hour % 12 or 12
    weekday = (at.weekday() + 1) % 7
    values: dict[str, Callable[[], Any]] = {
        "YYYY": lambda: f"{at.year:04d}", "YY": lambda: f"{at.year % 100:02d}", "Y": lambda: at.year,
        "Q": lambda: (at.month + 2) // 3,
        "MMMM": lambda: at.strftime("%B"), "MMM": lambda: at.strftime("%b"), "MM": lambda: f"{at.month:02d}",
        "M": lambda: at.month, "Do": lambda: f"{at.day}{_ordinal(at.day)}", "DD": lambda: f"{at.day:02d}",
        "D": lambda: at.day, "DDD": lambda: at.timetuple().tm_yday, "DDDD": lambda: f"{at.timetuple().tm_yday:03d}",
        "dddd": lambda: at.strftime("%A"), "ddd": lambda: at.strftime("%a"), "dd": lambda: at.strftime("%a")[:2],
        "d": lambda: weekday, "e": lambda: weekday, "E": at.isoweekday,
        "w": lambda: at.isocalendar().week, "W": lambda: at.isocalendar().week,
        "ww": lambda: f"{at.isocalendar().week:02d}", "WW": lambda: f"{at.isocalendar().week:02d}",
        "HH": lambda: f"{at.hour:02d}", "H": lambda: at.hour, "hh": lambda: f"{hour:02d}", "h": lambda: hour,
        "mm": lambda: f"{at.minute:02d}", "m": lambda: at.minute, "ss": lambda: f"{at.second:02d}",
        "s": lambda: at.second, "SSS": lambda: f"{at.microsecond // 1000:03d}",
        "SS": lambda: f"{at.microsecond // 10000:02d}", "S": lambda: at.microsecond // 100000,
        "A": lambda: at.strftime("%p"), "a": lambda: at.strftime("%p").lower(), "L": lambda: at.strftime("%m/%d/%Y"),
        "X": lambda: f"{at.timestamp():.0f}", "x": lambda: int(at.timestamp() * 1000),
        "ZZ": lambda: at.strftime("%z"), "Z": lambda: f"{at.strftime('%z')[:3]}:{at.strftime('%z')[3:]}",
    }  # fmt: skip
    return str(values[token]()) if token in values else token


def _ordinal(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def is_empty_value(value: Value) -> bool:
    """Return whether a value is empty, zero or false."""
    return value is None or (isinstance(value, str | list | bool | int | float) and not value)


def is_number_value(value: Value) -> bool:
    """Return whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_number(value: Value) -> float:
    """Return a value as a number; an empty one is zero."""
    if value is None:
        return 0
    if isinstance(value, bool | int | float):
        return value if not isinstance(value, bool) else int(value)
    raise FormulaError(f"Not a number: {format_value(value)[:50]}")


def as_date(value: Value) -> DateValue:
    """Return a value that must be a date."""
    if isinstance(value, DateValue):
        return value
    raise FormulaError("Not a date")


def as_list(value: Value) -> list[Value]:
    """Return a value as a list; one that is no list is its only item."""
    return value if is_list(value) else [] if value is None else [value]


def order_key(value: Value) -> tuple[Any, ...]:
    """Return a key by which values of any kind are in order."""
    if value is None:
        return (9,)
    if isinstance(value, bool | int | float):
        return (0, value)
    if isinstance(value, DateValue):
        return (1, value.start)
    if is_list(value):
        return (3, [order_key(each) for each in value])
    return (2, format_value(value).casefold(), format_value(value))


def simplify(value: float) -> Value:
    """Return a number without a fraction as an integer; None for one that is none."""
    if isinstance(value, int) or math.isnan(value) or math.isinf(value):
        return None if isinstance(value, float) and math.isnan(value) else value
    return int(value) if value.is_integer() and abs(value) < 2**53 else value

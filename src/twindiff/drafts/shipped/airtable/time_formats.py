"""Reads times by formats of Moment.js, as formulas of Airtable do.

https://support.airtable.com/docs/supported-format-specifiers-for-datetime-format
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone

MAX_FORMAT_LETTERS = 200
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPECIFIER = re.compile(
    r"\[(?P<literal>[^\]]*)\]|(?P<token>YYYY|YY|Y|MMMM|MMM|MM|Mo|M|DDDD|DDD|DD|Do|D|HH|H|hh|h|mm|m|ss|s|S{1,9}|A|a"
    r"|ZZ|Z|X|x|dddd|ddd)|(?P<other>[A-Za-z])|(?P<mark>[^A-Za-z0-9\[]+)|(?P<plain>.)"
)
_SHORT = r"(\d{1,2})"
_PATTERNS: Mapping[str, str] = {
    "YYYY": r"(\d{4})", "YY": r"(\d{2})", "Y": r"(\d{1,4})", "MMMM": r"([a-z]{3,9})", "MMM": r"([a-z]{3,9})",
    "MM": _SHORT, "Mo": r"(\d{1,2})(?:st|nd|rd|th)", "M": _SHORT, "DDDD": r"(\d{3})", "DDD": r"(\d{1,3})",
    "DD": _SHORT, "Do": r"(\d{1,2})(?:st|nd|rd|th)", "D": _SHORT, "HH": _SHORT, "H": _SHORT, "hh": _SHORT, "h": _SHORT,
    "mm": _SHORT, "m": _SHORT, "ss": _SHORT, "s": _SHORT, "A": "([ap]m?)", "a": "([ap]m?)",
    "ZZ": r"(z|[+-]\d\d:?\d\d)", "Z": r"(z|[+-]\d\d:?\d\d)", "X": r"(\d{1,11})", "x": r"(\d{1,14})",
    "dddd": "([a-z]{6,9}day)", "ddd": "([a-z]{3})",
}  # fmt: skip
_PART_OF = {"Y": "year", "M": "month", "D": "day", "H": "hour", "h": "hour", "m": "minute", "s": "second"}


class FormatError(ValueError):
    """A format that is not understood; the message says why."""


def read_formatted_time(text: str, form: str) -> datetime | None:
    """Return the time in UTC that a text has in a format; without a month, a day or an hour, the first of them.

    None for a text that does not have the format. Raises FormatError for one with a letter that is not understood,
    without a year, with a part twice, or of more than MAX_FORMAT_LETTERS.
    """
    if len(form) > MAX_FORMAT_LETTERS:
        raise FormatError(f"a format has at most {MAX_FORMAT_LETTERS} letters")
    tokens: list[str] = []
    pattern = "".join(_patterns_of(form, tokens))
    if not {"YYYY", "YY", "Y", "X", "x"} & {*tokens}:
        raise FormatError("a format without a year is not understood")
    match = re.fullmatch(pattern, text.strip(), re.IGNORECASE)
    if match is None:
        return None
    given = dict(zip(tokens, match.groups(), strict=True))
    try:
        return _join_parts(given)
    except (ValueError, OverflowError):
        return None


def _patterns_of(form: str, tokens: list[str]) -> Iterator[str]:
    """Yield the patterns of the parts of a format, and add its specifiers to `tokens`.

    Each part of a time may stand there once, so that matching a text takes few steps.
    """
    said: set[str] = set()
    for part in _SPECIFIER.finditer(form):
        token = part["token"]
        if part["other"]:
            raise FormatError(f"'{part['other']}' of the format is not understood")
        if token:
            unit = "day of the year" if token.startswith("DDD") else _PART_OF.get(token[0], token[0].upper())
            if unit in said:
                raise FormatError(f"a format with a {unit} twice is not understood")
            said.add(unit)
            tokens.append(token)
        yield (
            (_PATTERNS.get(token) or rf"(\d{{{len(token)}}})")
            if token
            else re.escape(part[0] if part["literal"] is None else part["literal"])
        )


def _join_parts(given: Mapping[str, str]) -> datetime:
    """Return the time with the parts that a text has, by their specifiers."""
    if "X" in given or "x" in given:
        seconds = int(given["X"]) if "X" in given else int(given["x"]) / 1000
        return datetime.fromtimestamp(seconds, UTC)
    parts = {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0}
    for token, text in given.items():
        if token[0] in _PART_OF:
            parts[_PART_OF[token[0]]] = _READERS.get(token, int)(text)
        elif token[0] == "S":
            parts["microsecond"] = int(text[:6].ljust(6, "0"))
    half = next((text[0].lower() for token, text in given.items() if token in ("A", "a")), "")
    if half:
        parts["hour"] = parts["hour"] % 12 + (12 if half == "p" else 0)
    day_of_year = next((int(text) for token, text in given.items() if token in ("DDD", "DDDD")), 0)
    if day_of_year:
        parts.update(month=1, day=1)
    time = datetime(**parts, tzinfo=_read_zone(given)) + timedelta(days=max(day_of_year - 1, 0))
    return time.astimezone(UTC)


def _read_month(text: str) -> int:
    return _MONTHS.index(text[:3].lower()) + 1


def _read_short_year(text: str) -> int:
    """Return a year of two digits: up to 68 of this century, as Moment.js reads it."""
    return int(text) + (2000 if int(text) <= 68 else 1900)


def _read_zone(given: Mapping[str, str]) -> timezone:
    text = next((text for token, text in given.items() if token in ("Z", "ZZ")), "z")
    if text.lower() == "z":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


_READERS: Mapping[str, Callable[[str], int]] = {
    "YY": _read_short_year,
    "MMMM": _read_month,
    "MMM": _read_month,
}

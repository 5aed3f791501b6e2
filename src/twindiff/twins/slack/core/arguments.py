"""Parsing of arguments: comma-separated or JSON lists, and times with or without a fraction."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, cast

import msgspec

from twindiff.kit.clock import SECOND, iso_instant, micros_of
from twindiff.kit.json_values import read_json

_MAX_NAMES = 10_000
"""The most names parsed from a comma-separated list; the rest counts as one name, which every method then rejects."""
_TS = re.compile(r"\d{1,12}\.\d{1,6}")
_LAST_SECOND = 253_402_300_799
"""The last second of the year 9999, the maximum of Timestamp columns."""

_INSTANT = re.compile(r"(\d{1,10})(?:\.(\d*))?")


def names_in(value: str | list[str]) -> list[str]:
    """Parse a list of names without duplicates: `a,b`, the JSON text `["a", "b"]`, or a list."""
    parts = _parse_names(value) if isinstance(value, str) else value
    return [name for name in dict.fromkeys(part.strip() for part in parts) if name]


def _parse_names(text: str) -> list[str]:
    if not text.startswith("["):
        return text.split(",", _MAX_NAMES)
    try:
        return msgspec.convert(read_json(text), list[str])
    except (msgspec.DecodeError, UnicodeError):
        return [text]


def objects_in(given: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; skip anything else, which malformed templates may have."""
    return [each for each in cast(list[Any], given) if isinstance(each, dict)] if isinstance(given, list) else []


def is_ts(text: str) -> bool:
    """Whether a text has the form of a message's `ts`."""
    return _TS.fullmatch(text) is not None


def ts_in(value: str | float) -> str | None:
    """Convert a time to the form of a message's `ts`, so that the two compare; None if it is no time."""
    match = _INSTANT.fullmatch(str(value).strip())
    if match is None:
        return None
    seconds, fraction = match.groups(default="")
    return f"{int(seconds):010d}.{fraction[:6]:0<6}"


def unix_of(timestamp: str | None) -> int:
    """Convert a Timestamp column's value to seconds since 1970; 0 for None, which is common in seeds."""
    return micros_of(datetime.fromisoformat(timestamp)) // SECOND if timestamp else 0


def iso_of(seconds: float) -> str:
    """Convert seconds since 1970 to the form of a Timestamp column, clamped to its range."""
    return iso_instant(int(min(max(seconds, 0), _LAST_SECOND) * SECOND)).isoformat()

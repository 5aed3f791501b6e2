"""Arguments as clients write them: lists with commas or as JSON, times with or without a fraction."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, cast

import msgspec

from twindiff.kit.clock import SECOND, iso_instant, micros_of
from twindiff.kit.json_values import read_json

_MAX_NAMES = 10_000
"""Names in a list with commas; what else there is counts as one, for which every method is too many or knows nobody."""
_TS = re.compile(r"\d{1,12}\.\d{1,6}")
_LAST_SECOND = 253_402_300_799
"""The last of the year 9999, beyond which no Timestamp column goes."""

_INSTANT = re.compile(r"(\d{1,10})(?:\.(\d*))?")


def names_in(value: str | list[str]) -> list[str]:
    """The names of a list, each once: `a,b`, `["a", "b"]` as JSON text, or a list."""
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
    """The objects of a list; nothing of what a template has misshaped."""
    return [each for each in cast(list[Any], given) if isinstance(each, dict)] if isinstance(given, list) else []


def is_ts(text: str) -> bool:
    """Whether a text has the form of a message's ts."""
    return _TS.fullmatch(text) is not None


def ts_in(value: str | float) -> str | None:
    """A time in the form of a message's ts, so that the two compare; None for what is no time."""
    match = _INSTANT.fullmatch(str(value).strip())
    if match is None:
        return None
    seconds, fraction = match.groups(default="")
    return f"{int(seconds):010d}.{fraction[:6]:0<6}"


def unix_of(timestamp: str | None) -> int:
    """Seconds since 1970 of a Timestamp column's value; 0 when it has none, as most seeds have not."""
    return micros_of(datetime.fromisoformat(timestamp)) // SECOND if timestamp else 0


def iso_of(seconds: float) -> str:
    """Seconds since 1970 as a Timestamp column holds them; a time beyond all that it can hold is the nearest to it."""
    return iso_instant(int(min(max(seconds, 0), _LAST_SECOND) * SECOND)).isoformat()

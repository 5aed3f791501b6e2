"""JSON from the wire, bounded in size and with only numbers that can be written back as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any, cast

import msgspec

from .throttling import yield_processor

MAX_STRUCTURAL_CHARACTERS = 150_000
"""Structural characters (RFC 8259) in one text. The decoder holds the GIL until it is done; this many take 9 ms."""
MAX_NESTING = 200
"""Objects and lists within each other; Python's own limit is reached by code that walks through some hundreds."""
INT64 = range(-(2**63), 2**63)
_ALL_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG = b"0" * 19
_STRUCTURAL = b"{}[]:,"
_OTHERS = bytes({*range(256)} - {*_STRUCTURAL, *b'"'})
_STEPS = [(sign in b"{[") - (sign in b"}]") for sign in range(256)]
_PIECE = 20_000


def read_json(text: bytes | str) -> Any:
    """Decode a JSON text. An integer beyond 64 bits becomes a float, as in JavaScript.

    Raises UnicodeError, RecursionError, or msgspec.DecodeError: also for a number that no float can hold, for more
    than `MAX_STRUCTURAL_CHARACTERS`, and for more than `MAX_NESTING` levels.
    """
    data = text.encode() if isinstance(text, str) else text
    if len(data) > MAX_STRUCTURAL_CHARACTERS and _structural(data) > MAX_STRUCTURAL_CHARACTERS:
        raise msgspec.DecodeError(f"it has more than {MAX_STRUCTURAL_CHARACTERS:,} brackets, colons and commas")
    if data.count(b"[") + data.count(b"{") > MAX_NESTING and _measure_nesting(data) > MAX_NESTING:
        raise msgspec.DecodeError(f"it is nested more than {MAX_NESTING} levels deep")
    value = msgspec.json.decode(data)
    yield_processor()  # for a long text, the line before and the line after each hold the GIL for a while
    return _limit_integers(value) if _LONG in data.translate(_ALL_ZEROS) else value


def _structural(data: bytes) -> int:
    """Count the structural characters; those inside strings are excluded only if the total exceeds the limit."""
    at_most = sum(map(data.count, _STRUCTURAL))
    if at_most <= MAX_STRUCTURAL_CHARACTERS:
        return at_most
    return sum(map(len, _read_outside_strings(data)))


def _measure_nesting(data: bytes) -> int:
    """Return the number of objects and lists within each other, where there are most."""
    signs = b"".join(_read_outside_strings(data))
    return max(accumulate(map(_STEPS.__getitem__, signs)), default=0)


def _read_outside_strings(data: bytes) -> Iterator[bytes]:
    """Yield the structural characters outside strings."""
    without_escapes = data.replace(rb"\\", b"").replace(rb"\"", b"")
    signs = without_escapes.translate(None, _OTHERS)
    inside = 0
    for start in range(0, len(signs), _PIECE):
        yield_processor()
        parts = signs[start : start + _PIECE].split(b'"')
        yield from parts[inside::2]
        inside = (inside + len(parts) - 1) % 2


def _limit_integers(value: Any) -> Any:
    yield_processor()
    if isinstance(value, dict):
        return {name: _limit_integers(each) for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_limit_integers(each) for each in cast(list[Any], value)]
    if type(value) is not int or value in INT64:
        return value
    try:
        return float(value)
    except OverflowError:
        raise msgspec.DecodeError("a number is out of range") from None

"""JSON from a wire, with numbers that JSON can be written of again, and no more of it than is read quickly."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from .throttling import give_way

MAX_STRUCTURAL_CHARACTERS = 150_000
"""Structural characters (RFC 8259) of a text. A decoder holds the interpreter until it is done: this many take 9 ms."""
INT64 = range(-(2**63), 2**63)
_ALL_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG = b"0" * 19
_STRUCTURAL = b"{}[]:,"
_OTHERS = bytes({*range(256)} - {*_STRUCTURAL, *b'"'})
_PIECE = 20_000


def read_json(text: bytes | str) -> Any:
    """The value of a JSON text. An integer beyond 64 bits is a float, as it is to JavaScript.

    Raises msgspec.DecodeError, also for a number that no float can hold and for more than MOST_STRUCTURAL characters of
    structure, UnicodeError and RecursionError.
    """
    data = text.encode() if isinstance(text, str) else text
    if len(data) > MAX_STRUCTURAL_CHARACTERS and _structural(data) > MAX_STRUCTURAL_CHARACTERS:
        raise msgspec.DecodeError(f"it has more than {MAX_STRUCTURAL_CHARACTERS:,} brackets, colons and commas")
    value = msgspec.json.decode(data)
    give_way()  # of a long text, either of these holds the interpreter for a while
    return _limit_integers(value) if _LONG in data.translate(_ALL_ZEROS) else value


def _structural(data: bytes) -> int:
    """How many structural characters a text has; those in its strings may count if they are few anyway."""
    at_most = sum(map(data.count, _STRUCTURAL))
    if at_most <= MAX_STRUCTURAL_CHARACTERS:
        return at_most
    without_escapes = data.replace(rb"\\", b"").replace(rb"\"", b"")
    signs = without_escapes.translate(None, _OTHERS)
    count = inside = 0
    for start in range(0, len(signs), _PIECE):
        give_way()
        parts = signs[start : start + _PIECE].split(b'"')
        count += sum(map(len, parts[inside::2]))
        inside = (inside + len(parts) - 1) % 2
    return count


def _limit_integers(value: Any) -> Any:
    give_way()
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

"""JSON from a wire, with numbers that JSON can be written of again."""

from __future__ import annotations

import re
from typing import Any, cast

import msgspec

from .pace import give_way

INT64 = range(-(2**63), 2**63)
_LONG = re.compile(r"[0-9]{19}")
_LONG_BYTES = re.compile(rb"[0-9]{19}")


def read_json(text: bytes | str) -> Any:
    """The value of a JSON text. An integer beyond 64 bits is a float, as it is to JavaScript.

    Raises msgspec.DecodeError, also for a number that no float can hold, UnicodeError and RecursionError.
    """
    value = msgspec.json.decode(text)
    give_way()  # of a long text, either of these holds the interpreter for milliseconds
    long_number = _LONG_BYTES.search(text) if isinstance(text, bytes) else _LONG.search(text)
    return _held(value) if long_number else value


def _held(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _held(each) for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_held(each) for each in cast(list[Any], value)]
    if type(value) is not int or value in INT64:
        return value
    try:
        return float(value)
    except OverflowError:
        raise msgspec.DecodeError("a number is out of range") from None

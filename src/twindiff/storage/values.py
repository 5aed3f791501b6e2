"""Canonical JSON values, as text and for comparison, common to Python, storage and journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec

from twindiff.kit.errors import MalformedBody

INT64 = range(-(2**63), 2**63)

_encode = msgspec.json.Encoder().encode
decode_json = msgspec.json.Decoder().decode


def canonical(value: Any) -> Any:
    """Return a JSON value with the keys of every object ordered by length in bytes, then by code point.

    PostgreSQL's JSONB has the same order, so that the JSON text of a stored value is the same on every engine. An
    integer beyond 64 bits becomes a float, as in JavaScript; raises MalformedBody if it exceeds all floats.
    """
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, dict):
        items = cast(dict[str, Any], value)
        return {key: canonical(items[key]) for key in _sort_cached(tuple(items))}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in cast(list[Any], value)]
    if type(value) is int and value not in INT64:
        return _float(value)
    return value


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise MalformedBody("A number is too large to be stored") from None


def _sort_cached(keys: tuple[str, ...]) -> Sequence[str]:
    """Sort keys by length in bytes, then by code point; caches the result for short ones."""
    return _order_of(keys) if sum(map(len, keys)) <= _SHORT else _sort_keys(keys)


def _sort_keys(keys: tuple[str, ...]) -> list[str]:
    ordered = sorted(keys)
    ordered.sort(key=len if all(map(str.isascii, ordered)) else _bytes)
    return ordered


_SHORT = 500
_order_of = lru_cache(2000)(_sort_keys)


def _bytes(key: str) -> int:
    return len(key.encode())


def json_text(value: Any) -> str:
    """Return canonical compact JSON; raises MalformedBody for too deep nesting or a number that exceeds all floats."""
    if not value and (text := _EMPTY.get(value.__class__)):
        return text
    try:
        text = _encode(value)
        return _canonical_text(text) if len(text) <= _REMEMBERED else _encode(canonical(value)).decode()
    except (ValueError, msgspec.DecodeError):  # a number with hundreds of digits
        return _encode(canonical(value)).decode()
    except RecursionError:
        raise MalformedBody("A value is nested too deeply to be stored") from None


_EMPTY: dict[type, str] = {type(None): "null", dict: "{}", list: "[]"}
"""The JSON text of the most frequent values of Json columns."""
_REMEMBERED = 1000
"""The longest JSON text in bytes that is cached, since most short values recur."""


@lru_cache(4000)
def _canonical_text(text: bytes) -> str:
    """Return the canonical text of JSON text with keys in any order."""
    return _encode(canonical(decode_json(text))).decode()


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal as JSON; unlike in Python, `true`, `1` and `1.0` are three different values."""
    if one != other or type(one) is not type(other):
        return False
    return not isinstance(one, dict | list) or json_text(one) == json_text(other)


def changed_columns(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the names of the columns whose JSON values differ; a missing column counts as null."""
    return [name for name in {**before, **after} if not same(before.get(name), after.get(name))]

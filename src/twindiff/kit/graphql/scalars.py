"""Scalars beyond GraphQL's built-in ones, and conversions of instants between the wire and a Timestamp column."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from graphql import GraphQLError, GraphQLScalarType, ValueNode, value_from_ast_untyped

_DURATION = re.compile(
    r"([+-]?)P(?:(\d+(?:\.\d+)?)Y)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_SECONDS = (31_536_000, 2_592_000, 604_800, 86_400, 3_600, 60, 1)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def wire_instant(stored: Any) -> Any:
    """`2026-01-31T09:30:00` as `2026-01-31T09:30:00.000Z`."""
    if not isinstance(stored, str):
        return stored
    if len(stored) == 19:
        return stored + ".000Z"
    return stored[:23] + "Z" if len(stored) == 26 and stored[19] == "." else stored


def wire_number(stored: Any) -> Any:
    """`2.0` as `2`, as vendors' JavaScript prints it."""
    if isinstance(stored, list):
        return [wire_number(each) for each in cast(list[Any], stored)]
    return int(stored) if isinstance(stored, float) and stored.is_integer() and abs(stored) < _EXPONENT else stored


_EXPONENT = 1e21
"""From this number on, JavaScript prints an exponent."""
WIRES: dict[str, Callable[[Any], Any]] = {"DateTime": wire_instant, "Float": wire_number, "Duration": wire_number}
"""Serializers by scalar; values of other scalars are sent unchanged."""


def stored_instant(given: str) -> str:
    """Convert an ISO 8601 instant or date to the text of a Timestamp column; raises ValueError."""
    instant = datetime.fromisoformat(given)
    naive = instant.astimezone(UTC).replace(tzinfo=None) if instant.tzinfo else instant
    return naive.isoformat()


def duration_of(given: str) -> timedelta:
    """Parse an ISO 8601 duration such as `-P2W` or `PT90M`; a year has 365 days and a month 30. Raises ValueError."""
    read = _DURATION.fullmatch(given)
    if not read or not any(read.groups()[1:]):
        raise ValueError(f"'{given}' is no ISO 8601 duration")
    seconds = sum(float(number) * each for number, each in zip(read.groups()[1:], _SECONDS, strict=True) if number)
    try:
        return timedelta(seconds=-seconds if read[1] == "-" else seconds)
    except OverflowError:
        raise ValueError(f"'{given}' is too long") from None


def _instant(value: Any) -> str:
    if isinstance(value, str):
        try:
            return stored_instant(value)
        except (ValueError, OverflowError):
            pass
    raise GraphQLError(f"DateTime cannot represent an invalid date-time-string {value!r}.")


def _day(value: Any) -> str:
    if isinstance(value, str) and _DAY.match(value):
        try:
            return datetime.fromisoformat(value).date().isoformat()
        except ValueError:
            pass
    raise GraphQLError(f"TimelessDate cannot represent an invalid date {value!r}.")


def _instant_or_duration(value: Any) -> Any:
    """A valid duration stays a text, since it is relative to the time of the operation."""
    if isinstance(value, str):
        try:
            duration_of(value)
        except ValueError:
            return _instant(value)
        return value
    raise GraphQLError(f"Expected an ISO 8601 date or duration, got {value!r}.")


def _finite(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        raise GraphQLError("Duration cannot represent a number that large.") from None


def _duration(value: Any) -> float:
    """A duration in milliseconds, from a number of milliseconds or ISO 8601."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _finite(value)
    if isinstance(value, str):
        try:
            return duration_of(value).total_seconds() * 1000
        except ValueError:
            pass
    raise GraphQLError(f"Duration cannot represent {value!r}.")


def _uuid(value: Any) -> str:
    """Any text is accepted; the twin decides whether it identifies an object."""
    if isinstance(value, str):
        return value
    raise GraphQLError(f"UUID cannot represent a non string value: {value!r}")


def _object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise GraphQLError(f"JSONObject cannot represent {value!r}.")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON's edge


def _literal_of(parse: Any) -> Any:
    def parse_literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
        return parse(value_from_ast_untyped(node, variables))

    return parse_literal


def scalar(name: str) -> Any:
    """A new scalar type; one with a name that is unknown here does not convert values."""
    parse, serialize = _KNOWN.get(name, (None, None))
    if parse is None:
        return GraphQLScalarType(name)
    return GraphQLScalarType(name, serialize=serialize, parse_value=parse, parse_literal=_literal_of(parse))


_KNOWN: dict[str, tuple[Any, Any]] = {
    "DateTime": (_instant, wire_instant),
    "TimelessDate": (_day, None),
    "DateTimeOrDuration": (_instant_or_duration, None),
    "TimelessDateOrDuration": (_instant_or_duration, None),
    "Duration": (_duration, None),
    "JSONObject": (_object, None),
    "UUID": (_uuid, None),
}
SCALARS = frozenset({*_KNOWN, "JSON"})

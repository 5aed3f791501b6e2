"""Scalars beyond GraphQL's built-in ones, and conversions of instants between the wire and a Timestamp column."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from graphql import GraphQLError, GraphQLScalarType, StringValueNode, ValueNode, VariableNode, value_from_ast_untyped

_DURATION = re.compile(
    r"([+-]?)P(?:(\d+(?:\.\d+)?)Y)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_SECONDS = (31_536_000, 2_592_000, 604_800, 86_400, 3_600, 60, 1)
_DATE = re.compile(
    r"(?P<year>\d{1,4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?P<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?)?)?"
)


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
    """Convert an ISO 8601 instant, a date, a month or a year to the text of a Timestamp column; raises ValueError.

    https://github.com/brekkylab/backlot/pull/116 measures which forms Linear takes.
    """
    parts = _DATE.fullmatch(given.strip())
    if parts is None:
        raise ValueError(f"'{given}' is no ISO 8601 date")
    day = f"{int(parts['year']):04d}-{parts['month'] or '01'}-{parts['day'] or '01'}"
    instant = datetime.fromisoformat(day + (parts["time"] or ""))
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


def _unreadable(value: Any, name: str) -> ValueError:
    """The error for a value that is no date; graphql-core and graphql-js put the type's name before it."""
    if not isinstance(value, str):
        return ValueError(f"Unable to parse value '{value}'. {name} supports only string values")
    return ValueError(f"Unable to parse value '{value}' into a valid date")


def _instant(value: Any, name: str = "DateTime") -> str:
    if isinstance(value, str):
        try:
            return stored_instant(value)
        except (ValueError, OverflowError):
            pass
    raise _unreadable(value, name)


def _day(value: Any) -> str:
    return _instant(value, "TimelessDate")[:10]


def _or_duration(name: str) -> Callable[[Any], Any]:
    """A parser of dates or durations; a valid duration stays a text, relative to the time of the operation."""

    def parse(value: Any) -> Any:
        if isinstance(value, str):
            try:
                duration_of(value)
            except ValueError:
                return _instant(value)
            return value
        raise _unreadable(value, name)

    return parse


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


def _literal_of(name: str, parse: Any) -> Any:
    def parse_literal(node: ValueNode, variables: dict[str, Any] | None = None) -> Any:
        if name in _OF_TEXTS and not isinstance(node, StringValueNode | VariableNode):
            kind, told = (
                type(node).__name__.removesuffix("Node"),
                name.replace("TimelessDateOrDuration", "TimelessDate"),
            )
            raise ValueError(f"Unable to parse literal value of kind '{kind}'. {told} supports only 'StringValue' ones")
        return parse(value_from_ast_untyped(node, variables))

    return parse_literal


def scalar(name: str) -> Any:
    """A new scalar type; one with a name that is unknown here does not convert values."""
    parse, serialize = _KNOWN.get(name, (None, None))
    if parse is None:
        return GraphQLScalarType(name)
    return GraphQLScalarType(name, serialize=serialize, parse_value=parse, parse_literal=_literal_of(name, parse))


_KNOWN: dict[str, tuple[Any, Any]] = {
    "DateTime": (_instant, wire_instant),
    "TimelessDate": (_day, None),
    "DateTimeOrDuration": (_or_duration("DateTimeOrDuration"), None),
    "TimelessDateOrDuration": (_or_duration("TimelessDate"), None),
    "Duration": (_duration, None),
    "JSONObject": (_object, None),
    "UUID": (_uuid, None),
}
_OF_TEXTS = frozenset(("DateTime", "TimelessDate", "DateTimeOrDuration", "TimelessDateOrDuration"))
SCALARS = frozenset({*_KNOWN, "JSON"})

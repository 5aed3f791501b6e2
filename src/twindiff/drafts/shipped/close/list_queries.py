"""The parameters of lists: filters by fields and by ranges of times, and the order.

https://developer.close.com/resources/tasks/, /opportunities/, /activities/
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from twindiff.kit.call import Call

from .wire_style import CloseError

T = TypeVar("T")
Shown = dict[str, Any]
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": lambda value, wanted: value > wanted,
    "gte": lambda value, wanted: value >= wanted,
    "lt": lambda value, wanted: value < wanted,
    "lte": lambda value, wanted: value <= wanted,
}
_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_VIEWS = ("inbox", "future", "archive")
_CHANGES = ("date_created", "date_updated")


class ListParameters(NamedTuple):
    """What a list is filtered by: fields that have a value, fields with ranges of times, and fields that order it."""

    fields: tuple[str, ...]
    times: tuple[str, ...] = _CHANGES
    orders: tuple[str, ...] = _CHANGES


_ACTIVITY = ListParameters(
    ("lead_id", "user_id", "contact_id", "_type"), (*_CHANGES, "activity_at"), ("date_created", "activity_at")
)
_PARAMETERS: Mapping[str, ListParameters] = {
    "lead": ListParameters(("status_id",), orders=(*_CHANGES, "display_name")),
    "contact": ListParameters(("lead_id",)),
    "opportunity": ListParameters(
        ("lead_id", "user_id", "status_id", "status_label", "status_type", "value_period"),
        (*_CHANGES, "date_won"),
        (*_CHANGES, "date_won", "confidence", "user_name", "value"),
    ),
    "task": ListParameters(
        ("lead_id", "assigned_to", "is_complete", "_type", "id"), (*_CHANGES, "date"), ("date", "date_created")
    ),
}


def read_query(call: Call) -> Mapping[str, str]:
    """Return the parameters of a request as texts."""
    return call.memo["exchange"].request.query_parameters()


def filter_shown(call: Call, kind: str, shown: list[Shown]) -> list[Shown]:
    """Return the objects of a list that the request asks for, in its order. Raises CloseError."""
    known = _ACTIVITY if kind.startswith("activity") else _PARAMETERS.get(kind)
    if known is None:
        return shown
    given = read_query(call)
    for name, text in given.items():
        field, _, comparison = name.partition("__")
        if comparison in _COMPARISONS and field in known.times:
            shown = filter_times({name: text}, shown, field, _getter(field))
        elif comparison == "in" and field in known.fields:
            values = [part.strip().lower() for part in text.split(",")]
            shown = [each for each in shown if _to_text(each.get(field)) in values]
        elif comparison:
            raise CloseError(fields={name: "This filter is not supported."})
        elif field in known.fields and text:
            shown = _filter_by_value(shown, field, text)
    if kind == "task" and given.get("view"):
        shown = _filter_by_view(call, shown, given["view"])
    return _sort(shown, given.get("_order_by", ""), known.orders)


def filter_times(given: Mapping[str, str], rows: list[T], field: str, read: Callable[[T], Any]) -> list[T]:
    """Return the rows whose time, by `read`, is in the ranges that parameters of a field give. Raises CloseError."""
    for name, compare in _COMPARISONS.items():
        text = given.get(f"{field}__{name}")
        if text:
            wanted = _read_instant(f"{field}__{name}", text)
            rows = [row for row in rows if _is_within(read(row), compare, wanted)]
    return rows


def _to_text(value: Any) -> str:
    return "" if value is None else str(value).lower()


def _getter(field: str) -> Callable[[Shown], Any]:
    return lambda each: each.get(field)


def _filter_by_value(shown: list[Shown], field: str, text: str) -> list[Shown]:
    if field == "is_complete":
        flag = _FLAGS.get(text.lower())
        if flag is None:
            raise CloseError(fields={field: "This must be true or false."})
        return [each for each in shown if bool(each.get(field)) == flag]
    return [each for each in shown if _to_text(each.get(field)) == text.lower()]


def _filter_by_view(call: Call, shown: list[Shown], view: str) -> list[Shown]:
    """Return the tasks that are done (`archive`), or due until the end of today (`inbox`) or later (`future`)."""
    if view not in _VIEWS:
        raise CloseError(fields={"view": f"The view must be one of: {', '.join(_VIEWS)}."})
    if view == "archive":
        return [each for each in shown if each.get("is_complete")]
    today = call.clock.iso()[:10]
    todo = [each for each in shown if not each.get("is_complete")]
    return [each for each in todo if (str(each.get("date") or "")[:10] > today) == (view == "future")]


def _find_instant(value: Any) -> datetime | None:
    try:
        at = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _read_instant(name: str, text: str) -> datetime:
    at = _find_instant(text.replace(" ", "+"))
    if at is None:
        raise CloseError(fields={name: "This must be a time in ISO 8601."})
    return at


def _is_within(value: Any, compare: Callable[[Any, Any], bool], wanted: datetime) -> bool:
    at = _find_instant(value)
    return at is not None and compare(at, wanted)


def _sort(shown: list[Shown], order: str, orders: tuple[str, ...]) -> list[Shown]:
    for each in reversed([part.strip() for part in order.split(",") if part.strip()]):
        field = each.removeprefix("-")
        if field not in orders:
            raise CloseError(fields={"_order_by": f"The order must be one of: {', '.join(orders)}."})
        shown = sorted(shown, key=lambda row: _rank(row.get(field)), reverse=each.startswith("-"))
    return shown


def _rank(value: Any) -> tuple[int, float, str]:
    is_number = isinstance(value, (int, float))
    return (0 if value is None else 1, float(value) if is_number else 0.0, "" if is_number else str(value or ""))

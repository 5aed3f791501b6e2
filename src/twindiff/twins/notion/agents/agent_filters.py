"""Filters and sorts of agents, sessions and events: their rules, and the rows that they let through, in order.

A filter is `{"property": "status", "status": {"in": ["active"]}}`, or `and` or `or` of such.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ..core.body_rules import (
    Problems,
    Rule,
    Rules,
    anything,
    array,
    as_uuid,
    choice,
    invalid_at,
    is_object,
    need_one,
    nullable,
    obj,
    text,
)

T = TypeVar("T")
MAX_DEPTH = 3
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "equals": operator.eq,
    "in": lambda value, wanted: value in wanted,
    "contains": lambda value, wanted: wanted in value,
    "before": operator.lt,
    "after": operator.gt,
    "on_or_before": operator.le,
    "on_or_after": operator.ge,
    "less_than": operator.lt,
    "greater_than": operator.gt,
    "less_than_or_equal_to": operator.le,
    "greater_than_or_equal_to": operator.ge,
}
TIMES: Rules = dict.fromkeys(("before", "after", "on_or_before", "on_or_after"), text())


class FilterField(NamedTuple):
    """A property to filter by: the name under which a filter has its conditions, their rules, and a row's value.

    The value is that of the first of the columns that has one, as `show` renders it.
    """

    kind: str
    conditions: Rules
    columns: tuple[str, ...]
    show: Callable[[Any], Any] = lambda value: value

    def value_of(self, row: Any) -> Any:
        """Return the value of a row; None if there is none."""
        value = next((each for name in self.columns if (each := getattr(row, name)) is not None), None)
        return None if value is None else self.show(value)


def filter_rule(fields: Mapping[str, FilterField], depth: int = MAX_DEPTH) -> Rule:
    """Return the rule of a filter whose `and` and `or` nest up to a depth."""
    leaves: dict[str, Rule] = {
        name: obj({"property": choice(name), field.kind: need_one((*field.conditions,), obj(None, **field.conditions))})
        for name, field in fields.items()
    }

    others: dict[str, Rule] = {field.kind: anything for field in fields.values()}

    def check(value: Any, path: str, level: int = depth) -> Problems:
        key = next((name for name in ("and", "or") if is_object(value) and name in value), None)
        if key and level:
            yield from obj({key: array(lambda each, at: check(each, at, level - 1))})(value, path)
        elif key:
            yield invalid_at(f"{path}.{key}", "not present", value[key])
        elif is_object(value) and (property := str(value.get("property"))) in leaves:
            yield from leaves[property](value, path)
        else:
            yield from obj({"property": choice(*leaves)}, **others)(value, path)

    return nullable(check)


def is_match(fields: Mapping[str, FilterField], given: dict[str, Any] | None, row: Any) -> bool:
    """Return whether a filter lets a row through; a condition on a value that is not there does not hold."""
    if not given:
        return True
    for key, combine in (("and", all), ("or", any)):
        if key in given:
            return combine(is_match(fields, each, row) for each in given[key])
    field = fields[given["property"]]
    value, conditions = field.value_of(row), given[field.kind]
    return value is not None and all(_OPERATORS[name](value, _normalize(wanted)) for name, wanted in conditions.items())


def _normalize(wanted: Any) -> Any:
    """Return an id in its usual form, and any other value as it is."""
    return (as_uuid(wanted) or wanted) if isinstance(wanted, str) else wanted


def sorts_rule(*names: str, key: str = "property") -> Rule:
    """Return the rule of a list of sorts."""
    return array(obj({key: choice(*names), "direction": choice("ascending", "descending")}))


def sort_rows(
    rows: Sequence[T], sorts: list[dict[str, str]] | None, value_of: Callable[[T, str], Any], key: str = "property"
) -> list[T]:
    """Return rows in the order of sorts, the first of which counts most; values that are not there come last."""
    ordered = list(rows)
    for sort in reversed(sorts or []):
        name, is_descending = sort[key], sort["direction"] == "descending"
        there = [row for row in ordered if value_of(row, name) is not None]
        missing = [row for row in ordered if value_of(row, name) is None]
        ordered = sorted(there, key=lambda row, name=name: value_of(row, name), reverse=is_descending) + missing
    return ordered

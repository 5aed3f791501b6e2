"""What a Store must answer, worked out the slow and obvious way."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple, cast

from twindiff.kit.rows import AllOf, AnyOf, Column, Counted, Exists, Expression, Not, Order, Row, Where, table_of
from twindiff.kit.store import Ordering
from twindiff.storage.values import without_accents


class Outside(NamedTuple):
    """A row that an `exists` hangs on."""

    table: type[Row]
    row: Row


Rows = Sequence[Row]
Outer = tuple[Outside, ...]

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBERS = {**_COMPARED, "=": operator.eq, "!=": operator.ne}
_TEXT: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda left, right: right in left,
    "starts": str.startswith,
    "ends": str.endswith,
    "equals": operator.eq,
}


def holds(part: Expression, row: Row, everything: Rows, outer: Outer = ()) -> bool:
    """Whether a row answers an expression."""
    if isinstance(part, AllOf):
        return all(holds(each, row, everything, outer) for each in part.parts)
    if isinstance(part, AnyOf):
        return any(holds(each, row, everything, outer) for each in part.parts)
    if isinstance(part, Not):
        return not holds(part.part, row, everything, outer)
    if isinstance(part, Exists):
        return bool(related(part, row, everything, outer))
    if isinstance(part, Counted):
        return _NUMBERS[part.op](len(related(part, row, everything, outer)), part.value)
    return atom(part, row, outer)


def related(part: Exists | Counted, row: Row, everything: Rows, outer: Outer) -> list[Row]:
    """The rows that an `exists` or a `counted` is about."""
    inner = (*outer, Outside(type(row), row))
    candidates = [each for each in everything if type(each) is part.table]
    return [each for each in candidates if all(holds(where, each, everything, inner) for where in part.where)]


def atom(part: Where, row: Row, outer: Outer) -> bool:
    """One comparison."""
    left, right = value_of(part.column, row), part.value
    if isinstance(right, Column):
        right = _outside(cast(Column[Any], right), row, outer)
    if part.op == "=":
        return equal(left, right)
    if part.op == "!=":
        return not equal(left, right)
    if part.op == "in":
        return any(equal(left, each) for each in cast(tuple[object, ...], right))
    if part.op in _COMPARED:
        return left is not None and kind(left) == kind(right) and _COMPARED[part.op](left, right)
    name, _, fold = part.op.partition("_")
    if not isinstance(left, str):
        return False
    text = str(right)
    if part.op == "contains_bare":
        return without_accents(text) in without_accents(left)
    return _TEXT[name](left.casefold(), text.casefold()) if fold else _TEXT[name](left, text)


def _outside(column: Column[Any], row: Row, outer: Outer) -> Any:
    """The value of a column of the nearest row outside, or else of the same row."""
    for outside in reversed(outer):
        if outside.table is column.table:
            return value_of(column, outside.row)
    return value_of(column, row)


def value_of(column: Column[Any], row: Row) -> Any:
    """A column's value, or what is at a path in it."""
    value = getattr(row, column.name)
    for key in column.path:
        value = cast(dict[str, Any], value).get(key) if isinstance(value, dict) else None
    return value


def kind(value: object) -> str:
    """What may be compared with each other."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def equal(left: object, right: object) -> bool:
    """Equality in which true is not 1; a list or an object is the same down to its values."""
    if kind(left) != kind(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(cast(list[object], left), cast(list[object], right), strict=False)
        return len(cast(list[object], left)) == len(cast(list[object], right)) and all(equal(*pair) for pair in pairs)
    if isinstance(left, dict) and isinstance(right, dict):
        one, other = cast(dict[str, object], left), cast(dict[str, object], right)
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    return left == right


def ordered(rows: Sequence[Row], order: Ordering) -> list[Row]:
    """Rows in order; NULL is the smallest, and ties go by key in the direction of the last term."""
    parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
    terms = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
    down = terms[-1].descending if terms else False
    names = [(term.column.name, term.descending, term.nulls) for term in terms]

    def compare(left: Row, right: Row) -> int:
        for name, descending, nulls in [*names, *((name, down, None) for name in table_of(type(left)).key)]:
            one, other = getattr(left, name), getattr(right, name)
            sign = ranked(one, other)
            if sign and nulls and None in (one, other):
                return sign if nulls == "first" else -sign
            if sign:
                return -sign if descending else sign
        return 0

    return sorted(rows, key=cmp_to_key(compare))


def ranked(left: Any, right: Any) -> int:
    """Minus one, nothing or one: which of two values comes first."""
    if left is None or right is None:
        return (left is not None) - (right is not None)
    return (left > right) - (left < right)

"""What a Store must answer, worked out the slow and obvious way."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cmp_to_key
from typing import Any, NamedTuple, cast

from twindiff.kit.computed_values import JOINT, Item
from twindiff.kit.full_text import SearchTerm, has_word, without_accents
from twindiff.kit.rows import (
    AllOf,
    AnyOf,
    Case,
    Column,
    Exists,
    Expression,
    Formula,
    Items,
    Not,
    Order,
    Related,
    Row,
    Source,
    Step,
    TransitiveClosure,
    Where,
    table_of,
)
from twindiff.kit.store import Ordering


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
        return bool(related_rows(part, row, everything, outer))
    if isinstance(part, Column):
        return bool(getattr(row, part.name))
    return atom(part, row, everything, outer)


def related_rows(part: Exists | Related, row: Row, everything: Rows, outer: Outer) -> list[Row]:
    """The rows that an `exists` or a value is about."""
    inner = (*outer, Outside(type(row), row))
    candidates = rows_of(part.source, row, everything, outer)
    return [each for each in candidates if all(holds(where, each, everything, inner) for where in part.where)]


def rows_of(source: Source, row: Row, everything: Rows, outer: Outer) -> list[Row]:
    """The rows of a table, of a list, or those that steps lead to."""
    if isinstance(source, Items):
        held = value_of(source.column, row, everything, outer)
        listed = cast(list[Any], held if isinstance(held, list) else [])
        return [Item(place=n, value=each if isinstance(each, str) else None) for n, each in enumerate(listed)]
    if not isinstance(source, TransitiveClosure):
        return [each for each in everything if type(each) is source]
    reached, ahead = set[Any](), [value_of(source.start, row, everything, outer)]
    while ahead:
        key = ahead.pop()
        if key is not None and key not in reached:
            reached.add(key)
            ahead += [getattr(each, way.target.name) for way in source.steps for each in stood_on(way, key, everything)]
    (key_name,) = table_of(source.table).key
    return [each for each in everything if type(each) is source.table and getattr(each, key_name) in reached]


def stood_on(step: Step, key: object, everything: Rows) -> list[Row]:
    """The rows by which a step goes on from a key."""
    mine = [each for each in everything if type(each) is step.source.table]
    here = [each for each in mine if getattr(each, step.source.name) == key]
    return [each for each in here if all(holds(where, each, everything) for where in step.where)]


def atom(part: Where, row: Row, everything: Rows, outer: Outer) -> bool:
    """One comparison."""
    left, right = value_of(part.column, row, everything, outer), part.value
    if isinstance(right, Column):
        right = _outside(cast(Column[Any], right), row, everything, outer)
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
    if part.op == "has_word":
        return has_word(left, cast(SearchTerm, right).pattern) is True
    text = str(right)
    if part.op == "contains_bare":
        return without_accents(text) in without_accents(left)
    return _TEXT[name](left.casefold(), text.casefold()) if fold else _TEXT[name](left, text)


def _outside(column: Column[Any], row: Row, everything: Rows, outer: Outer) -> Any:
    """The value of a column of the nearest row outside, or else of the same row."""
    for outside in reversed(outer):
        if outside.table is column.table:
            return value_of(column, outside.row, everything, ())
    return value_of(column, row, everything, outer)


def value_of(column: Column[Any], row: Row, everything: Rows = (), outer: Outer = ()) -> Any:
    """A column's value, what is at a path in it, or what is worked out."""
    how = column.worked
    if isinstance(how, Related):
        return aggregate(how, row, everything, outer)
    if isinstance(how, Formula):
        return _FORMULAS[how.op](*[_part(part, row, everything, outer) for part in how.parts])
    if isinstance(how, Case):
        fits = (value for condition, value in how.cases if holds(condition, row, everything, outer))
        return _part(next(fits, how.otherwise), row, everything, outer)
    value = getattr(_nearest(column, row, outer), column.name)
    for key in column.path:
        value = cast(dict[str, Any], value).get(key) if isinstance(value, dict) else None
    return value


def _nearest(column: Column[Any], row: Row, outer: Outer) -> Row:
    rows = (row, *(outside.row for outside in reversed(outer)))
    return next((each for each in rows if type(each) is column.table), row)


def _part(part: object, row: Row, everything: Rows, outer: Outer) -> Any:
    return value_of(cast(Column[Any], part), row, everything, outer) if isinstance(part, Column) else part


def aggregate(how: Related, row: Row, everything: Rows, outer: Outer) -> Any:
    """Related rows brought to one value."""
    rows, inner = related_rows(how, row, everything, outer), (*outer, Outside(type(row), row))
    if how.of is None:
        return len(rows)
    values = [value_of(how.of, each, everything, inner) for each in rows]
    known = [each for each in values if each is not None]
    return _BROUGHT[how.how](known) if known else None


_BROUGHT: dict[str, Callable[[list[Any]], Any]] = {
    "only": operator.itemgetter(0),
    "total": sum,
    "least": min,
    "greatest": max,
    "joined": lambda texts: JOINT.join(sorted(texts)),
}


def _elapsed_micros(earlier: str | None, later: str | None) -> int | None:
    if earlier is None or later is None:
        return None
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)) // timedelta(microseconds=1)


def _plus(one: Any, other: Any) -> Any:
    return None if one is None or other is None else one + other


_FORMULAS: dict[str, Callable[..., Any]] = {
    "elapsed": _elapsed_micros,
    "coalesce": lambda *values: next((each for each in values if each is not None), None),
    "+": _plus,
}


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


def sort_rows(rows: Sequence[Row], order: Ordering, everything: Rows = ()) -> list[Row]:
    """Rows in order; NULL is the smallest, and ties go by key in the direction of the last term."""
    parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
    terms = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
    down = terms[-1].descending if terms else False

    def compare(left: Row, right: Row) -> int:
        table = table_of(type(left))
        for column, descending, nulls in [*terms, *(Order(table.columns[name], down) for name in table.key)]:
            one, other = value_of(column, left, everything), value_of(column, right, everything)
            sign = compare_values(one, other)
            if sign and nulls and None in (one, other):
                return sign if nulls == "first" else -sign
            if sign:
                return -sign if descending else sign
        return 0

    return sorted(rows, key=cmp_to_key(compare))


def compare_values(left: Any, right: Any) -> int:
    """Minus one, nothing or one: which of two values comes first."""
    if left is None or right is None:
        return (left is not None) - (right is not None)
    return (left > right) - (left < right)

"""Query shapes: all that the SQL text of a query depends on, without the values. They are the keys of cached SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from twindiff.kit.rows import AllOf, AnyOf, Column, Exists, Expression, Formula, Not, Order, Related, Table, Where
from twindiff.kit.store import Ordering

from .dialect import MARKS, stored_value

Shape = tuple[Any, ...]

_OF_ONE = frozenset(("=", "!=", "<", "<=", ">", ">="))
_COMPARISONS = _OF_ONE | {"in"}
_PLAIN = frozenset((str, int, float, bool))


def key_in(where: Sequence[Expression], table: Table) -> list[Any] | None:
    """Return the stored key if the conditions are exactly equality with each key column, in order; else None."""
    if len(where) != len(table.key):
        return None
    key: list[Any] = []
    for name, part in zip(table.key, where, strict=True):
        if type(part) is not Where or part.op != "=" or part.column is not table.columns[name]:
            return None
        if part.value is None or isinstance(part.value, Column):
            return None
        key.append(stored_value(part.value, part.column))
    return key


def is_by_index(order: Ordering, table: Table) -> bool:
    """Whether an order is by key, by one column that an index has in front of the key, or by columns of an index."""
    parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
    columns = [part.column if isinstance(part, Order) else part for part in parts]
    if not columns or columns[0] is table.columns[table.key[0]]:
        return True
    if any(column.worked is not None for column in columns):
        return False
    names = tuple(column.name for column in columns)
    leading = (*names, *table.key) if len(names) == 1 else names
    one_way = len({isinstance(part, Order) and part.descending for part in parts}) == 1
    return one_way and any(index[: len(leading)] == leading for index in table.indexes)


def plain_where(where: Sequence[Expression], parameters: list[Any]) -> Shape | None:
    """Return the shape of conditions, and append their values to `parameters`.

    None if a condition is not plain: its SQL text depends on its value, or its parameters are not in order.
    """
    shape: list[Any] = []
    for part in where:  # faster than all(…), since every query runs this
        if not _is_shaped(part, shape, parameters):
            return None
    return tuple(shape)


def _is_shaped(part: Expression, shape: list[Any], parameters: list[Any]) -> bool:
    if type(part) is Where:
        return _is_compared(part, shape, parameters)
    if isinstance(part, Column):
        return _is_compared(part.is_true, shape, parameters)
    shape.append(type(part))
    if isinstance(part, AllOf | AnyOf):
        shape.append(len(part.parts))
        return all(_is_shaped(each, shape, parameters) for each in part.parts)
    if isinstance(part, Not):
        return _is_shaped(part.part, shape, parameters)
    return _is_related(cast(Exists, part), shape, parameters)


def _is_related(part: Exists | Related, shape: list[Any], parameters: list[Any]) -> bool:
    if not isinstance(part.source, type):
        return False
    shape += (part.source, len(part.where))
    return all(_is_shaped(each, shape, parameters) for each in part.where)


def _is_value(column: Column[Any], shape: list[Any], parameters: list[Any]) -> bool:
    """Append the shape of a column or computed value; return whether it is plain."""
    how = column.worked
    if how is None:
        shape += (column.table, column.name)
        return _is_plain(column)
    if isinstance(how, Related):
        shape.append(how.how)
        is_plain = how.how != "joined" and (how.of is None or _is_value(how.of, shape, parameters))
        return is_plain and _is_related(how, shape, parameters)
    if isinstance(how, Formula):
        shape += (how.op, len(how.parts))
        return all(_is_part(part, column, shape, parameters) for part in how.parts)
    shape.append(len(how.cases))
    return all(
        _is_shaped(condition, shape, parameters) and _is_part(part, column, shape, parameters)
        for condition, part in (*how.cases, (AllOf(()), how.otherwise))
    )


def _is_part(part: object, like: Column[Any], shape: list[Any], parameters: list[Any]) -> bool:
    if isinstance(part, Column):
        return _is_value(cast(Column[Any], part), shape, parameters)
    shape.append(part is None)
    if part is not None:
        parameters.append(stored_value(part, like))
    return True


def _is_compared(part: Where, shape: list[Any], parameters: list[Any]) -> bool:
    column, operator, value = part
    if operator in _OF_ONE and column.worked is None and type(value) in _PLAIN:  # fast path of nearly all conditions
        shape += (operator, column.table, column.name)
        parameters.append(stored_value(value, column))
        return _is_plain(column)
    shape.append(operator)
    if operator not in _COMPARISONS or not _is_value(column, shape, parameters):
        return False
    if operator == "in" and column.worked is not None:
        return False  # depending on the values, the text has the operand twice, once or not at all
    if isinstance(value, Column):
        shape += (value.table, value.name)  # pyright: ignore[reportUnknownMemberType] - a column of anything
        return _is_plain(cast(Column[Any], value))
    values: tuple[Any, ...] = cast(Any, value) if operator == "in" else (value,)
    nulls = values.count(None)
    if len(values) > MARKS:
        shape += ("many", nulls > 0)
        parameters.append(_encode_list(values, column))
        return column.kind == "text" and len(values) > MARKS + nulls
    shape += (len(values), nulls)
    parameters += [stored_value(each, column) for each in values if each is not None]
    return True


def _encode_list(values: tuple[Any, ...], column: Column[Any]) -> str:
    """Encode many texts as one JSON parameter."""
    stored = [each if type(each) is str else stored_value(each, column) for each in values if each is not None]
    return msgspec.json.encode(stored).decode()


def plain_order(order: Ordering) -> Shape | None:
    """Return the shape of an order by stored columns; None for any other."""
    parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
    shape: list[Any] = []
    for part in parts:
        column, descending, nulls = part if isinstance(part, Order) else (part, False, None)
        if not _is_plain(column):
            return None
        shape += (column.name, descending, nulls)
    return tuple(shape)


def plain_columns(columns: Sequence[Column[Any]] | None) -> Shape | None:
    """Return the names of the selected columns, empty for whole rows; None if one is computed or JSON."""
    shape: list[str] = []
    for column in columns or ():
        if not _is_plain(column):
            return None
        shape.append(column.name)
    return tuple(shape)


def _is_plain(column: Column[Any]) -> bool:
    return not column.path and column.worked is None and column.kind != "json"

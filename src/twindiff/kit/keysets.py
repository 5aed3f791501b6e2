"""Positions in an ordered list of rows, as values of the ordering columns, so that paging survives writes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .rows import Column, Expression, Order, Row, Where, all_of, any_of, table_of
from .store import Ordering

Terms = tuple[Order, ...]
"""A total order: no two rows have the same position."""


def terms_of(table: type[Row], by: Ordering, where: Iterable[Expression] = ()) -> Terms:
    """The order `by`, extended by the key (ascending) to a total order.

    Columns that the conditions fix to one value are left out, since they order nothing. Raises TypeError for a computed
    column or a Json column.
    """
    if isinstance(by, Column) and _is_rest_of_key(by, table_of(table).key, where):
        return (Order(by, descending=False),)
    fixed = {id(part.column) for part in where if isinstance(part, Where) and _is_one_value(part)}
    given = by if isinstance(by, tuple) and not isinstance(by, Order) else (by,)
    terms = [each if isinstance(each, Order) else Order(each, descending=False) for each in given]
    for term in terms:
        if term.column.worked or term.column.kind == "json":
            raise TypeError(
                f"Pages of {table.__name__} are ordered by plain columns, not by JSON or what is worked out"
            )
    declared = table_of(table)
    alone = {names[0] for names in (declared.key, *declared.unique) if len(names) == 1}
    if not any(term.column.name in alone and not term.column.nullable for term in terms):
        named = {term.column.name for term in terms}
        terms += [Order(declared.columns[name], descending=False) for name in declared.key if name not in named]
    return tuple(term for term in terms if id(term.column) not in fixed) or tuple(terms[-1:])


def _is_rest_of_key(column: Column[Any], key: tuple[str, ...], where: Iterable[Expression]) -> bool:
    """Whether a column is the only part of the key that the conditions do not fix, as for nearly every list."""
    if key == (column.name,):
        return True
    fixed = {part.column.name for part in where if isinstance(part, Where) and _is_one_value(part)}
    return column.name in key and {*key} <= {column.name, *fixed}


def _is_one_value(part: Where) -> bool:
    return part.op == "=" and not isinstance(part.value, Column) and not part.column.path


def reversed_terms(terms: Terms) -> Terms:
    """The reverse order."""
    return tuple(
        Order(column, not descending, _OTHER_END[_nulls(column, descending, nulls)])
        for column, descending, nulls in terms
    )


_OTHER_END: dict[str, Any] = {"first": "last", "last": "first"}


def _nulls(column: Column[Any], descending: bool, nulls: str | None) -> str:
    return nulls or ("last" if descending else "first")


def place_of(row: Row, terms: Terms) -> list[Any]:
    """The position of a row in an order: its values, one for each term."""
    return [getattr(row, term.column.name) for term in terms]


def beyond(terms: Terms, place: Sequence[Any], *, inclusive: bool = False) -> tuple[Expression, ...]:
    """Conditions for the rows after a position in an order; with `inclusive`, also for the row at it."""
    first, *rest = terms
    behind = _beyond(terms, place, inclusive)
    if not rest or first.column.nullable:
        return (behind,)
    # The first condition lets an index find the first row; the second alone would scan all rows before it:
    # `a >= 3 AND (a > 3 OR (a = 3 AND id > 7))`.
    return _compare(first, place[0], inclusive=True), behind


def _beyond(terms: Sequence[Order], place: Sequence[Any], inclusive: bool) -> Expression:
    (first, *rest), (value, *values) = terms, place
    if not rest and not first.column.nullable:
        return _compare(first, value, inclusive=inclusive)
    ties = _beyond(rest, values, inclusive) if rest else all_of() if inclusive else any_of()
    return any_of(*_further(first, value), all_of(first.column == value, ties))


def _further(term: Order, value: Any) -> list[Expression]:
    """Alternative conditions for the rows that one term places after a value."""
    nulls_last = _nulls(*term) == "last"
    if value is None:
        return [] if nulls_last else [term.column != None]  # noqa: E711 - a condition
    behind: list[Expression] = [_compare(term, value, inclusive=False)]
    return [*behind, term.column.is_null()] if nulls_last and term.column.nullable else behind


def _compare(term: Order, value: Any, *, inclusive: bool) -> Expression:
    column = term.column
    if term.descending:
        return column <= value if inclusive else column < value
    return column >= value if inclusive else column > value

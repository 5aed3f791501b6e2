"""Computed values: aggregates and functions that SQL computes for each row, usable like columns.

`count(Comment, Comment.issue_id == Issue.id) > 3` is an expression, `-count(…)` an order. Conditions on related rows
are written as in `exists`. An aggregate of no rows is NULL, except for a count, which is 0.
"""

from __future__ import annotations

from typing import Any

from .rows import (
    Case,
    Column,
    ColumnType,
    Expression,
    Formula,
    Items,
    Related,
    Row,
    Source,
    Step,
    TransitiveClosure,
    column,
    worked_out,
)

JOINT = "\x1f"
"""The separator of `join_texts`: it sorts before every character of a name."""


def count(source: Source, *where: Expression) -> Column[int]:
    """The number of related rows."""
    return worked_out("integer", Related(source, where, "count", None), nullable=False)


def total(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The sum of a column of the related rows."""
    return worked_out(of.kind, Related(source, where, "total", of))


def least(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The smallest value of a column of the related rows."""
    return worked_out(of.kind, Related(source, where, "least", of))


def greatest(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The largest value of a column of the related rows."""
    return worked_out(of.kind, Related(source, where, "greatest", of))


def join_texts(of: Column[Any], source: Source, *where: Expression) -> Column[str | None]:
    """The sorted texts of the related rows, joined by JOINT, so that the result compares like a list of them."""
    return worked_out("text", Related(source, where, "joined", of))


def only(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The value of a column of the related row; there must be at most one such row."""
    return worked_out(of.kind, Related(source, where, "only", of))


def elapsed_micros(earlier: Column[Any] | str, later: Column[Any] | str) -> Column[int | None]:
    """Microseconds from one instant to another; each is a Timestamp column or naive ISO text in UTC."""
    return worked_out("integer", Formula("elapsed", (earlier, later)))


def coalesce(first: Column[Any], *others: object) -> Column[Any]:
    """The first value that is not NULL; the others are columns or constants."""
    return worked_out(first.kind, Formula("coalesce", (first, *others)))


def case(kind: ColumnType, *cases: tuple[Expression, object], otherwise: object = None) -> Column[Any]:
    """The value of the first case `(condition, value)` whose condition is true; a value is a column or a constant."""
    return worked_out(kind, Case(cases, otherwise))


def reachable_rows(start: Column[Any], *steps: Step) -> TransitiveClosure:
    """The outer row and all rows of its table that are reachable from it by any number of steps, each once.

    `start` is the table's key. An issue or one of its ancestors has the title "Plan":
    `exists(reachable_rows(Issue.id, Step(Issue.id, Issue.parent_id)), Issue.title == "Plan")`.
    For the rows of another table, use `TransitiveClosure(table, start, steps)`.
    """
    return TransitiveClosure(start.table, start, steps)


class Item(Row, table="items of a list", key=("place",)):
    """An item of a list, as `Items` yields it; it is never stored."""

    place: Column[int]
    value: Column[str | None] = column(default=None)
    """The text of the item; None for an item that is not a text."""


def row_of(source: Source) -> type[Row]:
    """The table whose columns conditions on a source refer to."""
    if isinstance(source, Items):
        return Item
    return source.table if isinstance(source, TransitiveClosure) else source

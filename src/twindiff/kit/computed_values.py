"""Values that no column holds: worked out for each row, in its statement, and compared and ordered by as columns are.

`count(Comment, Comment.issue_id == Issue.id) > 3` is an expression, `-count(…)` an order. Conditions on related rows
are written as in `exists`. What is worked out of nothing, such as the least of no rows, is NULL; only a count is 0.
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
"""What stands between the texts of `join_texts`: it sorts before everything that names are made of."""


def count(source: Source, *where: Expression) -> Column[int]:
    """How many related rows there are."""
    return worked_out("integer", Related(source, where, "count", None), nullable=False)


def total(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The sum of a number of related rows."""
    return worked_out(of.kind, Related(source, where, "total", of))


def least(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The least value of related rows."""
    return worked_out(of.kind, Related(source, where, "least", of))


def greatest(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """The greatest value of related rows."""
    return worked_out(of.kind, Related(source, where, "greatest", of))


def join_texts(of: Column[Any], source: Source, *where: Expression) -> Column[str | None]:
    """The texts of related rows in order, side by side, so that they compare as a list of them would."""
    return worked_out("text", Related(source, where, "joined", of))


def only(of: Column[Any], source: Source, *where: Expression) -> Column[Any]:
    """A value of the one related row; there must not be more of them."""
    return worked_out(of.kind, Related(source, where, "only", of))


def elapsed_micros(earlier: Column[Any] | str, later: Column[Any] | str) -> Column[int | None]:
    """Microseconds from one instant to another."""
    return worked_out("integer", Formula("elapsed", (earlier, later)))


def coalesce(first: Column[Any], *others: object) -> Column[Any]:
    """The first of some values that is not NULL."""
    return worked_out(first.kind, Formula("coalesce", (first, *others)))


def case(kind: ColumnType, *cases: tuple[Expression, object], otherwise: object = None) -> Column[Any]:
    """The value of the first condition that holds: a column or a constant."""
    return worked_out(kind, Case(cases, otherwise))


def reachable_rows(start: Column[Any], *steps: Step) -> TransitiveClosure:
    """The row outside and all rows of its table to which steps lead, however many; each counts once.

    To come to another table say `TransitiveClosure(table, start, steps)`.
    `start` is the table's key: `exists(reached(Issue.id, Step(Issue.id, Issue.parent_id)), Issue.title == "Plan")`.
    """
    return TransitiveClosure(start.table, start, steps)


class Item(Row, table="items of a list", key=("place",)):
    """One item of a list, as `Items` has them; no engine stores it."""

    place: Column[int]
    value: Column[str | None] = column(default=None)
    """Its text; None for an item that is no text."""


def row_of(source: Source) -> type[Row]:
    """The table whose columns conditions on a source speak of."""
    if isinstance(source, Items):
        return Item
    return source.table if isinstance(source, TransitiveClosure) else source

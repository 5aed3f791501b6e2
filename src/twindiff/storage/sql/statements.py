"""Parts of statements that every database takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, Expression

from .compiler import OUTERMOST, Scope, SqlCompiler
from .names import quote
from .tables import Stored, TableForm


class Relation(NamedTuple):
    """How rows belong to parents: by a column of their own, or through a table between."""

    by: Column[Any]
    join: Column[Any] | None
    between: tuple[Expression, ...]


def from_where(form: TableForm, text: SqlCompiler, where: Sequence[Expression]) -> str:
    """The rows of a table for which conditions hold, to be read."""
    source, condition = text.search(form.table, where, OUTERMOST)
    conditions = [condition] if condition else []
    conditions += [text.where(where, (Scope(OUTERMOST, form.table.row),))] if where else []
    return f" FROM {source or form.name} {OUTERMOST}" + (f" WHERE {' AND '.join(conditions)}" if conditions else "")


def of_parent(form: TableForm, text: SqlCompiler, relation: Relation, where: Sequence[Expression]) -> str:
    """One parent's rows, as `u`; the parent is `k.value` outside."""
    by, join, between = relation
    if join is None:
        conditions = [f"u.{quote(by.name)} = k.value"]
        source = f"{form.name} u"
    else:
        middle = Scope("m", by.table)
        conditions = [f"m.{quote(by.name)} = k.value", *([text.where(between, (middle,))] if between else [])]
        source = f"{text.table(by.table)} m JOIN {form.name} u ON u.{quote(form.key[0])} = m.{quote(join.name)}"
    conditions += [text.where(where, (Scope("u", form.table.row),))] if where else []
    return f" FROM {source} WHERE {' AND '.join(conditions)}"


def by_parent(rows: Iterable[Stored]) -> dict[str, list[Stored]]:
    """Rows by the parent that each begins with."""
    pages: dict[str, list[Stored]] = {}
    for values in rows:
        pages.setdefault(values[0], []).append(values[1:])
    return pages

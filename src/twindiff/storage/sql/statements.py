"""Parts of SQL statements common to all databases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, Expression

from .compiler import OUTERMOST, Scope, SqlCompiler
from .names import quote
from .tables import Stored, TableForm


class Relation(NamedTuple):
    """How rows belong to parents: by their own column `by`, or through a link table.

    With a link table, `by` is its column with the parent, `join` its column with the row's key, and `between` are
    conditions on its rows.
    """

    by: Column[Any]
    join: Column[Any] | None
    between: tuple[Expression, ...]


def from_where(form: TableForm, text: SqlCompiler, where: Sequence[Expression]) -> str:
    """Return the FROM and WHERE clauses of a query for the rows of a table for which conditions hold."""
    # FROM "issues" t WHERE t."team_id" = ?1 AND t."number" > ?2
    source, condition = text.search(form.table, where, OUTERMOST)
    conditions = [condition] if condition else []
    conditions += [text.where(where, (Scope(OUTERMOST, form.table.row),))] if where else []
    return f" FROM {source or form.name} {OUTERMOST}" + (f" WHERE {' AND '.join(conditions)}" if conditions else "")


def of_parent(form: TableForm, text: SqlCompiler, relation: Relation, where: Sequence[Expression]) -> str:
    """Return the FROM and WHERE clauses for the rows `u` of one parent, which is `k.value` of the outer query."""
    # Own column: FROM "comments" u WHERE u."issue_id" = k.value
    # Link table: FROM "issue_labels" m JOIN "labels" u ON u."id" = m."label_id" WHERE m."issue_id" = k.value
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
    """Group rows by their first value, the parent, which is removed from them."""
    pages: dict[str, list[Stored]] = {}
    for values in rows:
        pages.setdefault(values[0], []).append(values[1:])
    return pages

"""Loaders of a plan: each loads a relation for a whole batch of rows in one statement."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .arguments import Arguments
from .completion import Batch, Complete, ConnectionShape, Load, Loaded, TableSelection, Unresolved
from .entity import EntitySpec
from .filter_expressions import between
from .model import RelationLink
from .names import snake
from .paging import PageQuery, page_of
from .run import GraphqlRun, columns_of, exclude_archived
from .section import Computed, ConnectionRows


def to_one(target: EntitySpec, table: TableSelection, key_at: int, required: str) -> Load:
    """Load the rows that a column's keys point to; for `{ id }`, the keys suffice if all rows are visible.

    If `required` names a field, the loader raises Unresolved for a row without a target.
    """
    id_at = table.cells.at("id")

    def load(run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        keys = list(dict.fromkeys([row[key_at] for row in rows if row[key_at] is not None]))
        targets = _load_targets(run, target, table, id_at, keys) if keys else {}
        values = [targets.get(row[key_at]) for row in rows]
        if required and None in values:
            raise Unresolved(f"Cannot return null for non-nullable field {required}.")
        return values

    return load


def _load_targets(
    run: GraphqlRun, target: EntitySpec, table: TableSelection, id_at: int, keys: list[str]
) -> dict[str, Any]:
    visible = run.visible(target)
    if table.cells.only_id and not visible:
        return dict(zip(keys, table.shape.shape(run, [(key,) for key in keys]), strict=True))
    where = columns_of(target)["id"].in_(keys)
    loaded = run.db.rows(target.row, where, *visible, columns=table.cells.columns)
    shaped = table.shape.shape(run, loaded)
    return {row[id_at]: value for row, value in zip(loaded, shaped, strict=True)}


def to_many(link: RelationLink, shape: ConnectionShape, id_at: int, arguments: Arguments) -> Load:
    """Load the page of a connection for each row."""

    def load(run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        page = page_of(run, link.target, arguments.of(run.variables))
        related = _load_connection(run, link, shape, [row[id_at] for row in rows], page)
        return shape.shape(
            run, [Batch(related.get(row[id_at], []), page, _total(run, link, row[id_at], page)) for row in rows]
        )

    return load


def _load_connection(
    run: GraphqlRun, link: RelationLink, shape: ConnectionShape, parents: list[str], page: PageQuery
) -> dict[str, list[Loaded]]:
    by = link.by if link.by is not None else link.mine
    assert by is not None
    return run.db.pages(
        link.target.row,
        by,
        parents,
        *page.where,
        join=link.theirs,
        between=() if link.theirs is None else between(run, link),
        order=page.order,
        limit=page.size + 1,
        columns=shape.cells.columns,
    )


def _total(run: GraphqlRun, link: RelationLink, parent: str, page: PageQuery) -> Callable[[], int]:
    by = link.by if link.by is not None else link.mine
    assert by is not None

    def count() -> int:
        rows = run.db.pages(
            link.target.row, by, [parent], *page.matching, join=link.theirs, columns=(columns_of(link.target)["id"],)
        )
        return len(rows.get(parent, ()))

    return count


def listed_relation(link: RelationLink, table: TableSelection, id_at: int) -> Load:
    """Load a relation that is a plain list: all visible rows that are not archived, oldest first."""

    def load(run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        target = link.target
        by = link.by if link.by is not None else link.mine
        assert by is not None
        columns = columns_of(target)
        related = run.db.pages(
            target.row,
            by,
            [row[id_at] for row in rows],
            *exclude_archived(target),
            *run.visible(target),
            join=link.theirs,
            order=columns.get("createdAt", columns["id"]),
            columns=table.cells.columns,
        )
        lists = [related.get(row[id_at], []) for row in rows]
        shaped = iter(table.shape.shape(run, [each for members in lists for each in members]))
        return [[next(shaped) for _ in members] for members in lists]

    return load


def connection(run: GraphqlRun, shape: ConnectionShape, matches: ConnectionRows, arguments: dict[str, Any]) -> Batch:
    """Load the page of a connection at a root field, or of one that a function returned as ConnectionRows."""
    spec = matches.entity.spec
    page = page_of(run, spec, arguments, matches.where, matches.order)
    columns = shape.cells.columns
    rows = run.db.rows(spec.row, *page.where, order=page.order, limit=page.size + 1, columns=columns)
    return Batch(rows, page, lambda: run.db.count(spec.row, *page.matching))


def given_connection(shape: ConnectionShape, arguments: Arguments) -> Complete:
    """Complete connections that functions return: as ConnectionRows, or as lists of all rows."""

    def complete(run: GraphqlRun, values: list[Any]) -> list[Any]:
        batches: list[Batch] = []
        for value in values:
            if isinstance(value, ConnectionRows):
                batches.append(connection(run, shape, value, arguments.of(run.variables)))
            else:
                rows = shape.cells.tuples(value or [])
                batches.append(Batch(rows, None, rows.__len__))
        return shape.shape(run, batches)

    return complete


def load_by_function(
    hook: Computed, record: Callable[[list[Loaded]], list[Any]], given: Given, complete: Complete, usual: Load | None
) -> Load:
    """Call a function for a batch of rows; if it returns NotImplemented, load the stored relation (`usual`)."""

    def load(run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        values: Any = hook.function(run.call, record(rows), **given(run))
        if values is NotImplemented and usual is not None:
            return usual(run, rows)
        return complete(run, values)

    return load


def constant(value: Any, complete: Complete) -> Load:
    """Load the same value for every row."""

    def load(run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        return complete(run, [value] * len(rows))

    return load


Given = Callable[[GraphqlRun], dict[str, Any]]
PAGING = frozenset({"after", "before", "first", "last", "filter", "includeArchived", "orderBy", "sort"})


def given_to(arguments: Arguments, *, paged: bool) -> Given:
    """The keyword arguments of a function from those of its field, without the paging arguments of a connection."""

    def keyword_arguments(run: GraphqlRun) -> dict[str, Any]:
        values = arguments.of(run.variables)
        return keywords({n: v for n, v in values.items() if n not in PAGING} if paged else values)

    return keyword_arguments


def keywords(arguments: dict[str, Any]) -> dict[str, Any]:
    """GraphQL arguments as keyword arguments of a function: `includeArchived` becomes `include_archived`."""
    return {_keyword(name): value for name, value in arguments.items()}


_keyword = cache(snake)

"""The parts of a plan: each shape converts a batch of values of one type to objects of the response.

Rows are tuples of the selected columns. A batch is converted as a whole, so that each relation is loaded once for all
of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, Row

from .entity import EntitySpec
from .paging import PageQuery
from .run import GraphqlRun, columns_of

Loaded = tuple[Any, ...]
"""A row as a tuple of the selected columns."""
Load = Callable[[GraphqlRun, list[Loaded]], list[Any]]
"""Loads a field: returns its value in the response for each row."""
Complete = Callable[[GraphqlRun, list[Any]], list[Any]]
"""Converts a field's values, as functions return them, to their form in the response, in the same order."""
Build = Callable[..., list[Any]]
"""Builds the response objects from the rows and the lists of loaded values, one list for each loader."""


class Unresolved(Exception):
    """A field that cannot be null has no value."""


class Cells:
    """The columns of a table that a plan loads, each with its position in the loaded tuples."""

    def __init__(self, spec: EntitySpec) -> None:
        self.spec = spec
        self._known = columns_of(spec)
        self._at: dict[str, int] = {}

    def at(self, name: str) -> int:
        """The position of a column in the tuples; the column is added if it is new."""
        return self._at.setdefault(name, len(self._at))

    @property
    def columns(self) -> tuple[Column[Any], ...]:
        return tuple(self._known[name] for name in self._at)

    def is_nullable(self, name: str) -> bool:
        return self._known[name].nullable

    @property
    def only_id(self) -> bool:
        return list(self._at) == ["id"]

    def tuples(self, rows: Sequence[Row]) -> list[Loaded]:
        """Convert whole rows to tuples of these columns."""
        names = list(self._at)
        if not names:
            return [()] * len(rows)
        if len(names) == 1:
            return [(getattr(row, names[0]),) for row in rows]
        return list(map(attrgetter(*names), rows))


def _empty(rows: list[Loaded]) -> list[Any]:
    return [{} for _ in rows]


class RowShape:
    """The selection of a concrete type, applied to loaded tuples."""

    def __init__(self) -> None:
        self.loads: list[Load] = []
        self._make: Callable[[], Build] = lambda: _empty

    def build_by(self, make: Callable[[], Build]) -> None:
        """Set the factory of the builder, which is called for the first row: many types of an interface have none."""
        self._make = make

    @cached_property
    def _build(self) -> Build:
        return self._make()

    def shape(self, run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        if not rows:
            return []
        return self._build(rows, *[load(run, rows) for load in self.loads])


class KindShape:
    """The selections of an interface's concrete types, applied to rows of their common table."""

    def __init__(self, kind_at: int, by_kind: dict[str, RowShape]) -> None:
        self._kind = itemgetter(kind_at)
        self._by_kind = by_kind

    def shape(self, run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
        kinds = [self._kind(row) for row in rows]
        shaped: list[Any] = [None] * len(rows)
        for kind in dict.fromkeys(kinds):
            places = [at for at, each in enumerate(kinds) if each == kind]
            of_kind = self._by_kind[kind].shape(run, [rows[at] for at in places])
            for at, each in zip(places, of_kind, strict=True):
                shaped[at] = each
        return shaped


class TableSelection(NamedTuple):
    """The selection of a table's rows: the columns to load, and the shape that converts them."""

    cells: Cells
    shape: Any

    def complete(self, run: GraphqlRun, values: list[Any]) -> list[Any]:
        """Convert rows that a function returned; None stays."""
        rows = [value for value in values if value is not None]
        shaped = iter(self.shape.shape(run, self.cells.tuples(rows)))
        return [None if value is None else next(shaped) for value in values]


class Batch(NamedTuple):
    """The rows of one connection: one more than the size of the page if there are more; `total` counts them all."""

    rows: list[Loaded]
    page: PageQuery | None
    total: Callable[[], int]


Part = Callable[[GraphqlRun, list[Batch], list[list[Loaded]]], list[Any]]
"""Returns a field of connections, such as `nodes`, for each batch; the lists are the rows on their pages."""


class ConnectionShape:
    """The selection of connections: nodes, edges, pageInfo and totalCount; all their rows are converted together."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.id_at = cells.at("id")
        self.nodes: Any = None
        self.parts: list[tuple[str, Part]] = []

    def shape(self, run: GraphqlRun, batches: list[Batch]) -> list[Any]:
        pages = [_page(batch) for batch in batches]
        columns = [(key, part(run, batches, pages)) for key, part in self.parts]
        return [{key: values[at] for key, values in columns} for at in range(len(batches))]


def _page(batch: Batch) -> list[Loaded]:
    if batch.page is None:
        return batch.rows
    rows = batch.rows[: batch.page.size]
    return rows[::-1] if batch.page.backward else rows


def nodes_part(table: Any) -> Any:
    """The part with the nodes of each page."""

    def part(run: GraphqlRun, batches: list[Batch], pages: list[list[Loaded]]) -> list[Any]:
        flat = table.shape(run, [row for page in pages for row in page])
        nodes: list[Any] = []
        start = 0
        for page in pages:
            nodes.append(flat[start : start + len(page)])
            start += len(page)
        return nodes

    return part


def edges_part(id_at: int, keys: list[tuple[str, str]], nodes: Any) -> Any:
    """The part with the edges of each page; `keys` are response keys, each with `cursor`, `node` or a constant."""

    def part(run: GraphqlRun, batches: list[Batch], pages: list[list[Loaded]]) -> list[Any]:
        shaped = nodes_part(nodes)(run, batches, pages) if nodes else [[None] * len(page) for page in pages]
        return [
            [_edge(keys, row[id_at], node) for row, node in zip(page, shaped_page, strict=True)]
            for page, shaped_page in zip(pages, shaped, strict=True)
        ]

    return part


def _edge(keys: list[tuple[str, str]], cursor: str, node: Any) -> dict[str, Any]:
    return {key: cursor if name == "cursor" else node if name == "node" else name for key, name in keys}


def page_info_part(id_at: int, keys: list[tuple[str, str]]) -> Any:
    """The part with the pageInfo of each page; `keys` are response keys, each with the field or a constant."""

    def part(run: GraphqlRun, batches: list[Batch], pages: list[list[Loaded]]) -> list[Any]:
        infos: list[Any] = []
        for batch, page in zip(batches, pages, strict=True):
            facts = _page_info(batch, page, id_at)
            infos.append({key: facts.get(name, name) for key, name in keys})
        return infos

    return part


def _page_info(batch: Batch, page: list[Loaded], id_at: int) -> dict[str, Any]:
    more = batch.page is not None and len(batch.rows) > batch.page.size
    inside = batch.page is not None and batch.page.inside
    backward = batch.page is not None and batch.page.backward
    return {
        "hasNextPage": inside if backward else more,
        "hasPreviousPage": more if backward else inside,
        "startCursor": page[0][id_at] if page else None,
        "endCursor": page[-1][id_at] if page else None,
    }


def constant_part(value: Any) -> Part:
    """A part with the same value for each page."""
    return lambda run, batches, pages: [value] * len(batches)


def total_part(run: GraphqlRun, batches: list[Batch], pages: list[list[Loaded]]) -> list[Any]:
    """The part with the total number of rows."""
    return [batch.total() for batch in batches]


# Values of functions


def leaf(convert: Callable[[Any], Any] | None) -> Complete:
    """Complete scalars and enums."""
    if convert is None:
        return lambda run, values: values
    return lambda run, values: [None if value is None else convert(value) for value in values]


def complete_lists(complete: Complete) -> Complete:
    """Complete lists of values, the items of all lists together."""

    def all_lists(run: GraphqlRun, values: list[Any]) -> list[Any]:
        flat = complete(run, [item for value in values if value is not None for item in value])
        lists: list[Any] = []
        start = 0
        for value in values:
            lists.append(None if value is None else flat[start : start + len(value)])
            start += 0 if value is None else len(value)
        return lists

    return all_lists


def complete_required(complete: Complete, what: str) -> Complete:
    """Complete values that must not be None; the result raises Unresolved for one that is."""

    def all_there(run: GraphqlRun, values: list[Any]) -> list[Any]:
        completed = complete(run, values)
        if None in completed:
            raise Unresolved(f"Cannot return null for non-nullable field {what}.")
        return completed

    return all_there


def objects(fields: list[tuple[str, Callable[[GraphqlRun, list[Any]], list[Any]]]]) -> Complete:
    """Complete dicts: for each response key, a function that returns the values of all dicts."""

    def shape(run: GraphqlRun, values: list[Any]) -> list[Any]:
        there = [value for value in values if value is not None]
        columns = [(key, field(run, there)) for key, field in fields] if there else []
        shaped = iter([{key: column[at] for key, column in columns} for at in range(len(there))])
        return [None if value is None else next(shaped) for value in values]

    return shape


def by_type(name_of: Callable[[Any], str], complete: dict[str, Complete]) -> Complete:
    """Complete values of several types, each by the function for its type's name."""

    def shape(run: GraphqlRun, values: list[Any]) -> list[Any]:
        names = [None if value is None else name_of(value) for value in values]
        shaped: list[Any] = [None] * len(values)
        for name in dict.fromkeys(names):
            if name is None:
                continue
            places = [at for at, each in enumerate(names) if each == name]
            for at, each in zip(places, complete[name](run, [values[at] for at in places]), strict=True):
                shaped[at] = each
        return shaped

    return shape

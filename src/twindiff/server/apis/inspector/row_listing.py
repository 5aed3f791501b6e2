"""Lists rows of a table: filtered and paged, at the current or an earlier point."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Column, Expression, Row, Table, table_of
from twindiff.kit.store import Store
from twindiff.server.service import Service
from twindiff.server.use_cases.rows import TableNotFound
from twindiff.storage.journal import Values, net
from twindiff.storage.schema import Schema

PAGE = 100
MAX_ROWS = 10_000
"""Maximum rows of a file, and of a table that is shown at an earlier point."""


class RowNotFound(ApiError):
    """There is no row with this key."""

    status = 404


class InvalidFilter(ApiError):
    """A filter names a column and how to compare it."""


class TooLargeForThePast(ApiError):
    """The table is too large to be looked at as it was; fork the environment at that point and look there."""


class Filter(NamedTuple):
    """A condition on a column."""

    column: str
    op: str
    value: str


OPS: dict[str, Callable[[Column[Any], Any], Expression]] = {
    "is": lambda column, value: column == value,
    "is not": lambda column, value: column != value,
    "contains": lambda column, value: column.contains(value, fold=True),
    "begins with": lambda column, value: column.starts(value, fold=True),
    "less than": lambda column, value: column < value,
    "more than": lambda column, value: column > value,
    "is empty": lambda column, value: column.is_null(),
}
_IN_THE_PAST: dict[str, Callable[[Any, Any], bool]] = {
    "is": lambda given, value: given == value,
    "is not": lambda given, value: given != value,
    "contains": lambda given, value: value.casefold() in str(given or "").casefold(),
    "begins with": lambda given, value: str(given or "").casefold().startswith(value.casefold()),
    "less than": lambda given, value: given is not None and given < value,
    "more than": lambda given, value: given is not None and given > value,
    "is empty": lambda given, value: given is None,
}
TEXT_OPS = ("contains", "begins with")


class RowListing(NamedTuple):
    """A page of a table."""

    table: Table
    rows: list[Values]
    total: int
    offset: int

    @property
    def next(self) -> int | None:
        """The offset of the next page, or None."""
        return self.offset + PAGE if self.offset + PAGE < self.total else None

    @property
    def previous(self) -> int | None:
        return max(0, self.offset - PAGE) if self.offset else None


def table_named(schema: Schema, name: str) -> Table:
    """Find a table of a twin; raises TableNotFound."""
    if name not in schema.tables:
        raise TableNotFound(f"There is no table '{name[:100]}'; there are {', '.join(sorted(schema.tables))}")
    return schema.tables[name]


def read(store: Store, table: Table, filters: Sequence[Filter], offset: int, limit: int = PAGE) -> RowListing:
    """Read a page of stored rows; raises InvalidFilter."""
    wanted = [(each, _value(table, each)) for each in filters]
    where = [OPS[each.op](table.columns[each.column], value) for each, value in wanted]
    order = tuple(table.columns[name] for name in table.key)
    rows = store.rows(table.row, *where, order=order, limit=limit, offset=offset)
    return RowListing(table, [_values(row) for row in rows], store.count(table.row, *where), offset)


def _values(row: Row) -> Values:
    return msgspec.structs.asdict(row)


def _value(table: Table, filter: Filter) -> Any:
    """Convert the value of a filter to the type of its column; raises InvalidFilter."""
    column = table.columns.get(filter.column)
    if column is None or filter.op not in OPS:
        raise InvalidFilter(f"'{filter.column[:100]} {filter.op[:100]}' is no filter of {table.name}")
    if filter.op == "is empty":
        return None
    if filter.op in TEXT_OPS and column.kind != "text":
        raise InvalidFilter(f"{filter.column} is no text; compare it with 'is', 'less than' or 'more than'")
    if column.kind == "text":
        return filter.value
    try:
        return msgspec.convert(filter.value, _TYPES[column.kind], strict=False)
    except (KeyError, msgspec.ValidationError):
        raise InvalidFilter(f"'{filter.value[:100]}' is no {column.kind}, which {filter.column} is") from None


_TYPES: dict[str, Any] = {"integer": int, "float": float, "boolean": bool, "timestamp": str, "date": str}


async def at_point(
    service: Service,
    environment: LoadedEnvironment,
    twin: str,
    table: Table,
    filters: Sequence[Filter],
    seq: int,
    offset: int,
) -> RowListing:
    """Read a page of the rows at an earlier point, by undoing later changes; raises TooLargeForThePast."""
    present = service.engine.read(environment.id, twin, lambda moment: _all(moment.db, table), at=0)
    since = await service.runtime.run_steps(service.points.changes(environment.id, seq, None))

    def undo() -> RowListing:
        rows = {tuple(row[name] for name in table.key): row for row in present}
        for place, (before, _) in net(since.records).items():
            if place.twin == twin and place.table == table.name:
                rows.pop(place.key, None)
                if before is not None:
                    rows[place.key] = before
        wanted = [(each, _value(table, each)) for each in filters]
        kept = [
            row
            for _, row in sorted(rows.items(), key=lambda each: tuple(map(str, each[0])))
            if all(_IN_THE_PAST[each.op](row.get(each.column), value) for each, value in wanted)
        ]
        return RowListing(table, kept[offset : offset + PAGE], len(kept), offset)

    return await service.runtime.run_in_thread(undo)


def _all(store: Store, table: Table) -> list[Values]:
    rows = store.rows(table.row, limit=MAX_ROWS + 1)
    if len(rows) > MAX_ROWS:
        raise TooLargeForThePast(
            f"{table.name} has more than {MAX_ROWS:,} rows; fork the environment at that point and look there"
        )
    return [_values(row) for row in rows]


def find(store: Store, table: Table, key: str) -> Values:
    """Find a row by its key in the form of `rendering.key_of`; raises RowNotFound."""
    try:
        values = msgspec.json.decode(key, type=list[Any])
        where = [table.columns[name] == value for name, value in zip(table.key, values, strict=True)]
        row = store.find(table.row, *where)
    except (ValueError, TypeError, RecursionError):
        row = None
    if row is None:
        raise RowNotFound(f"{table.name} has no row with the key {key[:200]}")
    return _values(row)


def leads_to(table: Table) -> dict[str, str]:
    """The table that each referencing column refers to, if the key of that table is a single column."""
    targets: dict[str, str] = {}
    for name, column in table.columns.items():
        if column.references:
            other = table_of(column.references)
            if len(other.key) == 1:
                targets[name] = other.name
    return targets


def refer_to(schema: Schema, table: Table) -> list[tuple[str, str]]:
    """List the columns that refer to a table, as pairs of table and column."""
    return [
        (other.name, column)
        for other in schema.tables.values()
        for column, target in leads_to(other).items()
        if target == table.name
    ]


def as_csv(table: Table, rows: Iterable[Values]) -> bytes:
    """Format rows as CSV, text as it is and other values as JSON; escapes what a spreadsheet would run as a formula."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(table.columns)
    for row in rows:
        writer.writerow([_plain(row.get(name)) for name in table.columns])
    return written.getvalue().encode()


def _plain(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if isinstance(value, str) and text[:1] in ("=", "+", "-", "@", "\t", "\r") else text

"""The SQL of one table that is needed often, made once, and how its values are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, ColumnType, Row, Table
from twindiff.storage.schema import Schema
from twindiff.storage.sql.compiler import OUTERMOST
from twindiff.storage.sql.names import names, quote
from twindiff.storage.sql.tables import Convert, TableForm, TableForms, nullable
from twindiff.storage.values import decode_json, json_text

from .connection import Stored
from .ddl import number_of
from .query_shapes import Shape
from .records import Columns


def loading(column: Column[Any]) -> Convert | None:
    """How a stored value gets its declared type, if it has not got it."""
    if column.kind == "boolean":
        return bool
    return decode_json if column.kind == "json" else None


def _storing(column: Column[Any]) -> Convert | None:
    """How a value is stored, if not as it is. In a Json column that cannot be NULL, None is JSON's null."""
    if column.kind == "boolean":
        return _number
    if column.kind == "float":
        return _real
    if column.kind != "json":
        return None
    return nullable(json_text) if column.nullable else json_text


def _number(value: Any) -> Any:
    """A boolean as the number that SQLite keeps it as."""
    return int(value) if value.__class__ is bool else value


def _real(value: Any) -> Any:
    """A number as SQLite gives it back: not whole, zero without a sign, and None where it is none."""
    if isinstance(value, int | float):
        return value + 0.0 if value == value else None  # noqa: PLR0124 - what is no number equals nothing
    return value


_KEPT: dict[ColumnType, type] = {"integer": int, "boolean": int, "float": float}
"""Of which types columns are that hold no texts; booleans are stored as numbers."""


def _types(column: Column[Any]) -> tuple[type, ...]:
    """The types of values that a column keeps as they are."""
    kept = _KEPT.get(column.kind, str)
    return (kept, type(None)) if column.nullable else (kept,)


_MAX_QUERIES = 1_000
_MAX_QUERY_CHARACTERS = 10_000


class KeptTypes:
    """Which types of values some columns keep as they are, in the order of the columns."""

    __slots__ = ("_known", "_of_columns")

    def __init__(self, columns: Sequence[Column[Any]]) -> None:
        self._of_columns = [_types(column) for column in columns]
        self._known: set[tuple[type, ...]] = set()

    def keep(self, values: Sequence[Any]) -> bool:
        """Whether SQLite stores these very values: each is exactly of its column's type, or None where that may be."""
        types = tuple(map(type, values))
        return types in self._known or self._fit(types)

    def _fit(self, types: tuple[type, ...]) -> bool:
        fits = all(each in kept for each, kept in zip(types, self._of_columns, strict=True))
        if fits and len(self._known) < _MAX_QUERIES:
            self._known.add(types)
        return fits


class Update(NamedTuple):
    """How some columns of the row with a key are set: by the values of these, and of the key."""

    query: str
    values: Callable[[Row], Stored]
    """Those of a row, as they are stored."""
    places: tuple[int, ...]
    """Where the columns are in a row as it is stored."""
    types: KeptTypes

    def after(self, row: Stored, values: Sequence[Any]) -> Stored:
        """A row with these values in the columns."""
        after = list(row)
        for place, value in zip(self.places, values, strict=False):
            after[place] = value
        return tuple(after)


class SqliteTableSql(TableForm):
    """The SQL that is needed often for one table, made once.

    Every text is read through when it is run, so those of tables that stand as they are declared name no columns.
    `is_as_declared` is False for a table of a file that may have got some of its columns later.
    """

    def __init__(self, table: Table, *, is_as_declared: bool = True) -> None:
        super().__init__(quote(table.name), table, "?", loading, _storing)
        if is_as_declared:
            self.selected = f"{OUTERMOST}.*"
            self.select_by_key = f"SELECT * FROM {self.name} WHERE {self.by_key}"
        columns = "" if is_as_declared else f" ({names(self.columns)})"
        marks = ", ".join("?" * len(self.columns))
        self.insert = f"INSERT INTO {self.name}{columns} VALUES ({marks})"
        self.insert_at = f"INSERT INTO {self.name} (rowid, {names(self.columns)}) VALUES (?, {marks})"
        """Insert a row where one was, which is as old as it."""
        self.is_numbered = number_of(table) is not None
        """Whether a column says where a row is."""
        self.queries: dict[Shape, str] = {}
        kinds = [column.kind for column in table.columns.values()]
        self._real_at = tuple(at for at, kind in enumerate(kinds) if kind == "float")
        self.types = KeptTypes([*table.columns.values()])
        self._updates: dict[tuple[str, ...], Update] = {}
        self.json_at = tuple(at for at, kind in enumerate(kinds) if kind == "json")
        boolean_at = tuple(at for at, kind in enumerate(kinds) if kind == "boolean")
        self.packed_columns = Columns(self.columns, self.json_at, boolean_at).packed
        """As records of the journal have them."""
        self.key_names = frozenset(self.key)
        self.returning = f" RETURNING {names(self.columns)}"

    def from_hook(self, row: Stored | None) -> Stored | None:
        """A row of the hook's, to which SQLite may show a whole number for a real one."""
        if row is None or not self._real_at:
            return row
        return tuple([_real(value) if at in self._real_at else value for at, value in enumerate(row)])

    def updating(self, columns: tuple[str, ...]) -> Update:
        """How columns are set; found out once for each choice of them."""
        update = self._updates.get(columns)
        if update is None:
            if len(self._updates) >= _MAX_QUERIES:
                self._updates.clear()
            update = self._updates[columns] = self._update(columns)
        return update

    def _update(self, columns: tuple[str, ...]) -> Update:
        sets = ", ".join([f"{quote(name)} = ?" for name in columns])
        query = f"UPDATE {self.name} SET {sets} WHERE {self.by_key}"
        types = KeptTypes([self.table.columns[name] for name in columns])
        return Update(query, self.values_of((*columns, *self.key)), self.places(columns), types)

    def places(self, columns: Sequence[str]) -> tuple[int, ...]:
        """Where columns are in a row as it is stored."""
        return tuple([self.columns.index(name) for name in columns])

    def delete_referring(self, column: str) -> str:
        """Delete the rows in which a column has one of the keys in a JSON list; gives the first part of their keys."""
        among = f"{quote(column)} IN (SELECT value FROM json_each(?))"
        return f"DELETE FROM {self.name} WHERE {among} RETURNING {quote(self.key[0])}"

    def remember(self, shape: Shape, query: str) -> str:
        """Keep the text of a shape; only so many and none that is long, since filters have shapes as callers like."""
        if len(query) > _MAX_QUERY_CHARACTERS:
            return query
        if len(self.queries) >= _MAX_QUERIES:
            self.queries.clear()
        self.queries[shape] = query
        return query


class SqliteSchemaSql(TableForms[SqliteTableSql]):
    """The SQL of all tables of a schema."""

    def __init__(self, schema: Schema, *, is_as_declared: bool = True) -> None:
        super().__init__(schema, partial(SqliteTableSql, is_as_declared=is_as_declared))
        self.due_at = {name: self.by_name[name].places(columns) for name, columns in schema.due.items()}
        """Where rows have the times at which work falls due, of the tables that have any."""

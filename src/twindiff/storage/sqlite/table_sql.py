"""The SQL of each table, built once, and how SQLite stores its values."""

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
    """Return the conversion of stored to declared values of a column, or None if they are the same."""
    if column.kind == "boolean":
        return bool
    return decode_json if column.kind == "json" else None


def _storing(column: Column[Any]) -> Convert | None:
    """Return the conversion of declared to stored values, or None if they are the same.

    In a Json column that is not nullable, None is stored as the JSON text `null`.
    """
    if column.kind == "boolean":
        return _number
    if column.kind == "float":
        return _real
    if column.kind != "json":
        return None
    return nullable(json_text) if column.nullable else json_text


def _number(value: Any) -> Any:
    """Convert a boolean to the number that SQLite stores."""
    return int(value) if value.__class__ is bool else value


def _real(value: Any) -> Any:
    """Convert a number to what SQLite returns for it: a float, without negative zero, and None for NaN."""
    if isinstance(value, int | float):
        return value + 0.0 if value == value else None  # noqa: PLR0124 - NaN does not equal itself
    return value


_KEPT: dict[ColumnType, type] = {"integer": int, "boolean": int, "float": float}
"""The Python types of stored values of columns that do not hold text; booleans are stored as integers."""


def _types(column: Column[Any]) -> tuple[type, ...]:
    """Return the types of values that a column stores without conversion."""
    kept = _KEPT.get(column.kind, str)
    return (kept, type(None)) if column.nullable else (kept,)


_MAX_QUERIES = 1_000
_MAX_QUERY_CHARACTERS = 10_000


class KeptTypes:
    """The types of values that several columns store without conversion."""

    __slots__ = ("_known", "_of_columns")

    def __init__(self, columns: Sequence[Column[Any]]) -> None:
        self._of_columns = [_types(column) for column in columns]
        self._known: set[tuple[type, ...]] = set()

    def keep(self, values: Sequence[Any]) -> bool:
        """Whether SQLite stores these values unchanged: each has exactly its column's type, or is None if nullable."""
        types = tuple(map(type, values))
        return types in self._known or self._fit(types)

    def _fit(self, types: tuple[type, ...]) -> bool:
        fits = all(each in kept for each, kept in zip(types, self._of_columns, strict=True))
        if fits and len(self._known) < _MAX_QUERIES:
            self._known.add(types)
        return fits


class Update(NamedTuple):
    """An UPDATE of some columns of one row; its parameters are the values of the columns, then the key."""

    query: str
    values: Callable[[Row], Stored]
    """Returns the stored parameters of a row."""
    places: tuple[int, ...]
    """The indexes of the columns in a stored row."""
    types: KeptTypes

    def after(self, row: Stored, values: Sequence[Any]) -> Stored:
        """Return a stored row with these values in the columns."""
        after = list(row)
        for place, value in zip(self.places, values, strict=False):
            after[place] = value
        return tuple(after)


class SqliteTableSql(TableForm):
    """The SQL statements of one table, built once.

    SQLite hashes and compares the text of every statement, so texts are short: they name no columns if the table has
    them in declared order. `is_as_declared` is False for a table of a file, to which columns may have been added later.
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
        """Inserts a row with a given rowid, so that an updated row keeps its place in the order of insertion."""
        self.is_numbered = number_of(table) is not None
        """Whether a column is the rowid."""
        self.queries: dict[Shape, str] = {}
        kinds = [column.kind for column in table.columns.values()]
        self._real_at = tuple(at for at, kind in enumerate(kinds) if kind == "float")
        self.types = KeptTypes([*table.columns.values()])
        self._updates: dict[tuple[str, ...], Update] = {}
        self.json_at = tuple(at for at, kind in enumerate(kinds) if kind == "json")
        boolean_at = tuple(at for at, kind in enumerate(kinds) if kind == "boolean")
        self.packed_columns = Columns(self.columns, self.json_at, boolean_at).packed
        """The packed `Columns` for journal records."""
        self.key_names = frozenset(self.key)
        self.returning = f" RETURNING {names(self.columns)}"

    def from_hook(self, row: Stored | None) -> Stored | None:
        """Convert a row of the preupdate hook, which may report a whole float as an integer."""
        if row is None or not self._real_at:
            return row
        return tuple([_real(value) if at in self._real_at else value for at, value in enumerate(row)])

    def updating(self, columns: tuple[str, ...]) -> Update:
        """Return the update of some columns; cached per tuple of columns."""
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
        """Return the indexes of columns in a stored row."""
        return tuple([self.columns.index(name) for name in columns])

    def delete_referring(self, column: str) -> str:
        """Return a DELETE of the rows that refer by a column to one of a JSON list of keys.

        It returns the first key column of the deleted rows.
        """
        # DELETE FROM "comments" WHERE "issue_id" IN (SELECT value FROM json_each(?)) RETURNING "id"
        among = f"{quote(column)} IN (SELECT value FROM json_each(?))"
        return f"DELETE FROM {self.name} WHERE {among} RETURNING {quote(self.key[0])}"

    def remember(self, shape: Shape, query: str) -> str:
        """Cache the SQL text of a shape and return it. The cache is bounded, since clients choose shapes of filters."""
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
        """The indexes of columns with due times in stored rows, by table name."""

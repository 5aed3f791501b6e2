"""The SQL of one table that is needed often, made once, and how its values are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit.rows import Column, Table
from twindiff.storage.journal import Values
from twindiff.storage.schema import Schema
from twindiff.storage.sql.names import names, quote
from twindiff.storage.sql.tables import Convert, TableForm, TableForms, nullable
from twindiff.storage.values import decode_json, json_text

from .connection import Stored
from .ddl import number_of
from .records import Columns
from .shapes import Shape


def loading(column: Column[Any]) -> Convert | None:
    """How a stored value gets its declared type, if it has not got it."""
    if column.kind == "boolean":
        return bool
    return decode_json if column.kind == "json" else None


def _storing(column: Column[Any]) -> Convert | None:
    """How a value is stored, if not as it is. In a Json column that cannot be NULL, None is JSON's null."""
    if column.kind == "boolean":
        return _number
    if column.kind != "json":
        return None
    return nullable(json_text) if column.nullable else json_text


def _number(value: Any) -> Any:
    """A boolean as the number that SQLite keeps it as."""
    return int(value) if value.__class__ is bool else value


def _types(column: Column[Any]) -> tuple[type, ...]:
    """The types of values that a column keeps as they are, booleans as numbers."""
    if column.kind == "float":
        return ()
    kept = int if column.kind in ("integer", "boolean") else str
    return (kept, type(None)) if column.nullable else (kept,)


_MOST_QUERIES = 1_000
_LONGEST_QUERY = 10_000


class TableSql(TableForm):
    """The SQL that is needed often for one table, made once."""

    def __init__(self, table: Table) -> None:
        super().__init__(quote(table.name), table, "?", loading, _storing)
        marks = ", ".join("?" * len(self.columns))
        self.insert = f"INSERT INTO {self.name} ({names(self.columns)}) VALUES ({marks})"
        self.insert_at = f"INSERT INTO {self.name} (rowid, {names(self.columns)}) VALUES (?, {marks})"
        """Insert a row where one was, which is as old as it."""
        self.is_numbered = number_of(table) is not None
        """Whether a column says where a row is."""
        self.queries: dict[Shape, str] = {}
        kinds = [column.kind for column in table.columns.values()]
        self.has_real = "float" in kinds
        self.place_of = {name: at for at, name in enumerate(self.columns)}
        self._types = {name: _types(column) for name, column in table.columns.items()}
        self._kept: set[tuple[tuple[str, ...], tuple[type, ...]]] = set()
        self.json_at = tuple(at for at, kind in enumerate(kinds) if kind == "json")
        boolean_at = tuple(at for at, kind in enumerate(kinds) if kind == "boolean")
        self.packed_columns = Columns(self.columns, self.json_at, boolean_at).packed
        """As records of the journal have them."""
        self.key_names = frozenset(self.key)
        self.returning = f" RETURNING {names(self.columns)}"

    def updating(self, columns: tuple[str, ...]) -> str:
        """Set columns of the row with a key; made once for each choice of them."""
        query = self.queries.get(("update", columns))
        if query is None:
            sets = ", ".join([f"{quote(name)} = ?" for name in columns])
            query = self.remember(("update", columns), f"UPDATE {self.name} SET {sets} WHERE {self.by_key}")
        return query

    def keeps(self, columns: tuple[str, ...], values: Sequence[Any]) -> bool:
        """Whether SQLite stores these very values: each is exactly of its column's type, or None where that may be."""
        choice = columns, tuple(map(type, values))
        return choice in self._kept or self._is_of_types(*choice)

    def _is_of_types(self, columns: tuple[str, ...], types: tuple[type, ...]) -> bool:
        fits = all(each in self._types[name] for name, each in zip(columns, types, strict=True))
        if fits and len(self._kept) < _MOST_QUERIES:
            self._kept.add((columns, types))
        return fits

    def replaced(self, row: Stored, columns: tuple[str, ...], values: Sequence[Any]) -> Stored:
        """A row with other values in some columns."""
        after = list(row)
        for name, value in zip(columns, values, strict=False):
            after[self.place_of[name]] = value
        return tuple(after)

    def delete_referring(self, column: str) -> str:
        """Delete the rows in which a column has one of the keys in a JSON list; gives the first part of their keys."""
        among = f"{quote(column)} IN (SELECT value FROM json_each(?))"
        return f"DELETE FROM {self.name} WHERE {among} RETURNING {quote(self.key[0])}"

    def values_by_name(self, row: Stored, columns: Sequence[str]) -> Values:
        """Some columns of a row that are stored as they are, by name."""
        return {name: row[self.place_of[name]] for name in columns}

    def remember(self, shape: Shape, query: str) -> str:
        """Keep the text of a shape; only so many and none that is long, since filters have shapes as callers like."""
        if len(query) > _LONGEST_QUERY:
            return query
        if len(self.queries) >= _MOST_QUERIES:
            self.queries.clear()
        self.queries[shape] = query
        return query


class Tables(TableForms[TableSql]):
    """The SQL of all tables of a schema."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema, TableSql)

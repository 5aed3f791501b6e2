"""The SQL of a twin's tables, made once, and rows between Python and the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from twindiff.kit.rows import Column, ColumnType, Row, Table, table_of
from twindiff.storage import SchemaChanged
from twindiff.storage.journal import Values
from twindiff.storage.schema import Schema

from .ddl import names, quote
from .expressions import OUTERMOST
from .text import read, read_json, written, written_json

Convert = Callable[[Any], Any]
Converters = tuple[tuple[int, Convert], ...]

TEXTS: tuple[ColumnType, ...] = ("text", "timestamp", "date")


def _nullable(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def loading(kind: ColumnType) -> Convert | None:
    """How a stored value gets its declared type, if it has not got it."""
    if kind in TEXTS:
        return _nullable(read)
    return _nullable(read_json) if kind == "json" else None


def storing(column: Column[Any]) -> Convert | None:
    """How a value is stored, if not as it is. In a Json column that cannot be NULL, None is JSON's null."""
    if column.kind in TEXTS:
        return _nullable(written)
    if column.kind == "float":
        return _nullable(float)
    if column.kind == "json":
        return _nullable(written_json) if column.nullable else written_json
    return None


class TableSql:
    """What is needed often for one table; `env` says whether its rows belong to environments."""

    def __init__(self, schema: str, table: Table, *, env: bool) -> None:
        self.table = table
        self.row: Callable[..., Row] = table.row
        self.columns = tuple(table.columns)
        self.key = table.key
        self.key_at = tuple(self.columns.index(name) for name in table.key)
        self.loaded = _converters(table, lambda column: loading(column.kind))
        self.stored = _converters(table, storing)
        self.storing = {name: storing(column) for name, column in table.columns.items()}
        self.selected = ", ".join(f"{OUTERMOST}.{quote(name)}" for name in self.columns)
        self.name = f"{quote(schema)}.{quote(table.name)}"
        self.by_key = " AND ".join(f"{quote(name)} = %s" for name in table.key)
        self.select_by_key = f"SELECT {names(self.columns)} FROM {self.name} WHERE {self.by_key}"
        into, mark = ("env_id, ", "current_setting('app.env_id'), ") if env else ("", "")
        marks = mark + ", ".join(["%s"] * len(self.columns))
        self.plain_insert = f"INSERT INTO {self.name} ({into}{names(self.columns)}) VALUES ({marks})"
        # A row that is taken must not end the transaction: a handler may go on after it.
        self.insert = f"{self.plain_insert} ON CONFLICT DO NOTHING"
        self.delete = f"DELETE FROM {self.name} WHERE {self.by_key} RETURNING {names(self.columns)}"
        self.unique = {name for columns in (table.key, *table.unique) for name in columns}

    @cached_property
    def select_all(self) -> str:
        return f"SELECT {names(self.columns)} FROM {self.name} ORDER BY {names(self.key)}"

    def update(self, fields: Sequence[str]) -> str:
        """Set fields of a row; gives the row as it was, then as it is."""
        sets = ", ".join(f"{quote(name)} = %s" for name in fields)
        same = " AND ".join(f"{OUTERMOST}.{quote(name)} = o.{quote(name)}" for name in self.key)
        was = ", ".join(f"o.{quote(name)}" for name in self.columns)
        old = f"(SELECT {names(self.columns)} FROM {self.name} WHERE {self.by_key} FOR UPDATE) o"
        return f"UPDATE {self.name} {OUTERMOST} SET {sets} FROM {old} WHERE {same} RETURNING {was}, {self.selected}"

    def load(self, stored: Sequence[Any]) -> list[Any]:
        """Stored values as declared types."""
        values = list(stored)
        for at, convert in self.loaded:
            values[at] = convert(values[at])
        return values

    def store(self, values: Sequence[Any]) -> list[Any]:
        """Values of declared types as they are stored."""
        stored = list(values)
        for at, convert in self.stored:
            stored[at] = convert(stored[at])
        return stored

    def build(self, stored: Sequence[Any]) -> Any:
        return self.row(**dict(zip(self.columns, self.load(stored), strict=True)))

    def values(self, stored: Sequence[Any]) -> Values:
        return dict(zip(self.columns, self.load(stored), strict=True))

    def key_of(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple([values[name] for name in self.key])

    def insert_values(self, values: Mapping[str, Any]) -> list[Any]:
        """A full row as it is stored; a column that the row's schema did not have yet takes its default."""
        return self.store([values[name] if name in values else self.default(name) for name in self.columns])

    def default(self, name: str) -> Any:
        column = self.table.columns[name]
        if column.default is not msgspec.NODEFAULT:
            return column.default
        if column.nullable:
            return None
        raise SchemaChanged(
            f"Rows of '{self.table.name}' were written without the column '{name}', which now needs a value"
        )


def _converters(table: Table, converter: Callable[[Column[Any]], Convert | None]) -> Converters:
    converters = [converter(column) for column in table.columns.values()]
    return tuple((at, convert) for at, convert in enumerate(converters) if convert)


class Tables:
    """The SQL of all tables of a schema, which is also the name of their place in the database."""

    def __init__(self, schema: Schema, place: str, *, env: bool = True) -> None:
        self.schema = schema
        self.place = place
        self.by_name = {name: TableSql(place, table, env=env) for name, table in schema.tables.items()}
        self.by_row: dict[type[Row], TableSql] = {sql.table.row: sql for sql in self.by_name.values()}

    def of(self, row: type[Row]) -> TableSql:
        try:
            return self.by_row[row]
        except KeyError:
            known = ", ".join(self.by_name)
            raise LookupError(
                f"Table '{table_of(row).name}' is not one of {self.schema.twin}'s: {known}. List it in the Twin."
            ) from None

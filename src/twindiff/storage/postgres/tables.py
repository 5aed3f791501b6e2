"""The SQL of a twin's tables, made once, and rows between Python and the database."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

from twindiff.kit.rows import Column, ColumnType, Table
from twindiff.storage.schema import Schema
from twindiff.storage.sql.compiler import OUTERMOST
from twindiff.storage.sql.names import names, quote
from twindiff.storage.sql.tables import Convert, TableForm, TableForms, nullable

from .ddl import STORED, stored_type
from .text_encoding import escape_text, read, read_json, written_json

TEXTS: tuple[ColumnType, ...] = ("text", "timestamp", "date")


def loading(column: Column[Any]) -> Convert | None:
    """How a stored value gets its declared type, if it has not got it."""
    if column.kind in TEXTS:
        return read
    return read_json if column.kind == "json" else None


def storing(column: Column[Any]) -> Convert | None:
    """How a value is stored, if not as it is. In a Json column that cannot be NULL, None is JSON's null."""
    if column.kind in TEXTS:
        return nullable(escape_text)
    if column.kind == "float":
        return nullable(float)
    if column.kind == "json":
        return nullable(written_json) if column.nullable else written_json
    return None


class PostgresTableSql(TableForm):
    """The SQL that is needed often for one table; `env` says whether its rows belong to environments."""

    def __init__(self, schema: str, table: Table, *, env: bool) -> None:
        super().__init__(f"{quote(schema)}.{quote(table.name)}", table, "%s", loading, storing)
        into, mark = ("env_id, ", "current_setting('app.env_id'), ") if env else ("", "")
        marks = mark + ", ".join(["%s"] * len(self.columns))
        # A row that is taken must not end the transaction: a handler may go on after it.
        self.insert = f"INSERT INTO {self.name} ({into}{names(self.columns)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        self._insert_into = f"INSERT INTO {self.name} ({into}{names(self.columns)}) SELECT {mark}r.*"
        self.delete_returning = f"{self.delete} RETURNING {names(self.columns)}"
        self.unique = {name for columns in (table.key, *table.unique) for name in columns}

    def delete_referring(self, column: Column[Any]) -> str:
        """Delete the rows in which a column has one of some keys; gives the rows.

        Where the column refers to rows of its own table, those that refer to these go too, however deep, so that a tree
        costs as many statements as a leaf.
        """
        refers, keys = quote(column.name), f"%s::{stored_type(column)}[]"
        gives = f"RETURNING {names(self.columns)}"
        if column.references is not self.table.row:
            return f"DELETE FROM {self.name} WHERE {refers} = ANY({keys}) {gives}"
        below = f"SELECT r.{quote(self.key[0])} FROM gone JOIN {self.name} r ON r.{refers} = gone.key"
        given = f"SELECT k.key::{STORED[column.kind]} FROM unnest({keys}) k(key)"
        gone = f"WITH RECURSIVE gone(key) AS ({given} UNION {below})"
        return f"{gone} DELETE FROM {self.name} WHERE {refers} IN (SELECT key FROM gone) {gives}"

    @cached_property
    def insert_all(self) -> str:
        """Insert rows, which are given by column."""
        return f"{self._insert_into} FROM {self._unnest(self.columns)} r"

    @cached_property
    def insert_free(self) -> str:
        """The same, but rows that are taken are left out."""
        return f"{self.insert_all} ON CONFLICT DO NOTHING"

    @cached_property
    def delete_all(self) -> str:
        """Delete the rows of keys, which are given by column."""
        keys = f"{self._unnest(self.key)} k({names(self.key)})"
        same = " AND ".join(f"{OUTERMOST}.{quote(name)} = k.{quote(name)}" for name in self.key)
        return f"DELETE FROM {self.name} {OUTERMOST} USING {keys} WHERE {same}"

    def _unnest(self, columns: Sequence[str]) -> str:
        arrays = ", ".join(f"%s::{stored_type(self.table.columns[name])}[]" for name in columns)
        return f"unnest({arrays})"

    def update(self, fields: Sequence[str]) -> str:
        """Set fields of a row; gives the row as it was, then as it is."""
        sets = ", ".join(f"{quote(name)} = %s" for name in fields)
        same = " AND ".join(f"{OUTERMOST}.{quote(name)} = o.{quote(name)}" for name in self.key)
        was = ", ".join(f"o.{quote(name)}" for name in self.columns)
        old = f"(SELECT {names(self.columns)} FROM {self.name} WHERE {self.by_key} FOR UPDATE) o"
        return f"UPDATE {self.name} {OUTERMOST} SET {sets} FROM {old} WHERE {same} RETURNING {was}, {self.selected}"


class PostgresSchemaSql(TableForms[PostgresTableSql]):
    """The SQL of all tables of a schema; `place` is its name in the database."""

    def __init__(self, schema: Schema, place: str, *, env: bool = True) -> None:
        super().__init__(schema, partial(PostgresTableSql, place, env=env))
        self.place = place

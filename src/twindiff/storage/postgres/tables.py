"""The SQL of each table, built once, and how PostgreSQL stores its values."""

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
    """Return the conversion of stored to declared values of a column, or None if they are the same."""
    if column.kind in TEXTS:
        return read
    return read_json if column.kind == "json" else None


def storing(column: Column[Any]) -> Convert | None:
    """Return the conversion of declared to stored values, or None if they are the same.

    In a Json column that is not nullable, None is stored as the JSON text `null`.
    """
    if column.kind in TEXTS:
        return nullable(escape_text)
    if column.kind == "float":
        return nullable(float)
    if column.kind == "json":
        return nullable(written_json) if column.nullable else written_json
    return None


class PostgresTableSql(TableForm):
    """The SQL statements of one table, built once; `env` is whether its rows belong to environments."""

    def __init__(self, schema: str, table: Table, *, env: bool) -> None:
        super().__init__(f"{quote(schema)}.{quote(table.name)}", table, "%s", loading, storing)
        into, mark = ("env_id, ", "current_setting('app.env_id'), ") if env else ("", "")
        marks = mark + ", ".join(["%s"] * len(self.columns))
        # A conflict must not abort the transaction, since a handler may continue after it.
        # INSERT INTO "twin_slack"."messages" (env_id, "id", "ts") VALUES (current_setting('app.env_id'), %s, %s)
        #   ON CONFLICT DO NOTHING
        self.insert = f"INSERT INTO {self.name} ({into}{names(self.columns)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        self._insert_into = f"INSERT INTO {self.name} ({into}{names(self.columns)}) SELECT {mark}r.*"
        self.delete_returning = f"{self.delete} RETURNING {names(self.columns)}"
        self.unique = {name for columns in (table.key, *table.unique) for name in columns}

    def delete_referring(self, column: Column[Any]) -> str:
        """Return a DELETE of the rows that refer by a column to one of an array of keys; it returns the deleted rows.

        If the column refers to its own table, the statement deletes indirect references of any depth too, so that a
        tree takes as many statements as a leaf.
        """
        # DELETE FROM "twin_slack"."reactions" WHERE "message_id" = ANY(%s::text[]) RETURNING "id", "message_id"
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
        """An INSERT of many rows, with one array parameter per column."""
        return f"{self._insert_into} FROM {self._unnest(self.columns)} r"

    @cached_property
    def insert_free(self) -> str:
        """The same, skipping rows that conflict with existing ones."""
        return f"{self.insert_all} ON CONFLICT DO NOTHING"

    @cached_property
    def delete_all(self) -> str:
        """A DELETE of many rows by key, with one array parameter per key column."""
        keys = f"{self._unnest(self.key)} k({names(self.key)})"
        same = " AND ".join(f"{OUTERMOST}.{quote(name)} = k.{quote(name)}" for name in self.key)
        return f"DELETE FROM {self.name} {OUTERMOST} USING {keys} WHERE {same}"

    def _unnest(self, columns: Sequence[str]) -> str:
        arrays = ", ".join(f"%s::{stored_type(self.table.columns[name])}[]" for name in columns)
        return f"unnest({arrays})"

    def update(self, fields: Sequence[str]) -> str:
        """Return an UPDATE of some fields of one row; it returns the old values of all columns, then the new ones."""
        # UPDATE "twin_slack"."messages" t SET "ts" = %s FROM (SELECT "id", "ts" FROM "twin_slack"."messages"
        #   WHERE "id" = %s FOR UPDATE) o WHERE t."id" = o."id" RETURNING o."id", o."ts", t."id", t."ts"
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

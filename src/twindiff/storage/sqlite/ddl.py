"""DDL statements for tables and indexes, generated from Row declarations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from twindiff.kit.rows import Column, ColumnType, Table
from twindiff.storage.sql.names import names, quote

from .full_text_index import WordIndex
from .json_key_index import EntryIndex

STORED: dict[ColumnType, str] = {
    "text": "TEXT",
    "integer": "INTEGER",
    "float": "REAL",
    "boolean": "INTEGER",
    "timestamp": "TEXT",
    "date": "TEXT",
    "json": "TEXT",
}


def statements(table: Table) -> Iterator[str]:
    """Yield the idempotent statements that create a table and its indexes."""
    # CREATE TABLE IF NOT EXISTS "users" ("id" TEXT NOT NULL, "age" INTEGER, PRIMARY KEY ("id")) STRICT
    # CREATE INDEX IF NOT EXISTS "users(age)" ON "users" ("age")
    number = number_of(table)
    beside = number if table.key != (number,) else None
    key = "UNIQUE" if beside else "PRIMARY KEY"
    columns = [column_text(column) + " PRIMARY KEY" * (name == beside) for name, column in table.columns.items()]
    yield f"CREATE TABLE IF NOT EXISTS {quote(table.name)} ({', '.join(columns)}, {key} ({names(table.key)})) STRICT"
    for unique in table.unique:
        if unique != (number,):
            yield _index(table, unique, "UNIQUE INDEX")
    for index in table.indexes:
        yield _index(table, index, "INDEX")
    for name in table.folded:
        index = _index_name(table, [f"casefold({name})"])
        yield f"CREATE INDEX IF NOT EXISTS {index} ON {quote(table.name)} (casefold({quote(name)}))"
    for name in table.words:
        yield from WordIndex(table, name).statements((name, *table.labels, *([number] if number else ())))
    for name in table.entries:
        yield from EntryIndex(table, name).statements((name, number) if number else (name,))


def number_of(table: Table) -> str | None:
    """Return the column used as SQLite's rowid, which saves an index: a unique integer column that is not nullable."""
    alone = [table.columns[each[0]] for each in (*table.unique, table.key) if len(each) == 1]
    return next((column.name for column in alone if column.kind == "integer" and not column.nullable), None)


def column_text(column: Column[Any]) -> str:
    """Return the declaration of a column for CREATE TABLE and ALTER TABLE."""
    return f"{quote(column.name)} {STORED[column.kind]}{'' if column.nullable else ' NOT NULL'}"


def _index_name(table: Table, columns: Sequence[str]) -> str:
    return quote(f"{table.name}({','.join(columns)})")


def _index(table: Table, columns: Sequence[str], kind: str) -> str:
    return f"CREATE {kind} IF NOT EXISTS {_index_name(table, columns)} ON {quote(table.name)} ({names(columns)})"

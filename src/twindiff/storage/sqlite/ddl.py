"""Tables and indexes from Row declarations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from twindiff.kit.rows import Column, ColumnType, Table
from twindiff.storage.sql.names import names, quote

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
    """What creates a table, and then its indexes; nothing happens to those that exist."""
    columns = [column_text(column) for column in table.columns.values()]
    key = f"PRIMARY KEY ({names(table.key)})"
    yield f"CREATE TABLE IF NOT EXISTS {quote(table.name)} ({', '.join(columns)}, {key}) STRICT"
    for unique in table.unique:
        yield _index(table, unique, "UNIQUE INDEX")
    for index in table.indexes:
        yield _index(table, index, "INDEX")


def column_text(column: Column[Any]) -> str:
    """A column as CREATE TABLE and ALTER TABLE declare it."""
    return f"{quote(column.name)} {STORED[column.kind]}{'' if column.nullable else ' NOT NULL'}"


def _index(table: Table, columns: Sequence[str], kind: str) -> str:
    name = quote(f"{table.name}({','.join(columns)})")
    return f"CREATE {kind} IF NOT EXISTS {name} ON {quote(table.name)} ({names(columns)})"

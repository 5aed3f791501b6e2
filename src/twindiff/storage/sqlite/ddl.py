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


def beyond_ascii(text: str) -> str:
    """Not zero when a text has letters beyond ASCII, or U+0000.

    Written as a difference, since a comparison in a condition is worked out anew even where an index has its value.
    """
    return f"octet_length({text}) - length({text})"


def _index(table: Table, columns: Sequence[str], kind: str) -> str:
    name = quote(f"{table.name}({','.join(columns)})")
    searched = [f", ({beyond_ascii(quote(text))})" for text in _texts_to_search(table, columns)]
    return f"CREATE {kind} IF NOT EXISTS {name} ON {quote(table.name)} ({names(columns)}{''.join(searched)})"


def _texts_to_search(table: Table, columns: Sequence[str]) -> list[str]:
    """The texts of an index that begins with the whole key, and so is there to be read through in the table's place."""
    if tuple(columns[: len(table.key)]) != table.key:
        return []
    rest = [table.columns[name] for name in columns[len(table.key) :]]
    return [column.name for column in rest if column.kind == "text" and column.references is None]

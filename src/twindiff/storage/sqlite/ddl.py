"""Tables and indexes from Row declarations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from twindiff.kit.rows import Column, ColumnType, Row, Table, table_of
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


class Searched(NamedTuple):
    """A text, and the index that has its `bare_letters` besides."""

    index_name: str
    text: Column[Any]


def statements(table: Table) -> Iterator[str]:
    """What creates a table, and then its indexes; nothing happens to those that exist."""
    number = _number(table)
    key = "UNIQUE" if number else "PRIMARY KEY"
    columns = [column_text(column) + " PRIMARY KEY" * (name == number) for name, column in table.columns.items()]
    yield f"CREATE TABLE IF NOT EXISTS {quote(table.name)} ({', '.join(columns)}, {key} ({names(table.key)})) STRICT"
    for unique in table.unique:
        if unique != (number,):
            yield _index(table, unique, "UNIQUE INDEX")
    for index in table.indexes:
        yield _index(table, index, "INDEX")
    for name in table.folded:
        index = _index_name(table, [f"casefold({name})"])
        yield f"CREATE INDEX IF NOT EXISTS {index} ON {quote(table.name)} (casefold({quote(name)}))"


def _number(table: Table) -> str | None:
    """The column by whose value SQLite stores rows, which spares an index: an integer that is unique by itself."""
    alone = [table.columns[each[0]] for each in table.unique if len(each) == 1]
    return next((column.name for column in alone if column.kind == "integer" and not column.nullable), None)


def column_text(column: Column[Any]) -> str:
    """A column as CREATE TABLE and ALTER TABLE declare it."""
    return f"{quote(column.name)} {STORED[column.kind]}{'' if column.nullable else ' NOT NULL'}"


@cache
def searched(row: type[Row]) -> Searched | None:
    """The text of a table that words are looked for in, if there is one.

    An index says so that begins with the whole key and goes on with a text, to be read through in the table's place.
    """
    table = table_of(row)
    for columns in table.indexes:
        rest = columns[len(table.key) :]
        if tuple(columns[: len(table.key)]) == table.key and rest and _is_prose(table.columns[rest[0]]):
            return Searched(_index_name(table, columns), table.columns[rest[0]])
    return None


def _is_prose(column: Column[Any]) -> bool:
    return column.kind == "text" and column.references is None


def _index_name(table: Table, columns: Sequence[str]) -> str:
    return quote(f"{table.name}({','.join(columns)})")


def _index(table: Table, columns: Sequence[str], kind: str) -> str:
    name, found = _index_name(table, columns), searched(table.row)
    letters = f", bare_letters({quote(found.text.name)})" if found and found.index_name == name else ""
    return f"CREATE {kind} IF NOT EXISTS {name} ON {quote(table.name)} ({names(columns)}{letters})"

"""The tables of one twin as an engine sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from typing import Any

import msgspec

from twindiff.kit.rows import Table

from .values import canonical


class Schema:
    """A twin's tables, by name; two schemas with the same `hash` store rows alike.

    `due` are the columns by which work falls due, of the tables that have any.
    """

    def __init__(self, twin: str, tables: tuple[Table, ...]) -> None:
        self.twin = twin
        self.tables = {table.name: table for table in tables}
        self.due = {table.name: table.due for table in tables if table.due}

    @cached_property
    def hash(self) -> str:
        """The name of this way of storing rows."""
        shape = [
            [table.name, table.key, table.indexes, table.unique, [_column_shape(c) for c in table.columns.values()]]
            for table in self.tables.values()
        ]
        return blake2b(msgspec.json.encode(shape), digest_size=16).hexdigest()

    def content_hash(self, rows: Mapping[str, Iterable[Mapping[str, Any]]], counters: Mapping[str, int]) -> str:
        """The name of full rows and counters, in whatever order rows, columns and JSON keys are given."""
        content = [sorted(_plain(table, row) for row in rows.get(name, ())) for name, table in self.tables.items()]
        named = msgspec.msgpack.encode([self.hash, content, sorted(counters.items())])
        return blake2b(named, digest_size=16).hexdigest()


def _plain(table: Table, row: Mapping[str, Any]) -> tuple[tuple[Any, ...], bytes]:
    """A row as something to sort by and to name: its key, and its values in the order of columns."""
    values = [canonical(row.get(name)) for name in table.columns]
    return tuple(row[name] for name in table.key), msgspec.msgpack.encode(values)


def _column_shape(column: Any) -> tuple[str, str, bool]:
    return column.name, column.kind, column.nullable

"""The tables of one twin, with hashes of their schema and of their content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from heapq import merge
from itertools import islice
from typing import Any

import msgspec

from twindiff.kit.rows import Table

from .values import canonical

SORTED_AT_ONCE = 2000

Plain = tuple[tuple[Any, ...], bytes]
"""A row for sorting and hashing: its key, and its values in column order as MessagePack."""

_encode = msgspec.msgpack.Encoder().encode


class Schema:
    """The tables of a twin by name; two schemas with the same `hash` store rows identically.

    `due` are the columns that hold due times of jobs, by table name, for the tables that have any.
    """

    def __init__(self, twin: str, tables: tuple[Table, ...]) -> None:
        self.twin = twin
        self.tables = {table.name: table for table in tables}
        self.due = {table.name: table.due for table in tables if table.due}

    @cached_property
    def hash(self) -> str:
        """The hash of table names, keys, columns and indexes, as 32 hexadecimal digits."""
        shape = [_shape(table) for table in self.tables.values()]
        return blake2b(msgspec.json.encode(shape), digest_size=16).hexdigest()

    def content_hash(self, rows: Mapping[str, Iterable[Mapping[str, Any]]], counters: Mapping[str, int]) -> str:
        """Hash full rows by table name and counters; the order of rows, columns and JSON keys is irrelevant."""
        digest = blake2b(_array(3) + _encode(self.hash) + _array(len(self.tables)), digest_size=16)
        for name, table in self.tables.items():
            chunks = [sorted(chunk) for chunk in _chunks(_plain(table, row) for row in rows.get(name, ()))]
            digest.update(_array(sum(map(len, chunks))))
            for row in merge(*chunks):
                digest.update(_encode(row))
        digest.update(_encode(sorted(counters.items())))
        return digest.hexdigest()


def _chunks(rows: Iterable[Plain]) -> Iterator[list[Plain]]:
    """Yield rows in parts that are quick to sort: `list.sort` holds the GIL until it is done."""
    left = iter(rows)
    while chunk := list(islice(left, SORTED_AT_ONCE)):
        yield chunk


def _array(length: int) -> bytes:
    """Return the MessagePack header of an array of `length` items."""
    if length < 16:
        return bytes([0x90 | length])
    return b"\xdc" + length.to_bytes(2, "big") if length < 1 << 16 else b"\xdd" + length.to_bytes(4, "big")


def _plain(table: Table, row: Mapping[str, Any]) -> Plain:
    values = [canonical(row.get(name)) for name in table.columns]
    return tuple(row[name] for name in table.key), _encode(values)


def _shape(table: Table) -> list[Any]:
    columns = [_column_shape(column) for column in table.columns.values()]
    kinds = {"words": table.words, "labels": table.labels, "entries": table.entries}
    further = [[kind, *indexed] for kind, indexed in kinds.items() if indexed]
    found_by = [*([table.folded] if table.folded else []), *further]
    return [table.name, table.key, table.indexes, table.unique, columns, *found_by]


def _column_shape(column: Any) -> tuple[str, str, bool]:
    return column.name, column.kind, column.nullable

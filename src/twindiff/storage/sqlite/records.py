"""The format of journal records in a data file: rows as SQLite stores them, so that no operation decodes JSON for it.

The columns of a table are stored once in the file under a number. An updated row has only the values that changed.
Records of earlier releases, imported ones and those without changes use the common format of all engines, with full
rows by column name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import compress
from operator import ne
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.kit.events import Event
from twindiff.storage import journal
from twindiff.storage.journal import JournalRecord, RowChange, Values
from twindiff.storage.values import decode_json

from .connection import Stored

_STORED = 0x9C
"""The MessagePack header of a list of twelve items, a `StoredRecord`; a `JournalRecord` has fewer."""


StoredChange = tuple[str, tuple[Any, ...], Stored | None, Stored | None]
"""A row that an operation inserted, deleted or updated: (table, key, before, after), None if absent.

A NamedTuple would take longer to create than all other processing of a change.
"""


class StoredRecord(NamedTuple):
    """A `JournalRecord` with stored rows; `columns` has the packed `Columns` of each table."""

    env: str
    seq: int
    twin: str
    operation: str
    actor: str
    at: int
    clock: int
    ids: dict[str, int]
    changes: list[StoredChange]
    to: None
    events: list[Event]
    columns: dict[str, bytes]


class Columns(NamedTuple):
    """The columns of a table, and the indexes of those that hold JSON and booleans."""

    names: tuple[str, ...]
    json: tuple[int, ...]
    boolean: tuple[int, ...]

    @property
    def packed(self) -> bytes:
        return _encode(self)


_Change = tuple[str, tuple[Any, ...], list[Any] | None, list[Any] | dict[int, Any] | None]
"""A `StoredChange`; for an updated row, the last item has only the values that changed, by column index."""
_Written = tuple[
    str, int, str, str, str, int, int, dict[str, int], list[_Change], None, list[Event], dict[str, int]
]  # fmt: skip
"""A `StoredRecord` with the numbers of columns instead of `columns`."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Written).decode
_decode_columns = msgspec.msgpack.Decoder(Columns).decode


def encode(record: JournalRecord | StoredRecord, number: Callable[[bytes], int]) -> bytes:
    """Encode a record; `number` returns the number of packed columns."""
    if isinstance(record, JournalRecord):
        return journal.encode(record)
    changes = [_pack_change(each) for each in record.changes]
    numbers = {name: number(record.columns[name]) for name in record.columns}
    return _encode((*record[:8], changes, None, record.events, numbers))


def _pack_change(change: StoredChange) -> tuple[Any, ...]:
    """Reduce an updated row to the values that changed."""
    table, key, before, after = change
    if before is None or after is None:
        return change
    return table, key, before, dict(compress(enumerate(after), map(ne, before, after)))


def decode(packed: bytes, columns: Callable[[int], bytes]) -> JournalRecord:
    """Decode a record of this release or an earlier one; `columns` returns the packed columns with a number."""
    if packed[0] != _STORED:
        return journal.decode(packed)
    record = _decode(packed)
    *_, changes, _, events, numbers = record
    tables = {name: _table(columns(numbers[name])) for name in numbers}
    return JournalRecord(*record[:8], [tables[each[0]].change(*each) for each in changes], None, events)


class _Table:
    """Converts stored rows of one table to declared values."""

    def __init__(self, columns: Columns) -> None:
        self._names = columns.names
        self._loads = {**dict.fromkeys(columns.json, decode_json), **dict.fromkeys(columns.boolean, bool)}
        loaded = "None if stored[{0}] is None else loads[{0}](stored[{0}])"
        values = [(loaded if at in self._loads else "stored[{0}]").format(at) for at in range(len(self._names))]
        # Example: `lambda stored: {'id': stored[0], 'tags': None if stored[1] is None else loads[1](stored[1])}`
        named = ", ".join(f"{name!r}: {value}" for name, value in zip(self._names, values, strict=True))
        self._values = cast(Callable[[list[Any]], Values], eval(f"lambda stored: {{{named}}}", {"loads": self._loads}))

    def change(
        self, table: str, key: tuple[Any, ...], before: list[Any] | None, after: list[Any] | dict[int, Any] | None
    ) -> RowChange:
        """Convert a packed change to a `RowChange` with full rows."""
        was = None if before is None else self._values(before)
        if isinstance(after, dict):
            differing = {self._names[at]: self._value(at, after[at]) for at in after}
            return RowChange(table, key, was, {**(was or {}), **differing})
        return RowChange(table, key, was, None if after is None else self._values(after))

    def _value(self, at: int, stored: Any) -> Any:
        load = self._loads.get(at)
        return load(stored) if load and stored is not None else stored


@lru_cache(1000)
def _table(columns: bytes) -> _Table:
    return _Table(_decode_columns(columns))

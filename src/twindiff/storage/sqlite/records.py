"""Journal records as a data file keeps them: rows as SQLite stores them, so that no operation decodes JSON to be kept.

Which columns rows have is written once in the file, and has a number; of a row that was updated, what differs is kept.
Records of earlier releases, those that are imported and those without changes have full rows by column name, as they
have on every engine.
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
"""How MessagePack begins a list of twelve items, as a `StoredRecord` is; a `JournalRecord` has fewer."""


StoredChange = tuple[str, tuple[Any, ...], Stored | None, Stored | None]
"""A row that an operation inserted, deleted or updated: its table, its key, and how it was and is, None if absent.

To name these would take longer than anything else that is done with each.
"""


class StoredRecord(NamedTuple):
    """A `JournalRecord` of an operation that wrote; `columns` has those of each table."""

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
    """The columns of a table, and which of them hold JSON and booleans, by place."""

    names: tuple[str, ...]
    json: tuple[int, ...]
    boolean: tuple[int, ...]

    @property
    def packed(self) -> bytes:
        return _encode(self)


_Change = tuple[str, tuple[Any, ...], list[Any] | None, list[Any] | dict[int, Any] | None]
"""As `StoredChange`; of a row that was updated, the last is what differs after it, by place."""
_Written = tuple[
    str, int, str, str, str, int, int, dict[str, int], list[_Change], None, list[Event], dict[str, int]
]  # fmt: skip
"""As `StoredRecord`, with the numbers of columns."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Written).decode
_decode_columns = msgspec.msgpack.Decoder(Columns).decode


def encode(record: JournalRecord | StoredRecord, number: Callable[[bytes], int]) -> bytes:
    """A record as it is written; `number` gives that of columns."""
    if isinstance(record, JournalRecord):
        return journal.encode(record)
    changes = [_pack_change(each) for each in record.changes]
    numbers = {name: number(record.columns[name]) for name in record.columns}
    return _encode((*record[:8], changes, None, record.events, numbers))


def _pack_change(change: StoredChange) -> tuple[Any, ...]:
    """A change as it is written."""
    table, key, before, after = change
    if before is None or after is None:
        return change
    return table, key, before, dict(compress(enumerate(after), map(ne, before, after)))


def decode(packed: bytes, columns: Callable[[int], bytes]) -> JournalRecord:
    """A record as it was encoded, by this release or an earlier one; `columns` gives those that have a number."""
    if packed[0] != _STORED:
        return journal.decode(packed)
    record = _decode(packed)
    *_, changes, _, events, numbers = record
    tables = {name: _table(columns(numbers[name])) for name in numbers}
    return JournalRecord(*record[:8], [tables[each[0]].change(*each) for each in changes], None, events)


class _Table:
    """What stored rows of one table mean."""

    def __init__(self, columns: Columns) -> None:
        self._names = columns.names
        self._loads = {**dict.fromkeys(columns.json, decode_json), **dict.fromkeys(columns.boolean, bool)}
        loaded = "None if stored[{0}] is None else loads[{0}](stored[{0}])"
        values = [(loaded if at in self._loads else "stored[{0}]").format(at) for at in range(len(self._names))]
        named = ", ".join(f"{name!r}: {value}" for name, value in zip(self._names, values, strict=True))
        self._values = cast(Callable[[list[Any]], Values], eval(f"lambda stored: {{{named}}}", {"loads": self._loads}))

    def change(
        self, table: str, key: tuple[Any, ...], before: list[Any] | None, after: list[Any] | dict[int, Any] | None
    ) -> RowChange:
        """A change as it was written."""
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

"""Conversion of the write-ahead log to the journal: transactions decoded by wal2json are folded to records.

The transaction of an operation contains a message with its metadata. Changes without one become an `external` record,
since an administrator has disabled the triggers that number manual changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from twindiff.kit.events import Event
from twindiff.kit.rows import ColumnType
from twindiff.storage.journal import JournalRecord, RowChange, Values

from .ddl import Shapes, WalTable
from .tables import TEXTS
from .text_encoding import read, read_json

PREFIX = "twindiff"
EXTERNAL = "external"


class Cell(msgspec.Struct, frozen=True):
    """A column of a row in the WAL."""

    name: str
    value: Any = None


class Wal2jsonLine(msgspec.Struct, frozen=True):
    """A line of wal2json, format 2. `action`: begin, commit, insert, update, delete, truncate or message."""

    action: Literal["B", "C", "I", "U", "D", "T", "M"]
    schema: str = ""
    table: str = ""
    columns: list[Cell] = []
    identity: list[Cell] = []
    prefix: str = ""
    content: str = ""
    nextlsn: str = ""
    timestamp: str = ""


decode_line = msgspec.json.Decoder(Wal2jsonLine).decode


class Meta(msgspec.Struct, frozen=True, array_like=True):
    """The metadata that an operation emits into the WAL; the fields are those of `JournalRecord`."""

    env: str
    seq: int
    twin: str
    operation: str
    actor: str
    at: int
    clock: int
    ids: dict[str, int]
    events: list[Event] = []


decode_meta = msgspec.json.Decoder(Meta).decode


decode_shapes = msgspec.json.Decoder(tuple[str, Shapes]).decode
"""Decodes the message of a migration: a twin, and the shapes of its rows from here on."""


class Spot(NamedTuple):
    """The location of a row in the WAL."""

    env: str
    twin: str
    table: str
    key: tuple[Any, ...]


class Unnumbered(NamedTuple):
    """Changes of a transaction without metadata for their environment and twin."""

    env: str
    twin: str
    changes: list[RowChange]


class Transaction:
    """The rows that one transaction changed, each with its states before and after."""

    def __init__(self, shapes: Mapping[str, Shapes]) -> None:
        self._shapes = shapes
        self._metas: list[Meta] = []
        self._rows: dict[Spot, tuple[Values | None, Values | None]] = {}

    @property
    def size(self) -> int:
        """The number of changed rows."""
        return len(self._rows)

    def take(self, line: Wal2jsonLine) -> None:
        """Add one line of the transaction."""
        if line.action == "M":
            if line.prefix == PREFIX:
                self._metas.append(decode_meta(line.content))
        elif line.action in ("I", "U", "D"):
            self._row(line)

    def _row(self, line: Wal2jsonLine) -> None:
        twin = line.schema.removeprefix("twin_")
        shape = self._shapes.get(twin, {}).get(line.table)
        if shape is None:
            return
        was = {cell.name: cell.value for cell in line.identity} if line.action != "I" else None
        now = {cell.name: cell.value for cell in line.columns} if line.action != "D" else None
        if was and now:
            now = {**was, **now}  # an unchanged TOASTed value is only in the old row
        old, new = (_spot(row, twin, line.table, shape) if row else None for row in (was, now))
        before, after = (_values(row, shape) if row else None for row in (was, now))
        if old and old != new:
            self._touch(old, before, None)
            before = None
        if new:
            self._touch(new, before, after)

    def _touch(self, spot: Spot, before: Values | None, after: Values | None) -> None:
        first = self._rows.get(spot)
        self._rows[spot] = (first[0] if first else before, after)

    def records(self) -> Iterator[JournalRecord | Unnumbered]:
        """Yield one record per operation, then changes without metadata by environment and twin."""
        changes: dict[tuple[str, str], list[RowChange]] = {}
        for spot, (before, after) in sorted(self._rows.items(), key=lambda each: each[0]):
            if before != after or not _same(before, after):
                change = RowChange(spot.table, spot.key, before, after)
                changes.setdefault((spot.env, spot.twin), []).append(change)
        for meta in self._metas:
            env, seq, twin, operation, actor, at, clock, ids, events = msgspec.structs.astuple(meta)
            changed = changes.pop((env, twin), [])
            yield JournalRecord(env, seq, twin, operation, actor, at, clock, ids, changed, events=events)
        for (env, twin), rest in changes.items():
            yield Unnumbered(env, twin, rest)


def _same(before: Values | None, after: Values | None) -> bool:
    """Whether rows that are equal in Python are equal as JSON too, where true is not 1."""
    return before is None or after is None or msgspec.json.encode(before) == msgspec.json.encode(after)


def _spot(row: Values, twin: str, table: str, shape: WalTable) -> Spot:
    return Spot(row["env_id"], twin, table, tuple([_value(row[name], shape.kinds[name]) for name in shape.key]))


def _values(row: Values, shape: WalTable) -> Values:
    """Convert a row to declared types; columns that the twin no longer has are left out."""
    return {name: _value(row.get(name), kind) for name, kind in shape.kinds.items()}


def _value(value: Any, kind: ColumnType) -> Any:
    if value is None:
        return None
    if kind == "json":
        return read_json(value)
    if kind == "float":
        return float(value)
    return read(value) if kind in TEXTS else value

"""From the write-ahead log to the journal: transactions as wal2json writes them, folded to records.

A transaction carries one message that says what it was. Without one it is `external`: somebody switched off the
triggers that number what is written by hand.
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
    """A column of a row in the log."""

    name: str
    value: Any = None


class Wal2jsonLine(msgspec.Struct, frozen=True):
    """One line of wal2json, format 2: begin, commit, insert, update, delete, truncate or message."""

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
    """What an operation says of itself."""

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
"""What a migration says: a twin, and what its rows look like from here on."""


class Spot(NamedTuple):
    """Where a row of the log lives."""

    env: str
    twin: str
    table: str
    key: tuple[Any, ...]


class Unnumbered(NamedTuple):
    """Changes that no message explains."""

    env: str
    twin: str
    changes: list[RowChange]


class Transaction:
    """The rows that one transaction touched, each as it was and as it is."""

    def __init__(self, shapes: Mapping[str, Shapes]) -> None:
        self._shapes = shapes
        self._metas: list[Meta] = []
        self._rows: dict[Spot, tuple[Values | None, Values | None]] = {}

    @property
    def size(self) -> int:
        """How many rows it has touched."""
        return len(self._rows)

    def take(self, line: Wal2jsonLine) -> None:
        """Note one line."""
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
            now = {**was, **now}  # a large value that an update left alone is only in the row as it was
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
        """One record for each operation; what no message explains comes by environment and twin."""
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
    """Whether rows that Python finds equal are so as JSON too, where true is not 1."""
    return before is None or after is None or msgspec.json.encode(before) == msgspec.json.encode(after)


def _spot(row: Values, twin: str, table: str, shape: WalTable) -> Spot:
    return Spot(row["env_id"], twin, table, tuple([_value(row[name], shape.kinds[name]) for name in shape.key]))


def _values(row: Values, shape: WalTable) -> Values:
    """A row in declared types; a column that the twin no longer has is left out."""
    return {name: _value(row.get(name), kind) for name, kind in shape.kinds.items()}


def _value(value: Any, kind: ColumnType) -> Any:
    if value is None:
        return None
    if kind == "json":
        return read_json(value)
    if kind == "float":
        return float(value)
    return read(value) if kind in TEXTS else value

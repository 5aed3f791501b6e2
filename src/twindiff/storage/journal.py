"""The journal: one record per operation that wrote, in the order they happened, the same on every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from twindiff.kit.events import Event

from .values import same

Values = dict[str, Any]
"""A full row, by column name; timestamps and dates as ISO text, JSON as plain values."""


ADVANCE = "advance"
"""The operation of a record by which the clock was set to a later time, and nothing else; it has no twin."""


class RowChange(NamedTuple):
    """One row that an operation inserted (`before` is None), deleted (`after` is None) or updated."""

    table: str
    key: tuple[Any, ...]
    before: Values | None
    after: Values | None


class JournalRecord(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One operation that wrote.

    `at` is the wall clock and `clock` the environment's, both in microseconds since 1970; `ids` are the counters as
    they stand after it; `to` is the seq that a rewind or reset went back to; `events` are what it told of, in order.
    """

    env: str
    seq: int
    twin: str
    operation: str
    actor: str
    at: int
    clock: int
    ids: dict[str, int]
    changes: list[RowChange]
    to: int | None = None
    events: list[Event] = []


encode = encode_values = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(JournalRecord).decode

FORMER_QUEUE = "queued_events"
"""The table in which earlier releases kept events."""
_FORMER_QUEUE = FORMER_QUEUE.encode()


def decode(packed: bytes) -> JournalRecord:
    """A record as it was encoded, by this release or an earlier one."""
    record = _decode(packed)
    if _FORMER_QUEUE not in packed:
        return record
    changes = [change for change in record.changes if change.table != FORMER_QUEUE]
    events = [former_event(change.after) for change in record.changes if change.table == FORMER_QUEUE and change.after]
    return msgspec.structs.replace(record, changes=changes, events=record.events + events)


def former_event(values: Values) -> Event:
    """The event that an earlier release kept as a row; raises ValidationError, if it is none."""
    return msgspec.convert((values.get("name"), values.get("payload")), Event)


class RowLocation(NamedTuple):
    """Where a row lives in an environment."""

    twin: str
    table: str
    key: tuple[Any, ...]


class Net(NamedTuple):
    """A row before and after an interval; they differ."""

    before: Values | None
    after: Values | None


def between(read: Callable[[int, int], list[JournalRecord]], start: int, end: int) -> list[JournalRecord]:
    """Records that lead from the state after `start` to the state after `end`, rewinds resolved.

    `read(after, upto)` gives journal records. What happened before `start` and was gone back over since is undone
    first, by records with before and after exchanged. `end` may lie before `start`.
    """
    low, top = start, max(start, end)
    while True:
        records = {record.seq: record for record in read(low, top)}
        was, now = _path(records, start, low), _path(records, end, low)
        lowest = min(was.low, now.low)
        if lowest == low:
            break
        low = lowest
    return [undone(record) for record in reversed(was.records)] + now.records


class Path(NamedTuple):
    """The records that count towards a state; all of them when `low` is where the search was to end."""

    records: list[JournalRecord]
    low: int


def _path(records: Mapping[int, JournalRecord], seq: int, low: int) -> Path:
    """Walk back from a state to the one after `low`, or to an earlier one that a rewind leads to."""
    followed: list[JournalRecord] = []
    while seq > low:
        record = records[seq]
        if record.to is None:
            followed.append(record)
        seq = seq - 1 if record.to is None else record.to
    return Path(followed[::-1], seq)


def undone(record: JournalRecord) -> JournalRecord:
    """The record that leads back over another."""
    changes = [RowChange(table, key, after, before) for table, key, before, after in record.changes]
    return msgspec.structs.replace(record, changes=changes, events=[])


def net(records: Iterable[JournalRecord]) -> dict[RowLocation, Net]:
    """Fold records without rewinds to the rows that differ between beginning and end, sorted by place."""
    differences: dict[RowLocation, Net] = {}
    fold(differences, records)
    return net_differences(differences)


def fold(differences: dict[RowLocation, Net], records: Iterable[JournalRecord]) -> None:
    """Add what records without rewinds changed to what those before them did."""
    for record in records:
        for table, key, before, after in record.changes:
            place = RowLocation(record.twin, table, key)
            seen = differences.get(place)
            differences[place] = Net(seen.before if seen else before, after)


def net_differences(differences: Mapping[RowLocation, Net]) -> dict[RowLocation, Net]:
    """The rows that differ after all, sorted by place."""
    return {place: differences[place] for place in sorted(differences) if not same(*differences[place])}

"""The journal: one record per writing operation, in commit order, in a format common to all engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from twindiff.kit.events import Event

from .values import same

Values = dict[str, Any]
"""A full row, by column name; timestamps and dates as ISO text, JSON as plain values."""


ADVANCE = "advance"
"""The operation of a record that only sets the clock to a later time; its `twin` is empty."""


class RowChange(NamedTuple):
    """One row that an operation inserted (`before` is None), deleted (`after` is None) or updated."""

    table: str
    key: tuple[Any, ...]
    before: Values | None
    after: Values | None


class JournalRecord(msgspec.Struct, frozen=True, array_like=True, omit_defaults=True):
    """One writing operation.

    `at` is the wall clock and `clock` the environment's clock, both in microseconds since 1970. `ids` are the counters
    after it. `to` is the seq that a rewind or reset restored. `events` are the emitted events, in order.
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
"""The table in which earlier releases stored events."""
_FORMER_QUEUE = FORMER_QUEUE.encode()


def decode(packed: bytes) -> JournalRecord:
    """Decode a record written by this release or an earlier one."""
    record = _decode(packed)
    if _FORMER_QUEUE not in packed:
        return record
    changes = [change for change in record.changes if change.table != FORMER_QUEUE]
    events = [former_event(change.after) for change in record.changes if change.table == FORMER_QUEUE and change.after]
    return msgspec.structs.replace(record, changes=changes, events=record.events + events)


def former_event(values: Values) -> Event:
    """Convert a row of FORMER_QUEUE to an event; raises ValidationError if it is malformed."""
    return msgspec.convert((values.get("name"), values.get("payload")), Event)


class RowLocation(NamedTuple):
    """The address of a row in an environment."""

    twin: str
    table: str
    key: tuple[Any, ...]


class Net(NamedTuple):
    """A row before and after an interval; None where it does not exist."""

    before: Values | None
    after: Values | None


def between(read: Callable[[int, int], list[JournalRecord]], start: int, end: int) -> list[JournalRecord]:
    """Return the records that lead from the state after `start` to the state after `end`, rewinds resolved.

    `read(after, upto)` returns journal records. Records up to `start` that a later rewind discarded come first,
    inverted by `undone`. `end` may be less than `start`.
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
    """The records that produce a state, back to `low`, which is lower than requested if a rewind leads there."""

    records: list[JournalRecord]
    low: int


def _path(records: Mapping[int, JournalRecord], seq: int, low: int) -> Path:
    """Walk back from the state after `seq` to the state after `low`, or to an earlier one if a rewind leads there."""
    followed: list[JournalRecord] = []
    while seq > low:
        record = records[seq]
        if record.to is None:
            followed.append(record)
        seq = seq - 1 if record.to is None else record.to
    return Path(followed[::-1], seq)


def undone(record: JournalRecord) -> JournalRecord:
    """Return the inverse of a record: before and after exchanged, no events."""
    changes = [RowChange(table, key, after, before) for table, key, before, after in record.changes]
    return msgspec.structs.replace(record, changes=changes, events=[])


def net(records: Iterable[JournalRecord]) -> dict[RowLocation, Net]:
    """Fold records without rewinds to the rows that differ between start and end, sorted by location."""
    differences: dict[RowLocation, Net] = {}
    fold(differences, records)
    return net_differences(differences)


def fold(differences: dict[RowLocation, Net], records: Iterable[JournalRecord]) -> None:
    """Merge the changes of records without rewinds into `differences`, which holds those of earlier records."""
    for record in records:
        for table, key, before, after in record.changes:
            place = RowLocation(record.twin, table, key)
            seen = differences.get(place)
            differences[place] = Net(seen.before if seen else before, after)


def net_differences(differences: Mapping[RowLocation, Net]) -> dict[RowLocation, Net]:
    """Drop rows that ended as they began; sort the others by location."""
    return {place: differences[place] for place in sorted(differences) if not same(*differences[place])}

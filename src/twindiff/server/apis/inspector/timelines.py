"""The timeline of an environment: its calls, merged in order with journal records that belong to no call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from twindiff.catalog import CallRecord, DeliveryRecord
from twindiff.environments.interval_reading import interval
from twindiff.kit.clock import Clock
from twindiff.server.service import Service
from twindiff.storage.journal import ADVANCE, JournalRecord, RowChange

SHOWN = 1000
"""Maximum calls on one page."""


class TimelineCursor(NamedTuple):
    """A position in a timeline: the last call, and the last journal record."""

    number: int
    seq: int

    def __str__(self) -> str:
        return f"{self.number}.{self.seq}"

    @classmethod
    def read(cls, text: str) -> TimelineCursor | None:
        """Parse a cursor; None if it is invalid."""
        number, _, seq = text.partition(".")
        fits = all(each.isascii() and each.isdigit() and len(each) < 16 for each in (number, seq))
        return cls(int(number), int(seq)) if fits else None


class TimelineEntry(NamedTuple):
    """One entry of a timeline."""

    id: str
    at: str
    twin: str
    operation: str
    actor: str
    status: int
    error: str
    milliseconds: float | None
    number: int | None
    """The number of its call, or None."""
    seq: int | None
    changed: list[tuple[str, str]]
    """Pairs of sign (`+`, `~` or `-`) and text with the number of rows and the table."""
    deliveries: list[str]


class Timeline(NamedTuple):
    events: list[TimelineEntry]
    cursor: TimelineCursor
    earlier: int
    """The number of earlier calls."""


async def timeline(service: Service, environment_id: str, after: TimelineCursor | None, before: int | None) -> Timeline:
    """Load the entries after a cursor, or without one the last page, before a call if that is given."""
    await service.call_log.write()
    log, engine = service.calls.log, service.engine
    last, end = log.last(environment_id), engine.seq(environment_id)
    until = last if before is None else min(before - 1, last)
    first = after.number if after else max(0, until - SHOWN)
    calls = await service.runtime.collect(log.parts(environment_id, after=first, limit=min(SHOWN, until - first)))
    low = after.seq if after else cursor_at(service, environment_id, first).seq
    high = end if until == last else max((each.seq or 0 for each in calls), default=low)
    records: list[JournalRecord] = []
    if high > low and service.environments.record(environment_id).status != "deleted":
        records = await service.runtime.run_steps(interval(engine, environment_id, max(low, high - 2 * SHOWN), high))
    told = _deliveries(service, environment_id, low, high)
    number = calls[-1].number if calls else first
    return Timeline(_merge_events(calls, records, told), TimelineCursor(number, max(low, high)), first)


def cursor_at(service: Service, environment_id: str, number: int) -> TimelineCursor:
    """The cursor after a call; its seq is that of the latest writing call up to there."""
    if not number:
        return TimelineCursor(0, 0)
    service.calls.log.flush()
    where = (CallRecord.environment_id == environment_id, CallRecord.number <= number, CallRecord.seq > 0)
    order = (-CallRecord.environment_id, -CallRecord.number)
    latest = service.catalog.rows(CallRecord, *where, order=order, limit=1, columns=(CallRecord.seq,))
    return TimelineCursor(number, latest[0][0] if latest else 0)


def _deliveries(service: Service, environment_id: str, low: int, high: int) -> dict[int, list[str]]:
    where = (DeliveryRecord.environment_id == environment_id, DeliveryRecord.seq > low, DeliveryRecord.seq <= high)
    told: dict[int, list[str]] = {}
    for each in service.catalog.rows(DeliveryRecord, *where, limit=SHOWN):
        told.setdefault(each.seq, []).append(f"{each.event} {each.status}")
    return told


def _merge_events(
    calls: Sequence[CallRecord], records: Sequence[JournalRecord], told: dict[int, list[str]]
) -> list[TimelineEntry]:
    """Merge calls with records that belong to no call; each goes before the first call that wrote after it."""
    by_seq = {record.seq: record for record in records}
    logged = {call.seq for call in calls}
    alone = [record for record in reversed(records) if record.seq not in logged]
    events: list[TimelineEntry] = []
    for call in calls:
        while alone and call.seq and alone[-1].seq < call.seq:
            events.append(_of_record(alone.pop(), told))
        events.append(_of_call(call, by_seq.get(call.seq or 0), told))
    return [*events, *(_of_record(record, told) for record in reversed(alone))]


def _of_call(call: CallRecord, record: JournalRecord | None, told: dict[int, list[str]]) -> TimelineEntry:
    return TimelineEntry(
        id=f"c{call.number}",
        at=call.at,
        twin=call.twin,
        operation=call.operation,
        actor=call.actor,
        status=call.status,
        error=call.error or "",
        milliseconds=call.milliseconds,
        number=call.number,
        seq=call.seq,
        changed=count_changes(record.changes) if record else [],
        deliveries=told.get(call.seq or 0, []),
    )


def _of_record(record: JournalRecord, told: dict[int, list[str]]) -> TimelineEntry:
    words = record.operation
    if record.to is not None:
        words = f"back to {record.to}"
    elif record.operation == ADVANCE:
        words = f"clock set to {Clock(record.clock).iso()[:19].replace('T', ' ')}"
    return TimelineEntry(
        id=f"s{record.seq}",
        at=Clock(record.at).iso(),
        twin=record.twin,
        operation=words,
        actor=record.actor,
        status=0,
        error="",
        milliseconds=None,
        number=None,
        seq=record.seq,
        changed=count_changes(record.changes),
        deliveries=told.get(record.seq, []),
    )


def count_changes(changes: Iterable[RowChange]) -> list[tuple[str, str]]:
    """Count the added, changed and removed rows of each table, as in `TimelineEntry.changed`."""
    counts = Counter((_sign(change.before, change.after), change.table) for change in changes)
    return [(sign, f"{count} {table}") for (sign, table), count in counts.items()]


def _sign(before: Any, after: Any) -> str:
    return "+" if before is None else "-" if after is None else "~"

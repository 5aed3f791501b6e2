"""The history of a run as checks read it: the journal without its values, and the calls."""

from __future__ import annotations

from collections.abc import Iterable

from twindiff.catalog import CallRecord, RunRecord
from twindiff.checks import history as past
from twindiff.environments.registry import Registry
from twindiff.environments.runs import Interval
from twindiff.kit.rows import Table
from twindiff.server.service import Service
from twindiff.storage.journal import Change, Record
from twindiff.storage.values import same


def history(interval: Interval, registry: Registry, calls: Iterable[CallRecord] | None) -> past.History:
    """The history of an interval, with its calls where they are asked for; raises what Registry.get raises."""
    for name in interval.twins:
        registry.get(name)
    records = [_record(record, registry) for record in interval.records]
    return past.History(records, None if calls is None else [_called(call) for call in calls])


async def calls_of(service: Service, run: RunRecord, end: int) -> list[CallRecord]:
    """The calls of a run that ends at a seq; others have their turn while many are read."""
    found: list[CallRecord] = []
    for part in service.calls.log.of_run(run, end):
        found += part
        await service.breathe()
    return found


def _record(record: Record, registry: Registry) -> past.Record:
    tables = registry.schemas[record.twin].tables
    changes = [_change(change, tables[change.table]) for change in record.changes if change.table in tables]
    return past.Record(record.seq, record.twin, record.operation, record.actor, changes)


def _change(change: Change, table: Table) -> past.RowChange:
    name, values, before, after = change
    key = dict(zip(table.key, values, strict=True))
    if before is None or after is None:
        return past.RowChange(name, key, "added" if before is None else "removed", visibility=table.visibility)
    changed = [column for column in {**before, **after} if not same(before.get(column), after.get(column))]
    derived = [column for column in changed if column in table.columns and table.columns[column].derived]
    return past.RowChange(name, key, "changed", changed, derived, table.visibility)


def _called(call: CallRecord) -> past.Called:
    return past.Called(call.number, call.twin, call.operation, call.actor, call.status, call.error, call.seq)

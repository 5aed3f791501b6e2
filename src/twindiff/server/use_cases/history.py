"""The history of a run for its checks: the journal without values, and the calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import structs

from twindiff.catalog import CallRecord
from twindiff.checks import history as past
from twindiff.environments.registry import Registry
from twindiff.environments.runs import RunInterval
from twindiff.kit.rows import Table
from twindiff.storage.journal import JournalRecord, RowChange, net
from twindiff.storage.values import same

Diff = Mapping[str, list[dict[str, Any]]]
Keys = dict[tuple[str, str], set[tuple[Any, ...]]]
"""Keys of rows, by pairs of twin and table."""


def history(
    interval: RunInterval, registry: Registry, calls: Iterable[CallRecord] | None, diff: Diff | None = None
) -> past.RunHistory:
    """Build the history of an interval, with its calls if given; raises what Registry.get raises.
    With a diff, the history contains only the rows in it, which is all that a verdict looks at.
    """
    for name in interval.twins:
        registry.get(name)
    shown = None if diff is None else _keys(diff, interval, registry)
    records = [_record(record, registry, shown) for record in _as_done(interval) if record.twin]
    return past.RunHistory(records, None if calls is None else [_history_call(call) for call in calls])


def _as_done(interval: RunInterval) -> list[JournalRecord]:
    """The records of an interval; a rewind to before the interval counts as having made its changes itself."""
    start, records = interval.run.start_seq, interval.records
    earlier = [record for record in records if record.seq <= start]
    if not earlier:
        return records
    by_twin: dict[str, list[RowChange]] = {}
    for (twin, table, key), (before, after) in net(earlier).items():
        by_twin.setdefault(twin, []).append(RowChange(table, key, before, after))
    seq = _led_back(interval)
    rewind = structs.replace(earlier[0], seq=seq, operation="rewind", actor="")
    done = [structs.replace(rewind, twin=twin, changes=changes) for twin, changes in by_twin.items()]
    return [*done, *(record for record in records if record.seq > start)]


def _led_back(interval: RunInterval) -> int:
    """The seq of the last effective rewind from within the interval to before its start."""
    to, seq = {each["at_seq"]: each["to_seq"] for each in interval.rewound}, interval.end
    while to.get(seq, seq - 1) > interval.run.start_seq:
        seq = to.get(seq, seq - 1)
    return seq


def _keys(diff: Diff, interval: RunInterval, registry: Registry) -> Keys:
    """Collect the keys of the rows of a diff."""
    keys: Keys = {}
    for kind, entries in diff.items():
        for entry in entries:
            twin, name = entry.get("__twin__", interval.twins[0]), entry["__table__"]
            row = entry["after"] if kind == "updates" else entry
            if table := registry.schemas[twin].tables.get(name):
                keys.setdefault((twin, name), set()).add(tuple([row[column] for column in table.key]))
    return keys


def _record(record: JournalRecord, registry: Registry, shown: Keys | None) -> past.HistoryRecord:
    tables, twin = registry.schemas[record.twin].tables, record.twin
    changes = [
        _change(change, tables[change.table])
        for change in record.changes
        if change.table in tables and (shown is None or change.key in shown.get((twin, change.table), ()))
    ]
    return past.HistoryRecord(record.seq, record.twin, record.operation, record.actor, changes)


def _change(change: RowChange, table: Table) -> past.HistoryRowChange:
    name, values, before, after = change
    key = dict(zip(table.key, values, strict=True))
    if before is None or after is None:
        return past.HistoryRowChange(name, key, "added" if before is None else "removed", visibility=table.visibility)
    changed = [column for column in {**before, **after} if not same(before.get(column), after.get(column))]
    derived = [column for column in changed if column in table.columns and table.columns[column].derived]
    return past.HistoryRowChange(name, key, "changed", changed, derived, table.visibility)


def _history_call(call: CallRecord) -> past.Called:
    return past.Called(call.number, call.twin, call.operation, call.actor, call.status, call.error, call.seq)

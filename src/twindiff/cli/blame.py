"""Finds the operation that set each column of a row, from the journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Json = dict[str, Any]


class BlameLine(NamedTuple):
    """A column's value and the record that set it; None stands for the template."""

    column: str
    value: Any
    record: Json | None


class RowHistory(NamedTuple):
    """A row's present columns, or the record that deleted it."""

    lines: list[BlameLine]
    deleted_by: Json | None


def effective(journal: Sequence[Json]) -> list[Json]:
    """Return the records that led to the present, without those that a rewind has undone."""
    by_seq = {record["seq"]: record for record in journal}
    records: list[Json] = []
    seq = journal[-1]["seq"] if journal else 0
    while seq:
        record = by_seq[seq]
        if record.get("to") is None:
            records.append(record)
        seq = seq - 1 if record.get("to") is None else record["to"]
    return records[::-1]


def blame(journal: Sequence[Json], table: str, key: Sequence[str]) -> RowHistory | None:
    """Return the operations behind a row; None if none has touched it. `table` may begin with its twin."""
    lines: dict[str, BlameLine] = {}
    deleted_by: Json | None = None
    touched = False
    for record in effective(journal):
        for change in record["changes"]:
            if _names(table, record, change) and [str(part) for part in change["key"]] == list(key):
                touched = True
                deleted_by = record if change["after"] is None else None
                lines = _after(lines, change, record)
    return RowHistory([*lines.values()], deleted_by) if touched else None


def _names(table: str, record: Json, change: Json) -> bool:
    return table in (change["table"], f"{record['twin']}.{change['table']}")


def _after(lines: dict[str, BlameLine], change: Json, record: Json) -> dict[str, BlameLine]:
    before: Json | None = change["before"]
    after: Json = change["after"] or {}
    if before is None:
        return {name: BlameLine(name, value, record) for name, value in after.items()}
    known = {name: lines.get(name, BlameLine(name, value, None)) for name, value in before.items()}
    return {
        name: known[name] if name in before and before[name] == value else BlameLine(name, value, record)
        for name, value in after.items()
    }

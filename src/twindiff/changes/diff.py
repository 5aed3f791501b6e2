"""The wire form of a diff: net changes by kind, with derived ones marked or omitted.

A diff is `{"inserts": [row], "updates": [{before, after}], "deletes": [row]}`; every row names its `__table__`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from twindiff.kit.rows import Table
from twindiff.storage.journal import JournalRecord, Net, RowLocation, Values, net
from twindiff.storage.schema import Schema
from twindiff.storage.values import changed_columns

Include = Literal["plain", "derived", "all"]
"""What a diff includes: plain tables, derived ones too, or everything that is stored."""

Rows = Literal["full", "changed"]
"""Whether updates have whole rows or only their key and the changed columns."""

Wire = dict[str, Any]
_SHOWN: dict[Include, set[str]] = {
    "plain": {"plain"},
    "derived": {"plain", "derived"},
    "all": {"plain", "derived", "bookkeeping"},
}


def diff(
    records: Iterable[JournalRecord],
    schemas: Mapping[str, Schema],
    *,
    include: Include = "plain",
    rows: Rows = "full",
    several_twins: bool = False,
) -> dict[str, list[Wire]]:
    """Return the net diff of journal records, ordered by twin, table and key.

    With several twins every row names its `__twin__`. An update lists its `changed` columns and which of them are
    `derived`; a row of a derived table has `__derived__`.
    """
    shown: dict[str, list[Wire]] = {"inserts": [], "updates": [], "deletes": []}
    for place, difference in net(records).items():
        table = schemas[place.twin].tables.get(place.table)
        marks = _marks(place, table, several_twins=several_twins)
        if table is None or table.visibility in _SHOWN[include]:
            _show(shown, marks, table, difference, include, rows)
    return shown


def _marks(place: RowLocation, table: Table | None, *, several_twins: bool) -> Wire:
    marks: Wire = {"__table__": place.table}
    if several_twins:
        marks["__twin__"] = place.twin
    if table and table.visibility == "derived":
        marks["__derived__"] = True
    return marks


def _show(
    shown: dict[str, list[Wire]], marks: Wire, table: Table | None, difference: Net, include: Include, rows: Rows
) -> None:
    before, after = difference
    if before is None and after is not None:
        shown["inserts"].append({**marks, **after})
    elif after is None and before is not None:
        shown["deletes"].append({**marks, **before})
    elif before is not None and after is not None:
        update = _update(marks, table, before, after, rows)
        if include != "plain" or len(update["changed"]) > len(update["derived"]):
            shown["updates"].append(update)


def _update(marks: Wire, table: Table | None, before: Values, after: Values, rows: Rows) -> Wire:
    columns = table.columns if table else {}
    changed = changed_columns(before, after)
    derived = [name for name in changed if name in columns and columns[name].derived]
    if rows == "changed":
        kept = {*changed, *(table.key if table else ())}
        before = {name: value for name, value in before.items() if name in kept}
        after = {name: value for name, value in after.items() if name in kept}
    return {**marks, "before": before, "after": after, "changed": changed, "derived": derived}

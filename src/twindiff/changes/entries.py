"""The changes of one operation, row by row and column by column, with the path, the kind and the new value of each.

Applied in order to the initial state, the changes of all entries with `include="all"` give the final state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from twindiff.kit.rows import Table, Visibility
from twindiff.storage.journal import JournalRecord, RowChange
from twindiff.storage.schema import Schema
from twindiff.storage.values import changed_columns

from .diff import Include

VIEWS: tuple[Include, ...] = ("plain", "derived", "all")
"""The views that can be requested; each includes those before it."""

_VIEW_OF: dict[Visibility, Include] = {"plain": "plain", "derived": "derived", "bookkeeping": "all"}


class EntryChange(msgspec.Struct):
    """A row that was added (`add`) or removed (`remove`), or a column that changed (`replace`).

    `path` is a JSON Pointer: `/messages/1732645891.000200`, `/channels/C01ABCD1234/topic_text`. `value` is the new row
    or the column's new value, and absent on `remove`.
    """

    path: str
    type: Literal["add", "remove", "replace"]
    value: Any | msgspec.UnsetType = msgspec.UNSET


def view(record: JournalRecord, schemas: Mapping[str, Schema]) -> Include | None:
    """Return the narrowest view in which a record has changes; None for a rewind, which has none in any."""
    tables = schemas[record.twin].tables if record.changes else {}
    views: list[Include] = [_view(change, tables.get(change.table)) for change in record.changes]
    return min(views, key=VIEWS.index, default=None)


def render_entries(
    record: JournalRecord, schemas: Mapping[str, Schema], include: Include = "plain"
) -> list[EntryChange]:
    """Return a record's changes in a view, ordered by table and key.

    As in a diff, `plain` shows whole rows that were added and, of updated rows, the columns that are not derived.
    """
    tables = schemas[record.twin].tables if record.changes else {}
    shown = VIEWS[: VIEWS.index(include) + 1]
    entries: list[EntryChange] = []
    for change in record.changes:
        table = tables.get(change.table)
        if _view(change, table) in shown:
            entries += _render_change(change, table, include)
    return entries


def pointer(*parts: object) -> str:
    """Join parts to a JSON Pointer (RFC 6901)."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _view(change: RowChange, table: Table | None) -> Include:
    """Return the narrowest view that shows a change; every view shows changes of tables that the twin no longer has."""
    if table is None:
        return "plain"
    narrowest = _VIEW_OF[table.visibility]
    if narrowest == "plain" and change.before and change.after:
        return "plain" if any(not _is_derived(table, name) for name in _updated_columns(change)) else "derived"
    return narrowest


def _render_change(change: RowChange, table: Table | None, include: Include) -> Iterator[EntryChange]:
    place = pointer(change.table, ",".join(map(str, change.key)))
    if change.after is None:
        yield EntryChange(place, "remove")
    elif change.before is None:
        yield EntryChange(place, "add", change.after)
    else:
        for name in _updated_columns(change):
            if include != "plain" or not _is_derived(table, name):
                yield EntryChange(place + pointer(name), "replace", change.after.get(name))


def _updated_columns(change: RowChange) -> list[str]:
    """The columns that an update changed."""
    return changed_columns(change.before or {}, change.after or {})


def _is_derived(table: Table | None, name: str) -> bool:
    return table is not None and name in table.columns and table.columns[name].derived

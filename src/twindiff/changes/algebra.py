"""Applies diffs to states, and inverts diffs.

A diff with `include="all"` and full rows is lossless: `apply(before, diff) == after` and `apply(after, invert(diff)) ==
before`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twindiff.storage.values import same

Key = tuple[Any, ...]
State = dict[str, dict[Key, dict[str, Any]]]
"""Full rows by table and key; with several twins a table is named `twin.table`."""
Keys = Mapping[str, tuple[str, ...]]
"""The key columns of every table."""


class DiffDoesNotFit(ValueError):
    """The state is not the one that the diff begins with."""


def apply(state: State, diff: Mapping[str, list[dict[str, Any]]], keys: Keys) -> State:
    """Return the state after a diff; raises DiffDoesNotFit when a row differs from what the diff says it was before."""
    after = {table: dict(rows) for table, rows in state.items()}
    for row in diff["deletes"]:
        _replace(after, keys, _table(row), _values(row), None)
    for update in diff["updates"]:
        _replace(after, keys, _table(update), update["before"], update["after"])
    for row in diff["inserts"]:
        _replace(after, keys, _table(row), None, _values(row))
    return after


def invert(diff: Mapping[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the diff that undoes this one."""
    updates = [{**update, "before": update["after"], "after": update["before"]} for update in diff["updates"]]
    return {"inserts": diff["deletes"], "updates": updates, "deletes": diff["inserts"]}


def _table(row: Mapping[str, Any]) -> str:
    return f"{row['__twin__']}.{row['__table__']}" if "__twin__" in row else row["__table__"]


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("__")}


def _replace(state: State, keys: Keys, table: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    row = before if before is not None else after or {}
    key = tuple(row[name] for name in keys[table])
    rows = state.setdefault(table, {})
    if not same(rows.get(key), before):
        raise DiffDoesNotFit(f"{table} {key} is {rows.get(key)}, not {before}")
    if after is None:
        del rows[key]
    else:
        rows[key] = after

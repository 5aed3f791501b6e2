"""Audits checks: they must accept a reference solution's diff and equivalent variants, and reject wrong variants."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import islice
from typing import Any, NamedTuple

from twindiff.checks import CheckSpec, RunHistory, evaluate
from twindiff.checks.diffs import Row
from twindiff.kit.rows import Table, table_of
from twindiff.suites.lint_context import LintContext, entity_of, neighbour_of

MAX_VARIANTS = 400
"""Variants of one diff that are judged."""

LISTS = ("inserts", "updates", "deletes")
HAPPENED = {"inserts": "added", "updates": "changed", "deletes": "removed"}
"""What happened to the rows of each list, as exceptions name it."""
OTHER_TEXT = "something else"
OTHER_TIME = "2031-01-01T00:00:00"
DAY = 86_400
TIMES = 10**9
"""Numbers from here on may be times in seconds, where a difference of one is still right."""


class DiffVariant(NamedTuple):
    """A variant of the reference's diff, which is either wrong or equally right."""

    what: str
    where: str
    is_right: bool
    diff: dict[str, list[Row]]


class Audited(NamedTuple):
    """The audit of a test: how many wrong variants pass (`let_through`) and right ones fail (`refused`), by kind."""

    noop_passes: bool
    failures: list[str]
    tried: int
    let_through: dict[str, int]
    refused: dict[str, int]

    @property
    def is_sound(self) -> bool:
        """Whether the reference passes, doing nothing fails, and every variant gets the expected verdict."""
        return not (self.noop_passes or self.failures or self.let_through or self.refused)


def audit(spec: CheckSpec, diff: Mapping[str, Any], world: LintContext, history: Any = None) -> Audited:
    """Judge the diff of a reference solution, an empty diff, and variants of the reference's diff.
    Variants leave out the rows of tables that a closed world excepts, as these may be there or not.
    """
    tried, let_through, refused = 0, Counter[str](), Counter[str]()
    failures = evaluate(spec, diff, history).failures
    varied = _without_exempt(spec, diff)
    if failures or evaluate(spec, varied, history).failures:
        varied = diff
    for variant in islice(variants(varied, world), MAX_VARIANTS if not failures else 0):
        tried += 1
        passed = evaluate(spec, variant.diff, history).passed
        if passed != variant.is_right:
            (let_through if passed else refused)[f"{variant.what}: {variant.where}"] += 1
    idle = evaluate(spec, {"inserts": []}, RunHistory([], [])).passed
    return Audited(idle, failures, tried, dict(let_through), dict(refused))


def _without_exempt(spec: CheckSpec, diff: Mapping[str, Any]) -> dict[str, list[Row]]:
    """Leave out the rows of tables that the closed world excepts whatever their values."""
    whole = [item for item in spec.closed_world or () if not item.where]
    names = {name: {item.entity for item in whole if item.diff_type in (None, HAPPENED[name])} for name in LISTS}
    return {
        name: [row for row in diff[name] if not names[name] & {str(row["__table__"]), entity_of(row)}] for name in LISTS
    }


def variants(diff: Mapping[str, Any], world: LintContext) -> Iterator[DiffVariant]:
    """Yield variants of a diff that differ in one respect each."""
    whole: dict[str, list[Row]] = {name: diff[name] for name in LISTS}
    yield DiffVariant("other order", "all rows", True, {name: rows[::-1] for name, rows in whole.items()})
    for name in LISTS:
        for at, row in enumerate(whole[name]):
            rows = whole[name]
            yield DiffVariant("missing row", entity_of(row), False, {**whole, name: rows[:at] + rows[at + 1 :]})
    for at, row in enumerate(whole["inserts"]):
        if entity_of(row) in world.tables:
            yield from _of_insert(whole, at, world)
    for at, row in enumerate(whole["updates"]):
        if entity_of(row) in world.tables:
            yield from _wrong_values(whole, "updates", at, world)


def _of_insert(diff: dict[str, list[Row]], at: int, world: LintContext) -> Iterator[DiffVariant]:
    row = diff["inserts"][at]
    entity, table = _table_of(row, world)
    key = table.key[-1]
    if isinstance(row[key], str):
        twin = {**row, key: f"{row[key]}-again"}
        yield DiffVariant("extra row", entity, False, {**diff, "inserts": [*diff["inserts"], twin]})
        renamed = json.dumps(diff).replace(json.dumps(row[key]), json.dumps(f"{row[key]}-other"))
        if len(table.key) == 1:
            yield DiffVariant("other id", f"{entity}.{key}", True, json.loads(renamed))
    yield from _wrong_values(diff, "inserts", at, world)
    for name, column in table.columns.items():
        value = row.get(name)
        if column.kind == "timestamp" and value and name not in table.key:
            yield DiffVariant("other time", f"{entity}.{name}", True, _with(diff, "inserts", at, name, OTHER_TIME))
        elif column.kind == "text" and isinstance(value, str) and " " in value.strip():
            place = f"{entity}.{name}"
            yield DiffVariant("a full stop more", place, True, _with(diff, "inserts", at, name, f"{value}."))
            yield DiffVariant("capital letters", place, True, _with(diff, "inserts", at, name, value.upper()))


def _table_of(row: Row, world: LintContext) -> tuple[str, Table]:
    return entity_of(row), world.tables[entity_of(row)]


def _wrong_values(diff: dict[str, list[Row]], kind: str, at: int, world: LintContext) -> Iterator[DiffVariant]:
    row = diff[kind][at]
    entity, table = _table_of(row, world)
    values: Row = row["after"] if kind == "updates" else row
    told = set(row["changed"]) - set(row["derived"]) if kind == "updates" else table.columns.keys()
    keys = {str(values[name]) for name in table.key}
    for name, column in table.columns.items():
        value = values.get(name)
        is_incidental = column.derived or column.kind == "timestamp" or name in table.key or str(value) in keys
        if name in told and not is_incidental and value not in (None, "", [], {}):
            what = "wrong author" if isinstance(value, str) and value in world.actors else "wrong value"
            wrong = _other(value, column, entity, world)
            yield DiffVariant(what, f"{entity}.{name}", False, _with(diff, kind, at, name, wrong))
            for other in _new_others(value, column, entity, diff)[:1]:
                yield DiffVariant("wrong new row", f"{entity}.{name}", False, _with(diff, kind, at, name, other))


def _new_others(value: Any, column: Any, entity: str, diff: dict[str, list[Row]]) -> list[Any]:
    """Return the ids of other new rows that a reference to a new row could have instead."""
    if column.references is None:
        return []
    table = table_of(column.references)
    other = neighbour_of(entity, table.name)
    new = [row[table.key[0]] for row in diff["inserts"] if entity_of(row) == other]
    return [each for each in new if each != value] if value in new else []


def _other(value: Any, column: Any, entity: str, world: LintContext) -> Any:
    """Return another value for a column: for a reference, the id of another existing row."""
    if column.references is not None:
        table = table_of(column.references)
        ids = [row[table.key[0]] for row in world.rows.get(neighbour_of(entity, table.name), ())]
        return next((each for each in ids if each != value), OTHER_TEXT)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + (DAY if value >= TIMES else 1)
    return OTHER_TEXT if isinstance(value, str) else type(value)()


def _with(diff: dict[str, list[Row]], kind: str, at: int, column: str, value: Any) -> dict[str, list[Row]]:
    row = deepcopy(diff[kind][at])
    (row["after"] if kind == "updates" else row)[column] = value
    return {**diff, kind: [*diff[kind][:at], row, *diff[kind][at + 1 :]]}

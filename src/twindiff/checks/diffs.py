"""The diff that a check judges: validated once, with its changes indexed by kind and table."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Literal, cast

from msgspec import Struct

DiffType = Literal["added", "removed", "changed"]
Kind = Literal["added", "removed", "changed", "unchanged", "response", "closed_world"]
"""What an assertion is about: rows by how they changed, calls, or all changes that no other assertion covers."""
Row = dict[str, Any]

CALLS = "calls"
"""The entity of assertions about calls."""

LISTS: dict[DiffType, str] = {"added": "inserts", "removed": "deletes", "changed": "updates"}


class DiffError(ValueError):
    """The diff has not the shape `{inserts, updates, deletes}`; says where, what was given and what to do."""


class DiffedRow(Struct):
    """One row of the diff: an added row has only `after`, a removed one only `before`. A call has only `after` too.

    `differing` caches the names of the columns that changed.
    """

    diff_type: Kind
    table: str
    twin: str | None
    before: Row | None
    after: Row | None
    derived: frozenset[str] = frozenset()
    is_derived: bool = False
    is_exact: bool = True
    differing: frozenset[str] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The entities by which a check may name the table."""
        return (self.table,) if self.twin is None else (self.table, f"{self.twin}.{self.table}")

    @property
    def sides(self) -> tuple[Row, ...]:
        """The states of the row in the diff, the later one first."""
        if self.after is None or self.before is None:
            return (self.after or self.before or {},)
        return (self.after, self.before)


class Changes:
    """All changes of a diff."""

    def __init__(self, changes: Iterator[DiffedRow]) -> None:
        self.all = list(changes)
        self._found: dict[tuple[Kind, str], list[DiffedRow]] = {}
        for change in self.all:
            for name in change.names:
                self._found.setdefault((change.diff_type, name), []).append(change)
        self._values: dict[tuple[Kind, str, str], dict[Any, list[DiffedRow]]] = {}

    def of(self, kind: Kind, entity: str) -> list[DiffedRow]:
        """Return the changes of this kind to this table, in the order of the diff; `unchanged` includes every kind."""
        if kind == "unchanged":
            return [change for diff_type in LISTS for change in self.of(diff_type, entity)]
        return self._found.get((kind, entity), [])

    def having(
        self, kind: Kind, entity: str, path: str, value: Any, read: Callable[[Row, str], Any]
    ) -> list[DiffedRow]:
        """Return those changes with a scalar value at a path, before or after, in the order of the diff."""
        place = (kind, entity, path)
        if place not in self._values:
            self._values[place] = _by_value(self.of(kind, entity), path, read)
        return self._values[place].get(value, [])

    @property
    def entities(self) -> list[str]:
        """The names of all tables with a change."""
        return sorted({entity for _, entity in self._found})


def _by_value(changes: list[DiffedRow], path: str, read: Callable[[Row, str], Any]) -> dict[Any, list[DiffedRow]]:
    by_value: dict[Any, list[DiffedRow]] = {}
    for change in changes:
        values = [read(side, path) for side in change.sides]
        for value in {value for value in values if isinstance(value, Hashable)}:
            by_value.setdefault(value, []).append(change)
    return by_value


def read(diff: object, *, exact: bool = True) -> Changes:
    """Validate a diff as decoded from JSON. Raises `DiffError`.

    If `exact`, changed columns distinguish `true`, `1` and `1.0`, as diffs do; the public language does not.
    """
    if isinstance(diff, Changes):
        return diff
    lists = _lists(diff)
    return Changes(
        _change(diff_type, entry, f"{name}[{position}]", exact=exact)
        for diff_type, name in LISTS.items()
        for position, entry in enumerate(lists[name])
    )


def _lists(diff: object) -> dict[str, list[Any]]:
    if not isinstance(diff, dict):
        raise DiffError(f"The diff is {_kind(diff)}. Give an object with inserts, updates and deletes.")
    given = cast("dict[str, Any]", diff)
    if not any(name in given for name in LISTS.values()):
        raise DiffError("The diff has none of inserts, updates and deletes. Give an object with these three lists.")
    lists = {name: given.get(name, []) for name in LISTS.values()}
    for name, entries in lists.items():
        if not isinstance(entries, list):
            raise DiffError(f"{name} is {_kind(entries)}. Give a list of rows, [] for none.")
    return lists


def _change(diff_type: DiffType, entry: object, place: str, *, exact: bool) -> DiffedRow:
    row = _object(entry, place)
    table = row.get("__table__")
    if not isinstance(table, str):
        raise DiffError(f"{place}.__table__ is {_kind(table)}. Give the name of the row's table.")
    twin = row.get("__twin__")
    twin = twin if isinstance(twin, str) else None
    is_derived = row.get("__derived__") is True
    if diff_type == "added":
        return DiffedRow(diff_type, table, twin, None, row, is_derived=is_derived)
    if diff_type == "removed":
        return DiffedRow(diff_type, table, twin, row, None, is_derived=is_derived)
    before, after = (_object(row.get(side), f"{place}.{side}") for side in ("before", "after"))
    derived = _names(row.get("derived"), f"{place}.derived")
    return DiffedRow(diff_type, table, twin, before, after, derived, is_derived, exact)


def _object(value: object, place: str) -> Row:
    if not isinstance(value, dict):
        raise DiffError(f"{place} is {_kind(value)}. Give an object, column by column.")
    row = cast("Row", value)
    if not all(isinstance(name, str) for name in cast("dict[object, object]", row)):
        raise DiffError(f"{place} has a column whose name is not a text. Give each name in quotes.")
    return row


def _names(value: object, place: str) -> frozenset[str]:
    if value is None:
        return frozenset()
    names = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(name, str) for name in names):
        raise DiffError(f"{place} is not a list of column names.")
    return frozenset(cast("list[str]", names))


def _kind(value: object) -> str:
    kinds: dict[type[Any], str] = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "a boolean",
        int: "a number",
        float: "a number",
    }
    return "null or missing" if value is None else kinds.get(type(value), type(value).__name__)

"""Validates rows and records of an import: each row must fit its table, and each record the state before it.

A file may contain anything. What passes can be replayed from any point to any other without violating a constraint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from twindiff.kit.rows import Table
from twindiff.storage.journal import JournalRecord, RowChange, RowLocation, Values, undone
from twindiff.storage.schema import Schema
from twindiff.storage.values import INT64, canonical

from ..registry import did_you_mean
from .format import InvalidExport

Key = tuple[Any, ...]

MAX_NAME_CHARACTERS = 100
"""Characters of an input that a message repeats."""
_pack = msgspec.msgpack.Encoder().encode


class Form:
    """Validates the rows of one table."""

    def __init__(self, twin: str, table: Table) -> None:
        self.twin = twin
        self.name = table.name
        self.key = table.key
        self.unique = table.unique
        self._columns = table.columns
        self._row = table.row
        self._json = [name for name, column in table.columns.items() if column.kind == "json"]
        self._integers = [name for name, column in table.columns.items() if column.kind == "integer"]

    def full(self, given: Mapping[str, Any]) -> Values:
        """Return a row in its stored form: every column, typed and in order; columns added later get their default.

        Raises InvalidExport.
        """
        unknown = given.keys() - self._columns.keys()
        if unknown:
            name = min(unknown)[:MAX_NAME_CHARACTERS]
            raise InvalidExport(f"{self.twin}.{self.name} has no column '{name}'.{did_you_mean(name, self._columns)}")
        try:
            values = msgspec.structs.asdict(msgspec.convert(given, self._row))
            for name in self._json:
                values[name] = canonical(values[name])
        except msgspec.ValidationError as error:
            raise InvalidExport(f"a row of {self.twin}.{self.name}: {error}") from None
        except (OverflowError, RecursionError):
            raise InvalidExport(f"a row of {self.twin}.{self.name} holds a value that cannot be stored") from None
        for name in self._integers:
            if values[name] is not None and values[name] not in INT64:
                raise InvalidExport(f"a row of {self.twin}.{self.name}: {name} is beyond 64 bits")
        return values

    def key_of(self, values: Values) -> Key:
        return tuple([values[name] for name in self.key])

    def place(self, values: Values) -> RowLocation:
        return RowLocation(self.twin, self.name, self.key_of(values))


class Forms:
    """The forms of several twins' tables."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._forms = {
            twin: {name: Form(twin, table) for name, table in schema.tables.items()} for twin, schema in schemas.items()
        }

    def get(self, twin: str, table: str) -> Form:
        """Return the form of a table; raises InvalidExport."""
        self.refuse_stranger(twin)
        tables = self._forms[twin]
        if table not in tables:
            name = table[:MAX_NAME_CHARACTERS]
            raise InvalidExport(f"{twin} has no table '{name}'.{did_you_mean(name, tables)}")
        return tables[table]

    def refuse_stranger(self, twin: str) -> None:
        """Raise InvalidExport for a twin that the environment does not have."""
        if twin not in self._forms:
            raise InvalidExport(
                f"'{twin[:MAX_NAME_CHARACTERS]}' is none of the environment's twins: {', '.join(self._forms)}"
            )


class RowSet:
    """All rows at one point, with an index of unique values. Rows are kept packed, so that `true` differs from 1."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._rows: dict[RowLocation, bytes] = {}
        self._taken: dict[tuple[str, str, Key, Key], RowLocation] = {}

    def add(self, form: Form, values: Values) -> None:
        """Add a row; raises InvalidExport when its key or a unique value is taken."""
        place = form.place(values)
        if place in self._rows:
            raise InvalidExport(f"{_describe_place(place)} is there twice")
        self._rows[place] = _pack(values)
        for spot in _spots(form, values):
            if self._taken.setdefault(spot, place) != place:
                columns = ", ".join(spot[2])
                raise InvalidExport(
                    f"{_describe_place(place)} and {_describe_place(self._taken[spot])} have the same {columns}"
                )

    def _remove(self, form: Form, values: Values) -> None:
        place = form.place(values)
        if self._rows.pop(place, None) != _pack(values):
            raise InvalidExport(f"{_describe_place(place)} was not as it is said to have been")
        for spot in _spots(form, values):
            self._taken.pop(spot, None)

    def move(self, record: JournalRecord) -> None:
        """Apply a record as engines do: removed rows first, then added ones. Raises InvalidExport."""
        forms = [self._forms.get(record.twin, change.table) for change in record.changes]
        if len({(change.table, change.key) for change in record.changes}) < len(forms):
            raise InvalidExport(f"record {record.seq} changes a row twice")
        try:
            for form, change in zip(forms, record.changes, strict=True):
                if change.before is not None:
                    self._remove(form, change.before)
            for form, change in zip(forms, record.changes, strict=True):
                if change.after is not None:
                    self.add(form, change.after)
        except InvalidExport as error:
            raise InvalidExport(f"record {record.seq} does not fit what was there before it: {error}") from None


def _spots(form: Form, values: Values) -> list[tuple[str, str, Key, Key]]:
    """Return the unique values that a row takes; NULL never equals another NULL."""
    if not form.unique:
        return []
    taken = [(columns, tuple([values[name] for name in columns])) for columns in form.unique]
    return [(form.twin, form.name, columns, spot) for columns, spot in taken if None not in spot]


def _describe_place(place: RowLocation) -> str:
    return f"{place.twin}.{place.table} {', '.join(str(part)[:MAX_NAME_CHARACTERS] for part in place.key)}"


def full_changes(form: Form, key: Key, before: Values | None, after: Values | None) -> RowChange:
    """Return a change with full rows whose key is the one it names; raises InvalidExport."""
    was = None if before is None else form.full(before)
    now = None if after is None else form.full(after)
    keys = [form.key_of(values) for values in (was, now) if values is not None]
    if not keys or any(each != key for each in keys):
        raise InvalidExport(
            f"{_describe_place(RowLocation(form.twin, form.name, key))} is changed by a row of another key, or by none"
        )
    return RowChange(form.name, keys[0], was, now)


def check_changes(row_set: RowSet, records: Sequence[JournalRecord]) -> None:
    """Apply every record to the state in which it says it was written; raises InvalidExport.

    With rewinds the states form a tree: a record is a child of the one before it, or of where a rewind led. A
    depth-first traversal applies and undoes each record once, however many rewinds there are.
    """
    below = _tree(records)
    waiting = [(record, True) for record in reversed(below[0])]
    untried = len(waiting)
    while untried:
        record, forward = waiting.pop()
        if not forward:
            row_set.move(undone(record))
            continue
        row_set.move(record)
        waiting.append((record, False))
        waiting += [(child, True) for child in reversed(below[record.seq])]
        untried += len(below[record.seq]) - 1


def _tree(records: Iterable[JournalRecord]) -> defaultdict[int, list[JournalRecord]]:
    """Return the child records of each state, by the seq of the record that led to it; 0 is the initial state."""
    states = [0]
    below: defaultdict[int, list[JournalRecord]] = defaultdict(list)
    for record in records:
        if record.seq != len(states):
            raise InvalidExport(f"record {record.seq} stands where record {len(states)} should: the journal has a gap")
        if record.to is None:
            below[states[-1]].append(record)
            states.append(record.seq)
        elif record.to < record.seq and not record.changes:
            states.append(states[record.to])
        else:
            raise InvalidExport(
                f"record {record.seq} goes back to {record.to}, which is not before it, or changes rows"
            )
    return below

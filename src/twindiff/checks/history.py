"""The history of a run: which operation made which change, and every call. A diff alone lacks both.

Rows are found by key, so the history works with diffs of whole rows and of changed columns only.
"""

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple, cast

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from twindiff.checks.diffs import CALLS, DiffedRow, DiffType, Row
from twindiff.checks.spec import CheckSpec

Key = dict[str, str | int | float | bool | None]
MAX_INTEGER = 2**63 - 1
"""The greatest number that a record or a call may have."""

Moment = tuple[int, int]
"""A seq, then the number of a call that wrote nothing after it."""


class HistoryError(ValueError):
    """The history is missing or has not its shape; says what was given and what to do."""


class HistoryRowChange(Struct, frozen=True, omit_defaults=True):
    """One row that an operation changed, by its key; `changed` and `derived` are the columns of an update."""

    table: str
    key: Key
    diff_type: DiffType
    changed: list[str] = []
    derived: list[str] = []
    visibility: Literal["plain", "derived", "bookkeeping"] = "plain"


class HistoryRecord(Struct, frozen=True):
    """One operation that wrote."""

    seq: int
    twin: str
    operation: str
    actor: str
    changes: list[HistoryRowChange]


class Called(Struct, frozen=True):
    """One call, including reads and rejected requests; `seq` is its journal record, if it wrote."""

    number: int
    twin: str
    operation: str
    actor: str
    status: int
    error: str | None = None
    seq: int | None = None


class RunHistory(Struct, frozen=True, omit_defaults=True):
    """What a verdict may use besides the diff. Rewinds are resolved in `records`; `calls` are all calls."""

    records: list[HistoryRecord]
    calls: list[Called] | None = None


class RowBlame(Struct, frozen=True):
    """The operation behind a row."""

    operation: str
    seq: int
    actor: str

    @property
    def words(self) -> str:
        """The operation as part of a sentence; a rewind has no actor."""
        who = f", actor {self.actor}" if self.actor else ""
        return f"{self.operation} (seq {self.seq}{who})"


class Touch(Struct, frozen=True):
    """One change of a row, and the operation that made it."""

    record: HistoryRecord
    change: HistoryRowChange

    @property
    def blame(self) -> RowBlame:
        return RowBlame(self.record.operation, self.record.seq, self.record.actor)

    def gave(self, columns: Collection[str]) -> bool:
        """Return whether it set one of these columns; adding or removing a row sets all of them."""
        return self.change.diff_type != "changed" or not set(columns).isdisjoint(self.change.changed)

    def is_meant(self, ignored: Collection[str] = ()) -> bool:
        """Return whether it changed more than derived or ignored columns."""
        return self.gave(set(self.change.changed) - set(self.change.derived) - set(ignored))


class TouchIndex(NamedTuple):
    """The touches of one table's rows by key, and the key columns."""

    key: tuple[str, ...]
    touches: dict[tuple[Any, ...], list[Touch]]

    def of(self, row: Row) -> list[Touch]:
        """Return the touches of a row, in order."""
        try:
            return self.touches.get(tuple([row.get(column) for column in self.key]), [])
        except TypeError:  # a list or an object, which cannot be a key
            return []


class HistoryIndex:
    """A history, indexed by rows."""

    def __init__(self, load: Callable[[], RunHistory] | None) -> None:
        self.known = load is not None
        self._load = load

    @cached_property
    def _history(self) -> RunHistory:
        """The history, loaded on first use; public specs that pass never need it."""
        return self._load() if self._load else RunHistory([])

    @cached_property
    def calls(self) -> list[DiffedRow] | None:
        """The calls as rows; None if they are unknown."""
        calls = self._history.calls
        return None if calls is None else [DiffedRow("response", CALLS, None, None, asdict(call)) for call in calls]

    @cached_property
    def _moments(self) -> dict[int, Moment]:
        return moments(self._history.calls or [])

    @cached_property
    def _indexes(self) -> dict[str, dict[str, TouchIndex]]:
        """The touch indexes, by table, then by twin."""
        indexes: dict[str, dict[str, TouchIndex]] = {}
        for record in self._history.records:
            for change in record.changes:
                twins = indexes.setdefault(change.table, {})
                index = twins.get(record.twin) or twins.setdefault(record.twin, TouchIndex(tuple(change.key), {}))
                index.touches.setdefault(tuple(change.key.values()), []).append(Touch(record, change))
        return indexes

    def touches(self, change: DiffedRow) -> list[Touch]:
        """Return the touches of a row of the diff, in order."""
        row, twins = change.sides[0], self._indexes.get(change.table, {})
        if change.twin is not None:
            return twins[change.twin].of(row) if change.twin in twins else []
        touches = [touch for index in twins.values() for touch in index.of(row)]
        return sorted(touches, key=lambda touch: touch.record.seq)

    def blame(self, change: DiffedRow, columns: Collection[str] = ()) -> RowBlame | None:
        """Return the operation that set these columns; without columns, the one that added, removed or changed the row.

        If there is none, it is the last operation that touched the row, preferably by more than derived columns.
        """
        if change.diff_type == "response":
            return None
        latest = self.touches(change)[::-1]
        gave = (touch for touch in latest if columns and touch.gave(columns))
        moved = (touch for touch in latest if touch.change.diff_type == change.diff_type != "changed")
        meant = (touch for touch in latest if touch.is_meant())
        culprit = next(chain(gave, moved, meant, latest), None)
        return culprit.blame if culprit else None

    def moment(self, change: DiffedRow, columns: Collection[str]) -> Moment | None:
        """Return when a call was made, or a row got its values in these columns; None if the history does not say."""
        if change.diff_type == "response":
            return self._moments[change.sides[0]["number"]]
        gave = [touch for touch in self.touches(change) if touch.gave(columns)]
        return (gave[-1].record.seq, 0) if gave else None

    def is_plain(self, change: DiffedRow) -> bool:
        """Return whether all touches of the row are of plain visibility, so that it is not a twin's own bookkeeping."""
        return all(touch.change.visibility == "plain" for touch in self.touches(change))


def moments(calls: Iterable[Called]) -> dict[int, Moment]:
    """Place calls among the writes: a call that wrote nothing follows the last write before it."""
    by_number: dict[int, Moment] = {}
    latest = 0
    for call in sorted(calls, key=lambda call: call.number):
        latest = max(latest, call.seq or 0)
        by_number[call.number] = (call.seq, 0) if call.seq else (latest, call.number)
    return by_number


def read(history: object, spec: CheckSpec) -> HistoryIndex:
    """Validate a history, or a function that loads it on demand, against what the spec needs. Raises `HistoryError`."""
    past = HistoryIndex(_loader(history))
    missing = "response" if spec.needs_calls and past.calls is None else ""
    missing = "by or after" if spec.needs_records and not past.known else missing
    if missing:
        part, given = (" with its calls", "that given has none") if past.known else ("", "the diff alone is given")
        raise HistoryError(f"The spec uses {missing}, which needs the history of the run{part}; {given}.")
    return past


def _loader(history: object) -> Callable[[], RunHistory] | None:
    if history is None:
        return None
    if callable(history):
        return cast("Callable[[], RunHistory]", history)
    try:
        known = msgspec.convert(history, RunHistory)
        _refuse_large(known)
    except ValueError as error:
        advice = "Give what GET /api/platform/runs/{runId}/history answers."
        raise HistoryError(f"The history has not its shape: {error}. {advice}") from None
    return lambda: known


def _refuse_large(history: RunHistory) -> None:
    """Reject record and call numbers above `MAX_INTEGER`."""
    numbers = chain((record.seq for record in history.records), (call.number for call in history.calls or []))
    if any(abs(number) > MAX_INTEGER for number in numbers):
        raise ValueError(f"a seq or a number is above {MAX_INTEGER}")

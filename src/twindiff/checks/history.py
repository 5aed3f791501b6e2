"""The history of a run: which operation made which change, and every call. A diff alone does not know.

A row is found in it by its key, so a diff with whole rows is understood as well as one with changed columns only.
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
"""The number that a record or a call may have at most."""

Moment = tuple[int, int]
"""A seq, then the number of a call that wrote nothing after it."""


class HistoryError(ValueError):
    """The history is missing or has not its shape; says what was given and what to do."""


class HistoryRowChange(Struct, frozen=True, omit_defaults=True):
    """One row that an operation touched, by its key; `changed` and `derived` columns are those of an update."""

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
    """One call, reads and refusals included; `seq` is what it wrote, if it did."""

    number: int
    twin: str
    operation: str
    actor: str
    status: int
    error: str | None = None
    seq: int | None = None


class RunHistory(Struct, frozen=True, omit_defaults=True):
    """What a run's verdict may look at besides its diff. Rewinds are resolved in `records`; `calls` are all calls."""

    records: list[HistoryRecord]
    calls: list[Called] | None = None


class RowBlame(Struct, frozen=True):
    """The operation behind a row."""

    operation: str
    seq: int
    actor: str

    @property
    def words(self) -> str:
        """It as part of a sentence; nobody in particular rewinds."""
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
        """Whether it gave one of these columns its value; a row that comes or goes does so with all of them."""
        return self.change.diff_type != "changed" or not set(columns).isdisjoint(self.change.changed)

    def is_meant(self, ignored: Collection[str] = ()) -> bool:
        """Whether it did more than change derived or ignored columns."""
        return self.gave(set(self.change.changed) - set(self.change.derived) - set(ignored))


class TouchIndex(NamedTuple):
    """The touches of one table's rows by their key, and the columns of a key."""

    key: tuple[str, ...]
    touches: dict[tuple[Any, ...], list[Touch]]

    def of(self, row: Row) -> list[Touch]:
        """What was done to a row, in order."""
        try:
            return self.touches.get(tuple([row.get(column) for column in self.key]), [])
        except TypeError:  # a list or an object, which is no key
            return []


class Past:
    """A history, looked up by rows."""

    def __init__(self, load: Callable[[], RunHistory] | None) -> None:
        self.known = load is not None
        self._load = load

    @cached_property
    def _history(self) -> RunHistory:
        """Made when it is first looked into, which public specs that hold never do."""
        return self._load() if self._load else RunHistory([])

    @cached_property
    def calls(self) -> list[DiffedRow] | None:
        """The calls as rows; None where they are not known."""
        calls = self._history.calls
        return None if calls is None else [DiffedRow("response", CALLS, None, None, asdict(call)) for call in calls]

    @cached_property
    def _moments(self) -> dict[int, Moment]:
        return moments(self._history.calls or [])

    @cached_property
    def _indexes(self) -> dict[str, dict[str, TouchIndex]]:
        """By table, then by twin."""
        indexes: dict[str, dict[str, TouchIndex]] = {}
        for record in self._history.records:
            for change in record.changes:
                twins = indexes.setdefault(change.table, {})
                index = twins.get(record.twin) or twins.setdefault(record.twin, TouchIndex(tuple(change.key), {}))
                index.touches.setdefault(tuple(change.key.values()), []).append(Touch(record, change))
        return indexes

    def touches(self, change: DiffedRow) -> list[Touch]:
        """What was done to a row of the diff, in order."""
        row, twins = change.sides[0], self._indexes.get(change.table, {})
        if change.twin is not None:
            return twins[change.twin].of(row) if change.twin in twins else []
        touches = [touch for index in twins.values() for touch in index.of(row)]
        return sorted(touches, key=lambda touch: touch.record.seq)

    def blame(self, change: DiffedRow, columns: Collection[str] = ()) -> RowBlame | None:
        """Who gave these columns their values; without columns, who made the row come, go or change.

        Where nobody did that, who touched the row last, for its own sake if anybody did.
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
        """When a call was made, or a row got what it has in these columns; None when the history does not say."""
        if change.diff_type == "response":
            return self._moments[change.sides[0]["number"]]
        gave = [touch for touch in self.touches(change) if touch.gave(columns)]
        return (gave[-1].record.seq, 0) if gave else None

    def is_plain(self, change: DiffedRow) -> bool:
        """Whether callers meant this row, as far as the history knows: a twin's bookkeeping they did not."""
        return all(touch.change.visibility == "plain" for touch in self.touches(change))


def moments(calls: Iterable[Called]) -> dict[int, Moment]:
    """Order calls among the writes: one that wrote nothing comes right after the last write before it."""
    by_number: dict[int, Moment] = {}
    latest = 0
    for call in sorted(calls, key=lambda call: call.number):
        latest = max(latest, call.seq or 0)
        by_number[call.number] = (call.seq, 0) if call.seq else (latest, call.number)
    return by_number


def read(history: object, spec: CheckSpec) -> Past:
    """Examine a history, or what makes one when it is needed, for what the spec asks. Raises `HistoryError`."""
    past = Past(_loader(history))
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
    """Refuse numbers of records and calls that are too long to be written."""
    numbers = chain((record.seq for record in history.records), (call.number for call in history.calls or []))
    if any(abs(number) > MAX_INTEGER for number in numbers):
        raise ValueError(f"a seq or a number is above {MAX_INTEGER}")

"""What is said of an assertion that failed."""

from typing import Any

from msgspec import Struct

from twindiff.checks.diffs import DiffedRow, Row
from twindiff.checks.history import RowBlame


class ValueDifference(Struct, frozen=True):
    """One thing that differs: `expected` is a predicate, `{from?, to?}` for a change, "unchanged" or "not ignored".

    For `or` and `not` it is a list of conditions; for `by` and `after`, it and `actual` are words.
    """

    path: str
    expected: Any
    actual: Any


class Objection(Struct, frozen=True):
    """A row that is there and yet not as it should be, with the operation that made it so."""

    change: DiffedRow
    differs: list[ValueDifference]
    blame: RowBlame | None


class Nearest(Struct, frozen=True, omit_defaults=True):
    """A row of the diff, shortened to the columns that tell it apart, what differs in it, and who made it so.

    Where an assertion speaks of rows of any kind, `entity` and `diff_type` tell which this is.
    """

    row: Row
    differs: list[ValueDifference]
    blame: RowBlame | None = None
    entity: str | None = None
    diff_type: str | None = None


class Explanation(Struct, frozen=True):
    """Why one assertion failed. `expected` is the count as the spec writes it, `got` the rows that matched.

    `diff_type` is `response` for calls, and `closed_world` for the rule that nothing else may change.
    """

    assertion: int
    entity: str
    diff_type: str
    expected: Any
    got: int
    nearest: list[Nearest]
    text: str

"""The structures that describe a failed assertion."""

from typing import Any

from msgspec import Struct

from twindiff.checks.diffs import DiffedRow, Row
from twindiff.checks.history import RowBlame


class ValueDifference(Struct, frozen=True):
    """One difference: `expected` is a predicate, `{from?, to?}` for a change, "unchanged" or "not ignored".

    For `or` and `not` it is a list of conditions; for `by` and `after`, both it and `actual` are text.
    """

    path: str
    expected: Any
    actual: Any


class Objection(Struct, frozen=True):
    """A row that counts but violates a rule, with the operation that caused it."""

    change: DiffedRow
    differs: list[ValueDifference]
    blame: RowBlame | None


class Nearest(Struct, frozen=True, omit_defaults=True):
    """A row of the diff, shortened to its identifying columns, with what differs in it and the operation behind it.

    Where an assertion covers several kinds of rows, `entity` and `diff_type` identify this one.
    """

    row: Row
    differs: list[ValueDifference]
    blame: RowBlame | None = None
    entity: str | None = None
    diff_type: str | None = None


class Explanation(Struct, frozen=True, omit_defaults=True):
    """Why one assertion failed. `expected` is the count as the spec writes it, `got` the number of matching rows.

    `diff_type` is `response` for calls, and `closed_world` for the rule that nothing else may change.
    """

    assertion: int
    entity: str
    diff_type: str
    expected: Any
    got: int
    nearest: list[Nearest]
    text: str
    description: str = ""
    """The description of the assertion in the spec."""
    undecided: bool = False
    """Whether the assertion can be judged neither true nor false."""

"""The typed form of a parsed spec."""

from __future__ import annotations

from heapq import nsmallest
from typing import Any

from msgspec import Struct

from twindiff.checks.diffs import DiffType, Kind

REFERRED_SHOWN = 3


class Reference(Struct, frozen=True):
    """A reference to the rows that count for another assertion; `values` are set once known, without nulls."""

    id: str
    path: str
    values: frozenset[Any] | None = None

    @property
    def written(self) -> dict[str, Any]:
        """The reference as the language writes it, with some of its values."""
        sample = nsmallest(REFERRED_SHOWN, self.values, key=str) if self.values is not None else None
        return {"ref": f"{self.id}.{self.path}"} | ({} if sample is None else {"in": sample})


class Predicate(Struct, frozen=True):
    """One operator with the value it compares to; `and`, `or` and `not` have a tuple of predicates."""

    operator: str
    value: Any

    @property
    def written(self) -> dict[str, Any]:
        """The predicate as the language writes it."""
        if isinstance(self.value, Reference):
            return self.value.written if self.operator == "ref" else {self.operator: self.value.written}
        if not isinstance(self.value, tuple):
            return {self.operator: self.value}
        parts: list[dict[str, Any]] = [part.written for part in self.value]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        return {"not": parts[0]} if self.operator == "not" else {self.operator: parts}


class Condition(Struct, frozen=True):
    """A predicate on the value at a dotted path."""

    path: str
    predicate: Predicate

    @property
    def paths(self) -> list[str]:
        """The paths that it reads."""
        return [self.path]

    @property
    def written(self) -> dict[str, Any]:
        """The condition as the language writes it."""
        return {self.path: self.predicate.written}


class Group(Struct, frozen=True):
    """Wheres joined by `and`, `or` or `not`; a `not` has one part."""

    connective: str
    parts: tuple[Where, ...]

    @property
    def paths(self) -> list[str]:
        """The paths that it reads."""
        return [path for part in self.parts for clause in part for path in clause.paths]

    @property
    def written(self) -> dict[str, Any]:
        """The group as the language writes it."""
        parts = [written_where(part) for part in self.parts]
        return {self.connective: parts[0] if self.connective == "not" else parts}


Where = tuple[Condition | Group, ...]
"""Clauses that must all hold."""


def written_where(where: Where) -> dict[str, Any]:
    """Write a where as the language does."""
    return {key: value for clause in where for key, value in clause.written.items()}


class ExpectedChange(Struct, frozen=True):
    """The predicates on a column's value before and after; either may be None."""

    column: str
    before: Predicate | None
    after: Predicate | None


class CountRange(Struct, frozen=True):
    """How many rows must match; `written` is the spec's own form, None where it gives none."""

    least: int = 1
    most: int | None = None
    written: Any = None


class Assertion(Struct, frozen=True):
    """One check: which rows, how many, and what changed in them. `number` counts from 1.

    `after` maps ids of assertions to their numbers; `refers_to` has the ids of assertions it refers to.
    """

    number: int
    diff_type: Kind
    entity: str
    where: Where = ()
    count: CountRange = CountRange()
    changes: dict[str, ExpectedChange] = {}
    ignore: frozenset[str] = frozenset()
    after: dict[str, int] = {}
    by: Where = ()
    id: str = ""
    refers_to: frozenset[str] = frozenset()
    description: str = ""

    @property
    def paths(self) -> list[str]:
        """The paths that its where reads."""
        return [path for clause in self.where for path in clause.paths]


class Exempt(Struct, frozen=True):
    """Rows that a closed world allows to change."""

    entity: str
    diff_type: DiffType | None
    where: Where


class CheckSpec(Struct, frozen=True):
    """All checks of one run.

    `closed_world` has the exceptions of a closed world, of which there may be none, and is None in an open world.
    `is_extended` says that version 1 of the language applies.
    """

    assertions: tuple[Assertion, ...]
    ignore_fields: dict[str, frozenset[str]] = {}
    strict: bool = True
    closed_world: tuple[Exempt, ...] | None = None
    is_extended: bool = False

    @property
    def is_closed(self) -> bool:
        """Whether nothing may change but what it asserts, ignores or excepts."""
        return self.closed_world is not None

    @property
    def needs_records(self) -> bool:
        """Whether it uses `by` or `after`."""
        return any(assertion.by or assertion.after for assertion in self.assertions)

    @property
    def needs_calls(self) -> bool:
        """Whether it asserts calls."""
        return any(assertion.diff_type == "response" for assertion in self.assertions)

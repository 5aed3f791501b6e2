"""Matches one assertion against the changes of a diff.

Each rule of the language is one small function here. Assertions are judged independently: one row may satisfy several.
"""

from collections.abc import Collection, Iterable
from typing import Any

from msgspec import Struct

from twindiff.checks.diffs import Changes, DiffedRow, Kind, Row
from twindiff.checks.findings import Objection
from twindiff.checks.history import HistoryIndex
from twindiff.checks.judging_time import look_at_row
from twindiff.checks.operators import CONNECTIVES, OPERATORS, SCALARS, plain
from twindiff.checks.regexes import UndecidedError
from twindiff.checks.spec import Assertion, CheckSpec, Condition, CountRange, ExpectedChange, Group, Predicate, Where
from twindiff.kit.errors import MalformedBody
from twindiff.storage import values

MAX_FAILURES = 100_000
"""Failure messages of all assertions of a spec together."""

OBJECTIONS_KEPT = 20
"""Rows with objections that an explanation can show."""

NONE: frozenset[str] = frozenset()

FEW_ROWS = 50
"""Up to this many rows are scanned instead of looked up by value."""


class AssertionResult(Struct):
    """The result of one assertion; it failed if it has failures.

    `surplus` are the rows that break the strict rule. Only the first `objections` are kept; `objection_count` counts
    all. At most `most_failures` failures are kept, and `omitted_failures` counts the others.
    """

    assertion: Assertion
    most_failures: int = MAX_FAILURES
    matched: list[DiffedRow] = []
    surplus: list[DiffedRow] = []
    objections: list[Objection] = []
    objection_count: int = 0
    failures: list[str] = []
    omitted_failures: int = 0
    undecided: str | None = None

    def add_failure(self, text: str) -> None:
        """Add a failure in the public wording."""
        if len(self.failures) < self.most_failures:
            self.failures.append(f"assertion#{self.assertion.number} {self.assertion.entity} {text}")
        else:
            self.omitted_failures += 1

    def add_objection(self, objection: Objection) -> None:
        """Add an objection to a row."""
        self.objection_count += 1
        if len(self.objections) < OBJECTIONS_KEPT:
            self.objections.append(objection)

    @property
    def failure_lines(self) -> list[str]:
        """The failures, and how many more there are."""
        place = f"assertion#{self.assertion.number} {self.assertion.entity}"
        return (
            [*self.failures, f"{place} failed {self.omitted_failures} more times"]
            if self.omitted_failures
            else self.failures
        )

    def set_undecided(self, error: UndecidedError | RecursionError) -> None:
        """Fail the assertion because it can be judged neither true nor false."""
        self.undecided = str(error) if isinstance(error, UndecidedError) else "a value is nested too deeply"
        self.add_failure(f"cannot be judged: {self.undecided}")


def judge(assertion: Assertion, spec: CheckSpec, changes: Changes, past: HistoryIndex) -> AssertionResult:
    """Find the rows that satisfy an assertion, and describe in the public wording why they are not what it expects."""
    outcome = AssertionResult(assertion, max(1, MAX_FAILURES // len(spec.assertions)))
    try:
        for change in likely(assertion, assertion.diff_type, changes, past):
            if where_holds(assertion.where, change):
                _judge_row(outcome, spec, change)
    except (UndecidedError, RecursionError) as error:
        outcome.set_undecided(error)
        return outcome
    got = len(outcome.matched)
    if not count_fits(assertion.count, got):
        unchanged = assertion.diff_type == "unchanged"
        outcome.add_failure(f"expected unchanged but got {got}" if unchanged else count_text(assertion.count, got))
    return outcome


def candidates(assertion: Assertion, changes: Changes, past: HistoryIndex) -> list[DiffedRow]:
    """Return the rows, or the calls, that an assertion is about."""
    if assertion.diff_type == "response":
        return past.calls or []
    return changes.of(assertion.diff_type, assertion.entity)


def likely(assertion: Assertion, kind: Kind, changes: Changes, past: HistoryIndex) -> list[DiffedRow]:
    """Return the rows that may match; if there are many, only those with the value that the `where` requires."""
    rows = candidates(assertion, changes, past) if kind == assertion.diff_type else changes.of(kind, assertion.entity)
    if kind == "response" or len(rows) <= FEW_ROWS:
        return rows
    for clause in assertion.where:
        if isinstance(clause, Condition) and len(values := _candidate_values(clause.predicate)) == 1:
            return changes.having(kind, assertion.entity, clause.path, next(iter(values)), value_at)
    return rows


def _candidate_values(predicate: Predicate) -> Collection[Any]:
    """Return the scalar values of which a column must have one; empty if unknown."""
    if predicate.operator == "ref":
        return predicate.value.values or ()
    return (predicate.value,) if predicate.operator == "eq" and type(predicate.value) in SCALARS else ()


def _judge_row(outcome: AssertionResult, spec: CheckSpec, change: DiffedRow) -> None:
    assertion = outcome.assertion
    if assertion.diff_type == "unchanged":
        if change.diff_type != "changed" or own_columns(change, ignored_columns(spec, assertion, change)):
            outcome.matched.append(change)
        return
    if assertion.diff_type != "changed":
        outcome.matched.append(change)
        return
    changed = changed_columns(change)
    if is_beside_the_point(change, changed, assertion):
        return
    changed = changed - ignored_columns(spec, assertion, change) - unexpected_derived(change, assertion)
    surplus = surplus_columns(spec, assertion, changed)
    if surplus:
        outcome.surplus.append(change)
        text = f"changed fields {sorted(changed)} not subset of expected {sorted(assertion.changes)}"
        outcome.add_failure(text)
    elif changes_hold(assertion.changes.values(), change, changed):
        outcome.matched.append(change)


def where_holds(where: Where, change: DiffedRow) -> bool:
    """Return whether every condition holds in one state of the row: a changed row has two."""
    look_at_row()
    return any(satisfies(where, side) for side in sides(change))


def satisfies(where: Where, row: Row) -> bool:
    """Return whether every clause holds for a row."""
    return all(clause_holds(clause, row) for clause in where)


def clause_holds(clause: Condition | Group, row: Row) -> bool:
    """Return whether one clause holds for a row."""
    look_at_row()
    if isinstance(clause, Condition):
        return holds(clause.predicate, value_at(row, clause.path))
    return CONNECTIVES[clause.connective](satisfies(part, row) for part in clause.parts)


def sides(change: DiffedRow) -> tuple[Row, ...]:
    """Return the states of a row to which `where` applies."""
    return change.sides


def value_at(row: Row, path: str) -> Any:
    """Follow a dotted path through objects; a missing value is null."""
    value: Any = row
    for key in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(key)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return plain(value)


def holds(predicate: Predicate, value: Any) -> bool:
    """Apply the operator to a value of the diff."""
    if predicate.operator in CONNECTIVES:
        return CONNECTIVES[predicate.operator](holds(part, value) for part in predicate.value)
    return OPERATORS[predicate.operator](value, predicate.value)


def changed_columns(change: DiffedRow) -> frozenset[str]:
    """Return the columns whose values differ between the two states; a missing one is null."""
    if change.differing is None:
        find = _differing_columns if change.is_exact else _unequal_columns
        change.differing = frozenset(find(change.before or {}, change.after or {}))
    return change.differing


def _differing_columns(before: Row, after: Row) -> list[str]:
    """Compare as diffs do; raises RecursionError for values that are nested too deeply."""
    try:
        return values.changed_columns(before, after)
    except MalformedBody:
        raise RecursionError from None
    except TypeError:  # not a JSON value, which a diff made in Python may contain
        return _unequal_columns(before, after)


def _unequal_columns(before: Row, after: Row) -> list[str]:
    """Compare as the public language does, where `true`, `1` and `1.0` are equal."""
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def own_columns(change: DiffedRow, ignored: frozenset[str]) -> frozenset[str]:
    """Return the changed columns that are neither derived nor ignored."""
    return changed_columns(change) - change.derived - ignored


def ignored_columns(spec: CheckSpec, assertion: Assertion, change: DiffedRow) -> frozenset[str]:
    """Return what is ignored everywhere, in this table and in this assertion."""
    return ignored_everywhere(spec) | ignored_in_table(spec, change) | ignored_here(assertion)


def ignored_everywhere(spec: CheckSpec) -> frozenset[str]:
    """Return the columns under `ignore_fields.global`."""
    return spec.ignore_fields.get("global", NONE)


def ignored_in_table(spec: CheckSpec, change: DiffedRow) -> frozenset[str]:
    """Return the columns under `ignore_fields` for this table."""
    return (
        frozenset[str]().union(*(spec.ignore_fields.get(name, ()) for name in change.names))
        if spec.ignore_fields
        else NONE
    )


def ignored_here(assertion: Assertion) -> frozenset[str]:
    """Return the columns that the assertion itself ignores."""
    return assertion.ignore


def unexpected_derived(change: DiffedRow, assertion: Assertion) -> frozenset[str]:
    """Return the derived columns that the assertion does not name."""
    return change.derived - assertion.changes.keys()


def is_beside_the_point(change: DiffedRow, changed: frozenset[str], assertion: Assertion) -> bool:
    """Return whether an update changed only unexpected derived columns, which a default diff omits."""
    return bool(change.derived) and changed <= unexpected_derived(change, assertion)


def surplus_of(spec: CheckSpec, assertion: Assertion, change: DiffedRow) -> list[str]:
    """Return the columns by which a row breaks the strict rule."""
    changed = changed_columns(change) - ignored_columns(spec, assertion, change)
    return surplus_columns(spec, assertion, changed - unexpected_derived(change, assertion))


def surplus_columns(spec: CheckSpec, assertion: Assertion, changed: frozenset[str]) -> list[str]:
    """Return the changed columns that the strict rule forbids."""
    return sorted(changed - assertion.changes.keys()) if spec.strict else []


def changes_hold(expected: Iterable[ExpectedChange], change: DiffedRow, changed: frozenset[str]) -> bool:
    """Return whether each expected column changed, from and to the expected values."""
    return all(
        item.column in changed and from_holds(item, change.before or {}) and to_holds(item, change.after or {})
        for item in expected
    )


def from_holds(expected: ExpectedChange, before: Row) -> bool:
    """Apply `from` to the value before."""
    return expected.before is None or holds(expected.before, plain(before.get(expected.column)))


def to_holds(expected: ExpectedChange, after: Row) -> bool:
    """Apply `to` to the value after."""
    return expected.after is None or holds(expected.after, plain(after.get(expected.column)))


def count_fits(count: CountRange, got: int) -> bool:
    """Return whether the number of matching rows is within the limits, inclusive."""
    return count.least <= got and (count.most is None or got <= count.most)


def count_text(count: CountRange, got: int) -> str:
    """Describe a wrong number of rows in the public wording."""
    if count.written is None:
        return f"expected at least 1 match but got {got}"
    return f"expected count {count.written!r} but got {got}"

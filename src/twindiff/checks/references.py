"""References: conditions of an assertion on values in the rows of another.

They are a semi-join: the values of each referenced path are read once, and each row is compared to that set.
"""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter
from typing import Any

from msgspec import structs

from twindiff.checks import match, readers
from twindiff.checks.diffs import Changes
from twindiff.checks.history import HistoryIndex
from twindiff.checks.match import AssertionResult
from twindiff.checks.operators import CONNECTIVES, SCALARS
from twindiff.checks.regexes import UndecidedError
from twindiff.checks.spec import Assertion, CheckSpec, Condition, Exempt, Group, Predicate, Reference, Where

MAX_PATH_PARTS = 100
"""Values that a text or list is searched for; for equality there is no limit."""


def of_where(where: Where, place: str) -> Iterator[tuple[str, Reference]]:
    """Yield the references in a where, each with its place."""
    for clause in where:
        if isinstance(clause, Group):
            for part in clause.parts:
                yield from of_where(part, f"{place}.{clause.connective}")
        else:
            yield from of_predicate(clause.predicate, readers.inside(place, clause.path))


def of_predicate(predicate: Predicate | None, place: str) -> Iterator[tuple[str, Reference]]:
    """Yield the references in a predicate, each with its place."""
    if predicate is None:
        return
    if isinstance(predicate.value, Reference):
        yield place, predicate.value
    elif predicate.operator in CONNECTIVES:
        for part in predicate.value:
            yield from of_predicate(part, place)


def of_assertion(assertion: Assertion) -> Iterator[tuple[str, Reference]]:
    """Yield the references of an assertion, each with its place."""
    place = f"assertions[{assertion.number - 1}]"
    asked = "response" if assertion.diff_type == "response" else "where"
    yield from of_where(assertion.where, f"{place}.{asked}")
    yield from of_where(assertion.by, f"{place}.by")
    for change in assertion.changes.values():
        inside = readers.inside(f"{place}.expected_changes", change.column)
        yield from of_predicate(change.before, f"{inside}.from")
        yield from of_predicate(change.after, f"{inside}.to")


def of_exempt(exempt: Exempt, position: int) -> Iterator[tuple[str, Reference]]:
    """Yield the references of an exception of a closed world, each with its place."""
    yield from of_where(exempt.where, f"closed_world.except[{position}].where")


def of_spec(spec: CheckSpec) -> Iterator[tuple[str, Reference]]:
    """Yield every reference of a spec with its place."""
    for assertion in spec.assertions:
        if assertion.refers_to:
            yield from of_assertion(assertion)
    for position, exempt in enumerate(spec.closed_world or ()):
        yield from of_exempt(exempt, position)


class ReferenceValues:
    """The values in the rows that count for assertions with an id; each path is read once."""

    def __init__(self) -> None:
        self._outcomes: dict[str, AssertionResult] = {}
        self._values: dict[tuple[str, str], frozenset[Any]] = {}

    def add(self, outcome: AssertionResult) -> None:
        """Store the result of an assertion."""
        if outcome.assertion.id:
            self._outcomes[outcome.assertion.id] = outcome

    def values(self, reference: Reference) -> frozenset[Any]:
        """Return the values that the rows have at a path, after their change.

        Nulls, empty texts, objects and lists are omitted. Raises `UndecidedError` where it is unknown which rows count.
        """
        place = (reference.id, reference.path)
        if place not in self._values:
            outcome = self._outcomes[reference.id]
            if outcome.undecided:
                raise UndecidedError(f"which rows count for '{reference.id}' is not known")
            values = (match.value_at(change.sides[0], reference.path) for change in outcome.matched)
            self._values[place] = frozenset(value for value in values if type(value) in SCALARS) - {None, ""}
        return self._values[place]

    def assertion(self, assertion: Assertion) -> Assertion:
        """Return an assertion with its references replaced by values."""
        if not assertion.refers_to:
            return assertion
        changes = {
            name: structs.replace(change, before=self._predicate(change.before), after=self._predicate(change.after))
            for name, change in assertion.changes.items()
        }
        return structs.replace(
            assertion, where=self.where(assertion.where), by=self.where(assertion.by), changes=changes
        )

    def spec(self, spec: CheckSpec) -> CheckSpec:
        """Return a spec with the references in its closed-world exceptions replaced by values."""
        exempt = tuple(structs.replace(item, where=self.where(item.where)) for item in spec.closed_world or ())
        return structs.replace(spec, closed_world=exempt)

    def where(self, where: Where) -> Where:
        """Return a where with its references replaced by values."""
        return tuple(self._clause(clause) for clause in where)

    def _clause(self, clause: Condition | Group) -> Condition | Group:
        if isinstance(clause, Group):
            return Group(clause.connective, tuple(self.where(part) for part in clause.parts))
        return Condition(clause.path, self._some(clause.predicate))

    def _predicate(self, predicate: Predicate | None) -> Predicate | None:
        return self._some(predicate) if predicate else None

    def _some(self, predicate: Predicate) -> Predicate:
        if predicate.operator in CONNECTIVES:
            return Predicate(predicate.operator, tuple(self._some(part) for part in predicate.value))
        if not isinstance(predicate.value, Reference):
            return predicate
        values = self.values(predicate.value)
        if predicate.operator == "ref" or not values:
            return Predicate("ref", structs.replace(predicate.value, values=values))
        return _any_of(predicate.operator, sorted(values, key=str))


def _any_of(operator: str, values: list[Any]) -> Predicate:
    """Return a predicate that searches a list or a text for any of the values."""
    if len(values) > MAX_PATH_PARTS:
        raise UndecidedError(f"{operator} refers to {len(values)} values, more than {MAX_PATH_PARTS}")
    parts = tuple(Predicate(operator, [value] if operator == "has_any" else str(value)) for value in values)
    return parts[0] if len(parts) == 1 else Predicate("or", parts)


def judge_all(
    spec: CheckSpec, changes: Changes, past: HistoryIndex, referred: ReferenceValues
) -> list[AssertionResult]:
    """Judge every assertion, each after those it refers to; results are in the order of the spec."""
    judged: dict[int, AssertionResult] = {}
    for assertion in _in_order(spec.assertions):
        judged[assertion.number] = outcome = _judge_assertion(assertion, spec, changes, past, referred)
        referred.add(outcome)
    return [judged[assertion.number] for assertion in spec.assertions]


def _judge_assertion(
    assertion: Assertion, spec: CheckSpec, changes: Changes, past: HistoryIndex, referred: ReferenceValues
) -> AssertionResult:
    try:
        known = referred.assertion(assertion)
    except UndecidedError as error:
        outcome = AssertionResult(assertion)
        outcome.set_undecided(error)
        return outcome
    return match.judge(known, spec, changes, past)


def _in_order(assertions: tuple[Assertion, ...]) -> list[Assertion]:
    if not any(assertion.refers_to for assertion in assertions):
        return list(assertions)
    numbers = {assertion.id: assertion.number for assertion in assertions}
    earlier = {each.number: [numbers[name] for name in each.refers_to] for each in assertions}
    return [assertions[number - 1] for number in TopologicalSorter(earlier).static_order()]

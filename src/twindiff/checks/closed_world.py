"""The closed-world rule: nothing may change except what is asserted, ignored or named by `except`.

Derived columns and rows, and the bookkeeping that the history marks, may always change.
"""

from collections.abc import Iterable

from msgspec import Struct

from twindiff.checks import match
from twindiff.checks.diffs import Changes, DiffedRow
from twindiff.checks.findings import Objection, ValueDifference
from twindiff.checks.history import HistoryIndex
from twindiff.checks.match import AssertionResult
from twindiff.checks.regexes import UndecidedError
from twindiff.checks.spec import Assertion, CheckSpec, CountRange, Exempt
from twindiff.checks.value_words import UNCHANGED, both

CLOSED_WORLD_ENTITY = "closed_world"
"""The entity name of the closed-world assertion, in place of a table."""


class Stray(Struct, frozen=True):
    """A change that no assertion covers; for an update, the columns that none covers."""

    change: DiffedRow
    columns: frozenset[str]


def judge_rest(
    spec: CheckSpec, outcomes: list[AssertionResult], changes: Changes, past: HistoryIndex
) -> AssertionResult:
    """Judge the changes that no assertion counts and no exception covers, as one more assertion at the end."""
    outcome = AssertionResult(
        Assertion(len(outcomes) + 1, "closed_world", CLOSED_WORLD_ENTITY, count=CountRange(0, 0, 0))
    )
    try:
        for stray in strays(spec, outcomes, changes, past):
            _add_stray(outcome, stray, past)
    except (UndecidedError, RecursionError) as error:
        outcome.set_undecided(error)
    return outcome


def _add_stray(outcome: AssertionResult, stray: Stray, past: HistoryIndex) -> None:
    change, columns = stray.change, sorted(stray.columns)
    blame = past.blame(change, columns)
    differs = [ValueDifference(name, UNCHANGED, both(change, name)) for name in columns]
    outcome.matched.append(change)
    outcome.add_objection(Objection(change, differs, blame))
    which = f" {columns}" if columns else ""
    maker = f" by {blame.words}" if blame else ""
    outcome.add_failure(f"{change.names[-1]} {change.diff_type}{which}{maker}")


def strays(
    spec: CheckSpec, outcomes: Iterable[AssertionResult], changes: Changes, past: HistoryIndex
) -> Iterable[Stray]:
    """Yield the plain changes that are neither asserted, ignored nor excepted, in the order of the diff."""
    whole, columns = find_covered(outcomes)
    for change in changes.all:
        if change.is_derived or id(change) in whole:
            continue
        left = left_over(spec, change) - columns.get(id(change), frozenset())
        is_asked = change.diff_type == "changed" and not left
        if not is_asked and not is_exempt(spec.closed_world or (), change) and past.is_plain(change):
            yield Stray(change, left)


def left_over(spec: CheckSpec, change: DiffedRow) -> frozenset[str]:
    """Return the changed columns of an update that are neither derived nor ignored for the table."""
    if change.diff_type != "changed":
        return frozenset()
    return match.own_columns(change, match.ignored_everywhere(spec) | match.ignored_in_table(spec, change))


def find_covered(outcomes: Iterable[AssertionResult]) -> tuple[set[int], dict[int, frozenset[str]]]:
    """Return what assertions cover: ids of changes covered as a whole, and covered columns by id of change."""
    whole: set[int] = set()
    columns: dict[int, frozenset[str]] = {}
    for outcome in outcomes:
        asserted = asserted_columns(outcome.assertion)
        whole.update(id(change) for change in outcome.surplus)
        for change in outcome.matched:
            if asserted is None:
                whole.add(id(change))
            else:
                columns[id(change)] = columns.get(id(change), frozenset()) | asserted
    return whole, columns


def asserted_columns(assertion: Assertion) -> frozenset[str] | None:
    """Return the columns of a changed row that an assertion names; None if it covers the row as a whole."""
    if assertion.diff_type != "changed" or not assertion.changes:
        return None
    return assertion.ignore | assertion.changes.keys()


def is_exempt(exempt: Iterable[Exempt], change: DiffedRow) -> bool:
    """Return whether an exception of the closed world covers a change."""
    return any(
        item.entity in change.names
        and item.diff_type in (None, change.diff_type)
        and match.where_holds(item.where, change)
        for item in exempt
    )

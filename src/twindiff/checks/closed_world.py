"""The rule that nothing may change but what is asserted or ignored."""

from collections.abc import Iterable

from msgspec import Struct

from twindiff.checks import match
from twindiff.checks.diffs import Changes, DiffedRow
from twindiff.checks.findings import Objection, ValueDifference
from twindiff.checks.history import Past
from twindiff.checks.match import AssertionResult
from twindiff.checks.regexes import UndecidedError
from twindiff.checks.spec import Assertion, CheckSpec, CountRange, Exempt
from twindiff.checks.wording import UNCHANGED, both

CLOSED_WORLD = "closed_world"
"""What stands in place of a table where the closed world is judged."""


class Stray(Struct, frozen=True):
    """A change that nobody asked for; of an update, the columns that nobody asked for."""

    change: DiffedRow
    columns: frozenset[str]


def judge_rest(spec: CheckSpec, outcomes: list[AssertionResult], changes: Changes, past: Past) -> AssertionResult:
    """Find what no assertion counts and nothing exempts; it is one more assertion, the last."""
    outcome = AssertionResult(Assertion(len(outcomes) + 1, "closed_world", CLOSED_WORLD, count=CountRange(0, 0, 0)))
    try:
        for stray in strays(spec, outcomes, changes, past):
            _object(outcome, stray, past)
    except (UndecidedError, RecursionError) as error:
        outcome.give_up(error)
    return outcome


def _object(outcome: AssertionResult, stray: Stray, past: Past) -> None:
    change, columns = stray.change, sorted(stray.columns)
    blame = past.blame(change, columns)
    differs = [ValueDifference(name, UNCHANGED, both(change, name)) for name in columns]
    outcome.matched.append(change)
    outcome.object(Objection(change, differs, blame))
    which = f" {columns}" if columns else ""
    maker = f" by {blame.words}" if blame else ""
    outcome.fail(f"{change.names[-1]} {change.diff_type}{which}{maker}")


def strays(spec: CheckSpec, outcomes: Iterable[AssertionResult], changes: Changes, past: Past) -> Iterable[Stray]:
    """Give every plain change that is neither asserted nor ignored, in the order of the diff."""
    whole, columns = find_covered(outcomes)
    for change in changes.all:
        if change.is_derived or id(change) in whole:
            continue
        left = left_over(spec, change) - columns.get(id(change), frozenset())
        is_asked = change.diff_type == "changed" and not left
        if not is_asked and not is_exempt(spec.closed_world or (), change) and past.is_plain(change):
            yield Stray(change, left)


def left_over(spec: CheckSpec, change: DiffedRow) -> frozenset[str]:
    """Name the columns of an update that changed for their own sake and are not ignored for the table."""
    if change.diff_type != "changed":
        return frozenset()
    return match.own_columns(change, match.ignored_everywhere(spec) | match.ignored_in_table(spec, change))


def find_covered(outcomes: Iterable[AssertionResult]) -> tuple[set[int], dict[int, frozenset[str]]]:
    """Find the changes that assertions count or object to, as a whole or by some of their columns."""
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
    """Name the columns that an assertion speaks of in a changed row; None where it speaks of the row as a whole."""
    if assertion.diff_type != "changed" or not assertion.changes:
        return None
    return assertion.ignore | assertion.changes.keys()


def is_exempt(exempt: Iterable[Exempt], change: DiffedRow) -> bool:
    """Whether an exception of the closed world covers a change."""
    return any(
        item.entity in change.names
        and item.diff_type in (None, change.diff_type)
        and match.where_holds(item.where, change)
        for item in exempt
    )

"""The rules that use the history: which operations made the rows that count (`by`), and in which order (`after`)."""

from msgspec import Struct

from twindiff.checks import match
from twindiff.checks.diffs import DiffedRow, Row
from twindiff.checks.findings import Objection, ValueDifference
from twindiff.checks.history import HistoryIndex, HistoryRecord, Moment
from twindiff.checks.match import AssertionResult
from twindiff.checks.regexes import UndecidedError
from twindiff.checks.spec import Assertion, CheckSpec, written_where
from twindiff.checks.value_words import short

NOT_THERE = "the history does not have every row that counts"


class DatedChange(Struct, frozen=True):
    """A row or call that counts, and when it got its final values."""

    change: DiffedRow
    moment: Moment


def check_authors(outcome: AssertionResult, spec: CheckSpec, past: HistoryIndex) -> None:
    """Object to every row that counts and was touched by an operation that does not satisfy `by`."""
    if not outcome.assertion.by or outcome.undecided:
        return
    try:
        for change in outcome.matched:
            _hold_makers_of(change, outcome, spec, past)
    except (UndecidedError, RecursionError) as error:
        outcome.set_undecided(error)


def _hold_makers_of(change: DiffedRow, outcome: AssertionResult, spec: CheckSpec, past: HistoryIndex) -> None:
    assertion = outcome.assertion
    ignored = match.ignored_columns(spec, assertion, change)
    touches = [touch for touch in past.touches(change) if touch.is_meant(ignored)]
    if not touches:
        raise UndecidedError(NOT_THERE)
    for touch in touches:
        maker = maker_of(touch.record)
        if not match.satisfies(assertion.by, maker):
            wanted = short(written_where(assertion.by))
            differs = [ValueDifference("by", f"it should be by {wanted} alone", touch.blame.words)]
            outcome.add_objection(Objection(change, differs, touch.blame))
            outcome.add_failure(f"expected by {wanted} but got {touch.blame.words}")


def maker_of(record: HistoryRecord) -> Row:
    """Return the row to which `by` applies: `operation`, `actor` and `twin`."""
    return {"operation": record.operation, "actor": record.actor, "twin": record.twin}


def hold_order(outcome: AssertionResult, outcomes: list[AssertionResult], past: HistoryIndex) -> None:
    """Object to every row and call that counts and is not later than all it must come after."""
    assertion = outcome.assertion
    try:
        for name, number in assertion.after.items():
            _hold_after(outcome, outcomes[number - 1], name, past)
    except UndecidedError as error:
        outcome.set_undecided(error)


def _hold_after(outcome: AssertionResult, earlier: AssertionResult, name: str, past: HistoryIndex) -> None:
    first, then = date_changes(earlier, past), date_changes(outcome, past)
    if not first or not then:
        return
    last = max(first, key=lambda item: item.moment)
    wanted = f"it should come after {describe_moment(earlier, last, past)}"
    early = [item for item in then if not is_after(item.moment, last.moment)]
    for item in early:
        blame = past.blame(item.change, asserted_columns(outcome.assertion, item.change))
        differs = [ValueDifference("after", wanted, describe_moment(outcome, item, past))]
        outcome.add_objection(Objection(item.change, differs, blame))
    if early:
        outcome.add_failure(f"expected after '{name}' but got {len(early)} before")


def is_after(moment: Moment, other: Moment) -> bool:
    """Return whether one moment is later; changes of one operation are simultaneous."""
    return moment > other


def date_changes(outcome: AssertionResult, past: HistoryIndex) -> list[DatedChange]:
    """Date everything that counts for an assertion; raises `UndecidedError` where the history lacks a row."""
    dates: list[DatedChange] = []
    for change in outcome.matched:
        moment = past.moment(change, asserted_columns(outcome.assertion, change))
        if moment is None:
            raise UndecidedError(NOT_THERE)
        dates.append(DatedChange(change, moment))
    return dates


def asserted_columns(assertion: Assertion, change: DiffedRow) -> frozenset[str]:
    """Return the columns that make a row match the assertion."""
    if assertion.diff_type == "changed":
        return frozenset(assertion.changes) or match.changed_columns(change) - change.derived
    return frozenset(path.split(".")[0] for path in assertion.paths)


def describe_moment(outcome: AssertionResult, item: DatedChange, past: HistoryIndex) -> str:
    """Describe which operation or call happened at a moment."""
    row = item.change.sides[0]
    if item.change.diff_type == "response":
        return f"{row['operation']} (call {row['number']}, actor {row['actor']})"
    blame = past.blame(item.change, asserted_columns(outcome.assertion, item.change))
    return blame.words if blame else f"seq {item.moment[0]}"

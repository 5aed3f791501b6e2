"""Explains failed assertions: the rows nearest to matching, and what differs in them."""

from collections.abc import Collection
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

from twindiff.checks import match
from twindiff.checks.diffs import LISTS, Changes, DiffedRow, Row
from twindiff.checks.findings import Explanation, Nearest, Objection, ValueDifference
from twindiff.checks.history import HistoryIndex
from twindiff.checks.match import AssertionResult
from twindiff.checks.names import KnownTables
from twindiff.checks.regexes import UndecidedError
from twindiff.checks.spec import Assertion, CheckSpec, Condition, ExpectedChange, Group, Predicate, Where, written_where
from twindiff.checks.value_words import (
    NOT_IGNORED,
    UNCHANGED,
    both,
    count_words,
    cut,
    difference_words,
    short,
    short_row,
)
from twindiff.kit.suggestions import nearest

ROWS_SHOWN = 3
"""Nearest rows of one explanation, and rows that a text names."""
UNCHANGED_SHOWN = 20
"""Rows of one explanation of `unchanged`; the closed world shows the `OBJECTIONS_KEPT` that its result has."""

ROWS_COMPARED = 200_000
"""Rows that the explanations of one verdict may compare; only the first rows of a larger diff are compared."""

Reason = tuple[str, list[Nearest]]


class ExplanationContext(NamedTuple):
    """The inputs of an explanation."""

    spec: CheckSpec
    changes: Changes
    past: HistoryIndex
    known: KnownTables | None = None
    most_rows: int = ROWS_COMPARED


def share_of(failed: int) -> int:
    """Return how many rows one explanation may compare when this many assertions failed."""
    return max(ROWS_SHOWN, ROWS_COMPARED // max(1, failed))


def explain(outcome: AssertionResult, scene: ExplanationContext, most_rows: int = ROWS_COMPARED) -> Explanation:
    """Explain a failed assertion by the nearest of the first `most_rows` rows of the diff."""
    try:
        reason, rows = _reason(outcome, scene._replace(most_rows=most_rows))
    except RecursionError:
        reason, rows = "The rows are nested too deeply to be compared in words.", []
    assertion, got = outcome.assertion, len(outcome.matched)
    count = assertion.count
    return Explanation(
        assertion=assertion.number,
        entity=assertion.entity,
        diff_type=assertion.diff_type,
        expected={"min": 1} if count.written is None else count.written,
        got=got,
        nearest=rows,
        text=f"{_describe_expectation(assertion)}, got {got}. {reason}",
        description=assertion.description,
        undecided=outcome.undecided is not None,
    )


def _describe_expectation(assertion: Assertion) -> str:
    if assertion.diff_type == "closed_world":
        return "Expected no changes that are neither asserted nor ignored"
    if assertion.diff_type == "unchanged":
        return f"Expected {assertion.entity} to be unchanged"
    if assertion.diff_type == "response":
        return f"Expected {count_words(assertion.count, 'call')} like {short(written_where(assertion.where))}"
    return f"Expected {count_words(assertion.count)} of {assertion.entity} to be {assertion.diff_type}"


def _reason(outcome: AssertionResult, scene: ExplanationContext) -> Reason:
    """Describe what is wrong with the set of rows, then the objections to those that count."""
    if outcome.assertion.diff_type == "closed_world":
        return _undecided_reason(outcome) or _stray_reason(outcome)
    objected = _objection_reason(outcome) if outcome.objections else None
    if objected and not outcome.undecided and not outcome.surplus and _is_enough(outcome):
        return objected
    words, rows = _undecided_reason(outcome) or _rows_reason(outcome, scene)
    return (f"{words} {objected[0]}", [*rows, *objected[1]][:ROWS_SHOWN]) if objected else (words, rows)


def _is_enough(outcome: AssertionResult) -> bool:
    return match.count_fits(outcome.assertion.count, len(outcome.matched))


def _undecided_reason(outcome: AssertionResult) -> Reason | None:
    return (f"It cannot be judged: {outcome.undecided}.", []) if outcome.undecided else None


def _rows_reason(outcome: AssertionResult, scene: ExplanationContext) -> Reason:
    """Choose the most helpful reason, the most certain first."""
    if outcome.surplus:
        return _strict_reason(outcome, scene)
    if outcome.assertion.diff_type == "unchanged":
        return _unchanged_reason(outcome, scene)
    most = outcome.assertion.count.most
    if most is not None and len(outcome.matched) > most:
        rows = [_near(change, outcome.assertion, [], scene) for change in outcome.matched[:ROWS_SHOWN]]
        return f"More {_noun(outcome.assertion)}s match than expected; {_more_advice(outcome.assertion)}.", rows
    rows = _nearest(outcome, scene)
    if rows and not any(_is_of_where(item, outcome.assertion) for item in rows[0].differs):
        return _near_words(rows, outcome.assertion), rows
    return _elsewhere(outcome.assertion, scene) or _near_reason(outcome.assertion, rows, scene)


def _noun(assertion: Assertion) -> str:
    return "call" if assertion.diff_type == "response" else "row"


def _more_advice(assertion: Assertion) -> str:
    return (
        f"make the {'response' if assertion.diff_type == 'response' else 'where'} narrower, or the agent did too much"
    )


def _near(
    change: DiffedRow,
    assertion: Assertion,
    differs: list[ValueDifference],
    scene: ExplanationContext,
    columns: Collection[str] = (),
) -> Nearest:
    """Return a row with the operation that set its differing columns.

    If none differ, it is the operation that added or removed the row, or set the asserted columns of a changed one.
    """
    paths = [item.path for item in differs] or (assertion.paths if change.diff_type == "changed" else [])
    asked = columns or [path.split(".")[0] for path in paths]
    return Nearest(short_row(change, assertion), differs, scene.past.blame(change, asked))


def _strict_reason(outcome: AssertionResult, scene: ExplanationContext) -> Reason:
    def surplus(change: DiffedRow) -> list[str]:
        return match.surplus_of(scene.spec, outcome.assertion, change)

    rows = [
        _near(
            change,
            outcome.assertion,
            [ValueDifference(name, UNCHANGED, both(change, name)) for name in surplus(change)],
            scene,
        )
        for change in outcome.surplus[:ROWS_SHOWN]
    ]
    columns = sorted({name for change in outcome.surplus[: scene.most_rows] for name in surplus(change)})
    count = len(outcome.surplus)
    words = f"{count} row{'s' if count > 1 else ''} also changed {', '.join(columns)}, which"
    return f"{words} expected_changes does not name; name or ignore what may change.", rows


def _objection_reason(outcome: AssertionResult) -> Reason:
    """Describe the objections to rows that count."""
    shown = outcome.objections[:ROWS_SHOWN]
    rows = [Nearest(short_row(item.change, outcome.assertion), item.differs, item.blame) for item in shown]
    said = "; ".join(difference_words(item.differs[0]) for item in shown)
    return f"{said[:1].upper()}{said[1:]}{_more(outcome.objection_count, ROWS_SHOWN)}.", rows


def _unchanged_reason(outcome: AssertionResult, scene: ExplanationContext) -> Reason:
    """List the rows of an `unchanged` table that changed."""
    objections: list[Objection] = []
    for change in outcome.matched[:UNCHANGED_SHOWN]:
        columns = _changed_here(change, outcome, scene)
        differs = [ValueDifference(name, UNCHANGED, both(change, name)) for name in columns]
        objections.append(Objection(change, differs, scene.past.blame(change, columns)))
    return _list_changes(objections, len(outcome.matched), outcome.assertion)


def _changed_here(change: DiffedRow, outcome: AssertionResult, scene: ExplanationContext) -> list[str]:
    """Return the columns of an update that should not have changed."""
    if change.diff_type != "changed":
        return []
    return sorted(match.own_columns(change, match.ignored_columns(scene.spec, outcome.assertion, change)))


def _stray_reason(outcome: AssertionResult) -> Reason:
    """List the changes that break the closed world."""
    return _list_changes(outcome.objections, outcome.objection_count, outcome.assertion)


def _list_changes(objections: list[Objection], count: int, assertion: Assertion) -> Reason:
    """List the first of `count` changes that should not have been made, each with who made it."""
    rows: list[Nearest] = []
    said: list[str] = []
    for change, differs, blame in ((item.change, item.differs, item.blame) for item in objections):
        entity = change.names[-1]
        rows.append(Nearest(short_row(change, assertion), differs, blame, entity, change.diff_type))
        said.append(f"{entity} {change.diff_type}{f' by {blame.words}' if blame else ''}")
    return f"There were: {'; '.join(said[:ROWS_SHOWN])}{_more(count, ROWS_SHOWN)}.", rows


def _more(count: int, shown: int) -> str:
    return f"; and {count - shown} more" if count > shown else ""


def _nearest(outcome: AssertionResult, scene: ExplanationContext) -> list[Nearest]:
    """Return the rows that differ least from the assertion."""
    assertion = outcome.assertion
    taken = {id(change) for change in outcome.matched}
    candidates = islice(match.candidates(assertion, scene.changes, scene.past), scene.most_rows)
    others = [change for change in candidates if id(change) not in taken]
    missed = ((_misses(assertion, scene.spec, change), change) for change in others)
    closest = nsmallest(ROWS_SHOWN, ((misses, at, change) for at, (misses, change) in enumerate(missed) if misses))
    return [_near(change, assertion, differences(assertion, scene.spec, change), scene) for _, _, change in closest]


def _misses(assertion: Assertion, spec: CheckSpec, change: DiffedRow) -> int:
    """Count the conditions that a row fails."""
    clauses = _flat(assertion.where)
    count = min(sum(not _holds_in(side, clause) for clause in clauses) for side in change.sides)
    if assertion.diff_type != "changed":
        return count
    changed = match.changed_columns(change) - match.ignored_columns(spec, assertion, change)
    return count + sum(not _change_holds(item, change, changed) for item in assertion.changes.values())


def differences(assertion: Assertion, spec: CheckSpec, change: DiffedRow) -> list[ValueDifference]:
    """List the conditions that a row fails, those of `where` first."""
    by_side = [
        [_difference(clause, side) for clause in _flat(assertion.where) if not _holds_in(side, clause)]
        for side in change.sides
    ]
    differing = min(by_side, key=len)
    if assertion.diff_type == "changed":
        ignored = match.ignored_columns(spec, assertion, change)
        changed = match.changed_columns(change) - ignored
        differing += [
            ValueDifference(
                item.column, NOT_IGNORED if item.column in ignored else _written_change(item), both(change, item.column)
            )
            for item in assertion.changes.values()
            if not _change_holds(item, change, changed)
        ]
    return differing


def _flat(where: Where) -> list[Condition | Group]:
    """Flatten `and` groups: each of their conditions must hold."""
    clauses: list[Condition | Group] = []
    for clause in where:
        if isinstance(clause, Group) and clause.connective == "and":
            clauses += [each for part in clause.parts for each in _flat(part)]
        else:
            clauses.append(clause)
    return clauses


def _is_of_where(difference: ValueDifference, assertion: Assertion) -> bool:
    return difference.path in assertion.paths or isinstance(difference.expected, list)


def _elsewhere(assertion: Assertion, scene: ExplanationContext) -> Reason | None:
    """Look for rows that satisfy the `where` but changed in another way."""
    for diff_type in LISTS if assertion.diff_type != "response" else ():
        if diff_type == assertion.diff_type:
            continue
        rows = islice(match.likely(assertion, diff_type, scene.changes, scene.past), scene.most_rows)
        fitting = list(islice((change for change in rows if _where_holds(assertion, change)), ROWS_SHOWN))
        if fitting:
            near = [_near(change, assertion, [], scene) for change in fitting]
            return f"A row of {assertion.entity} fits, but it was {diff_type}, not {assertion.diff_type}.", near
    return None


def _near_reason(assertion: Assertion, rows: list[Nearest], scene: ExplanationContext) -> Reason:
    if rows:
        return _near_words(rows, assertion), rows
    if assertion.diff_type == "response":
        return "There are no other calls.", []
    entities = scene.changes.entities
    if not entities:
        return "The diff is empty: nothing was changed.", []
    close = nearest(assertion.entity, entities) or next(iter(_same_letters(assertion.entity, entities)), None)
    if close and close != assertion.entity and not (scene.known and assertion.entity in scene.known.tables):
        return f"The diff has no such table. Did you mean '{close}'?", []
    return f"No other row of {assertion.entity} was {assertion.diff_type}. The diff has: {', '.join(entities)}.", []


def _same_letters(entity: str, entities: list[str]) -> list[str]:
    return [name for name in entities if name.casefold() == entity.casefold() or name.endswith(f".{entity}")]


def _near_words(rows: list[Nearest], assertion: Assertion) -> str:
    said = " and ".join(difference_words(item) for item in rows[0].differs[:2])
    more = len(rows[0].differs) - 2
    return f"In the nearest {_noun(assertion)} {said}{f', and {more} more' if more > 0 else ''}."


def _difference(clause: Condition | Group, side: Row) -> ValueDifference:
    if isinstance(clause, Condition):
        return ValueDifference(clause.path, clause.predicate.written, cut(match.value_at(side, clause.path)))
    values = {path: cut(match.value_at(side, path)) for path in clause.paths}
    return ValueDifference(clause.connective, [written_where(part) for part in clause.parts], values)


def _written_change(expected: ExpectedChange) -> Row:
    written: dict[str, Predicate | None] = {"from": expected.before, "to": expected.after}
    return {side: predicate.written for side, predicate in written.items() if predicate is not None}


def _holds_in(side: Row, clause: Condition | Group) -> bool:
    try:
        return match.clause_holds(clause, side)
    except (UndecidedError, RecursionError):
        return False


def _where_holds(assertion: Assertion, change: DiffedRow) -> bool:
    return any(all(_holds_in(side, clause) for clause in assertion.where) for side in change.sides)


def _change_holds(expected: ExpectedChange, change: DiffedRow, changed: frozenset[str]) -> bool:
    try:
        return match.changes_hold([expected], change, changed)
    except (UndecidedError, RecursionError):
        return False

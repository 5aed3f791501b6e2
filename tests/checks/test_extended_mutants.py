"""The vectors of the extended language are worth something too: each way of getting it wrong below is caught."""

import importlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.checks.test_mutants import caught_by
from twindiff.checks import (
    closed_world,
    conditions,
    history,
    match,
    operators,
    provenance,
    readers,
    references,
    regexes,
    verdict,
)
from twindiff.checks.history import HistoryIndex, Touch
from twindiff.checks.references import ReferenceValues
from twindiff.checks.spec import Assertion, CheckSpec, Reference

# The package gives its function `parse` the name of the module.
PARSE = importlib.import_module("twindiff.checks.parse")

Replace = Callable[[pytest.MonkeyPatch], None]


def attribute(owner: Any, name: str, replacement: Any) -> Replace:
    return lambda patch: patch.setattr(owner, name, replacement)


def connective(name: str, replacement: Callable[[Any], bool]) -> Replace:
    return lambda patch: patch.setitem(operators.CONNECTIVES, name, replacement)


kept_own = match.own_columns
kept_touches = HistoryIndex.touches
kept_satisfies = match.satisfies
kept_covered = closed_world.find_covered
kept_left_over = closed_world.left_over
kept_exempt = closed_world.is_exempt
kept_asked = provenance.asserted_columns
kept_dated = provenance.date_changes
kept_keyed = readers.read_object
kept_one_of = readers.one_of
kept_moments = history.moments
kept_predicate = conditions.predicate
kept_where = match.where_holds


def mixed_sides(where: Any, change: Any) -> bool:
    """Hold each clause against either state of the row."""
    return all(any(match.clause_holds(clause, side) for side in change.sides) for clause in where)


def whole_rows(assertion: Assertion) -> None:
    return None


def named_tables(outcomes: Any) -> Any:
    """Take every row of a table that an assertion counts for asserted."""
    counted = {change.table for outcome in outcomes for change in outcome.matched}
    return {id(change) for change in EVERYTHING if change.table in counted}, {}


EVERYTHING: list[Any] = []


def remembered(spec: CheckSpec, outcomes: Any, changes: Any, past: HistoryIndex) -> Any:
    EVERYTHING[:] = changes.all
    return kept_strays(spec, outcomes, changes, past)


kept_strays = closed_world.strays


def only_added(spec: Any, outcomes: Any, changes: Any, past: Any) -> Any:
    return (stray for stray in kept_strays(spec, outcomes, changes, past) if stray.change.diff_type == "added")


def first_stray(spec: Any, outcomes: Any, changes: Any, past: Any) -> Any:
    return list(kept_strays(spec, outcomes, changes, past))[:1]


def without(field: str) -> Callable[[Any, Any], bool]:
    """Exceptions that do not look at one of their fields."""
    nothing: Any = {"diff_type": None, "where": ()}[field]

    def is_exempt(exempt: Any, change: Any) -> bool:
        blind = [type(each)(**{**each_fields(each), field: nothing}) for each in exempt]
        return kept_exempt(blind, change)

    return is_exempt


def each_fields(exempt: Any) -> dict[str, Any]:
    return {"entity": exempt.entity, "diff_type": exempt.diff_type, "where": exempt.where}


def last_touch(past: HistoryIndex, change: Any) -> list[Touch]:
    return kept_touches(past, change)[-1:]


def first_touch(past: HistoryIndex, change: Any) -> list[Touch]:
    return kept_touches(past, change)[:1]


def by_table(past: HistoryIndex, change: Any) -> list[Touch]:
    """Look rows up without their twin."""
    return kept_touches(past, msgspec.structs.replace(change, twin=None))


def some_dated(outcome: Any, past: HistoryIndex) -> Any:
    return kept_dated(outcome, past)[:1]


def blind_keyed(value: Any, place: str, words: Any, required: Any = (), *, extended: bool = True) -> Any:
    return kept_keyed(value, place, words, required)


kept_candidates = match.candidates
kept_holds = match.holds
kept_clause = conditions._clause


def first_holds(predicate: Any, value: Any) -> bool:
    while predicate.operator == "and":
        predicate = predicate.value[0]
    return kept_holds(predicate, value)


def some_candidates(assertion: Any, changes: Any, past: Any, but: str) -> Any:
    all_of_them = kept_candidates(assertion, changes, past)
    return [each for each in all_of_them if assertion.diff_type != "unchanged" or each.diff_type != but]


def plainly(outcomes: Any) -> Any:
    for outcome in outcomes:
        outcome.surplus = []
    return outcomes


def merged(spec: Any, outcomes: Any, changes: Any, past: Any) -> Any:
    """Count what the closed world finds to the last assertion."""
    rest = closed_world.judge_rest(spec, outcomes, changes, past)
    last = outcomes.pop()
    last.failures += rest.failures
    return last


def blind_one_of(words: Any, value: Any, place: str, *, extended: bool = True) -> str:
    return kept_one_of(words, value, place)


kept_values = ReferenceValues.values
kept_any_of = references._any_of


def values_before(referred: ReferenceValues, reference: Any) -> frozenset[Any]:
    outcome = referred._outcomes[reference.id]
    return frozenset(match.value_at(change.sides[-1], reference.path) for change in outcome.matched)


def values_at_the_top(referred: ReferenceValues, reference: Any) -> frozenset[Any]:
    return kept_values(referred, msgspec.structs.replace(reference, path=reference.path.split(".")[0]))


def some_referred(referred: ReferenceValues, assertion: Assertion, *kept: str) -> Assertion:
    """Put values in place of references, but not in these fields."""
    known = kept_assertion(referred, assertion)
    return msgspec.structs.replace(known, **{name: getattr(assertion, name) for name in kept})


kept_assertion = ReferenceValues.assertion

MUTANTS: dict[str, Replace] = {
    "references hold for every value": lambda patch: patch.setitem(
        operators.OPERATORS, "ref", lambda value, told: True
    ),
    "references hold for the first value": attribute(
        ReferenceValues,
        "values",
        lambda referred, reference: frozenset(sorted(kept_values(referred, reference), key=str)[:1]),
    ),
    "references look at what was before": attribute(ReferenceValues, "values", values_before),
    "references look at no path": attribute(ReferenceValues, "values", values_at_the_top),
    "references hold for null": lambda patch: patch.setitem(
        operators.OPERATORS, "ref", lambda value, told: value is None or value in told.values
    ),
    "references find texts that begin alike": lambda patch: patch.setitem(
        operators.OPERATORS, "ref", lambda value, told: any(str(value).startswith(str(each)) for each in told.values)
    ),
    "references of wheres are forgotten": attribute(
        ReferenceValues, "assertion", lambda referred, assertion: some_referred(referred, assertion, "where")
    ),
    "references of by are forgotten": attribute(
        ReferenceValues, "assertion", lambda referred, assertion: some_referred(referred, assertion, "by")
    ),
    "references of changes are forgotten": attribute(
        ReferenceValues, "assertion", lambda referred, assertion: some_referred(referred, assertion, "changes")
    ),
    "references of exceptions are forgotten": attribute(ReferenceValues, "spec", lambda referred, spec: spec),
    "assertions are judged in their order": attribute(references, "_in_order", list),
    "one of several values is looked for": attribute(
        references, "_any_of", lambda operator, values: kept_any_of(operator, values[:1])
    ),
    "references may be mixed": attribute(PARSE, "_refuse_mixed", lambda found, others: None),
    "references may go anywhere": attribute(PARSE, "_referring", lambda assertion, others: assertion),
    "references of exceptions may go anywhere": attribute(references, "of_exempt", lambda exempt, position: ()),
    "references are compared to as objects": attribute(
        conditions, "_refuse_lost_reference", lambda operator, operand, place: None
    ),
    "any text is a reference": lambda patch: patch.setitem(
        conditions.OPERANDS, "ref", lambda value, place: Reference(str(value).partition(".")[0], "id")
    ),
    "and needs one part": connective("and", any),
    "or needs all parts": connective("or", all),
    "or always holds": connective("or", lambda parts: True),
    "not is forgotten": connective("not", any),
    "not never holds": connective("not", lambda parts: False),
    "is_null means exists": lambda patch: patch.setitem(operators.OPERATORS, "is_null", operators.exists),
    "is_null by truth": lambda patch: patch.setitem(
        operators.OPERATORS, "is_null", lambda value, told: bool(value) != told
    ),
    "is_null takes anything": lambda patch: patch.setitem(conditions.OPERANDS, "is_null", readers.anything),
    "the first of several operators decides": attribute(match, "holds", first_holds),
    "a part of a group needs one condition": attribute(
        match, "satisfies", lambda where, row: not where or any(match.clause_holds(clause, row) for clause in where)
    ),
    "groups hold on a mix of both states": attribute(match, "where_holds", mixed_sides),
    "unchanged passes over added rows": attribute(
        match, "candidates", lambda a, c, p: some_candidates(a, c, p, "added")
    ),
    "unchanged passes over removed rows": attribute(
        match, "candidates", lambda a, c, p: some_candidates(a, c, p, "removed")
    ),
    "unchanged passes over changed rows": attribute(
        match, "candidates", lambda a, c, p: some_candidates(a, c, p, "changed")
    ),
    "unchanged and closed worlds see derived columns": attribute(
        match, "own_columns", lambda change, ignored: match.changed_columns(change) - ignored
    ),
    "unchanged and closed worlds see ignored columns": attribute(
        match, "own_columns", lambda change, ignored: kept_own(change, frozenset())
    ),
    "the world is never closed": attribute(closed_world, "strays", lambda spec, outcomes, changes, past: []),
    "a closed world sees added rows only": attribute(closed_world, "strays", only_added),
    "a closed world names one stray": attribute(closed_world, "strays", first_stray),
    "an asserted table is open": lambda patch: (
        patch.setattr(closed_world, "strays", remembered),
        patch.setattr(closed_world, "find_covered", named_tables),
    )[0],
    "nothing is asserted": attribute(closed_world, "find_covered", lambda outcomes: (set(), {})),
    "an asserted row may change in every column": attribute(closed_world, "asserted_columns", whole_rows),
    "ignored columns of an assertion are strays": attribute(
        closed_world, "asserted_columns", lambda assertion: frozenset(assertion.changes) or None
    ),
    "an assertion without expected_changes asserts no column": attribute(
        closed_world,
        "asserted_columns",
        lambda assertion: assertion.ignore | assertion.changes.keys() if assertion.diff_type == "changed" else None,
    ),
    "columns of the strict rule are strays too": attribute(
        closed_world, "find_covered", lambda outcomes: kept_covered(plainly(outcomes))
    ),
    "only the first assertion covers": attribute(
        closed_world, "find_covered", lambda outcomes: kept_covered(list(outcomes)[:1])
    ),
    "ignore_fields are strays": attribute(
        closed_world, "left_over", lambda spec, change: match.own_columns(change, frozenset())
    ),
    "ignore_fields of every table": attribute(
        closed_world,
        "left_over",
        lambda spec, change: kept_left_over(spec, change) - frozenset[str]().union(*spec.ignore_fields.values()),
    ),
    "a change of ignored columns alone is a stray": attribute(
        closed_world, "left_over", lambda spec, change: kept_left_over(spec, change) or frozenset({"?"})
    ),
    "exceptions are forgotten": attribute(closed_world, "is_exempt", lambda exempt, change: False),
    "exceptions of any kind of change": attribute(closed_world, "is_exempt", without("diff_type")),
    "exceptions of any row": attribute(closed_world, "is_exempt", without("where")),
    "exceptions of any table": attribute(closed_world, "is_exempt", lambda exempt, change: bool(exempt)),
    "the first exception alone": attribute(
        closed_world, "is_exempt", lambda exempt, change: kept_exempt(list(exempt)[:1], change)
    ),
    "bookkeeping is a stray": attribute(HistoryIndex, "is_plain", lambda past, change: True),
    "nobody is blamed": attribute(HistoryIndex, "blame", lambda past, change, columns=(): None),
    "the first who touched a row is blamed": attribute(
        HistoryIndex, "blame", lambda past, change, columns=(): next((t.blame for t in past.touches(change)), None)
    ),
    "the last who touched a row is blamed": attribute(
        HistoryIndex,
        "blame",
        lambda past, change, columns=(): next((t.blame for t in past.touches(change)[::-1]), None),
    ),
    "the closed world is not counted": attribute(verdict, "judge_rest", merged),
    "by is forgotten": attribute(verdict, "check_authors", lambda outcome, spec, past: None),
    "by asks for the last touch": attribute(HistoryIndex, "touches", last_touch),
    "by asks for the first touch": attribute(HistoryIndex, "touches", first_touch),
    "by sees derived and ignored columns": attribute(Touch, "is_meant", lambda touch, ignored=(): True),
    "by sees ignored columns": attribute(
        Touch, "is_meant", lambda touch, ignored=(): touch.gave(set(touch.change.changed) - set(touch.change.derived))
    ),
    "by sees derived columns": attribute(
        Touch, "is_meant", lambda touch, ignored=(): touch.gave(set(touch.change.changed) - set(ignored))
    ),
    "by does not know the actor": attribute(provenance, "maker_of", lambda record: {"operation": record.operation}),
    "by does not know the operation": attribute(provenance, "maker_of", lambda record: {"actor": record.actor}),
    "rows are found in any twin": attribute(HistoryIndex, "touches", by_table),
    "after is forgotten": attribute(verdict, "hold_order", lambda outcome, outcomes, past: None),
    "after means before": attribute(provenance, "is_after", lambda moment, other: moment < other),
    "after means not before": attribute(provenance, "is_after", lambda moment, other: moment >= other),
    "after looks at one row": attribute(provenance, "date_changes", some_dated),
    "after looks at insertions only": attribute(provenance, "asserted_columns", lambda assertion, change: frozenset()),
    "after looks at the last touch": attribute(
        provenance, "asserted_columns", lambda assertion, change: frozenset({*change.sides[0], "z"})
    ),
    "after takes the where of a changed row for what changed": attribute(
        provenance, "asserted_columns", lambda assertion, change: frozenset(assertion.paths)
    ),
    "rows come and go without their columns": attribute(
        Touch, "gave", lambda touch, columns: not set(columns).isdisjoint(touch.change.changed)
    ),
    "reads have no place among the writes": attribute(
        history, "moments", lambda calls: {number: (place[0], 0) for number, place in kept_moments(calls).items()}
    ),
    "calls come in the order of their numbers alone": attribute(
        history, "moments", lambda calls: {call.number: (call.number, 0) for call in calls}
    ),
    "no calls were made": attribute(
        match, "candidates", lambda a, c, p: [] if a.diff_type == "response" else c.of(a.diff_type, a.entity)
    ),
    "calls that failed were not made": attribute(
        match,
        "candidates",
        lambda a, c, p: [
            call for call in kept_candidates(a, c, p) if a.diff_type != "response" or call.sides[0]["error"] is None
        ],
    ),
    "calls that wrote nothing were not made": attribute(
        match,
        "candidates",
        lambda a, c, p: [
            call for call in kept_candidates(a, c, p) if a.diff_type != "response" or call.sides[0]["seq"]
        ],
    ),
    "the extension is taken without its version": attribute(readers, "read_object", blind_keyed),
    "unchanged is taken without its version": attribute(readers, "one_of", blind_one_of),
    "operators of the extension are taken without its version": attribute(
        conditions, "predicate", lambda value, place, *, extended: kept_predicate(value, place, extended=True)
    ),
    "any field of a call is taken": lambda patch: patch.setattr(
        conditions, "_clause", lambda *given, fields=None, **how: kept_clause(*given, fields=None, **how)
    ),
    "groups may be empty": attribute(conditions, "_some", lambda parts, place: parts),
    "rules that can never fail are taken": attribute(PARSE, "_refuse_vacuous", lambda given, count, place: None),
    "an order after nothing is taken": attribute(PARSE, "_refuse_after_nothing", lambda assertions: None),
    "rings are taken": attribute(PARSE, "_refuse_rings", lambda assertions: None),
    "any regex is taken": attribute(regexes, "is_pattern", lambda pattern: True),
    "fields of a call have no kind": attribute(conditions, "_refuse_other_kind", lambda found, field, place: None),
    "an operator may stand where a column is named": attribute(
        conditions, "_refuse_lost_operators", lambda part, place: None
    ),
    "added rows are laid to who edited them": attribute(
        HistoryIndex,
        "blame",
        lambda past, change, columns=(): next(
            (t.blame for t in past.touches(change)[::-1] if t.gave(columns or t.change.changed)), None
        ),
    ),
    "keys that say nothing are taken": attribute(PARSE, "_refuse_keys", lambda given, keys, subject, place: None),
    "an id may be given twice": attribute(PARSE, "_ids", lambda items: {item.get("id"): 1 for item in items}),
    "any id may be named": attribute(PARSE, "_after", lambda value, number, ids, place: {}),
}


def test_the_true_checker_is_caught_by_no_extended_vector(extended_vectors: list[dict[str, Any]]) -> None:
    assert caught_by(extended_vectors) == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_checker_of_the_extension_is_caught(
    mutant: str, extended_vectors: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTANTS[mutant](monkeypatch)
    assert caught_by(extended_vectors) != []

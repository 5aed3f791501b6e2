"""Say in words why an assertion failed: the rows that come nearest to it and what differs in them."""

import json
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from twindiff.checks import match
from twindiff.checks.diffs import LISTS, Change, Changes, DiffType, Row
from twindiff.checks.match import Outcome
from twindiff.checks.operators import SCALARS, plain
from twindiff.checks.parse import Assertion, Condition, Count, ExpectedChange, Predicate, Spec
from twindiff.checks.regexes import UndecidedError

ROWS_SHOWN = 3
COLUMNS_SHOWN = 6
LETTERS_SHOWN = 80

UNCHANGED = "unchanged"
NOT_IGNORED = "not ignored"

PHRASES = {
    "eq": "be",
    "ne": "not be",
    "in": "be one of",
    "not_in": "be none of",
    "contains": "contain",
    "not_contains": "be a text without",
    "i_contains": "contain, in any case,",
    "starts_with": "start with",
    "ends_with": "end with",
    "i_starts_with": "start, in any case, with",
    "i_ends_with": "end, in any case, with",
    "regex": "match",
    "gt": "be greater than",
    "gte": "be at least",
    "lt": "be less than",
    "lte": "be at most",
    "has_any": "have any of",
    "has_all": "have all of",
}


class Difference(Struct, frozen=True):
    """One thing that differs: `expected` is a predicate, `{from?, to?}` for a change, "unchanged" or "not ignored"."""

    path: str
    expected: Any
    actual: Any


class Nearest(Struct, frozen=True):
    """A row of the diff, shortened to the columns that tell it apart, and what differs in it."""

    row: Row
    differs: list[Difference]


class Explanation(Struct, frozen=True):
    """Why one assertion failed. `expected` is the count as the spec writes it, `got` the rows that matched."""

    assertion: int
    entity: str
    diff_type: DiffType
    expected: Any
    got: int
    nearest: list[Nearest]
    text: str


def explain(outcome: Outcome, spec: Spec, changes: Changes) -> Explanation:
    """Explain a failed assertion by the rows that come nearest."""
    try:
        reason, nearest = _reason(outcome, spec, changes)
    except RecursionError:
        reason, nearest = "The rows are nested too deeply to be compared in words.", []
    assertion, got = outcome.assertion, len(outcome.matched)
    count = assertion.count
    return Explanation(
        assertion=assertion.number,
        entity=assertion.entity,
        diff_type=assertion.diff_type,
        expected={"min": 1} if count.written is None else count.written,
        got=got,
        nearest=nearest,
        text=f"Expected {count_words(count)} of {assertion.entity} to be {assertion.diff_type}, got {got}. {reason}",
    )


def _reason(outcome: Outcome, spec: Spec, changes: Changes) -> tuple[str, list[Nearest]]:
    """Choose what helps most, the surest first."""
    if outcome.undecided:
        return f"It cannot be judged: {outcome.undecided}.", []
    if outcome.surplus:
        return _strict_reason(outcome)
    most = outcome.assertion.count.most
    if most is not None and len(outcome.matched) > most:
        rows = [Nearest(short_row(change, outcome.assertion), []) for change in outcome.matched[:ROWS_SHOWN]]
        return "More rows match than expected; make the where narrower, or the agent did too much.", rows
    nearest = _nearest(outcome, spec, changes)
    if nearest and not any(item.path in _paths(outcome.assertion) for item in nearest[0].differs):
        return _near_words(nearest), nearest
    return _elsewhere(outcome.assertion, changes) or _near_reason(outcome.assertion, nearest, changes)


def _strict_reason(outcome: Outcome) -> tuple[str, list[Nearest]]:
    rows = [
        Nearest(
            short_row(item.change, outcome.assertion),
            [Difference(name, UNCHANGED, _both(item.change, name)) for name in item.columns],
        )
        for item in outcome.surplus
    ]
    columns = sorted({name for item in outcome.surplus for name in item.columns})
    count = len(rows)
    words = f"{count} row{'s' if count > 1 else ''} also changed {', '.join(columns)}, which"
    return f"{words} expected_changes does not name; name or ignore what may change.", rows[:ROWS_SHOWN]


def _nearest(outcome: Outcome, spec: Spec, changes: Changes) -> list[Nearest]:
    assertion = outcome.assertion
    taken = {id(change) for change in outcome.matched}
    others = [change for change in changes.of(assertion.diff_type, assertion.entity) if id(change) not in taken]
    described = ((differences(assertion, spec, change), change) for change in others)
    closest = sorted(((found, change) for found, change in described if found), key=lambda pair: len(pair[0]))
    return [Nearest(short_row(change, assertion), found) for found, change in closest[:ROWS_SHOWN]]


def differences(assertion: Assertion, spec: Spec, change: Change) -> list[Difference]:
    """List what keeps a row from satisfying an assertion, `where` first."""
    by_side = [
        [_difference(condition, side) for condition in assertion.where if not _holds_in(side, condition)]
        for side in change.sides
    ]
    found = min(by_side, key=len)
    if assertion.diff_type == "changed":
        ignored = match.ignored_columns(spec, assertion, change)
        changed = match.changed_columns(change) - ignored
        found += [
            Difference(
                item.column, NOT_IGNORED if item.column in ignored else _written(item), _both(change, item.column)
            )
            for item in assertion.changes.values()
            if not _change_holds(item, change, changed)
        ]
    return found


def _elsewhere(assertion: Assertion, changes: Changes) -> tuple[str, list[Nearest]] | None:
    """Look for rows that satisfy the `where` but were changed in another way."""
    for diff_type in LISTS:
        rows = changes.of(diff_type, assertion.entity) if diff_type != assertion.diff_type else []
        found = [change for change in rows if _where_holds(assertion, change)]
        if found:
            nearest = [Nearest(short_row(change, assertion), []) for change in found[:ROWS_SHOWN]]
            return f"A row of {assertion.entity} fits, but it was {diff_type}, not {assertion.diff_type}.", nearest
    return None


def _near_reason(assertion: Assertion, nearest: list[Nearest], changes: Changes) -> tuple[str, list[Nearest]]:
    if nearest:
        return _near_words(nearest), nearest
    entities = changes.entities
    if not entities:
        return "The diff is empty: nothing was changed.", []
    close = get_close_matches(assertion.entity, entities, n=1, cutoff=0.6) or _same_letters(assertion.entity, entities)
    if close and close[0] != assertion.entity:
        return f"The diff has no such table. Did you mean '{close[0]}'?", []
    return f"No other row of {assertion.entity} was {assertion.diff_type}. The diff has: {', '.join(entities)}.", []


def _same_letters(entity: str, entities: list[str]) -> list[str]:
    return [name for name in entities if name.casefold() == entity.casefold() or name.endswith(f".{entity}")]


def _near_words(nearest: list[Nearest]) -> str:
    said = " and ".join(difference_words(item) for item in nearest[0].differs[:2])
    more = len(nearest[0].differs) - 2
    return f"In the nearest row {said}{f', and {more} more' if more > 0 else ''}."


def difference_words(difference: Difference) -> str:
    """Say one difference as part of a sentence."""
    path, expected, actual = difference.path, difference.expected, difference.actual
    if expected == NOT_IGNORED:
        return f"{path} is ignored and so can satisfy nothing"
    if isinstance(actual, dict) and actual.keys() == {"from", "to"} and expected.keys() <= actual.keys():
        return _change_words(path, expected, actual)  # pyright: ignore[reportUnknownArgumentType]
    return f"{path} should {predicate_words(expected)} but is {short(actual)}"


def _change_words(path: str, expected: Row, actual: Row) -> str:
    should = " and ".join(f"{side} should {predicate_words(predicate)}" for side, predicate in expected.items())
    if "." in path:
        return f"{path} is a path, where expected_changes knows whole columns only"
    if actual["from"] == actual["to"]:
        return f"{path} should change but stayed {short(actual['to'])}"
    return f"{path} went from {short(actual['from'])} to {short(actual['to'])}, but {should}"


def predicate_words(predicate: Row) -> str:
    """Say a predicate after the word "should"."""
    operator, value = next(iter(predicate.items()))
    if operator == "exists":
        return "be set" if value else "be null"
    return f"{PHRASES[operator]} {short(value)}"


def count_words(count: Count) -> str:
    """Say how many rows are expected."""
    if count.most is None:
        return f"at least {count.least} row{'' if count.least == 1 else 's'}"
    if count.least == count.most:
        return f"{'no' if count.most == 0 else f'exactly {count.most}'} row{'' if count.most == 1 else 's'}"
    return f"{count.least} to {count.most} rows"


def short(value: Any) -> str:
    """Write a value as JSON, cut where it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        text = "a deeply nested value"
    return text if len(text) <= LETTERS_SHOWN else f"{text[: LETTERS_SHOWN - 1]}…"


def short_row(change: Change, assertion: Assertion) -> Row:
    """Keep of a row what tells it apart: the columns asked for, then ids and names."""
    row = change.sides[0]
    asked = [path.split(".")[0] for path in _paths(assertion)]
    telling = [
        name for name in row if name in {"id", "name", "title", "key", "identifier"} or name.endswith(("_id", "Id"))
    ]
    shown = [name for name in dict.fromkeys(asked + sorted(telling, key=len)) if name in row]
    return {name: _cut(row[name]) for name in shown[:COLUMNS_SHOWN] or list(row)[:COLUMNS_SHOWN]}


def _cut(value: Any) -> Any:
    if type(value) not in SCALARS:
        return short(plain(value)) if len(short(value)) >= LETTERS_SHOWN else plain(value)
    return f"{value[: LETTERS_SHOWN - 1]}…" if isinstance(value, str) and len(value) > LETTERS_SHOWN else value


def _difference(condition: Condition, side: Row) -> Difference:
    return Difference(condition.path, condition.predicate.written, _cut(match.value_at(side, condition.path)))


def _both(change: Change, column: str) -> Row:
    before, after = (plain((side or {}).get(column)) for side in (change.before, change.after))
    if _cut(before) == _cut(after):  # a difference behind the cut must not look like none
        return {"from": before, "to": after}
    return {"from": _cut(before), "to": _cut(after)}


def _written(expected: ExpectedChange) -> Row:
    written: dict[str, Predicate | None] = {"from": expected.before, "to": expected.after}
    return {side: predicate.written for side, predicate in written.items() if predicate is not None}


def _paths(assertion: Assertion) -> list[str]:
    return [condition.path for condition in assertion.where]


def _holds_in(side: Row, condition: Condition) -> bool:
    try:
        return match.holds(condition.predicate, match.value_at(side, condition.path))
    except (UndecidedError, RecursionError):
        return False


def _where_holds(assertion: Assertion, change: Change) -> bool:
    return any(all(_holds_in(side, condition) for condition in assertion.where) for side in change.sides)


def _change_holds(expected: ExpectedChange, change: Change, changed: frozenset[str]) -> bool:
    try:
        return match.changes_hold([expected], change, changed)
    except (UndecidedError, RecursionError):
        return False

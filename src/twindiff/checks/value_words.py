"""Renders values, predicates and differences as short text for people."""

import json
from typing import Any

from twindiff.checks.diffs import DiffedRow, Row
from twindiff.checks.findings import ValueDifference
from twindiff.checks.operators import SCALARS, plain
from twindiff.checks.spec import Assertion, CountRange

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


def difference_words(difference: ValueDifference) -> str:
    """Render one difference as part of a sentence."""
    path, expected, actual = difference.path, difference.expected, difference.actual
    if isinstance(expected, list):
        return f"{path} {short(expected)} does not hold of {short(actual)}"
    if expected == UNCHANGED:
        return f"{path} went from {short(actual['from'])} to {short(actual['to'])}"
    if expected == NOT_IGNORED:
        return f"{path} is ignored and so can satisfy nothing"
    if isinstance(expected, str):
        return f"{expected}, not {actual}"
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
    """Render a predicate after the word "should"."""
    operator, value = next(iter(predicate.items()))
    if operator == "not":
        return f"not {predicate_words(value)}"
    if operator in {"and", "or"}:
        return f" {operator} ".join(predicate_words(part) for part in value)
    if operator == "ref":
        return _reference_words(value, predicate.get("in"))
    if operator in {"exists", "is_null"}:
        return "be set" if value == (operator == "exists") else "be null"
    return f"{PHRASES[operator]} {short(value)}"


def _reference_words(reference: str, values: list[Any] | None) -> str:
    name, _, path = reference.partition(".")
    known = " or ".join(short(value) for value in values or ())
    return f"be the {path} of '{name}', {known or 'for which no row counts'},"


def count_words(count: CountRange, noun: str = "row") -> str:
    """Render how many rows are expected."""
    if count.most is None:
        return f"at least {count.least} {noun}{'' if count.least == 1 else 's'}"
    if count.least == count.most:
        return f"{'no' if count.most == 0 else f'exactly {count.most}'} {noun}{'' if count.most == 1 else 's'}"
    return f"{count.least} to {count.most} {noun}s"


def short(value: Any) -> str:
    """Write a value as JSON, truncated."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        text = "a deeply nested value"
    except TypeError:
        text = "a value that is no JSON"
    return text if len(text) <= LETTERS_SHOWN else f"{text[: LETTERS_SHOWN - 1]}…"


def short_row(change: DiffedRow, assertion: Assertion) -> Row:
    """Return the identifying columns of a row: the asserted ones, then ids and names; a call is returned whole."""
    row = change.sides[0]
    if change.diff_type == "response":
        return row
    asked = [path.split(".")[0] for path in assertion.paths]
    telling = [
        name for name in row if name in {"id", "name", "title", "key", "identifier"} or name.endswith(("_id", "Id"))
    ]
    # Without asserted columns, any column with a value helps to identify the row.
    said = [name for name, value in row.items() if value not in (None, "") and not name.startswith("__")]
    rest = said if assertion.diff_type in {"unchanged", "closed_world"} and change.diff_type != "changed" else []
    shown = [name for name in dict.fromkeys([*asked, *sorted(telling, key=len), *rest]) if name in row]
    return {name: cut(row[name]) for name in shown[:COLUMNS_SHOWN] or list(row)[:COLUMNS_SHOWN]}


def cut(value: Any) -> Any:
    """Return a value, or its beginning if it is long."""
    if type(value) not in SCALARS:
        return short(plain(value)) if len(short(value)) >= LETTERS_SHOWN else plain(value)
    return f"{value[: LETTERS_SHOWN - 1]}…" if isinstance(value, str) and len(value) > LETTERS_SHOWN else value


def both(change: DiffedRow, column: str) -> Row:
    """Return a column's value before and after, as `{"from": …, "to": …}`."""
    before, after = (plain((side or {}).get(column)) for side in (change.before, change.after))
    if cut(before) == cut(after):  # a difference behind the cut must not look like none
        return {"from": before, "to": after}
    return {"from": cut(before), "to": cut(after)}

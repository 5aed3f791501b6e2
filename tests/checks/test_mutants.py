"""The vectors are worth something: each way of getting the language wrong below is caught by at least one of them."""

import json
import operator
import re
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from twindiff.checks import SpecError, conditions, evaluate, match, operators, readers, verdict
from twindiff.checks.vocabulary import SpecWord

Replace = Callable[[pytest.MonkeyPatch], None]


def function(name: str, replacement: Callable[..., Any]) -> Replace:
    return lambda patch: patch.setattr(match, name, replacement)


def operator_of(name: str, replacement: Callable[[Any, Any], bool]) -> Replace:
    return lambda patch: patch.setitem(operators.OPERATORS, name, replacement)


def text_json(**options: Any) -> Replace:
    """Serialise objects another way before looking into them."""

    def text_of(value: Any) -> str | None:
        return json.dumps(value, **options) if isinstance(value, dict | list) else only_text(value)

    return lambda patch: patch.setattr(operators, "text_of", text_of)


def only_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def refusal(name: str, replacement: Callable[..., Any]) -> Replace:
    return lambda patch: patch.setattr(readers, name, replacement)


def operand_of(name: str) -> Replace:
    """Take any value for this operator."""
    return lambda patch: patch.setitem(conditions.OPERANDS, name, lambda value, place: value)


def eq_of(convert: Callable[[Any], Any]) -> Replace:
    return operator_of("eq", lambda value, expected: convert(value) == convert(expected))


def same_type(value: Any, expected: Any) -> bool:
    return type(value) is type(expected) and value == expected


def folded(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def follow(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value.get(key) if isinstance(value, dict) else None
    return value


def everything_consumed() -> Callable[..., bool]:
    """A matcher that uses rows up, as some checkers do."""
    used: set[tuple[int, int]] = set()
    seen: dict[tuple[int, int], Any] = {}
    kept = match.where_holds

    def holds(where: Any, change: Any) -> bool:
        if id(change) in {row for row, _ in used} and (id(change), id(where)) not in used:
            return False
        if kept(where, change):
            used.add((id(change), id(where)))
            seen[(id(change), id(where))] = (change, where)  # alive, so that an id stays its own
            return True
        return False

    return holds


def closed_world(spec: Any, diff: Any) -> Any:
    judged = evaluate(spec, diff)
    named = {assertion["entity"] for assertion in spec["assertions"]}
    rows = [row for rows in diff.values() for row in rows]
    surplus = [row for row in rows if row["__table__"] not in named]
    return msgspec.structs.replace(judged, passed=judged.passed and not surplus)


MUTANTS: dict[str, Replace] = {
    "no strict rule": function("surplus_columns", lambda spec, assertion, changed: []),
    "the strict rule even where it is off": function(
        "surplus_columns", lambda spec, assertion, changed: sorted(changed - assertion.changes.keys())
    ),
    "the strict rule allows one surplus column": function(
        "surplus_columns",
        lambda spec, assertion, changed: sorted(changed - assertion.changes.keys())[1:] if spec.strict else [],
    ),
    "from ignored": function("from_holds", lambda expected, before: True),
    "to ignored": function("to_holds", lambda expected, after: True),
    "from and to exchanged": lambda patch: (
        patch.setattr(match, "from_holds", match.to_holds),
        patch.setattr(match, "to_holds", match.from_holds),
    )[0],
    "where on after only": function("sides", lambda change: change.sides[:1]),
    "where on before only": function("sides", lambda change: change.sides[-1:]),
    "where on a mix of both states": function(
        "where_holds",
        lambda where, change: all(
            any(match.holds(item.predicate, match.value_at(side, item.path)) for side in change.sides) for item in where
        ),
    ),
    "where needs one predicate only": function(
        "where_holds",
        lambda where, change: (
            not where
            or any(
                match.holds(item.predicate, match.value_at(side, item.path)) for item in where for side in change.sides
            )
        ),
    ),
    "where ignored": function("where_holds", lambda where, change: True),
    "removed never matches": function(
        "where_holds",
        lambda where, change, kept=match.where_holds: change.diff_type != "removed" and kept(where, change),
    ),
    "added matches whatever": function(
        "where_holds",
        lambda where, change, kept=match.where_holds: change.diff_type == "added" or kept(where, change),
    ),
    "rows are used up": lambda patch: patch.setattr(match, "where_holds", everything_consumed()),
    "a closed world": lambda patch: patch.setitem(ENGINE, "evaluate", closed_world),
    "paths not followed": function("value_at", lambda row, path: row.get(path)),
    "paths followed through lists": function("value_at", follow),
    "an expected column need not change": function(
        "changes_hold",
        lambda expected, change, changed: all(
            match.from_holds(item, change.before or {}) and match.to_holds(item, change.after or {})
            for item in expected
        ),
    ),
    "one expected column suffices": function(
        "changes_hold",
        lambda expected, change, changed, kept=match.changes_hold: (
            any(kept([item], change, changed) for item in expected) or not list(expected)
        ),
    ),
    "expected changes ignored": function("changes_hold", lambda expected, change, changed: True),
    "only columns of both states change": function(
        "changed_columns",
        lambda change: frozenset(
            name for name in change.before.keys() & change.after.keys() if change.before[name] != change.after[name]
        ),
    ),
    "a column missing on one side always changes": function(
        "changed_columns",
        lambda change: frozenset(
            name
            for name in change.before.keys() | change.after.keys()
            if change.before.get(name, Ellipsis) != change.after.get(name, Ellipsis)
        ),
    ),
    "global ignores dropped": function("ignored_everywhere", lambda spec: frozenset()),
    "ignores of a table dropped": function("ignored_in_table", lambda spec, change: frozenset()),
    "ignores of an assertion dropped": function("ignored_here", lambda assertion: frozenset()),
    "ignores of every table": function(
        "ignored_in_table", lambda spec, change: frozenset().union(*spec.ignore_fields.values())
    ),
    "rows whose changes are all ignored do not count": function(
        "is_beside_the_point", lambda change, changed, assertion: changed <= assertion.ignore | change.derived
    ),
    "derived columns are a surplus": function("unexpected_derived", lambda change, assertion: frozenset()),
    "derived columns never count": function("unexpected_derived", lambda change, assertion: change.derived),
    "rows of derived columns alone count": function("is_beside_the_point", lambda change, changed, assertion: False),
    "min loosened": function("count_fits", lambda count, got: count.most is None or got <= count.most),
    "max loosened": function("count_fits", lambda count, got: count.least <= got),
    "min by one too low": function(
        "count_fits", lambda count, got: count.least - 1 <= got and (count.most is None or got <= count.most)
    ),
    "max by one too high": function(
        "count_fits", lambda count, got: count.least <= got and (count.most is None or got <= count.most + 1)
    ),
    "max excluded": function(
        "count_fits", lambda count, got: count.least <= got and (count.most is None or got < count.most)
    ),
    "exact count means at least": function(
        "count_fits",
        lambda count, got: count.least <= got and (count.most in (None, count.least) or got <= count.most),
    ),
    "a count of 0 means anything": function(
        "count_fits",
        lambda count, got: count.most == 0 or (count.least <= got and (count.most is None or got <= count.most)),
    ),
    "no count means anything": function(
        "count_fits",
        lambda count, got: count.written is None or (count.least <= got and (count.most is None or got <= count.most)),
    ),
    "the failing count is said as JSON": function(
        "count_text", lambda count, got: f"expected count {count.least} but got {got}"
    ),
    "eq ignores case": eq_of(folded),
    "eq trims": eq_of(lambda value: value.strip() if isinstance(value, str) else value),
    "eq compares as text": eq_of(str),
    "eq tells 1 from true and 1.0": operator_of("eq", same_type),
    "ne always true": operator_of("ne", lambda value, expected: True),
    "ne needs a value": operator_of("ne", lambda value, expected: value is not None and value != expected),
    "in compares as text": operator_of("in", lambda value, expected: str(value) in map(str, expected)),
    "in looks into lists": operator_of(
        "in",
        lambda value, expected: (
            any(item in expected for item in value) if isinstance(value, list) else value in expected
        ),
    ),
    "not_in needs a value": operator_of("not_in", lambda value, expected: value is not None and value not in expected),
    "not_in always true": operator_of("not_in", lambda value, expected: True),
    "case ignored in contains": operator_of("contains", operators.i_contains),
    "case kept in i_contains": operator_of("i_contains", operators.contains),
    "contains by eq": operator_of("contains", operator.eq),
    "contains takes null for a text": operator_of("contains", lambda value, expected: expected in str(value)),
    "not_contains holds for null": operator_of(
        "not_contains", lambda value, expected: not operators.contains(value, expected)
    ),
    "JSON with blanks": text_json(),
    "JSON with its letters as they are": text_json(separators=(",", ":"), ensure_ascii=False),
    "JSON with sorted keys": text_json(separators=(",", ":"), sort_keys=True),
    "no JSON": lambda patch: patch.setattr(operators, "text_of", only_text),
    "starts_with anywhere": operator_of("starts_with", operators.contains),
    "ends_with anywhere": operator_of("ends_with", operators.contains),
    "case ignored in starts_with": operator_of("starts_with", operators.i_starts_with),
    "case ignored in ends_with": operator_of("ends_with", operators.i_ends_with),
    "case kept in i_starts_with": operator_of("i_starts_with", operators.starts_with),
    "case kept in i_ends_with": operator_of("i_ends_with", operators.ends_with),
    "regex by match instead of search": operator_of("regex", lambda value, pattern: found(re.match, pattern, value)),
    "regex by fullmatch": operator_of("regex", lambda value, pattern: found(re.fullmatch, pattern, value)),
    "regex ignores case": operator_of(
        "regex",
        lambda value, pattern: found(lambda pattern, text: re.search(pattern, text, re.IGNORECASE), pattern, value),
    ),
    "regex across lines": operator_of(
        "regex", lambda value, pattern: found(lambda pattern, text: re.search(pattern, text, re.DOTALL), pattern, value)
    ),
    "regex takes null for a text": operator_of("regex", lambda value, pattern: found(re.search, pattern, str(value))),
    "gt includes the limit": operator_of("gt", operators.OPERATORS["gte"]),
    "gte excludes the limit": operator_of("gte", operators.OPERATORS["gt"]),
    "lt includes the limit": operator_of("lt", operators.OPERATORS["lte"]),
    "lte excludes the limit": operator_of("lte", operators.OPERATORS["lt"]),
    "gt and lt exchanged": operator_of("gt", operators.OPERATORS["lt"]),
    "gt reads numbers in texts": operator_of(
        "gt", lambda value, expected: value is not None and float(value) > expected
    ),
    "exists reversed": operator_of("exists", lambda value, expected: (value is None) == expected),
    "exists by truth": operator_of("exists", lambda value, expected: bool(value) == expected),
    "has_any needs all": operator_of("has_any", operators.has_all),
    "has_all needs any": operator_of("has_all", operators.has_any),
    "has_any knows no texts": operator_of(
        "has_any", lambda value, expected: isinstance(value, list) and any(item in value for item in expected)
    ),
    "an operator turned round": function("holds", lambda predicate, value: not kept_holds(predicate, value)),
    "every predicate holds": function("holds", lambda predicate, value: True),
    **{
        f"{name} takes anything": operand_of(name)
        for name in conditions.OPERANDS
        if name not in {"eq", "ne", *operators.EXTENDED_OPERATORS}
    },
    "in takes no choice at all": lambda patch: patch.setitem(conditions.OPERANDS, "in", readers.array),
    "words are not looked up": refusal("one_of", lambda words, value, place, *, extended=True: str(value)),
    "names need not be unique": refusal("columns", lambda value, place: frozenset(value)),
    "depth is not bounded": refusal("refuse_depth", lambda spec: None),
    "any number counts": refusal("whole", lambda value, place, advice: value),
    "unknown keys are taken": refusal(
        "read_object", lambda value, place, words, required=(), *, extended=True: taken(value, place, required)
    ),
    "required keys may be missing": refusal(
        "read_object", lambda value, place, words, required=(), *, extended=True: taken(value, place)
    ),
    "any boolean": refusal("boolean", lambda value, place: bool(value)),
    "percent rounded": lambda patch: patch.setattr(verdict, "Score", rounded_score),
}

ENGINE: dict[str, Callable[..., Any]] = {"evaluate": evaluate}
kept_holds: Callable[..., bool] = match.holds
kept_score = verdict.Score
kept_keyed = readers.read_object


def taken(value: Any, place: str, required: tuple[str, ...] = ()) -> Any:
    given = readers.an_object(value, place)
    words = {name: SpecWord("any") for name in (*given, *required)}
    return kept_keyed(value, place, words, required)


def rounded_score(passed: int, total: int, percent: float) -> Any:
    return kept_score(passed, total, round(percent, 2))


def found(search: Callable[..., Any], pattern: str, value: Any) -> bool:
    try:
        return isinstance(value, str) and search(pattern, value) is not None
    except re.error:
        return False


def caught_by(vectors: list[dict[str, Any]]) -> list[str]:
    """Name the vectors whose answer differs from the expected one."""
    return [vector["name"] for vector in vectors if not is_answered_well(vector)]


def is_answered_well(vector: dict[str, Any]) -> bool:
    try:
        past = {"history": vector["history"]} if "history" in vector else {}
        judged = ENGINE["evaluate"](vector["spec"], vector.get("diff", {"inserts": []}), **past)
    except SpecError as error:
        return vector.get("refused", "nothing") in str(error)
    except (TypeError, ValueError, AttributeError, KeyError):
        return False
    answer = {"passed": judged.passed, "score": msgspec.to_builtins(judged.score), "failures": judged.failures}
    return answer.items() <= vector.items()


def test_the_true_checker_is_caught_by_no_vector(vectors: list[dict[str, Any]]) -> None:
    assert caught_by(vectors) == []


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_checker_is_caught(
    mutant: str, vectors: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTANTS[mutant](monkeypatch)
    assert caught_by(vectors) != []

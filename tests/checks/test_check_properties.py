"""What holds of every spec and every diff, tried on many."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twindiff.checks import evaluate, operators
from twindiff.checks.operators import EXTENDED_OPERATORS, OPERATORS

Json = Any

words = st.text("aAbé.({*+ ", max_size=4)
scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | words
values: st.SearchStrategy[Json] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=5
)
columns = st.sampled_from(["a", "b", "c"])
tables = st.sampled_from(["notes", "rooms", "box.notes"])
states = st.dictionaries(columns, values, max_size=3)
marks = st.sampled_from([{}, {"__twin__": "box"}, {"__twin__": "slack"}, {"__derived__": True}])


def row(table: str, state: dict[str, Json], mark: dict[str, Json]) -> dict[str, Json]:
    return {**state, "__table__": table, **mark}


def update(table: str, before: Json, after: Json, mark: dict[str, Json], derived: list[str]) -> dict[str, Json]:
    return {"__table__": table, **mark, "before": before, "after": after, "derived": derived}


rows = st.lists(st.builds(row, tables, states, marks), max_size=4)
updates = st.lists(st.builds(update, tables, states, states, marks, st.lists(columns, max_size=2)), max_size=4)
diffs = st.fixed_dictionaries({"inserts": rows, "updates": updates, "deletes": rows})

numbers = st.integers(-3, 3) | st.floats(-2, 2)
operands: dict[str, st.SearchStrategy[Json]] = {
    **dict.fromkeys([name for name in OPERATORS if name not in EXTENDED_OPERATORS], words),
    **dict.fromkeys(("eq", "ne"), values),
    **dict.fromkeys(("in", "not_in"), st.lists(values, min_size=1, max_size=3)),
    **dict.fromkeys(("gt", "gte", "lt", "lte"), numbers),
    **dict.fromkeys(("has_any", "has_all"), st.lists(values, max_size=3)),
    "exists": st.booleans(),
}
predicates = scalars | st.sampled_from(list(operands)).flatmap(
    lambda name: st.fixed_dictionaries({name: operands[name]})
)
counts = st.integers(0, 3) | st.dictionaries(st.sampled_from(["min", "max"]), st.integers(0, 3), min_size=1, max_size=2)
changes = st.fixed_dictionaries({}, optional={"from": predicates, "to": predicates})
assertions = st.fixed_dictionaries(
    {"diff_type": st.sampled_from(["added", "removed", "changed"]), "entity": tables},
    optional={
        "where": st.dictionaries(columns | st.just("a.b"), predicates, max_size=2),
        "expected_count": counts,
        "expected_changes": st.dictionaries(columns, changes, min_size=1, max_size=2),
        "ignore": st.lists(columns, max_size=2),
    },
)
specs = st.fixed_dictionaries(
    {"assertions": st.lists(assertions, min_size=1, max_size=3)},
    optional={
        "strict": st.booleans(),
        "ignore_fields": st.dictionaries(tables | st.just("global"), st.lists(columns, unique=True), max_size=2),
    },
)


def verdict(spec: Json, diff: Json) -> tuple[Json, ...]:
    judged = evaluate(spec, diff)
    return judged.passed, judged.score, sorted(judged.failures)


@settings(max_examples=150)
@given(specs, diffs)
def test_every_accepted_spec_judges_every_diff(spec: Json, diff: Json) -> None:
    judged = evaluate(spec, diff)
    assert judged.passed == (not judged.failures) == (judged.score.percent == 100)
    assert len(judged.explanations) == judged.score.total - judged.score.passed
    assert msgspec.json.decode(msgspec.json.encode(judged), type=type(judged)) == judged


@settings(max_examples=75)
@given(specs, diffs, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_verdict(spec: Json, diff: Json, chance: random.Random) -> None:
    shuffled = {name: chance.sample(entries, len(entries)) for name, entries in diff.items()}
    assert verdict(spec, shuffled) == verdict(spec, diff)


@settings(max_examples=75)
@given(specs, diffs, states, states)
def test_rows_of_a_table_that_no_assertion_names_change_no_verdict(
    spec: Json, diff: Json, before: Json, after: Json
) -> None:
    wider = {
        "inserts": [{**after, "__table__": "pins"}, *diff["inserts"]],
        "updates": [*diff["updates"], {"__table__": "pins", "before": before, "after": after}],
        "deletes": [{**before, "__table__": "pins"}, *diff["deletes"]],
    }
    assert verdict(spec, wider) == verdict(spec, diff)


@settings(max_examples=75)
@given(specs, diffs)
def test_an_update_of_derived_columns_alone_changes_no_verdict_that_does_not_name_one(spec: Json, diff: Json) -> None:
    consequence = {"__table__": "rooms", "before": {"seen": 1}, "after": {"seen": 2}, "derived": ["seen"]}
    wider = {**diff, "updates": [*diff["updates"], consequence]}
    assert verdict(spec, wider) == verdict(spec, diff)


def big_case(size: int) -> tuple[Json, Json]:
    """A diff of `size` rows in which no row is what any of 20 assertions wants, the costliest answer."""
    inserts = [{"__table__": "notes", "id": number, "text": f"note {number}"} for number in range(size)]
    wants = [
        {"diff_type": "added", "entity": "notes", "where": {"text": {"contains": f"{number}th"}}}
        for number in range(20)
    ]
    return {"assertions": wants}, {"inserts": inserts, "updates": [], "deletes": []}


def test_each_further_row_costs_as_much_as_those_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    monkeypatch.setitem(operators.OPERATORS, "contains", lambda value, part: compared.append(part) or part in value)
    cost: list[int] = []
    for size in (100, 200, 300):
        compared.clear()
        evaluate(*big_case(size))
        cost.append(len(compared))
    assert cost[2] - cost[1] == cost[1] - cost[0] <= 2 * 20 * 100


@pytest.mark.parametrize("levels", [100, 400, 900])
def test_a_deeply_nested_diff_is_judged_or_said_to_be_too_deep(levels: int) -> None:
    deep: Json = "bottom"
    for _ in range(levels):
        deep = [deep]
    other = [deep]
    diff = {
        "inserts": [{"__table__": "t", "v": deep}],
        "updates": [{"__table__": "t", "before": {"v": deep}, "after": {"v": other}}],
    }
    spec = {
        "assertions": [
            {"diff_type": "added", "entity": "t", "where": {"v": {"contains": "top"}}},
            {"diff_type": "changed", "entity": "t", "expected_changes": {"v": {"to": "x"}}},
        ]
    }
    failures = evaluate(spec, diff).failures
    assert len(failures) == 2
    assert all("expected at least 1" in text or "nested too deeply" in text for text in failures)

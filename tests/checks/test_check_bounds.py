"""What a spec and a diff of any size may cost, and what of it is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from tests.checks.test_check_properties import diffs, specs, verdict
from tests.harness import Environment, Platform
from twindiff.checks import SpecError, evaluate, is_long, match, operators, parse
from twindiff.kit.suggestions import nearest

Json = Any


class CountedName(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedName.compared += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def in_a_row(count: int) -> Json:
    """So many assertions, each after the one before it."""
    added = {"diff_type": "added", "entity": "notes"}
    after = [{"after": [CountedName(f"a{number - 1}")]} if number else {} for number in range(count)]
    return {
        "version": "1",
        "assertions": [{**added, "id": CountedName(f"a{number}"), **after[number]} for number in range(count)],
    }


def test_twice_the_assertions_cost_twice_the_comparisons_of_names() -> None:
    cost: list[int] = []
    for count in (200, 400):
        CountedName.compared = 0
        parse(in_a_row(count))
        cost.append(CountedName.compared)
    assert cost[1] < 3 * cost[0]


def test_an_unknown_id_among_many_is_told_with_some_of_them() -> None:
    spec = in_a_row(500)
    spec["assertions"][7]["after"] = ["b1"]
    with pytest.raises(SpecError, match=r"Known: a0, a1, .* and 459 more\.$"):
        parse(spec)


def test_a_name_that_is_no_slip_of_the_hand_is_compared_with_nothing() -> None:
    assert nearest("mesages", ["channels", "messages"]) == "messages"
    assert nearest("mesages" * 130_000, ["messages" * 130_000]) is None


@pytest.mark.parametrize(("count", "is_so"), [(10, False), (1_000, True)])
def test_a_spec_of_many_parts_is_long(count: int, is_so: bool) -> None:
    assert is_long(in_a_row(count)) == is_so


def test_explanations_share_the_rows_that_they_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("twindiff.checks.explain.ROWS_COMPARED", 100)
    compared: list[str] = []
    monkeypatch.setitem(operators.OPERATORS, "contains", lambda value, part: compared.append(part) or part in value)
    wants = [{"diff_type": "added", "entity": "notes", "where": {"text": {"contains": f"{n}th"}}} for n in range(10)]
    rows = [{"__table__": "notes", "text": f"note {number}"} for number in range(1_000)]
    judged = evaluate({"assertions": wants}, {"inserts": rows})
    assert [len(why.nearest) for why in judged.explanations] == [3] * 10
    assert len(compared) < 10 * 1_000 + 2 * 100


def test_of_very_many_failures_the_first_are_said_and_the_rest_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "MAX_FAILURES", 3)
    rows = [{"__table__": "notes", "before": {"a": 1, "id": n}, "after": {"a": 2, "id": n}} for n in range(5)]
    asked = {"diff_type": "changed", "entity": "notes", "expected_changes": {"b": {}}}
    failures = evaluate({"assertions": [asked]}, {"updates": rows}).failures
    assert failures[:3] == ["assertion#1 notes changed fields ['a'] not subset of expected ['b']"] * 3
    assert failures[3:] == ["assertion#1 notes failed 3 more times"]


@settings(max_examples=150)
@given(specs, diffs)
def test_rows_found_by_a_value_are_those_found_one_by_one(spec: Json, diff: Json) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "FEW_ROWS", 0)
        by_value = verdict(spec, diff)
    assert by_value == verdict(spec, diff)


@pytest.mark.parametrize(
    ("operator", "value", "count"), [("eq", "note 7", 1), ("ne", "note 7", 99), ("contains", "note 1", 11)]
)
def test_each_operator_finds_its_rows_among_many(operator: str, value: str, count: int) -> None:
    rows = [{"__table__": "notes", "text": f"note {number}"} for number in range(100)]
    asked = {"diff_type": "added", "entity": "notes", "where": {"text": {operator: value}}, "expected_count": count}
    assert evaluate({"assertions": [asked]}, {"inserts": rows}).failures == []


@pytest.mark.parametrize(("before", "after"), [(1, True), (1, 1.0), ({"on": True}, {"on": 1})])
@pytest.mark.parametrize(("version", "passed"), [("1", False), ("0.1", True)])
def test_the_extended_language_takes_for_changed_what_a_diff_takes_for_it(
    version: str, passed: bool, before: Json, after: Json
) -> None:
    diff = {"updates": [{"__table__": "notes", "before": {"value": before}, "after": {"value": after}}]}
    none_changed = {"diff_type": "changed", "entity": "notes", "expected_count": 0}
    spec = {"version": version, "assertions": [{**none_changed, "expected_changes": {"value": {}}}]}
    assert evaluate(spec, diff).passed == passed


def test_unchanged_fails_where_true_has_become_1() -> None:
    diff = {"updates": [{"__table__": "notes", "before": {"value": True}, "after": {"value": 1}}]}
    spec = {"version": "1", "assertions": [{"diff_type": "unchanged", "entity": "notes"}]}
    assert evaluate(spec, diff).failures == ["assertion#1 notes expected unchanged but got 1"]


def test_a_spec_of_thousands_of_assertions_is_judged(platform: Platform) -> None:
    env: Environment = platform.environment()
    run = platform.start(env)
    env.post("hello")
    wants = [{"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}}] * 5_000
    answer = platform.evaluate(run, *wants)
    assert (answer["passed"], answer["score"]["total"]) == (True, 5_000)

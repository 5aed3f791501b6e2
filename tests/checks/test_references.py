"""References: a check of one row by what another row has."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.harness import Platform
from twindiff.checks import Explanation, KnownTables, SpecError, evaluate, known_to, match, parse
from twindiff.environments.registry import Registry

Json = Any

INVOICE: Json = {"id": "invoice", "diff_type": "added", "entity": "invoices", "where": {"total": 5}}
ITEM: Json = {"diff_type": "added", "entity": "items", "where": {"invoice": {"ref": "invoice.id"}}}
TABLES = KnownTables({"shop": {"invoices": ["id", "total"], "items": ["id", "invoice"]}})

cells = st.sampled_from([None, "", "a", "b", "ab", 0, 1, True, ["a"], {"a": 1}])
columns = st.sampled_from(["x", "y"])
tables = st.sampled_from(["s", "t"])
rows = st.fixed_dictionaries({"__table__": tables, "x": cells, "y": cells})


@st.composite
def specs(draw: st.DrawFn) -> Json:
    """Assertions that each refer to earlier ones, in any order."""
    made: list[Json] = []
    for number in range(draw(st.integers(1, 4))):
        where: Json = {}
        for column in draw(st.lists(columns, unique=True)):
            other = draw(st.integers(0, number))
            reference = {"ref": f"a{other}.{draw(columns)}"}
            if other == number or reference["ref"][:2] in str(where):
                where[column] = draw(st.sampled_from(["a", "b", 1]))
            else:
                operators = [reference, {"contains": reference}, {"has_any": reference}, {"not": reference}]
                where[column] = draw(st.sampled_from(operators))
        count = draw(st.integers(1, 2) | st.just({"min": 0}))
        made.append(
            {"id": f"a{number}", "diff_type": "added", "entity": draw(tables), "where": where, "expected_count": count}
        )
    return {"version": "1", "assertions": draw(st.permutations(made))}


def holds(asked: Json, value: Json, spec: Json, inserts: list[Json]) -> bool:
    """Whether a value is as asked, by looking at every row that counts for what is referred to, one after the other."""
    if not isinstance(asked, dict):
        return value == asked
    ((operator, operand),) = asked.items()
    if operator == "not":
        return not holds(operand, value, spec, inserts)
    name, _, path = (operand if operator == "ref" else operand["ref"]).partition(".")
    (other,) = [each for each in spec["assertions"] if each["id"] == name]
    for row in counting(other, spec, inserts):
        there = row[path]
        if there is None or there == "" or isinstance(there, list | dict):
            continue
        if operator == "ref" and not isinstance(value, list | dict) and value == there:
            return True
        if operator == "contains" and isinstance(value, str) and str(there) in value:
            return True
        if (
            operator == "contains"
            and isinstance(value, list | dict)
            and str(there) in ('["a"]', '{"a":1}')[isinstance(value, dict)]
        ):
            return True
        if operator == "has_any" and isinstance(value, list) and there in value:
            return True
        if operator == "has_any" and isinstance(value, str) and isinstance(there, str) and there in value:
            return True
    return False


def counting(assertion: Json, spec: Json, inserts: list[Json]) -> list[Json]:
    return [
        row
        for row in inserts
        if row["__table__"] == assertion["entity"]
        and all(holds(asked, row[column], spec, inserts) for column, asked in assertion["where"].items())
    ]


@settings(max_examples=300)
@given(specs(), st.lists(rows, max_size=6))
def test_a_reference_finds_what_going_through_all_rows_finds(spec: Json, inserts: list[Json]) -> None:
    wrong: list[int] = []
    for number, assertion in enumerate(spec["assertions"], 1):
        got, count = len(counting(assertion, spec, inserts)), assertion["expected_count"]
        if count not in (got, {"min": 0}):
            wrong.append(number)
    verdict = evaluate(spec, {"inserts": inserts})
    assert [why.assertion for why in verdict.explanations] == wrong


@settings(max_examples=100)
@given(specs(), st.lists(rows, max_size=6))
def test_rows_found_by_a_value_are_those_found_one_by_one(spec: Json, inserts: list[Json]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "FEW_ROWS", 0)
        by_value = evaluate(spec, {"inserts": inserts})
    assert by_value == evaluate(spec, {"inserts": inserts})


@settings(max_examples=100)
@given(specs(), st.lists(rows, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_assertions_changes_no_verdict(spec: Json, inserts: list[Json], chance: random.Random) -> None:
    shuffled = {**spec, "assertions": chance.sample(spec["assertions"], len(spec["assertions"]))}
    assert evaluate(shuffled, {"inserts": inserts}).score == evaluate(spec, {"inserts": inserts}).score


def explained(*inserts: Json) -> list[Explanation]:
    spec = {"version": "1", "assertions": [ITEM, INVOICE]}
    return evaluate(spec, {"inserts": list(inserts)}).explanations


def test_a_failure_says_what_is_referred_to_and_what_that_row_has() -> None:
    invoice = {"__table__": "invoices", "id": "in_1", "total": 5}
    (why,) = explained(invoice, {"__table__": "items", "id": "ii_1", "invoice": "in_2"})
    assert why.text == (
        "Expected at least 1 row of items to be added, got 0. "
        'In the nearest row invoice should be the id of \'invoice\', "in_1", but is "in_2".'
    )
    assert why.nearest[0].differs[0].expected == {"ref": "invoice.id", "in": ["in_1"]}


def test_a_failure_says_that_no_row_counts_for_what_is_referred_to() -> None:
    cheap = {"__table__": "invoices", "id": "in_1", "total": 4}
    why, other = explained(cheap, {"__table__": "items", "id": "ii_1", "invoice": "in_1"})
    assert "invoice should be the id of 'invoice', for which no row counts, but is \"in_1\"." in why.text
    assert "In the nearest row total should be 5 but is 4." in other.text


def test_what_refers_to_rows_that_are_not_known_cannot_be_judged() -> None:
    unknown = {**INVOICE, "where": {"id": {"regex": "(a+)+$"}}}
    inserts = [{"__table__": "invoices", "id": "a" * 40 + "!"}, {"__table__": "items", "invoice": "in_1"}]
    verdict = evaluate({"version": "1", "assertions": [{**ITEM, "expected_count": 0}, unknown]}, {"inserts": inserts})
    assert verdict.failures[0] == "assertion#1 items cannot be judged: which rows count for 'invoice' is not known"


def test_a_text_is_looked_through_for_a_hundred_values_and_not_for_more() -> None:
    asked = {**ITEM, "where": {"text": {"contains": {"ref": "invoice.id"}}}}
    rows = [{"__table__": "invoices", "id": f"in_{number}_", "total": 5} for number in range(101)]
    text = {"__table__": "items", "text": "for in_99_"}
    spec = {"version": "1", "assertions": [INVOICE, asked]}
    assert evaluate(spec, {"inserts": [*rows[:100], text]}).passed
    assert evaluate(spec, {"inserts": [*rows, text]}).failures == [
        "assertion#2 items cannot be judged: contains refers to 101 values, more than 100"
    ]


def test_twice_the_rows_on_both_sides_cost_twice_the_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []
    kept = match.value_at
    monkeypatch.setattr(match, "value_at", lambda row, path: looks.append(path) or kept(row, path))
    cost: list[int] = []
    for size in (100, 200):
        looks.clear()
        rows = [{"__table__": "invoices", "id": f"in_{number}", "total": 5} for number in range(size)]
        items = [{"__table__": "items", "invoice": f"in_{number}"} for number in range(size)]
        wants = [{**ITEM, "expected_count": size}] * 5
        assert evaluate({"version": "1", "assertions": [INVOICE, *wants]}, {"inserts": [*rows, *items]}).passed
        cost.append(len(looks))
    assert cost[1] <= 2 * cost[0] <= 2 * 100 * (1 + 5 + 1 + 1)


def test_thousands_of_assertions_may_refer_to_each_other_in_a_row() -> None:
    chain = [
        {
            "id": f"a{number}",
            "diff_type": "added",
            "entity": "t",
            "where": {"up": {"ref": f"a{number - 1}.id"}} if number else {"id": 0},
        }
        for number in range(1_000)
    ]
    inserts = [{"__table__": "t", "id": number, "up": number - 1} for number in range(1_000)]
    assert evaluate({"version": "1", "assertions": chain[::-1]}, {"inserts": inserts}).passed


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (
            {**ITEM, "where": {"invoice": {"ref": "invoice.ids"}}},
            "assertions[1].where.invoice: invoices has no column 'ids'. Did you mean 'id'?",
        ),
        (
            {**ITEM, "where": {"invoise": {"ref": "invoice.id"}}},
            "assertions[1].where.invoise: items has no column 'invoise'. Did you mean 'invoice'?",
        ),
    ],
)
def test_a_misspelt_column_that_is_referred_to_is_refused(item: Json, said: str) -> None:
    with pytest.raises(SpecError) as refusal:
        evaluate(
            {"version": "1", "assertions": [INVOICE, {**item, "expected_count": 0}]}, {"inserts": []}, None, TABLES
        )
    assert str(refusal.value) == said


def references_of(value: Json) -> list[str]:
    """Every reference in a spec, as it is written."""
    if isinstance(value, list):
        return [each for item in value for each in references_of(item)]
    if not isinstance(value, dict):
        return []
    own = [value["ref"]] if isinstance(value.get("ref"), str) else []
    return own + [each for item in value.values() for each in references_of(item)]


def test_no_misspelt_reference_of_the_stripe_suite_goes_unnoticed() -> None:
    suite = json.loads((Path(__file__).parents[2] / "examples" / "stripe_suite.json").read_text())
    known = known_to((Registry.load_installed().schemas["stripe"],))
    tried = 0
    for test in suite["tests"]:
        spec = {"version": "1", "assertions": test["assertions"]}
        evaluate(spec, {"inserts": []}, {"records": [], "calls": []}, known)
        for written in references_of(spec):
            id, _, column = written.partition(".")
            for slip in (f"{id[:-1]}.{column}", f"{id}.{column}q"):
                misspelt = json.loads(json.dumps(spec).replace(f'"ref": "{written}"', f'"ref": "{slip}"'))
                with pytest.raises(SpecError, match=r"refers to no other assertion's id|has no column"):
                    evaluate(misspelt, {"inserts": []}, {"records": [], "calls": []}, known)
                tried += 1
    assert tried == 26


def test_a_refusal_of_a_reference_says_what_ids_there_are() -> None:
    with pytest.raises(SpecError, match=r"Did you mean 'invoice'\? Known: invoice\.$"):
        parse({"version": "1", "assertions": [INVOICE, {**ITEM, "where": {"invoice": {"ref": "invoise.id"}}}]})


def test_a_server_judges_a_thread_by_the_message_that_began_it(platform: Platform) -> None:
    env = platform.environment()
    run = platform.start(env)
    first = env.post("Who is on call?")
    env.post("I am", thread_ts=first)
    asked: Json = {
        "id": "asked",
        "diff_type": "added",
        "entity": "messages",
        "where": {"message_text": "Who is on call?"},
    }
    answered: Json = {"diff_type": "added", "entity": "messages", "where": {"parent_id": {"ref": "asked.message_id"}}}
    spec = {"version": "1", "closed_world": True, "assertions": [asked, answered]}
    assert platform.post("evaluateRun", {"runId": run, "expectedOutput": spec})["passed"]
    elsewhere = {**asked, "where": {"message_text": "I am"}}
    refused = platform.post(
        "evaluateRun", {"runId": run, "expectedOutput": {**spec, "assertions": [elsewhere, answered]}}
    )
    assert not refused["passed"]

"""Formulas against documented examples (https://www.notion.com/help/formula-syntax), and what is refused."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ..formulas.evaluation import Evaluator, check_formula
from ..formulas.formula_values import DateValue, parse_date_value
from ..formulas.references import write_formula
from ..formulas.syntax import FormulaError, parse_formula
from .conftest import Notion

EXAMPLES = [
    line.split("\t") for line in (Path(__file__).parent / "formula_examples.tsv").read_text("utf-8").splitlines()
]
NOW = datetime(2023, 7, 10, 17, 35, 20, tzinfo=UTC)
VALUES = {
    "Price": 42, "Name": "Desk", "Tags": ["new", "oak"], "Done": False, "Due": parse_date_value("2026-03-01"),
    "Nothing": None,
}  # fmt: skip


def evaluate(text: str) -> Any:
    return to_json(Evaluator("page", VALUES.__getitem__, NOW).evaluate(parse_formula(text)))


def to_json(value: Any) -> Any:
    if isinstance(value, DateValue):
        parts = [value.start, *([value.end] if value.end else [])]
        return "/".join(each.isoformat() if value.has_time else each.date().isoformat() for each in parts)
    return [to_json(each) for each in value] if isinstance(value, list) else value


def test_documented_examples_have_the_documented_results():
    assert len(EXAMPLES) >= 150
    results = {text: evaluate(text) for text, _ in EXAMPLES}
    assert results == {text: json.loads(expected) for text, expected in EXAMPLES}


def test_a_formula_written_anew_has_the_same_result_and_is_written_the_same():
    texts = {text: write_formula(parse_formula(text), lambda key: None) for text, _ in EXAMPLES}
    assert {text: evaluate(again) for text, again in texts.items()} == {text: evaluate(text) for text in texts}
    assert [again for again in texts.values() if write_formula(parse_formula(again), lambda key: None) != again] == []


def check_and_evaluate(text: str) -> Any:
    check_formula(parse_formula(text), VALUES.__contains__)
    return evaluate(text)


INVALID = [
    "1 +", "foo(1)", "length()", "(1", "prop(\"Missing\")", "x + 1", "let(a, 1)", "1 2", '"open', "[1, 2", "#",
    "map([1])", "(" * 500 + ")" * 500,
]  # fmt: skip


@pytest.mark.parametrize("text", INVALID)
def test_a_formula_that_is_not_valid_is_refused(text: str):
    with pytest.raises(FormulaError):
        check_and_evaluate(text)


LONG = [
    'repeat("x", 1000000000)', 'padStart("x", 1e9)', 'test("a".repeat(40), "(a+)+$")', "2 ^ 99999",
    "fromTimestamp(1e300)",
    'dateAdd(today(), 1e9, "years")', "map(map(map(split(repeat(\"a,\", 90)), split(repeat(\"a,\", 90))), current), 1)",
]  # fmt: skip


@pytest.mark.parametrize("text", LONG)
def test_a_formula_that_would_take_long_ends(text: str):
    with suppress(FormulaError):
        assert len(str(evaluate(text))) < 100_000


def test_formulas_are_computed_from_the_page_and_kept_by_the_ids_of_properties(notion: Notion):
    source = notion.source({"Price": {"number": {}}, "Twice": {"formula": {"expression": 'prop("Price")*2+1'}}})
    row = notion.row(source, "desk", Price={"number": 4})
    assert row["properties"]["Twice"]["formula"] == {"type": "number", "number": 9}
    changed = notion("PATCH", f"data_sources/{source}", {"properties": {"Price": {"name": "Cost"}}})
    expression = changed["properties"]["Twice"]["formula"]["expression"]
    assert re.fullmatch(r"\({{notion:block_property:Price:[^}]+}} \* 2\) \+ 1", expression)
    assert notion("GET", f"pages/{row['id']}")["properties"]["Twice"]["formula"]["number"] == 9
    wrong = {"properties": {"Bad": {"formula": {"expression": 'prop("Missing") + 1'}}}}
    assert notion.refused("PATCH", f"data_sources/{source}", wrong)[:2] == (400, "validation_error")


def test_formulas_reach_related_pages_and_each_other(notion: Notion):
    people = notion.source({"Rate": {"number": {}}}, title="People")
    relation = {"relation": {"data_source_id": people, "type": "single_property", "single_property": {}}}
    tasks = notion.source({"Owner": relation})
    rates = {"expression": 'prop("Owner").map(current.prop("Rate")).sum()'}
    added = {"Cost": {"formula": rates}, "Text": {"formula": {"expression": '"costs " + prop("Cost")'}}}
    for name, each in added.items():
        notion("PATCH", f"data_sources/{tasks}", {"properties": {name: each}})
    ada = notion.row(people, "Ada", Rate={"number": 70})["id"]
    shown = notion.row(tasks, "Write", Owner={"relation": [{"id": ada}]})["properties"]
    assert (shown["Cost"]["formula"]["number"], shown["Text"]["formula"]["string"]) == (70, "costs 70")

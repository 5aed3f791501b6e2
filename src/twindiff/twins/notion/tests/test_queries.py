"""Queries: filters against a naive model, compound filters, sorts, pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import ADA, Notion

Row = dict[str, Any]
SCHEMA: dict[str, Any] = {
    "Text": {"rich_text": {}}, "Number": {"number": {}}, "Choice": {"select": {}}, "Tags": {"multi_select": {}},
    "Day": {"date": {}}, "Done": {"checkbox": {}}, "Who": {"people": {}}, "Link": {"url": {}},
}  # fmt: skip
ROWS: list[Row] = [
    {
        "Text": "alpha",
        "Number": 1,
        "Choice": "A",
        "Tags": ["x"],
        "Day": "2026-01-05",
        "Done": True,
        "Who": [ADA],
        "Link": "https://a.b",
    },
    {"Text": "Alphabet", "Number": 2.5, "Choice": "B", "Tags": ["x", "y"], "Day": "2026-02-01", "Done": False},
    {"Text": "", "Number": -3, "Choice": None, "Tags": [], "Day": None, "Done": True},
    {"Text": "beta", "Number": None, "Choice": "A", "Tags": ["y"], "Day": "2026-01-05", "Done": False, "Who": [ADA]},
    {"Text": "Beta 10", "Number": 10, "Choice": "C", "Tags": ["z"], "Day": "2025-12-31", "Done": False},
    {"Text": "beta 9", "Number": 1, "Choice": "B", "Tags": ["x", "z"], "Day": "2026-03-01", "Done": True},
]
PACK: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "Text": ("rich_text", lambda value: [{"text": {"content": value}}]),
    "Number": ("number", lambda value: value),
    "Choice": ("select", lambda value: value and {"name": value}),
    "Tags": ("multi_select", lambda value: [{"name": each} for each in value]),
    "Day": ("date", lambda value: value and {"start": value}),
    "Done": ("checkbox", lambda value: value),
    "Who": ("people", lambda value: [{"id": each} for each in value]),
    "Link": ("url", lambda value: value),
}
TEXTS = ["alpha", "ALPHA", "beta", "a", "t 9", "", "nothing"]
DAYS = ["2026-01-05", "2026-01-31", "2025-12-31", "2030-01-01"]


def fold(value: Any) -> str:
    return (value or "").casefold()


MODEL: dict[str, Callable[[Any, Any], bool]] = {
    "contains": lambda value, wanted: fold(wanted) in fold(value) if not isinstance(value, list) else wanted in value,
    "starts_with": lambda value, wanted: fold(value).startswith(fold(wanted)),
    "ends_with": lambda value, wanted: fold(value).endswith(fold(wanted)),
    "greater_than": lambda value, wanted: value is not None and value > wanted,
    "less_than": lambda value, wanted: value is not None and value < wanted,
    "greater_than_or_equal_to": lambda value, wanted: value is not None and value >= wanted,
    "less_than_or_equal_to": lambda value, wanted: value is not None and value <= wanted,
    "before": lambda value, wanted: value is not None and value < wanted,
    "after": lambda value, wanted: value is not None and value > wanted,
    "on_or_before": lambda value, wanted: value is not None and value <= wanted,
    "on_or_after": lambda value, wanted: value is not None and value >= wanted,
    "is_empty": lambda value, wanted: value in (None, "", []),
    "is_not_empty": lambda value, wanted: value not in (None, "", []),
}
MODEL["equals"] = lambda value, wanted: fold(value) == fold(wanted) if isinstance(wanted, str) else value == wanted
MODEL["does_not_equal"] = lambda value, wanted: not MODEL["equals"](value, wanted)
MODEL["does_not_contain"] = lambda value, wanted: not MODEL["contains"](value, wanted)
EXISTS = ["is_empty", "is_not_empty"]
CASES: dict[str, tuple[list[str], st.SearchStrategy[Any]]] = {
    "Text": (
        ["equals", "does_not_equal", "contains", "does_not_contain", "starts_with", "ends_with"],
        st.sampled_from(TEXTS),
    ),
    "Number": (
        ["equals", "does_not_equal", *[name for name in MODEL if "than" in name]],
        st.sampled_from([-3, 0, 1, 2.5, 10]),
    ),
    "Choice": (["equals", "does_not_equal"], st.sampled_from(["A", "B", "C"])),
    "Tags": (["contains", "does_not_contain"], st.sampled_from(["x", "y", "z", "w"])),
    "Day": (["equals", "before", "after", "on_or_before", "on_or_after"], st.sampled_from(DAYS)),
    "Who": (["contains", "does_not_contain"], st.just(ADA)),
    "Link": (["contains", "equals"], st.sampled_from(["https://a.b", "a", "z"])),
}


@st.composite
def conditions(draw: st.DrawFn) -> Row:
    name = draw(st.sampled_from([*CASES, "Done"]))
    kind = PACK[name][0]
    if name == "Done":
        return {"property": name, kind: {draw(st.sampled_from(["equals", "does_not_equal"])): draw(st.booleans())}}
    operators, values = CASES[name]
    operator = draw(st.sampled_from([*operators, *EXISTS]))
    return {"property": name, kind: {operator: True if operator in EXISTS else draw(values)}}


def combine(inner: st.SearchStrategy[Row]) -> st.SearchStrategy[Row]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.tuples(st.sampled_from(["and", "or"]), several).map(lambda pair: {pair[0]: pair[1]})


compounds = st.recursive(conditions(), combine, max_leaves=4)


def holds(row: Row, condition: Row) -> bool:
    """Whether a row meets a filter, as the documentation tells it."""
    for name, combine in (("and", all), ("or", any)):
        if name in condition:
            return combine(holds(row, each) for each in condition[name])
    [(operator, wanted)] = condition[PACK[condition["property"]][0]].items()
    value = row.get(condition["property"], [] if condition["property"] == "Who" else None)
    return MODEL[operator](value, wanted)


def depth_of(condition: Row) -> int:
    inner = condition.get("and") or condition.get("or")
    return 1 + max(map(depth_of, inner)) if inner else 0


@pytest.fixture(scope="module")
def table(workspace: Any) -> tuple[Notion, str]:
    """A data source with the rows of the model, named by their number."""
    notion = workspace()
    source = notion.source(SCHEMA)
    for number, row in enumerate(ROWS):
        values = {name: {PACK[name][0]: PACK[name][1](value)} for name, value in row.items()}
        notion.row(source, str(number), **values)
    return notion, source


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(condition=compounds)
def test_filters_let_through_what_a_naive_model_does(table: tuple[Notion, str], condition: Row):
    notion, source = table
    if depth_of(condition) > 2:
        assert notion.refused("POST", f"data_sources/{source}/query", {"filter": condition})[1] == "validation_error"
    else:
        expected = [str(number) for number, row in enumerate(ROWS) if holds(row, condition)]
        assert sorted(notion.names(source, filter=condition)) == expected


SORTS: list[tuple[list[Row], list[str]]] = [
    ([], ["5", "4", "3", "2", "1", "0"]),
    ([{"property": "Number", "direction": "ascending"}], ["2", "5", "0", "1", "4", "3"]),
    ([{"property": "Number", "direction": "descending"}], ["4", "1", "5", "0", "2", "3"]),
    ([{"property": "Text", "direction": "ascending"}], ["0", "1", "3", "5", "4", "2"]),
    (
        [{"property": "Choice", "direction": "ascending"}, {"property": "Number", "direction": "descending"}],
        ["0", "3", "1", "5", "4", "2"],
    ),
    ([{"property": "Day", "direction": "descending"}], ["5", "1", "3", "0", "4", "2"]),
    ([{"property": "Done", "direction": "ascending"}], ["4", "3", "1", "5", "2", "0"]),
    ([{"timestamp": "created_time", "direction": "ascending"}], ["0", "1", "2", "3", "4", "5"]),
]


@pytest.mark.parametrize(("sorts", "expected"), SORTS)
def test_sorts_put_pages_in_order_and_empty_values_last(
    table: tuple[Notion, str], sorts: list[Row], expected: list[str]
):
    notion, source = table
    assert notion.names(source, sorts=sorts) == expected


def test_results_come_in_pages_that_join_without_gaps(table: tuple[Notion, str]):
    notion, source = table
    for query in (
        {},
        {"sorts": [{"property": "Number", "direction": "ascending"}]},
        {"filter": {"property": "Done", "checkbox": {"equals": True}}},
    ):
        whole, cursor, joined = notion.names(source, **query), None, []
        while True:
            page = notion("POST", f"data_sources/{source}/query", {**query, "page_size": 2, "start_cursor": cursor})
            joined += [each["properties"]["Name"]["title"][0]["plain_text"] for each in page["results"]]
            cursor = page["next_cursor"]
            if not page["has_more"]:
                break
        assert joined == whole


def test_only_the_properties_that_are_asked_for_are_shown(table: tuple[Notion, str]):
    notion, source = table
    for asked in ("filter_properties=Number&filter_properties=title", "filter_properties=Number,%254Eame"):
        found = notion("POST", f"data_sources/{source}/query?{asked}", {})["results"][0]
        page = notion("GET", f"pages/{found['id']}?{asked}")
        assert {*found["properties"]} == {*page["properties"]} == {"Number", "Name"}, asked
    wrong = [("POST", f"data_sources/{source}/query", {}), ("GET", f"pages/{found['id']}", None)]
    for verb, path, body in wrong:
        assert "Nope" in notion.refused(verb, f"{path}?filter_properties=Nope", body)[2], path


def test_dates_are_compared_with_the_environment_s_today(workspace: Any):
    notion = workspace(clock={"mode": "frozen", "start": "2026-03-18T12:00:00"})
    source = notion.source({"Day": {"date": {}}})
    for day in ("2026-03-18", "2026-03-12", "2026-03-20", "2026-02-20", "2026-04-10", "2025-06-01"):
        notion.row(source, day, Day={"date": {"start": day}})
    expected = {
        "this_week": {"2026-03-18", "2026-03-20"}, "past_week": {"2026-03-18", "2026-03-12"},
        "next_week": {"2026-03-18", "2026-03-20"}, "past_month": {"2026-03-18", "2026-03-12", "2026-02-20"},
        "next_month": {"2026-03-18", "2026-03-20", "2026-04-10"},
    }  # fmt: skip
    found = {name: {*notion.names(source, filter={"property": "Day", "date": {name: {}}})} for name in expected}
    assert found == expected
    today = {"property": "Day", "date": {"equals": "today"}}
    assert notion.names(source, filter=today) == [date(2026, 3, 18).isoformat()]


WRONG: list[tuple[Row, str]] = [
    ({"filter": {"property": "Nope", "number": {"equals": 1}}}, "Could not find property with name or id: Nope"),
    (
        {"filter": {"property": "Number", "select": {"equals": "A"}}},
        "database property number does not match filter select",
    ),
    (
        {"filter": {"property": "Number", "number": {"contains": 1}}},
        "body.filter.number.contains should be not present",
    ),
    ({"filter": {"property": "Number", "number": {"equals": "1"}}}, "body.filter.number.equals should be a number"),
    ({"filter": {"property": "Number"}}, "body.filter.number should be defined"),
    ({"filter": {"and": {}}}, "body.filter.and should be an array"),
    ({"filter": []}, "body.filter should be an object"),
    ({"filter": {"timestamp": "born", "born": {}}}, "body.filter.timestamp should be"),
    ({"filter": {"property": "Day", "date": {"before": "soon"}}}, "should be a valid ISO 8601 date string"),
    ({"sorts": [{"property": "Nope", "direction": "ascending"}]}, "Could not find sort property"),
    ({"sorts": [{"property": "Number", "direction": "up"}]}, "body.sorts[0].direction should be"),
    ({"sorts": {}}, "body.sorts should be an array"),
    ({"start_cursor": "00000000-0000-4000-8000-000000000001"}, "start_cursor provided is invalid"),
    ({"page_size": 0}, "body.page_size should be ≥ `1`"),
    ({"colour": 1}, "body.colour should be not present"),
]


@pytest.mark.parametrize(("body", "message"), WRONG, ids=[each[1][:40] for each in WRONG])
def test_queries_that_make_no_sense_are_refused(table: tuple[Notion, str], body: Row, message: str):
    notion, source = table
    status, code, told = notion.refused("POST", f"data_sources/{source}/query", body)
    assert (status, code, message in told) == (400, "validation_error", True), told


@pytest.mark.parametrize("kind", ["select", "status"])
def test_a_filter_names_an_option_that_there_is(notion: Notion, kind: str):
    source = notion.source({"Stage": {kind: {"options": [{"name": "Open"}, {"name": "Shut"}]}}})
    path = f"data_sources/{source}/query"
    for name in ("equals", "does_not_equal"):
        asked = {"filter": {"property": "Stage", kind: {name: "Ajar"}}}
        wanted = f'{kind} option "Ajar" not found for property "Stage". Available options: "Open", "Shut".'
        assert notion.refused("POST", path, asked) == (400, "validation_error", wanted)
        notion("POST", path, {"filter": {"property": "Stage", kind: {name: "Open"}}})
    notion("POST", path, {"filter": {"property": "Stage", kind: {"is_empty": True}}})

"""Requests that ask for far too much are refused in Linear's words, in few bytes, and write nothing."""

import pytest

from tests.server_mode import embedded_only
from twindiff.storage import deadline

from .conftest import ENG

FILTER = "query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }"


def aliased(count, field):
    return f"{{ {' '.join(f'a{number}: {field}' for number in range(count))} }}"


def nested(levels):
    condition = {"title": {"eq": "none"}}
    for _ in range(levels):
        condition = {"assignee": {"assignedIssues": {"some": condition}}}
    return condition


@pytest.fixture
def refused(linear):
    """The message of a refusal, which is one of Linear's for queries that are too complex."""

    def refuse(query, **variables):
        answer = linear.http(json={"query": query, "variables": variables})
        assert (answer.status_code, len(answer.content) < 1_000) == (400, True)
        (error,) = answer.json()["errors"]
        assert (error["extensions"]["type"], error["extensions"]["code"]) == ("ratelimited", "RATELIMITED")
        return error["extensions"]["userPresentableMessage"]

    return refuse


@pytest.mark.parametrize(
    "query",
    [
        aliased(190, "__schema { types { name fields { name } } }"),
        aliased(60, "__schema { types { fields { type { fields { name } } } } }"),
        f"{{ viewer {{ id }} {aliased(60, '__schema { types { fields { type { fields { name } } } } }')[1:]}",
    ],
)
def test_introspection_over_and_over(refused, query):
    assert "more than 200,000 values" in refused(query)


@pytest.mark.parametrize(
    ("count", "says"), [(20_000, "hold more than 10,000 values"), (3_000, "more than 500 conditions")]
)
def test_filters_of_thousands_of_conditions(refused, count, says):
    conditions = {"or": [{"title": {"contains": f"word {number}"}} for number in range(count)]}
    assert says in refused(FILTER, f=conditions)


def test_relations_through_more_than_eight_others(refused):
    assert "more than 8 relations" in refused(FILTER, f=nested(5))


@pytest.fixture
def late(monkeypatch):
    """Let every operation be late from its beginning."""
    for name in ("BRIEF_SECONDS", "WHOLE_SECONDS"):
        monkeypatch.setattr(deadline, name, -1.0)
    return monkeypatch


@embedded_only("there the database stops statements")
def test_a_filter_that_takes_longer_than_it_may(refused, late):
    assert "longer than two seconds" in refused(FILTER, f=nested(2))


@embedded_only("there the database stops statements")
def test_a_mutation_that_takes_longer_than_it_may_writes_nothing(linear, refused, late):
    query = f'mutation {{ issueCreate(input: {{ teamId: "{ENG}", title: "x" }}) {{ success }} }}'
    assert "longer than two seconds" in refused(query)
    late.undo()
    assert linear.changed("all") == []


def test_aliases_of_one_long_text(linear, refused):
    linear.update("issue", "ENG-1", description="x" * 300_000)
    assert "larger than 10,000,000 bytes" in refused(aliased(40, 'issue(id: "ENG-1") { description }'))


def test_a_hundred_mutations_of_one_document_are_one_operation(linear):
    create = f'issueCreate(input: {{ teamId: "{ENG}", title: "x" }}) {{ issue {{ identifier }} }}'
    data = linear(f"mutation {aliased(100, create)}")
    assert [each["issue"]["identifier"] for each in data.values()] == [f"ENG-{number}" for number in range(5, 105)]
    assert linear.environment.platform.get(f"env/{linear.environment.id}/journal")["records"][-1]["seq"] == 1

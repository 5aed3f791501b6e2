"""Relations of issues and what follows from them.

https://linear.app/docs/issue-relations · https://linear.app/docs/configuring-workflows#duplicate-issue-status
"""

from __future__ import annotations

import pytest

from .conftest import ENG

HISTORY = "query($id: String!) { issue(id: $id) { history { nodes { relationChanges { identifier type } } } } }"


@pytest.fixture
def related(linear):
    """Relate ENG-1 to ENG-2 and give the relation's id."""

    def relate(kind):
        return linear.create("issueRelation", issueId="ENG-1", relatedIssueId="ENG-2", type=kind)["id"]

    return relate


@pytest.fixture
def changes(linear):
    """What the history of an issue says of its relations."""

    def ask(issue):
        nodes = linear(HISTORY, id=issue)["issue"]["history"]["nodes"]
        return sorted(each["type"] for node in nodes for each in node["relationChanges"] or ())

    return ask


def test_both_histories_say_what_was_related_and_what_no_longer_is(linear, related, changes):
    relation = related("blocks")
    assert (changes("ENG-1"), changes("ENG-2")) == (["added blocks"], ["added blocked by"])
    linear(f'mutation {{ issueRelationDelete(id: "{relation}") {{ success }} }}')
    assert changes("ENG-2") == ["added blocked by", "removed blocked by"]


def test_an_issue_that_is_marked_as_a_duplicate_goes_to_the_state_for_those(linear, related):
    related("duplicate")
    seen = linear('{ issue(id: "ENG-1") { state { name } canceledAt } }')["issue"]
    assert seen["state"] == {"name": "Duplicate"}
    assert seen["canceledAt"]


def test_without_a_state_for_duplicates_they_are_canceled(linear):
    team = linear.create("team", "id states { nodes { id name } }", name="Depot")
    states = {each["name"]: each["id"] for each in team["states"]["nodes"]}
    linear(f'mutation {{ workflowStateArchive(id: "{states["Duplicate"]}") {{ success }} }}')
    first, second = (linear.issue("id", teamId=team["id"], title=title)["id"] for title in ("A", "B"))
    linear.create("issueRelation", issueId=second, relatedIssueId=first, type="duplicate")
    assert linear(f'{{ issue(id: "{second}") {{ state {{ name }} }} }}')["issue"]["state"] == {"name": "Canceled"}


def test_a_strict_workspace_moves_the_state_with_the_team(workspace):
    """Lenient ones keep it, as a public suite asks for."""
    strict, lenient = workspace(auth="strict"), workspace()
    for linear, name in ((strict, "DEP"), (lenient, ENG)):
        depot = linear.create("team", name="Depot", key="DEP")["id"]
        moved = linear.update("issue", "ENG-2", "state { name team { id key } }", teamId=depot)["state"]
        assert name in (moved["team"]["id"], moved["team"]["key"])
    assert moved["name"] == linear('{ issue(id: "DEP-1") { state { name } } }')["issue"]["state"]["name"]

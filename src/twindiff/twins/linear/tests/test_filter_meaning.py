"""Filters mean what Linear was measured to answer where issues lack labels or relations; null ids are refused.

https://github.com/brekkylab/backlot/pull/116 · https://github.com/brekkylab/backlot/pull/133
"""

from __future__ import annotations

import pytest

from .conftest import AGENT, JOHN, KEYS, URGENT, UX, Linear

LABELLED, NAMES = {3, 4}, {"eq": "Urgent"}
TITLE = "Sign-in loops back to the start page"


@pytest.fixture(scope="module")
def linear(platform):
    """ENG-3 has two labels, ENG-4 has RL, the others none; ENG-1 and ENG-3 are John's, the others nobody's."""
    linear = Linear(platform.environment("linear:linear_default", AGENT, tokens=KEYS))
    linear.update("issue", "ENG-3", labelIds=[URGENT, UX])
    for key in ("ENG-2", "ENG-4"):
        linear.update("issue", key, assigneeId=None)
    linear.update("issue", "ENG-1", estimate=2)
    for number in (1, 2):
        linear.create("comment", issueId=f"ENG-{number}", body=f"c{number}")
    return linear


@pytest.fixture(scope="module")
def found(linear):
    """The numbers of the issues that a filter finds."""

    def find(given):
        query = "query($f: IssueFilter) { issues(filter: $f) { nodes { number } } }"
        return {node["number"] for node in linear(query, f=given)["issues"]["nodes"]}

    return find


def some(name):
    return {"labels": {"some": {"name": name}}}


def every(name):
    return {"labels": {"every": {"name": name}}}


LABELS = [
    (some({"eq": "Urgent"}), {3}),
    (some({"neq": "Urgent"}), {1, 2, 3, 4}),
    (some({"nin": ["RL"]}), {1, 2, 3}),
    (some({"notContains": "RL"}), {1, 2, 3}),
    (some({"neqIgnoreCase": "rl"}), {1, 2, 3}),
    (some({"contains": ""}), LABELLED),
    (some({"eq": "Urgent", "neq": "zzz"}), {3}),
    (every({"eq": "RL"}), {4}),
    (every({"in": ["Urgent", "UX"]}), {3}),
    (every({"neq": "RL"}), {1, 2, 3}),
    (every({"contains": ""}), LABELLED),
    ({"labels": {"some": {}}}, {1, 2, 3, 4}),
    ({"labels": {"some": {"and": []}}}, {1, 2, 3, 4}),
    ({"labels": {"every": {"or": []}}}, LABELLED),
    ({"labels": {"some": {"and": [{"name": {"neq": "RL"}}, {"name": {"neq": "zz"}}]}}}, {1, 2, 3}),
    ({"labels": {"some": {"or": [{"name": {"neq": "RL"}}, {"name": {"eq": "zz"}}]}}}, {1, 2, 3}),
    ({"labels": {"name": {"eq": "RL"}}}, {4}),
    ({"labels": {"name": {"neq": "RL"}}}, {1, 2, 3}),
    ({"labels": {"null": True}}, set()),
    ({"labels": {"null": False}}, {1, 2, 3, 4}),
    ({"labels": {"length": {"eq": 0}}}, {1, 2}),
    ({"labels": {"length": {"gte": 1, "lte": 1}}}, {4}),
    ({"labels": {"length": {"eq": 1}, "some": {"name": {"eq": "Urgent"}}}}, {4}),
    ({"labels": {"some": {"name": {"eq": "Urgent"}}, "every": {"name": {"eq": "RL"}}}}, {4}),
    ({"labels": {"some": {"name": {"eq": "UX"}}, "name": {"eq": "RL"}}}, {3}),
    ({"labels": {"or": [{"length": {"eq": 1}}], "length": {"eq": 2}}}, {4}),
    ({"labels": {"and": [{"length": {"eq": 2}}], "or": [{"length": {"eq": 1}}]}}, {3}),
    ({"labels": {"and": [], "length": {"eq": 2}}}, {1, 2, 3, 4}),
    ({"labels": {"or": [{}, {"length": {"eq": 2}}]}}, {1, 2, 3, 4}),
    ({"labels": {"or": [{"length": {"eq": 1}, "some": {"name": {"eq": "UX"}}}]}}, {4}),
    ({"labels": {"null": True, "some": {"name": {"eq": "UX"}}}}, set()),
    ({"labels": {"or": [{"length": {"eq": 0}}], "null": True}}, {1, 2}),
]
ALTERNATIVES = [
    ({"or": [{"title": {"eq": TITLE}, "number": {"eq": 2}}]}, {1, 2}),
    ({"title": {"eq": TITLE}, "number": {"eq": 2}}, set()),
    ({"or": [{"and": [{"title": {"eq": TITLE}, "number": {"eq": 2}}]}]}, {1, 2, 3, 4} - {1, 2, 3, 4}),
    ({"or": [{}, {"title": {"eq": TITLE}}]}, {1}),
    ({"or": [{"title": None}, {"title": {"eq": TITLE}}]}, {1}),
    ({"or": [{"and": []}, {"title": {"eq": TITLE}}]}, {1}),
    ({"or": [{"title": {}}, {"title": {"eq": TITLE}}]}, {1, 2, 3, 4}),
    ({"or": [{"labels": {}, "title": {"eq": "no such title"}}, {"title": {"eq": TITLE}}]}, {1, 2, 3, 4}),
    ({"and": [{"labels": {}}, {"title": {"eq": TITLE}}]}, {1}),
]
ASSIGNEE = [
    ({"name": {"neq": "zzz"}}, {1, 2, 3, 4}),
    ({"id": {"neq": JOHN}}, {2, 4}),
    ({"id": {"nin": [JOHN]}}, {2, 4}),
    ({"null": True, "id": {"eq": JOHN}}, {2, 4}),
    ({"and": [{"null": True}], "id": {"eq": JOHN}}, {2, 4}),
    ({"null": False, "id": {"neq": AGENT}}, {1, 3}),
    ({"or": [{"id": {"eq": JOHN}, "name": {"eq": "nobody"}}]}, {1, 3}),
    ({"or": [{}, {"name": {"eq": "nobody"}}]}, {2, 4}),
    ({"or": [{"null": True}, {"id": {"eq": JOHN}}]}, {1, 2, 3, 4}),
    ({"or": [{"null": False}, {"name": {"eq": "nobody"}}]}, {2, 4}),
    ({"or": []}, {1, 3}),
    ({"null": None}, {1, 2, 3, 4}),
]


@pytest.mark.parametrize(("given", "numbers"), LABELS, ids=lambda value: str(value)[:80])
def test_a_filter_on_labels_answers_as_linear_does(found, given, numbers):
    assert found(given) == numbers


@pytest.mark.parametrize(("given", "numbers"), ALTERNATIVES, ids=lambda value: str(value)[:80])
def test_the_keys_of_a_branch_of_or_are_alternatives(found, given, numbers):
    assert found(given) == numbers


@pytest.mark.parametrize(("given", "numbers"), ASSIGNEE, ids=lambda value: str(value)[:80])
def test_a_filter_on_a_relation_that_issues_may_lack(found, given, numbers):
    assert found({"assignee": given}) == numbers


@pytest.mark.parametrize(("word", "numbers"), [("neq", set()), ("nin", {2, 3, 4})])
def test_neq_drops_what_has_no_value_and_nin_keeps_it(found, word, numbers):
    assert found({"estimate": {word: 2 if word == "neq" else [2]}}) == numbers


@pytest.mark.parametrize("given", [{"body": {"eq": "c1"}, "id": {"eq": URGENT}}, {"body": {"eq": "c1"}}])
def test_comments_are_found_by_alternatives_and_empty_branches_are_dropped(linear, given):
    query = "query($f: CommentFilter) { comments(filter: $f) { nodes { body } } }"
    assert linear(query, f={"or": [given, {}]})["comments"]["nodes"] == [{"body": "c1"}]


NULLS = [
    *({place: {"id": {word: None}}} for place in ("team", "project", "parent", "state", "creator", "cycle", "assignee")
      for word in ("eq", "in", "neq")),
    {"searchableContent": {"contains": None}}, {"id": {"eq": None}},
    {"or": [{"team": {"id": {"eq": None}}}]}, {"comments": {"some": {"issue": {"id": {"eq": None}}}}},
]  # fmt: skip
OTHER_LISTS = [
    ("comments", "Comment", {"issue": {"id": {"eq": None}}}),
    ("issueLabels", "IssueLabel", {"team": {"id": {"eq": None}}}),
    ("cycles", "Cycle", {"team": {"id": {"in": None}}}),
    ("workflowStates", "WorkflowState", {"team": {"id": {"eq": None}}}),
    ("documents", "Document", {"project": {"id": {"eq": None}}}),
    ("users", "User", {"id": {"eq": None}}),
]


@pytest.mark.parametrize(
    ("root", "kind", "given"), [*OTHER_LISTS, *(("issues", "Issue", given) for given in NULLS)], ids=str
)
def test_a_null_id_is_refused_as_a_whole(linear, root, kind, given):
    query = f"query($f: {kind}Filter) {{ {root}(filter: $f) {{ nodes {{ id }} }} }}"
    answer = linear.http(json={"query": query, "variables": {"f": given}})
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["extensions"]["code"] == "INVALID_INPUT"

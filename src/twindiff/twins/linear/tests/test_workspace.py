"""The large workspace: it is what its generator writes, and lists and filters give what a plain loop over it gives."""

from __future__ import annotations

import json
import runpy

import pytest

from .conftest import AGENT, SEED

FOLDER = SEED.parent
ROWS = json.loads((FOLDER / "linear_workspace.json").read_text())
STATES = {row["id"]: row for row in ROWS["workflow_states"]}
TEAMS = {row["id"]: row for row in ROWS["teams"]}
OPEN = [row for row in ROWS["issues"] if not TEAMS[row["teamId"]]["private"]]
BUGS = {row["id"] for row in ROWS["issue_labels"] if row["name"] == "Bug"}


@pytest.fixture(scope="module")
def linear(platform):
    from .conftest import Linear

    return Linear(platform.environment("linear:linear_workspace", AGENT, tokens={f"lin_api_{AGENT}": AGENT}))


def test_the_file_is_what_its_generator_writes():
    made = runpy.run_path(str(FOLDER / "make_workspace.py"))
    assert made["text"]() == (FOLDER / "linear_workspace.json").read_text()


def test_there_is_as_much_as_is_promised():
    assert (len(ROWS["teams"]), len(ROWS["users"]), len(ROWS["issues"])) == (6, 60, 1500)


def every(linear, **given):
    """All issues that a filter gives, page by page."""
    query = """query($filter: IssueFilter, $after: String) { issues(first: 250, filter: $filter, after: $after) {
        nodes { id } pageInfo { hasNextPage endCursor } } }"""
    ids, after = [], None
    while True:
        page = linear(query, filter=given, after=after)["issues"]
        ids += [each["id"] for each in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return ids


CASES = [
    ({}, lambda row: True),
    ({"priority": {"in": [1, 2]}}, lambda row: row["priority"] in (1, 2)),
    ({"state": {"type": {"eq": "completed"}}}, lambda row: STATES[row["stateId"]]["type"] == "completed"),
    ({"assignee": {"null": True}}, lambda row: "assigneeId" not in row),
    ({"labels": {"some": {"name": {"eq": "Bug"}}}}, lambda row: bool(BUGS & set(row["labelIds"]))),
    ({"labels": {"every": {"name": {"neq": "Bug"}}}}, lambda row: not BUGS & set(row["labelIds"])),
    ({"labels": {"length": {"eq": 0}}}, lambda row: not row["labelIds"]),
    ({"title": {"containsIgnoreCase": "BATTERY"}}, lambda row: "battery" in row["title"]),
    ({"dueDate": {"gt": "2025-05-01"}}, lambda row: row.get("dueDate", "") > "2025-05-01"),
    ({"createdAt": {"lt": "2025-04-01T00:00:00Z"}}, lambda row: row["createdAt"] < "2025-04-01T00:00:00"),
    ({"estimate": {"gte": 5}}, lambda row: row.get("estimate", 0) >= 5),
    (
        {"or": [{"team": {"key": {"eq": "HUL"}}}, {"priority": {"eq": 1}}], "parent": {"null": True}},
        lambda row: (TEAMS[row["teamId"]]["key"] == "HUL" or row["priority"] == 1) and "parentId" not in row,
    ),
    (
        {"team": {"members": {"some": {"isMe": {"eq": True}}}}, "project": {"lead": {"active": {"eq": True}}}},
        lambda row: "projectId" in row,
    ),
]


@pytest.mark.parametrize("given", range(len(CASES)))
def test_a_filter_gives_what_a_loop_gives(linear, given):
    wanted, holds = CASES[given]
    ids = every(linear, **wanted)
    assert sorted(ids) == sorted(row["id"] for row in OPEN if holds(row))
    assert len(ids) == len(set(ids))


def test_issues_come_newest_first(linear):
    query = "{ issues(first: 250) { nodes { createdAt } } }"
    instants = [each["createdAt"] for each in linear(query)["issues"]["nodes"]]
    assert instants == sorted(instants, reverse=True)

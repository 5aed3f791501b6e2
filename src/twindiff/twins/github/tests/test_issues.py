"""Issues: labels, assignees, states, comments, timelines, sub-issues, search."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from .conftest import Hub


def make(hub: Hub, repo: str, title: str = "One", **body: Any) -> Any:
    return hub("POST", f"{repo}/issues", {"title": title, **body})


def test_an_issue_is_made_closed_and_reopened(hub: Hub):
    repo = hub.repo()
    issue = make(hub, repo, body="Text", labels=["bug", "mine"], assignees=["octocat"])
    assert [label["name"] for label in issue["labels"]] == ["bug", "mine"]
    closed = hub("PATCH", f"{repo}/issues/1", {"state": "closed", "state_reason": "not_planned"})
    assert (closed["state_reason"], closed["closed_by"]["login"]) == ("not_planned", "octocat")
    assert hub("PATCH", f"{repo}/issues/1", {"state": "open"})["state_reason"] == "reopened"
    events = [event["event"] for event in hub("GET", f"{repo}/issues/1/timeline")]
    assert events == ["labeled", "labeled", "assigned", "closed", "reopened"]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({}, [3, 2]),
        ({"state": "all", "direction": "asc"}, [1, 2, 3]),
        ({"state": "closed"}, [1]),
        ({"labels": "bug"}, [2]),
        ({"assignee": "none"}, [2]),
        ({"assignee": "octocat"}, [3]),
        ({"milestone": "1"}, [2]),
        ({"creator": "octocat", "sort": "comments"}, [2, 3]),
    ],
)
def test_issues_are_filtered(hub: Hub, query: dict[str, str], numbers: list[int]):
    repo = hub.repo()
    hub("POST", f"{repo}/milestones", {"title": "m"})
    make(hub, repo)
    make(hub, repo, labels=["bug"], milestone=1)
    make(hub, repo, assignee="octocat")
    hub("POST", f"{repo}/issues/2/comments", {"body": "hi"})
    hub("PATCH", f"{repo}/issues/1", {"state": "closed"})
    assert [issue["number"] for issue in hub("GET", f"{repo}/issues", params=query)] == numbers


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"title": "x" * 257}, "title"),
        ({"title": "t", "body": "b" * 65537}, "body"),
        ({"title": "t", "assignees": ["nobody"]}, "assignees"),
        ({"title": "t", "milestone": 7}, "milestone"),
    ],
)
def test_issues_that_cannot_be_leave_nothing_behind(hub: Hub, body: Any, field: str):
    repo = hub.repo()
    answer = hub.http("POST", f"{repo}/issues", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert hub("GET", f"{repo}/issues") == []
    assert make(hub, repo)["number"] == 1


def test_a_renamed_label_stays_on_its_issues(hub: Hub):
    repo = hub.repo()
    make(hub, repo, labels=["bug"])
    hub("PATCH", f"{repo}/labels/bug", {"new_name": "defect"})
    assert [label["name"] for label in hub("GET", f"{repo}/issues/1/labels")] == ["defect"]
    hub("DELETE", f"{repo}/labels/defect")
    assert hub("GET", f"{repo}/issues/1")["labels"] == []


def test_a_comment_is_counted_and_reacted_to(hub: Hub):
    repo = hub.repo()
    make(hub, repo)
    comment = hub("POST", f"{repo}/issues/1/comments", {"body": "Hi"})
    path = f"{repo}/issues/comments/{comment['id']}"
    assert hub.http("POST", f"{path}/reactions", json={"content": "heart"}).status_code == 201
    assert hub.http("POST", f"{path}/reactions", json={"content": "heart"}).status_code == 200
    assert hub("GET", path)["reactions"]["heart"] == 1
    assert hub("GET", f"{repo}/issues/1")["comments"] == 1
    hub("DELETE", path)
    assert hub("GET", f"{repo}/issues/1")["comments"] == 0


def test_sub_issues_make_no_circle(hub: Hub):
    repo = hub.repo()
    ids = [make(hub, repo)["id"] for _ in range(3)]
    hub("POST", f"{repo}/issues/1/sub_issues", {"sub_issue_id": ids[1]})
    hub("POST", f"{repo}/issues/2/sub_issues", {"sub_issue_id": ids[2]})
    for number, child in ((3, ids[0]), (1, ids[0])):
        assert hub.refused("POST", f"{repo}/issues/{number}/sub_issues", {"sub_issue_id": child})[0] == 422
    summary = hub("GET", f"{repo}/issues/1")["sub_issues_summary"]
    assert summary == {"total": 1, "completed": 0, "percent_completed": 0}


@pytest.mark.parametrize(
    ("q", "numbers"),
    [
        ("login", [1]),
        ("repo:octocat/demo is:issue", [2, 1]),
        ("is:open label:bug", [1]),
        ("-label:bug is:issue", [2]),
        ("is:closed", [2]),
        ("no:label", [2]),
        ("author:@me in:title second", [2]),
        ("created:>2000-01-01", [2, 1]),
        ("created:<2000-01-01", []),
        ("comments:>0", [1]),
        ("is:pr", []),
    ],
)
def test_issues_are_searched_with_qualifiers(hub: Hub, q: str, numbers: list[int]):
    repo = hub.repo()
    make(hub, repo, "Login fails", labels=["bug"], body="It says no")
    make(hub, repo, "Second")
    hub("PATCH", f"{repo}/issues/2", {"state": "closed"})
    hub("POST", f"{repo}/issues/1/comments", {"body": "hi"})
    found = hub("GET", "/search/issues", params={"q": q})
    assert ([issue["number"] for issue in found["items"]], found["total_count"]) == (numbers, len(numbers))


def test_a_search_in_an_unknown_repository_is_refused(hub: Hub):
    assert hub.refused("GET", "/search/issues", params={"q": "repo:octocat/nope x"})[0] == 422


def test_a_locked_conversation_says_why(hub: Hub):
    repo = hub.repo()
    make(hub, repo)
    hub("PUT", f"{repo}/issues/1/lock", {"lock_reason": "spam"})
    issue = hub("GET", f"{repo}/issues/1")
    assert (issue["locked"], issue["active_lock_reason"]) == (True, "spam")


@pytest.mark.parametrize(("name", "shown"), [("kind/bug", "kind/bug"), ("really?", "really?"), ("to do", "to%20do")])
def test_addresses_of_labels_escape_what_the_vendor_s_do(hub: Hub, name: str, shown: str):
    repo = hub.repo()
    made = hub("POST", f"{repo}/labels", {"name": name, "color": "ededed"})
    assert made["url"].endswith(f"/labels/{shown}")
    assert hub("GET", f"{repo}/labels/{quote(name, safe='/')}")["id"] == made["id"]
    hub("POST", f"{repo}/issues", {"title": "One", "labels": [name]})
    assert hub("DELETE", f"{repo}/issues/1/labels/{quote(name, safe='')}") == []


def test_a_reopened_issue_tells_who_closed_it(hub: Hub):
    repo = hub.repo()
    hub("POST", f"{repo}/issues", {"title": "One"})
    hub("PATCH", f"{repo}/issues/1", {"state": "closed"})
    reopened = hub("PATCH", f"{repo}/issues/1", {"state": "open"})
    assert (reopened["closed_at"], reopened["closed_by"]["login"]) == (None, "octocat")

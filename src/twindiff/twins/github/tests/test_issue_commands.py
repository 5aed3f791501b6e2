"""Mutations of issues and pull requests that GitHub's command line runs: pins, transfers, branches, reverts."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Hub
from .test_graphql import ask, mutate, refuse

REPO = "/repos/tidewater/harbour-api"


@pytest.fixture
def hub(github: Any) -> Hub:
    return github("github_default", user="agent", users=("ada", "ben", "cleo"))


def new_issue(hub: Hub, **more: Any) -> Any:
    return hub("POST", f"{REPO}/issues", {"title": "It's broken", **more})


def test_at_most_three_issues_are_pinned(hub: Hub):
    ids = [new_issue(hub)["node_id"] for _ in range(4)]
    pinned = [mutate(hub, "pinIssue", "issue { isPinned }", issueId=each)["issue"]["isPinned"] for each in ids[:3]]
    assert pinned == [True] * 3
    assert "Maximum 3 pinned issues" in refuse(hub, "pinIssue", issueId=ids[3])
    mutate(hub, "unpinIssue", "issue { isPinned }", issueId=ids[0])
    query = '{ repository(owner: "tidewater", name: "harbour-api") { pinnedIssues(first: 3) { totalCount } } }'
    assert ask(hub, query)["repository"]["pinnedIssues"]["totalCount"] == 2
    assert "pinned" in [each["event"] for each in hub("GET", f"{REPO}/issues/43/timeline")]


def test_a_deleted_issue_is_gone_with_its_comments(hub: Hub):
    issue = new_issue(hub)
    hub("POST", f"{REPO}/issues/{issue['number']}/comments", {"body": "Yes"})
    refuse(hub.as_user("ben"), "deleteIssue", issueId=issue["node_id"])
    mutate(hub, "deleteIssue", "repository { name }", issueId=issue["node_id"])
    assert hub.refused("GET", f"{REPO}/issues/{issue['number']}") == (410, "This issue was deleted")
    assert new_issue(hub)["number"] == issue["number"] + 1


def test_a_transferred_issue_leads_to_its_new_number(hub: Hub):
    issue = new_issue(hub, labels=["bug", "only-here"], assignees=["ada"])
    hub("POST", f"{REPO}/issues/{issue['number']}/comments", {"body": "Yes"})
    target = hub("GET", "/repos/tidewater/design-system")
    given = {"issueId": issue["node_id"], "repositoryId": target["node_id"]}
    moved = mutate(hub, "transferIssue", "issue { number url }", **given)["issue"]
    shown = hub("GET", f"/repos/tidewater/design-system/issues/{moved['number']}")
    assert ([each["name"] for each in shown["labels"]], shown["comments"]) == (["bug"], 1)
    led = hub.http("GET", f"{REPO}/issues/{issue['number']}/comments")
    assert led.status_code == 301
    path = f"/repositories/{target['id']}/issues/{moved['number']}/comments"
    assert led.headers["Location"].endswith(path)
    assert hub("GET", path)[0]["body"] == "Yes"


@pytest.mark.parametrize("name", ["transferIssue", "deleteIssue"])
def test_notifications_follow_a_transferred_issue_and_vanish_with_a_deleted_one(hub: Hub, name: str):
    target, reader = hub("GET", "/repos/tidewater/design-system"), hub.as_user("ada")
    known = {each["id"] for each in reader("GET", "/notifications?all=true")}
    issue = new_issue(hub, assignees=["ada"])
    given = {"repositoryId": target["node_id"]} if name == "transferIssue" else {}
    mutate(hub, name, "clientMutationId", issueId=issue["node_id"], **given)
    threads = [each for each in reader("GET", "/notifications?all=true") if each["id"] not in known]
    subjects = [(each["subject"]["title"], each["repository"]["name"]) for each in threads]
    assert subjects == [("It's broken", "design-system")] * len(given)


def test_a_branch_for_an_issue_is_made_and_shown(hub: Hub):
    issue, sha = new_issue(hub), hub.head(REPO)
    made = mutate(hub, "createLinkedBranch", "linkedBranch { id ref { name } }", issueId=issue["node_id"], oid=sha)
    name = made["linkedBranch"]["ref"]["name"]
    assert (name, hub.head(REPO, name)) == (f"{issue['number']}-it-s-broken", sha)
    branches = "linkedBranches(first: 3) { nodes { ref { name } } } } } }"
    query = f'{{ repository(owner: "tidewater", name: "harbour-api") {{ issue(number: {issue["number"]}) {{ {branches}'
    assert ask(hub, query)["repository"]["issue"]["linkedBranches"]["nodes"] == [{"ref": {"name": name}}]
    given = {"issueId": issue["node_id"], "oid": sha, "name": name}
    assert "already exists" in refuse(hub, "createLinkedBranch", **given)


def test_a_merged_pull_request_is_reverted_by_another_one(hub: Hub):
    pull = hub.pull(REPO, path="new.txt")
    assert "has not been merged" in refuse(hub, "revertPullRequest", pullRequestId=pull["node_id"])
    hub("PUT", f"{REPO}/pulls/{pull['number']}/merge", {"merge_method": "squash"})
    made = mutate(hub, "revertPullRequest", "revertPullRequest { number title body }", pullRequestId=pull["node_id"])[
        "revertPullRequest"
    ]
    assert (made["title"], made["body"]) == ('Revert "Add new.txt"', f"Reverts tidewater/harbour-api#{pull['number']}")
    hub("PUT", f"{REPO}/pulls/{made['number']}/merge")
    assert hub.refused("GET", f"{REPO}/contents/new.txt")[0] == 404
    assert "already been reverted" in refuse(hub, "revertPullRequest", pullRequestId=pull["node_id"])


def test_an_archived_repository_is_archived_once_as_by_rest(hub: Hub):
    given = {"repositoryId": hub("GET", REPO)["node_id"]}
    assert mutate(hub, "archiveRepository", "repository { isArchived }", **given)["repository"]["isArchived"]
    assert "read-only" in refuse(hub, "archiveRepository", **given)
    shown = mutate(hub, "unarchiveRepository", "repository { isArchived }", **given)
    assert shown == {"repository": {"isArchived": False}}


def test_a_reader_may_none_of_this(hub: Hub):
    repo = hub("GET", REPO)
    hub("PATCH", "/orgs/tidewater", {"default_repository_permission": "read"})
    issue, pull = new_issue(hub), hub("GET", f"{REPO}/pulls/38")
    reader, ids = hub.as_user("cleo"), {"issueId": issue["node_id"]}
    tries: list[tuple[str, dict[str, Any]]] = [
        ("pinIssue", ids), ("unpinIssue", ids), ("deleteIssue", ids),
        ("transferIssue", {**ids, "repositoryId": repo["node_id"]}),
        ("createLinkedBranch", {**ids, "oid": hub.head(REPO)}),
        ("revertPullRequest", {"pullRequestId": pull["node_id"]}),
        ("archiveRepository", {"repositoryId": repo["node_id"]}),
        ("addBlockedBy", {**ids, "blockingIssueId": issue["node_id"]}),
    ]  # fmt: skip
    for mutation, given in tries:
        assert "merged" not in refuse(reader, mutation, **given), mutation
    assert hub("GET", f"{REPO}/issues/{issue['number']}")["state"] == "open"
    assert hub("GET", REPO)["archived"] is False

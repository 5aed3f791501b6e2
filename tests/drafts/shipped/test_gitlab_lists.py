"""GitLab's draft: filters of issues and merge requests, history of branches, projects of groups, and flags."""

from typing import Any

import httpx
import pytest

from tests.harness import LiveServer, Platform
from tests.receiver import Receiver
from twindiff.drafts.shipped import find_shipped
from twindiff.environments.registry import Registry
from twindiff.server import Settings

from .conftest import Connect

PROJECT = "/projects/1001"


@pytest.fixture
def gitlab(connect: Connect) -> httpx.Client:
    client = connect("gitlab", "https://gitlab.com/api/v4")
    client.post("/groups", json={"name": "Bakery", "path": "bakery"})
    client.post("/projects", json={"name": "bread", "namespace_id": 1001})
    client.post("/projects", json={"name": "home"})
    return client


def _titles(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [each["title"] for each in answer.json()]


FILTERS = [
    ("milestone=v1", ["Burnt"]),
    ("milestone=None", ["Stale"]),
    ("milestone=Any", ["Burnt"]),
    ("labels=bug", ["Burnt"]),
    ("labels=bug,ui", ["Burnt"]),
    ("labels=bug,salt", []),
    ("labels=None", ["Stale"]),
    ("author_username=agent", ["Stale", "Burnt"]),
    ("author_username=ada", []),
    ("author_id=1", ["Stale", "Burnt"]),
    ("assignee_id=2", ["Burnt"]),
    ("assignee_id=None", ["Stale"]),
    ("assignee_username=ada", ["Burnt"]),
    ("state=opened", ["Burnt"]),
    ("state=closed", ["Stale"]),
    ("search=crust", ["Stale"]),
    ("search=crust&in=title", []),
    ("created_after=2026-03-02T11:00:00Z", ["Stale", "Burnt"]),
    ("created_after=2026-03-03", []),
    ("created_before=2026-03-02T10:00:00Z", []),
    ("order_by=title&sort=asc", ["Burnt", "Stale"]),
    ("order_by=title", ["Stale", "Burnt"]),
    ("sort=asc", ["Burnt", "Stale"]),
    ("iids[]=1&iids[]=2", ["Stale", "Burnt"]),
    ("iids[]=2", ["Stale"]),
    ("scope=assigned_to_me", []),
]


@pytest.mark.parametrize("kind", ["issues", "merge_requests"])
def test_lists_of_a_project_a_group_and_all_have_the_same_filters(gitlab: httpx.Client, kind: str):
    branches = {"target_branch": "main"} if kind == "merge_requests" else {}
    gitlab.post(f"{PROJECT}/milestones", json={"title": "v1"})
    first = {"title": "Burnt", "labels": "bug,ui", "milestone_id": 1001, "assignee_ids": [2]}
    second = {"title": "Stale", "description": "The crust is hard"}
    for number, given in enumerate((first, second)):
        source = {"source_branch": f"b{number}"} if branches else {}
        assert gitlab.post(f"{PROJECT}/{kind}", json={**given, **branches, **source}).status_code == 201
    gitlab.put(f"{PROJECT}/{kind}/2", json={"state_event": "close"})
    gone: list[Any] = []
    for path in (f"/{kind}", f"{PROJECT}/{kind}", f"/groups/bakery/{kind}"):
        for query, titles in FILTERS:
            found = _titles(gitlab.get(f"{path}?{query}"))
            gone += [] if found == titles else [(path, query, found)]
    assert gone == []
    assert _titles(gitlab.get(f"/projects/1002/{kind}")) == []


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("state=odd", 400, "state does not have a valid value"),
        ("order_by=salt", 400, "order_by does not have a valid value"),
        ("sort=up", 400, "sort does not have a valid value"),
        ("scope=mine", 400, "scope does not have a valid value"),
        ("author_id=x", 400, "author_id is invalid"),
        ("author_id=1&author_username=ada", 400, "author_id, author_username are mutually exclusive"),
        ("created_after=soon", 400, "created_after is invalid"),
        ("not[labels]=bug", 501, None),
        ("my_reaction_emoji=star", 501, None),
        ("milestone=Upcoming", 501, None),
        ("order_by=priority", 501, None),
    ],
)
def test_filters_that_are_invalid_or_not_served_are_refused(
    gitlab: httpx.Client, query: str, status: int, error: str | None
):
    for path in ("/issues", f"{PROJECT}/issues", "/groups/1001/issues"):
        answer = gitlab.get(f"{path}?{query}")
        assert (answer.status_code, answer.json().get("error")) == (status, error)


def test_commits_and_files_are_in_the_history_of_their_branch(gitlab: httpx.Client):
    commits, files = f"{PROJECT}/repository/commits", f"{PROJECT}/repository/files"
    actions = [{"action": "create", "file_path": "a.txt", "content": "a"}]
    first = gitlab.post(commits, json={"branch": "main", "commit_message": "Add a\n\nIt is new", "actions": actions})
    made = gitlab.post(f"{PROJECT}/repository/branches", json={"branch": "rye", "ref": "main"}).json()
    assert made["commit"]["id"] == first.json()["id"]
    gitlab.post(f"{files}/b.txt", json={"branch": "rye", "commit_message": "Add b", "content": "b"})
    gitlab.put(f"{files}/b.txt", json={"branch": "rye", "commit_message": "Change b", "content": "c"})
    assert _titles(gitlab.get(commits)) == ["Add a"]
    listed = gitlab.get(commits, params={"ref_name": "rye"})
    assert _titles(listed) == ["Change b", "Add b", "Add a"]
    assert listed.json()[1]["parent_ids"] == [first.json()["id"]]
    assert gitlab.get(f"{files}/b.txt").json()["last_commit_id"] == listed.json()[0]["id"]
    assert len(gitlab.get(commits, params={"all": "true"}).json()) == 3
    heads = {each["name"]: each["commit"]["title"] for each in gitlab.get(f"{PROJECT}/repository/branches").json()}
    assert heads == {"main": "Add a", "rye": "Change b"}
    for ref in ("rye", listed.json()[0]["short_id"]):
        assert gitlab.get(f"{commits}/{ref}").json()["title"] == "Change b"
    assert gitlab.get(commits, params={"ref_name": "salt"}).status_code == 404
    assert gitlab.get(commits, params={"path": "a.txt"}).status_code == 501


def test_a_commit_needs_a_branch_or_one_to_start_from(gitlab: httpx.Client):
    commits = f"{PROJECT}/repository/commits"
    gitlab.post(commits, json={"branch": "main", "commit_message": "One", "actions": []})
    new = {"branch": "oat", "commit_message": "Two", "actions": []}
    refused = gitlab.post(commits, json=new)
    assert (refused.status_code, gitlab.get(commits).json()[0]["title"]) == (400, "One")
    assert gitlab.post(commits, json={**new, "start_branch": "main"}).status_code == 201
    assert _titles(gitlab.get(commits, params={"ref_name": "oat"})) == ["Two", "One"]
    branches = f"{PROJECT}/repository/branches"
    assert gitlab.post(branches, json={"branch": "oat", "ref": "main"}).status_code == 400
    assert gitlab.post(branches, json={"branch": "new", "ref": "salt"}).status_code == 400
    stray = {**new, "branch": "main", "actions": [{"action": "update", "file_path": "no.txt", "content": "x"}]}
    assert gitlab.post(commits, json=stray).status_code == 400
    assert _titles(gitlab.get(commits)) == ["One"]


def test_a_project_is_listed_in_the_group_of_its_namespace(gitlab: httpx.Client):
    for group in ("1001", "bakery"):
        assert [each["path_with_namespace"] for each in gitlab.get(f"/groups/{group}/projects").json()] == [
            "bakery/bread"
        ]
    assert gitlab.get("/groups/1001/projects", params={"search": "salt"}).json() == []
    refused = gitlab.post("/projects", json={"name": "lost", "namespace_id": 77})
    assert (refused.status_code, refused.json()) == (400, {"error": "namespace is not valid"})


@pytest.mark.parametrize("given", [{"json": {"push_events": 0}}, {"data": {"push_events": "0"}}])
def test_hooks_take_flags_as_numbers(gitlab: httpx.Client, given: dict[str, Any]):
    ((how, fields),) = given.items()
    body: Any = {how: {"url": "https://example.com", "issues_events": 1, **fields}}
    made = gitlab.post(f"{PROJECT}/hooks", **body).json()
    assert (made["push_events"], made["issues_events"]) == (False, True)
    assert gitlab.post(f"{PROJECT}/hooks", json={"url": "https://example.com", "push_events": 2}).status_code == 400


def test_changes_of_declared_collections_are_told_to_subscribers():
    live, receiver = LiveServer(Settings(), Registry([find_shipped("gitlab").twin()])), Receiver()
    try:
        made = Platform(live.client).post("initEnv", {"templates": ["gitlab:gitlab_base"], "impersonateUserId": "u"})
        base = f"{live.url}/api/env/{made['environmentId']}/services/gitlab/api/v4"
        with httpx.Client(base_url=base) as client:
            client.post("/projects", json={"name": "bread"})
            client.post(f"{PROJECT}/hooks", json={"url": receiver.url, "token": "salt"})
            page = f"{PROJECT}/wikis"
            client.post(page, json={"title": "Rye", "content": "Dark"})
            client.put(f"{page}/Rye", json={"content": "Light"})
            client.delete(f"{page}/Rye")
            client.post(f"{PROJECT}/badges", json={"link_url": "https://a.example", "image_url": "https://a.example"})
            client.post(f"{PROJECT}/pipeline", json={"ref": "main"})
            told = receiver.wait(4)
    finally:
        live.close()
        receiver.close()
    names = [each.headers["x-gitlab-event"] for each in told]
    assert sorted(names) == ["Pipeline Hook", *["Wiki Page Hook"] * 3]
    assert {each.headers["x-gitlab-token"] for each in told} == {"salt"}
    bodies = [each.json for each in told]
    assert {"content": "Dark"} in [each["changes"] for each in bodies]
    assert {each["object_kind"] for each in bodies} == {"project_wikis", "project_pipelines"}

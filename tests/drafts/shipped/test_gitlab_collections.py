"""What GitLab keeps below projects and groups beside issues and merge requests, called over HTTP."""

from typing import Any

import httpx
import pytest

from .conftest import Connect

KEY = {"title": "K", "key": "ssh-ed25519 AAAA"}
COLLECTIONS: list[tuple[str, str, Any, str]] = [
    ("projects/1001/variables", "key", {"key": "TOKEN", "value": "x"}, "PUT"),
    ("projects/1001/pipeline_schedules", "id", {"description": "Nightly", "ref": "main", "cron": "0 1 * * *"}, "PUT"),
    ("projects/1001/triggers", "id", {"description": "T"}, "PUT"),
    ("projects/1001/deploy_keys", "id", KEY, "PUT"),
    ("projects/1001/deploy_tokens", "id", {"name": "d", "scopes": ["read_repository"]}, ""),
    ("projects/1001/access_tokens", "id", {"name": "a", "scopes": ["api"]}, ""),
    ("projects/1001/protected_branches", "name", {"name": "main"}, "PATCH"),
    ("projects/1001/protected_tags", "name", {"name": "v1"}, ""),
    ("projects/1001/snippets", "id", {"title": "S"}, "PUT"),
    ("projects/1001/wikis", "slug", {"title": "Home page", "content": "x"}, "PUT"),
    ("projects/1001/environments", "id", {"name": "production"}, "PUT"),
    ("projects/1001/boards", "id", {"name": "B"}, "PUT"),
    ("projects/1001/badges", "id", {"link_url": "https://a", "image_url": "https://b"}, "PUT"),
    ("projects/1001/approval_rules", "id", {"name": "R", "approvals_required": 1}, "PUT"),
    ("groups/1001/variables", "key", {"key": "TOKEN", "value": "x"}, "PUT"),
    ("groups/1001/labels", "id", {"name": "bug", "color": "#ff0000"}, "PUT"),
    ("groups/1001/milestones", "id", {"title": "M"}, "PUT"),
    ("groups/1001/members", "id", {"user_id": 2, "access_level": 30}, "PUT"),
    ("user/keys", "id", KEY, ""),
    ("snippets", "id", {"title": "S"}, "PUT"),
    ("topics", "id", {"name": "bread", "title": "Bread"}, "PUT"),
    ("hooks", "id", {"url": "https://example.com"}, "PUT"),
]


@pytest.fixture
def gitlab(connect: Connect) -> httpx.Client:
    client = connect("gitlab", "https://gitlab.com/api/v4")
    client.post("/projects", json={"name": "bread"})
    client.post("/groups", json={"name": "bakery", "path": "bakery"})
    client.post("/projects/1001/merge_requests", json={"title": "M", "source_branch": "x", "target_branch": "main"})
    return client


@pytest.mark.parametrize(("path", "key", "given", "verb"), COLLECTIONS)
def test_a_collection_keeps_what_it_is_given_and_refuses_what_lacks_a_field(
    gitlab: httpx.Client, path: str, key: str, given: Any, verb: str
):
    made = gitlab.post(f"/{path}", json=given)
    assert made.status_code == 201, made.text
    member = f"/{path}/{made.json()[key]}"
    if verb:
        assert gitlab.request(verb, member, json={"description": "new"}).json()["description"] == "new"
    assert gitlab.get(member).json()[key] == made.json()[key]
    refused = gitlab.post(f"/{path}", json={})
    assert (refused.status_code, refused.json()["error"].endswith("is missing")) == (400, True)
    assert gitlab.delete(member).status_code == 204
    assert gitlab.get(member).status_code == 404


def test_files_are_written_read_and_listed_by_path_or_commit(gitlab: httpx.Client):
    path = "/projects/agent%2Fbread/repository/files/docs%2Fa.txt"
    given = {"branch": "main", "commit_message": "Add", "content": "abc"}
    assert gitlab.post(path, json=given).json() == {"file_path": "docs/a.txt", "branch": "main"}
    assert gitlab.post(path, json=given).status_code == 400
    assert (gitlab.get(path).json()["size"], gitlab.get(f"{path}/raw").text) == (3, "abc")
    actions = [{"action": "create", "file_path": "b.txt", "content": "b"}]
    commit = {"branch": "main", "commit_message": "More", "actions": actions}
    assert gitlab.post("/projects/1001/repository/commits", json=commit).json()["title"] == "More"
    tree = gitlab.get("/projects/1001/repository/tree").json()
    assert [(each["name"], each["type"]) for each in tree] == [("docs", "tree"), ("b.txt", "blob")]
    assert gitlab.delete(path).status_code == 400
    assert gitlab.delete(path, params={"branch": "main", "commit_message": "Remove"}).status_code == 204
    assert gitlab.get(path).status_code == 404


def test_a_fork_is_a_project_of_its_own_and_made_once(gitlab: httpx.Client):
    made = gitlab.post("/projects/1001/fork", json={"namespace_path": "ada"})
    assert (made.status_code, made.json()["path_with_namespace"]) == (201, "ada/bread")
    assert gitlab.get("/projects/ada%2Fbread").json()["forked_from_project"]["id"] == 1001
    assert [each["id"] for each in gitlab.get("/projects/1001/forks").json()] == [made.json()["id"]]
    assert gitlab.post("/projects/1001/fork", json={"namespace_path": "ada"}).status_code == 409


def test_a_merge_request_is_approved_once_and_a_pipeline_is_canceled(gitlab: httpx.Client):
    path = "/projects/1001/merge_requests/1"
    assert gitlab.post(f"{path}/approve").json()["approved"] is True
    assert gitlab.post(f"{path}/approve").status_code == 401
    assert gitlab.post(f"{path}/unapprove").json()["approved_by"] == []
    assert gitlab.get("/projects/1001/merge_requests/9/approvals").status_code == 404
    started = gitlab.post(f"{path}/discussions", json={"body": "Why?"}).json()
    assert started["notes"][0]["body"] == "Why?"
    pipeline = gitlab.post("/projects/1001/pipeline", json={"ref": "main"}).json()["id"]
    assert gitlab.post(f"/projects/1001/pipelines/{pipeline}/cancel").json()["status"] == "canceled"
    assert gitlab.post("/projects/1001/pipeline", json={}).status_code == 400
    sha = "a" * 40
    assert gitlab.post(f"/projects/1001/statuses/{sha}", json={"state": "success"}).json()["status"] == "success"
    assert gitlab.post(f"/projects/1001/statuses/{sha}", json={"state": "odd"}).status_code == 400
    assert len(gitlab.get(f"/projects/1001/repository/commits/{sha}/statuses").json()) == 1


def test_a_search_finds_by_scope(gitlab: httpx.Client):
    assert len(gitlab.get("/search", params={"scope": "projects", "search": "bre"}).json()) == 1
    assert len(gitlab.get("/projects/1001/search", params={"scope": "merge_requests", "search": "m"}).json()) == 1
    assert gitlab.get("/search", params={"scope": "boats", "search": "x"}).status_code == 400

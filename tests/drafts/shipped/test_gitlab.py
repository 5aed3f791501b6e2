"""GitLab's draft: projects by id and path, issues and merge requests with their states, notes, labels, hooks."""

from typing import Any

import httpx
import pytest

from .conftest import Connect


@pytest.fixture
def gitlab(connect: Connect) -> httpx.Client:
    client = connect("gitlab", "https://gitlab.com/api/v4")
    client.post("/projects", json={"name": "bread"})
    client.post("/projects/1001/issues", json={"title": "A", "labels": "bug,ui", "assignee_ids": [2]})
    client.post("/projects/1001/merge_requests", json={"title": "M", "source_branch": "x", "target_branch": "main"})
    return client


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ("/projects/1001/issues?state=all", 1),
        ("/projects/1001/issues?state=closed", 0),
        ("/projects/1001/issues?labels=ui", 1),
        ("/projects/1001/issues?search=A", 1),
        ("/merge_requests?source_branch=x", 1),
        ("/projects?search=bread", 1),
        ("/users?username=ada", 1),
    ],
)
def test_lists_are_filtered(gitlab: httpx.Client, path: str, count: int):
    assert len(gitlab.get(path).json()) == count


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "said"),
    [
        ("GET", "/projects/9", None, 404, {"message": "404 Project Not Found"}),
        ("POST", "/projects/1001/issues", {}, 400, {"error": "title is missing"}),
        ("PUT", "/projects/1001/issues/1", {"state_event": "reopen"}, 200, None),
        ("PUT", "/projects/1001/merge_requests/1/merge", {}, 405, {"message": "405 Method Not Allowed"}),
    ],
)
def test_refusals_have_the_words_of_gitlab(
    gitlab: httpx.Client, verb: str, path: str, body: Any, status: int, said: Any
):
    if path.endswith("/merge"):
        assert gitlab.put(path, json={}).json()["state"] == "merged"
    answer = gitlab.request(verb, path, json=body)
    assert (answer.status_code, said in (None, answer.json())) == (status, True), answer.text


def test_notes_belong_to_their_issue_and_people_are_shown(gitlab: httpx.Client):
    made = gitlab.post("/projects/1001/issues/1/notes", json={"body": "hi"}).json()
    assert (made["author"]["username"], made["noteable_type"]) == ("agent", "Issue")
    assert gitlab.get("/projects/1001/merge_requests/1/notes").json() == []
    assert gitlab.get("/projects/agent%2Fbread").json()["open_issues_count"] == 1
    assert gitlab.get("/projects/1001/issues/1").json()["assignees"][0]["username"] == "ada"


def test_two_projects_may_have_tags_of_the_same_name(gitlab: httpx.Client):
    made = [gitlab.post("/projects", json={"name": name}).json()["id"] for name in ("one", "two")]
    for project in made:
        tag = gitlab.post(f"/projects/{project}/repository/tags", json={"tag_name": "v1", "ref": f"sha{project}"})
        assert (tag.status_code, tag.json()["name"]) == (201, "v1"), tag.text
    shown = [gitlab.get(f"/projects/{project}/repository/tags/v1").json()["target"] for project in made]
    assert shown == [f"sha{project}" for project in made]
    assert gitlab.get(f"/projects/{made[0]}").json()["_links"]["issues"].endswith(f"/projects/{made[0]}/issues")
    assert gitlab.get("/user").json()["username"] == "agent"


def test_paths_of_projects_and_names_of_branches_have_slashes_wherever_ids_stand(gitlab: httpx.Client):
    at = "/projects/agent%2Fbread"
    assert gitlab.put(at, json={"description": "Loaves"}).json()["description"] == "Loaves"
    issue = gitlab.post(f"{at}/issues", json={"title": "Burnt"}).json()["iid"]
    assert gitlab.put(f"{at}/issues/{issue}", json={"state_event": "close"}).json()["state"] == "closed"
    assert gitlab.post(f"{at}/issues/{issue}/notes", json={"body": "hi"}).json()["noteable_iid"] == issue
    gitlab.post(f"{at}/repository/branches", json={"branch": "feat/rye", "ref": "main"})
    for path in (at, "/projects/1001"):
        assert gitlab.get(f"{path}/repository/branches/feat%2Frye").json()["name"] == "feat/rye"
    assert gitlab.delete(f"{at}/repository/branches/feat%2Frye").status_code == 204
    assert gitlab.get("/projects/agent%2Fno/issues").json() == {"message": "404 Project Not Found"}
    assert gitlab.post(f"{at}/nonsense").status_code == 501
    assert gitlab.delete(at).status_code == 204

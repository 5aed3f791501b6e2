"""Asana's draft: tasks with assignees, completion, tags, dependencies, sections and copies; and selected fields."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from twindiff.drafts.shipped import find_shipped
from twindiff.local import Twindiff

DESCRIPTION = Path(__file__).parents[4] / "shared" / "specs" / "asana"
WORKSPACE, AGENT = "1199999999999901", "1199999999999801"
NOW = "2026-03-02T12:00:00"


@pytest.fixture(scope="module")
def server() -> Iterator[Twindiff]:
    if not DESCRIPTION.exists():
        pytest.skip(f"needs Asana's description in {DESCRIPTION}")
    with Twindiff(twins=[find_shipped("asana").twin([DESCRIPTION])]) as here:
        yield here


class AsanaClient:
    """Calls Asana and gives the `data` of answers."""

    def __init__(self, client: httpx.Client) -> None:
        self.http = client

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def post(self, path: str, **data: Any) -> Any:
        answer = self.http.post(path, json={"data": data})
        assert answer.status_code in (200, 201), answer.text
        return answer.json()["data"]

    def refusal(self, verb: str, path: str, data: Any = None, **query: Any) -> tuple[int, str]:
        answer = self.http.request(verb, path, params=query, json=None if data is None else {"data": data})
        return answer.status_code, answer.json()["errors"][0]["message"]

    def task(self, name: str, **more: Any) -> str:
        return self.post("/tasks", name=name, workspace=WORKSPACE, **more)["gid"]


@pytest.fixture
def asana(server: Twindiff) -> Iterator[AsanaClient]:
    with server.create("asana:asana_base", clock={"mode": "steps", "start": NOW}) as environment:
        headers = {"Authorization": f"Bearer {environment.token}"}
        transport, base = server.transport(environment, "asana"), "https://app.asana.com/api/1.0"
        with httpx.Client(transport=transport, base_url=base, headers=headers) as client:
            yield AsanaClient(client)


def _names(listed: list[dict[str, Any]]) -> list[str]:
    return [each["name"] for each in listed]


def test_me_and_an_address_name_the_user_as_assignee(asana: AsanaClient):
    mine = asana.task("Knead", assignee="me")
    asana.task("Bake", assignee="agent@example.com")
    asana.task("Rest")
    assert asana.get(f"/tasks/{mine}")["assignee"]["gid"] == AGENT
    assert _names(asana.get("/tasks", assignee="me", workspace=WORKSPACE)) == ["Knead", "Bake"]
    found = asana.get(f"/workspaces/{WORKSPACE}/tasks/search", **{"assignee.any": "me"})
    assert sorted(_names(found)) == ["Bake", "Knead"]
    for verb, path in (("POST", "/tasks"), ("PUT", f"/tasks/{mine}")):
        assert asana.refusal(verb, path, {"assignee": "12"}) == (400, "assignee: Not a recognized ID: 12")


def test_completion_sets_its_time_and_person_and_reopening_clears_them(asana: AsanaClient):
    task = asana.task("Knead")
    done = asana.http.put(f"/tasks/{task}", json={"data": {"completed": True}}).json()["data"]
    assert (done["completed_at"][:16], done["completed_by"]["gid"]) == (NOW[:16], AGENT)
    named = asana.http.put(f"/tasks/{task}", json={"data": {"completed": True, "name": "Rest"}}).json()["data"]
    assert named["completed_at"] == done["completed_at"]
    again = asana.http.put(f"/tasks/{task}", json={"data": {"completed": False}}).json()["data"]
    assert (again["completed_at"], again.get("completed_by")) == (None, None)


def test_completed_since_leaves_out_what_was_completed_before(asana: AsanaClient):
    project = asana.post("/projects", name="Bread", workspace=WORKSPACE)["gid"]
    asana.task("Open", projects=[project])
    asana.task("Done", projects=[project], completed=True)
    for path, query in (("/tasks", {"project": project}), (f"/projects/{project}/tasks", {})):
        assert _names(asana.get(path, **query)) == ["Open", "Done"]
        assert _names(asana.get(path, **query, completed_since="now")) == ["Open"]
        assert _names(asana.get(path, **query, completed_since="2026-03-02T13:00:00+01:00")) == ["Open", "Done"]
        assert _names(asana.get(path, **query, completed_since="2026-03-02T13:00:00Z")) == ["Open"]
        assert asana.refusal("GET", path, **query, completed_since="soon")[0] == 400


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({}, "You should specify one of workspace, project, tag, section, user_task_list"),
        ({"workspace": WORKSPACE}, "Must specify exactly one of project, tag, section, user task list"),
        ({"assignee": "me"}, "Must specify exactly one of project, tag, section, user task list"),
        ({"project": "1", "tag": "2"}, "Must specify exactly one of project, tag, section, user task list"),
        ({"project": "1"}, "project: Not a recognized ID: 1"),
        ({"assignee": "me", "workspace": WORKSPACE, "limit": 101}, "limit: must be between 1 and 100"),
    ],
)
def test_a_list_of_tasks_needs_one_scope(asana: AsanaClient, query: dict[str, Any], message: str):
    status, told = asana.refusal("GET", "/tasks", **query)
    assert (status, told[: len(message)]) == (400, message)


def test_selected_fields_are_those_of_the_answer_and_lists_are_compact_without(asana: AsanaClient):
    project = asana.post("/projects", name="Bread", workspace=WORKSPACE, notes="Rye")["gid"]
    task = asana.task("Knead", assignee="me", projects=[project], notes="Long")
    asana.task("Rest", projects=[project])
    assert "notes" not in asana.get("/tasks", project=project)[0]
    listed = asana.get(
        "/tasks", project=project, opt_fields="notes,assignee.email,projects.notes,projects.workspace.name"
    )
    inside = [{"gid": project, "notes": "Rye", "workspace": {"gid": WORKSPACE, "name": "Acme"}}]
    assert listed[0] == {
        "gid": task,
        "notes": "Long",
        "assignee": {"gid": AGENT, "email": "agent@example.com"},
        "projects": inside,
    }
    assert listed[1]["assignee"] is None
    named = asana.get(f"/tasks/{task}", opt_fields="assignee")
    assert named == {"gid": task, "assignee": {"gid": AGENT, "resource_type": "user"}}
    assert asana.get(f"/tasks/{task}", opt_fields="external") == {"gid": task}, "null is none of its values"
    body = {"data": {"name": "Bake", "workspace": WORKSPACE}, "options": {"fields": ["name"]}}
    assert asana.http.post("/tasks", json=body).json()["data"].keys() == {"gid", "name"}
    assert asana.get("/projects", opt_fields="owner.email,salt") == [{"gid": project, "owner": None}]
    assert asana.refusal("GET", f"/tasks/{task}", opt_fields=",".join(["name"] * 201))[0] == 400
    assert asana.refusal("GET", f"/tasks/{task}", opt_fields="a.b.c.d.e.f.g")[0] == 400


def test_tags_are_added_listed_and_removed(asana: AsanaClient):
    task, tag = asana.task("Knead"), asana.post("/tags", name="urgent", workspace=WORKSPACE)["gid"]
    assert asana.post(f"/tasks/{task}/addTag", tag=tag) == {}
    asana.post(f"/tasks/{task}/addTag", tag=tag)
    assert _names(asana.get(f"/tasks/{task}/tags")) == ["urgent"]
    assert _names(asana.get(f"/tags/{tag}/tasks")) == ["Knead"]
    assert _names(asana.get("/tasks", tag=tag)) == ["Knead"]
    assert asana.post(f"/tasks/{task}/removeTag", tag=tag) == {}
    assert asana.get(f"/tags/{tag}/tasks") == []
    assert asana.refusal("POST", f"/tasks/{task}/addTag", {}) == (400, "tag: Missing input")
    assert asana.refusal("POST", f"/tasks/{task}/addTag", {"tag": "7"}) == (400, "tag: Not a recognized ID: 7")
    assert asana.refusal("POST", "/tasks/7/addTag", {"tag": tag})[0] == 404


def test_dependencies_are_seen_from_both_tasks(asana: AsanaClient):
    first, second = asana.task("Knead"), asana.task("Bake")
    asana.post(f"/tasks/{second}/addDependencies", dependencies=[first])
    assert _names(asana.get(f"/tasks/{second}/dependencies")) == ["Knead"]
    assert _names(asana.get(f"/tasks/{first}/dependents")) == ["Bake"]
    asana.post(f"/tasks/{second}/removeDependencies", dependencies=[first])
    assert asana.get(f"/tasks/{second}/dependencies") == asana.get(f"/tasks/{first}/dependents") == []
    asana.post(f"/tasks/{first}/addDependents", dependents=[second])
    assert _names(asana.get(f"/tasks/{second}/dependencies")) == ["Knead"]
    path = f"/tasks/{second}/addDependencies"
    assert asana.refusal("POST", path, {}) == (400, "dependencies: Missing input")
    assert asana.refusal("POST", path, {"dependencies": first})[0] == 400
    assert asana.refusal("POST", path, {"dependencies": ["7"]}) == (400, "dependencies: Not a recognized ID: 7")


def test_a_task_has_at_most_thirty_dependencies(asana: AsanaClient):
    task, others = asana.task("Bake"), [asana.task(f"Knead {number}") for number in range(31)]
    asana.post(f"/tasks/{task}/addDependencies", dependencies=others[:30])
    assert asana.refusal("POST", f"/tasks/{task}/addDependencies", {"dependencies": others[30:]})[0] == 400
    assert len(asana.get(f"/tasks/{task}/dependencies", limit=100)) == 30


def test_a_task_moves_between_the_sections_of_a_project(asana: AsanaClient):
    project = asana.post("/projects", name="Bread", workspace=WORKSPACE)["gid"]
    todo, done = (asana.post(f"/projects/{project}/sections", name=name)["gid"] for name in ("To do", "Done"))
    task = asana.task("Knead", projects=[project])
    for section, other in ((todo, done), (done, todo)):
        assert asana.post(f"/sections/{section}/addTask", task=task) == {}
        assert _names(asana.get(f"/sections/{section}/tasks")) == ["Knead"]
        assert asana.get(f"/sections/{other}/tasks") == []
    [placed] = asana.get(f"/tasks/{task}", opt_fields="memberships.section.name")["memberships"]
    assert placed["section"]["name"] == "Done"
    asana.post(f"/tasks/{task}/removeProject", project=project)
    assert asana.get(f"/sections/{done}/tasks") == asana.get(f"/projects/{project}/tasks") == []
    asana.post(f"/tasks/{task}/addProject", project=project, section=todo)
    assert _names(asana.get(f"/sections/{todo}/tasks")) == ["Knead"]
    assert asana.refusal("POST", f"/sections/{todo}/addTask", {}) == (400, "task: Missing input")
    assert asana.refusal("POST", f"/sections/{todo}/addTask", {"task": task, "insert_after": task})[0] == 501


def test_a_copy_has_what_is_included_and_its_job_is_done(asana: AsanaClient):
    first, task = asana.task("Knead"), asana.task("Bake", notes="Hot", assignee="me", due_on="2026-03-09")
    asana.post(f"/tasks/{task}/addDependencies", dependencies=[first])
    asana.post(f"/tasks/{task}/subtasks", name="Cool")
    job = asana.post(f"/tasks/{task}/duplicate", name="Bake again", include="notes,dependencies,subtasks")
    assert (job["resource_subtype"], job["status"]) == ("duplicate_task", "succeeded")
    assert asana.get(f"/jobs/{job['gid']}")["new_task"]["name"] == "Bake again"
    copy = asana.get(f"/tasks/{job['new_task']['gid']}")
    assert (copy["notes"], copy.get("assignee"), copy["due_on"]) == ("Hot", None, None)
    assert _names(asana.get(f"/tasks/{copy['gid']}/dependencies")) == ["Knead"]
    assert _names(asana.get(f"/tasks/{first}/dependents")) == ["Bake", "Bake again"]
    assert _names(asana.get(f"/tasks/{copy['gid']}/subtasks")) == ["Cool"]
    assert asana.refusal("POST", f"/tasks/{task}/duplicate", {}) == (400, "name: Missing input")
    assert asana.refusal("POST", f"/tasks/{task}/duplicate", {"name": "x", "include": "notes,salt"})[0] == 400


def test_suggestions_are_of_a_kind_and_contain_the_text(asana: AsanaClient):
    for name in ("Bake bread", "Bake rolls", "Knead"):
        asana.task(name)
    path = f"/workspaces/{WORKSPACE}/typeahead"
    assert _names(asana.get(path, resource_type="task", query="BAKE")) == ["Bake bread", "Bake rolls"]
    assert _names(asana.get(path, resource_type="task", query="bake", count=1)) == ["Bake bread"]
    assert asana.get(path, resource_type="user", query="Agent", opt_fields="email")[0]["email"] == "agent@example.com"
    asana.post("/tags", workspace=WORKSPACE)
    assert _names(asana.get(path, resource_type="tag"))[-1] == ""
    assert asana.refusal("GET", path, query="bake") == (400, "resource_type: Missing input")
    for query in (
        {"resource_type": "salt"},
        {"resource_type": "task", "count": 0},
        {"resource_type": "task", "count": 101},
    ):
        assert asana.refusal("GET", path, **query)[0] == 400

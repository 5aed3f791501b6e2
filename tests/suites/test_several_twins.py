"""Tasks over several twins: what lint, audit and the pages say of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from twindiff.cli import app

Json = dict[str, Any]

SLACK_SEED: Json = {
    "teams": [{"team_id": "T1", "team_name": "Ours"}],
    "users": [{"user_id": "U1", "username": "ann", "email": "ann@example.org", "real_name": "Ann"}],
    "channels": [{"channel_id": "C1", "channel_name": "ops", "team_id": "T1"}],
    "channel_members": [{"channel_id": "C1", "user_id": "U1"}],
}
TWINS = {"slack-linear": ["slack_ops", "linear_default"], "linear-stripe": ["linear_default", "stripe_default"]}


def added(entity: str, **where: Any) -> Json:
    return {"diff_type": "added", "entity": entity, "where": where, "expected_count": 1}


def task(id: str, templates: str, *assertions: Json, **rules: Any) -> Json:
    rules = {"version": "1", "closed_world": {"except": [{"entity": "linear.issue_histories"}]}} | rules
    test: Json = {
        "id": id,
        "name": id,
        "prompt": f"Do {id}.",
        "type": "actionEval",
        "assertions": [*assertions],
        **rules,
    }
    return {**test, "seed_templates": TWINS[templates], "users": USERS[templates]}


SOMEONE = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
USERS = {"slack-linear": {"slack": "U1", "linear": SOMEONE}, "linear-stripe": {"linear": SOMEONE}}
FILED = added("linear.issues", title="Disk is full")
TASKS = [
    task("file", "slack-linear", added("slack.messages", message_text="Disk is full", user_id="U1"), FILED),
    task(
        "tell",
        "slack-linear",
        added("messages", message_text={"i_contains": "hello"}, channel_id="C1", user_id="U1", type="message"),
    ),
    task("team", "slack-linear", added("linear.teams", name="Disks", key="DSK"), closed_world=False),
    task("customer", "linear-stripe", added("stripe.customers", name="Acme"), closed_world=False),
]
AGENT = """
import httpx

def send(task, api, path, **body):
    headers = {"Authorization": f"Bearer {task.token}"}
    return httpx.post(f"{task.urls[api]}/{path}", headers=headers, trust_env=False, timeout=60, **body).json()

def graphql(task, query):
    answer = send(task, "linear", "graphql", json={"query": query})
    assert "errors" not in answer, answer
    return answer["data"]

def file(task):
    send(task, "slack", "chat.postMessage", json={"channel": "C1", "text": "Disk is full"})
    team = graphql(task, "{ teams(first: 1) { nodes { id } } }")["teams"]["nodes"][0]["id"]
    graphql(task, 'mutation { issueCreate(input: {teamId: "%s", title: "Disk is full"}) { success } }' % team)

def tell(task):
    send(task, "slack", "chat.postMessage", json={"channel": "C1", "text": "Hello all"})

def team(task):
    graphql(task, 'mutation { teamCreate(input: {name: "Disks", key: "DSK"}) { success } }')

def customer(task):
    send(task, "stripe", "v1/customers", data={"name": "Acme"})

SOLUTIONS = {"file": file, "tell": tell, "team": team, "customer": customer}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with four tasks over two twins each, and their solutions; it is the present one."""
    (tmp_path / "slack_ops.json").write_text(json.dumps(SLACK_SEED))
    (tmp_path / "ops.json").write_text(json.dumps({"name": "Ops", "service": "slack", "tests": TASKS}))
    (tmp_path / "ops_solutions.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["suites", *arguments], env={"COLUMNS": "200"})


def test_lint_finds_nothing_wrong_with_right_tasks_over_two_twins(folder: Path) -> None:
    answer = ask("lint", "Ops", "--files", ".", "--strict", "--json")
    assert answer.exit_code == 0, answer.output
    assert [each["findings"] for each in json.loads(answer.stdout)["tests"]] == [[]] * 4


def test_audit_understands_tasks_over_two_twins(folder: Path) -> None:
    answer = ask("audit", "Ops", "--files", ".", "--solutions", "ops_solutions:SOLUTIONS", "--json")
    tests = {each["name"]: each for each in json.loads(answer.stdout)["tests"]}
    assert {name: (each["problem"], each["failures"]) for name, each in tests.items()} == dict.fromkeys(tests, ("", []))
    assert tests["tell"]["let_through"] == {}
    assert all(each["tried"] > 5 for each in tests.values())


@pytest.mark.parametrize(
    ("entity", "column", "said"),
    [
        ("slack.mesages", "message_text", "there is no table 'slack.mesages'. Did you mean 'slack.messages'?"),
        ("slack.messages", "title", "slack.messages has no column 'title'."),
        ("teams", "nam", "teams has no column 'nam'. Did you mean 'name'?"),
    ],
)
def test_a_misspelt_name_of_one_of_two_twins_is_found(folder: Path, entity: str, column: str, said: str) -> None:
    tests = [{**TASKS[1], "version": "0.1", "closed_world": None, "assertions": [added(entity, **{column: "x"})]}]
    (folder / "ops.json").write_text(json.dumps({"name": "Ops", "service": "slack", "tests": tests}))
    (test,) = json.loads(ask("lint", "Ops", "--files", ".", "--json").stdout)["tests"]
    assert [said in each["text"] for each in test["findings"] if each["kind"] == "misspelt"] == [True]


def test_a_channel_that_the_template_lacks_is_found(folder: Path) -> None:
    tests = [task("tell", "slack-linear", added("slack.messages", channel_id="C9"))]
    (folder / "ops.json").write_text(json.dumps({"name": "Ops", "service": "slack", "tests": tests}))
    (test,) = json.loads(ask("lint", "Ops", "--files", ".", "--json").stdout)["tests"]
    assert [each["text"].rpartition(": ")[2] for each in test["findings"]] == [
        "the template has no row 'C9' of slack.channels"
    ]


def test_an_ignored_key_fails_a_strict_lint_only(folder: Path) -> None:
    tests = [{**TASKS[1], "version": "0.1", "closed_world": None, "closed_wrld": True}]
    (folder / "ops.json").write_text(json.dumps({"name": "Ops", "service": "slack", "tests": tests}))
    assert [ask("lint", "Ops", "--files", ".", *more).exit_code for more in ((), ("--strict",))] == [0, 1]
    assert "closed_wrld" in ask("lint", "Ops", "--files", ".").stdout


def test_an_agent_that_is_nobody_in_one_of_two_twins_is_said(folder: Path) -> None:
    tests = [{**TASKS[1], "users": {"slack": "U1"}}]
    (folder / "ops.json").write_text(json.dumps({"name": "Ops", "service": "slack", "tests": tests}))
    assert "the agent is no user of 'linear_default'" in ask("lint", "Ops", "--files", ".").output


@pytest.mark.parametrize("templates", [["slack_default"], ["slack_default", "linear_default"]])
def test_the_skeleton_of_a_suite_passes_its_lint_and_its_audit(
    tmp_path: Path, templates: list[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    options = [part for each in templates for part in ("--template", each)]
    name = f"Skeleton {len(templates)}"
    assert ask("new", name, *options).exit_code == 0
    assert ask("lint", name, "--files", "suites", "--strict").exit_code == 0
    assert "of 1 tests 1 are passed by a reference solution" in ask("audit", name, "--files", "suites").output
    assert ask("new", name, *options).exit_code == 2

"""The starter suite: every task can be done, and none is done by doing nothing or too much."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import twindiff.suites
from examples import starter_solutions
from tests.harness import LiveServer
from twindiff.cli import app
from twindiff.server import Settings

EXAMPLES = Path(__file__).parents[1]
STARTER = Path(twindiff.suites.__file__).parent / "starter.json"
AUDITED = {test["id"]: starter_solutions.work for test in json.loads(STARTER.read_text())["tests"]}
IDLE = "def work(task):\n    pass\n"
HASTY = """
import httpx
import starter_solutions

def work(task):
    starter_solutions.work(task)
    headers = {"Authorization": f"Bearer {task.token}"}
    if "slack" in task.urls:
        done = {"channel": "C01ABCD1234", "text": "Done!"}
        httpx.post(f"{task.url}/chat.postMessage", json=done, headers=headers, trust_env=False)
    else:
        issue = '{teamId: "ad608998-915c-4bad-bcd9-85ebfccccee8", title: "x"}'
        more = f"mutation {{ issueCreate(input: {issue}) {{ success }} }}"
        httpx.post(f"{task.url}/graphql", json={"query": more}, headers=headers, trust_env=False)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A fresh server."""
    server = LiveServer(Settings())
    yield server.url
    server.close()


def tried(server: str, agent: str, folder: Path) -> dict[str, Any]:
    """What `twindiff suites run starter` says of an agent."""
    command = [sys.executable, "-m", "twindiff.cli", "suites", "run", "starter", "--agent", agent, "--json"]
    variables = {"AGENT_DIFF_BASE_URL": server, "PYTHONPATH": str(EXAMPLES), "PATH": ""}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_the_solutions_pass_every_task(server: str) -> None:
    answer = tried(server, "starter_solutions:work", EXAMPLES)
    assert {test["name"]: test["trials"][0]["reason"] for test in answer["tests"] if not test["passed"]} == {}
    assert [sum(test["name"].startswith(twin) for test in answer["tests"]) for twin in ("Slack", "Linear")] == [6, 6]


@pytest.mark.parametrize("code", [IDLE, HASTY], ids=["who does nothing", "who does too much"])
def test_no_task_is_passed_by_one(code: str, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other_agent.py").write_text(code)
    for place in (EXAMPLES, tmp_path):
        monkeypatch.syspath_prepend(place)
    asked = ["suites", "run", "starter", "--agent", "other_agent:work", "--json"]
    answer = json.loads(CliRunner().invoke(app, asked, env={"AGENT_DIFF_BASE_URL": server}).stdout)
    del sys.modules["other_agent"]
    assert [test["name"] for test in answer["tests"] if test["passed"]] == []


def test_no_wrong_work_passes_and_right_work_fails_only_for_a_title_that_the_task_quotes(tmp_path: Path) -> None:
    shutil.copy(STARTER, tmp_path)
    asked = ["suites", "audit", "starter", "--solutions", f"{__name__}:AUDITED", "--files", str(tmp_path), "--json"]
    answer = json.loads(CliRunner().invoke(app, asked).output)
    assert [test["name"] for test in answer["tests"] if test["let_through"] or test["failures"]] == []
    spelling = {"a full stop more: issues.title": 1, "capital letters: issues.title": 1}
    assert {test["name"]: test["refused"] for test in answer["tests"] if not test["isSound"]} == {
        "Linear: file an issue": spelling,
        "Linear: add a sub-issue": spelling,
    }

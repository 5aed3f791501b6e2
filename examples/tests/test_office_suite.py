"""The tasks of the office, each over two services: right work passes, nothing and too much do not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from examples import office_solutions
from examples.tests.judged_suite import EXAMPLES
from twindiff.cli import app
from twindiff.client import Task, trials
from twindiff.local import Twindiff

FILE = "office_suite.json"


@pytest.fixture(scope="module")
def office() -> Iterator[Twindiff]:
    with Twindiff() as here:
        here.import_files({FILE: json.loads((EXAMPLES / FILE).read_text())})
        yield here


def too_much(task: Task) -> None:
    """Solve a task, and change what nobody asked to change."""
    office_solutions.work(task)
    headers = {"Authorization": f"Bearer {task.token}"}
    with httpx.Client(headers=headers, trust_env=False) as http:
        if "slack" in task.urls:
            topic = {"channel": "C01ABCD1234", "topic": "Done!"}
            http.post(f"{task.urls['slack']}/conversations.setTopic", json=topic).raise_for_status()
        else:
            http.post(f"{task.urls['stripe']}/v1/customers", data={"name": "Done!"}).raise_for_status()


@pytest.mark.parametrize(
    ("work", "passes"),
    [(office_solutions.work, True), (lambda task: None, False), (too_much, False)],
    ids=["right", "nothing", "too much"],
)
def test_right_work_passes_and_nothing_and_too_much_do_not(
    office: Twindiff, work: Callable[[Any], None], passes: bool
) -> None:
    (suite,) = office.suites()
    ended = {trial.test.name: trial for trial in trials(office, office.suite(suite.id).tests, work)}
    assert {name: (trial.passed, trial.error) for name, trial in ended.items()} == dict.fromkeys(ended, (passes, ""))
    assert len(ended) == 4


def test_an_agent_that_does_nothing_gets_no_score(office: Twindiff) -> None:
    (suite,) = office.suites()
    idle = trials(office, office.suite(suite.id).tests, lambda task: None)
    assert {trial.verdict.score["percent"] for trial in idle if trial.verdict} == {0.0}


def test_every_task_is_sound(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / FILE, tmp_path)
    answer = json.loads(
        CliRunner().invoke(app, ["suites", "audit", "office", "--files", str(tmp_path), "--json"]).output
    )
    assert [test["name"] for test in answer["tests"] if not test["isSound"]] == []

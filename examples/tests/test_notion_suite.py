"""The tasks in the bicycle company: every one can be done, and none is done by doing nothing or too much."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from examples import notion_solutions
from examples.tests.judged_suite import EXAMPLES, JudgedSuite, tasks_of
from tests.harness import Environment
from twindiff.cli import app

FILE = "notion_suite.json"
TASKS = tasks_of(FILE)
Failures = Callable[[str, Callable[[Any], None]], list[str]]


@pytest.fixture(scope="module")
def failures() -> Iterator[Failures]:
    """What is wrong with somebody's work at a task."""
    suite = JudgedSuite(FILE)

    def judge(task: str, work: Callable[[Any], None]) -> list[str]:
        def begin(environment: Environment) -> None:
            url = str(environment.platform.client.base_url.join(environment.made["environmentUrls"]["notion"]))
            given = {"prompt": TASKS[task]["prompt"], "url": url, "token": environment.token, "urls": {"notion": url}}
            work(SimpleNamespace(**given))

        return suite.failures(task, begin)

    yield judge
    suite.close()


def too_much(task: Any) -> None:
    """Solve a task, and write a line that nobody asked for."""
    notion_solutions.work(task)
    with notion_solutions.Workspace(task) as space:
        space.append(space.find("Wiki"), {"paragraph": {"rich_text": notion_solutions.text("Done!")}})


@pytest.mark.parametrize("task", TASKS)
def test_a_written_solution_passes(failures: Failures, task: str) -> None:
    assert failures(task, notion_solutions.work) == []


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("work", [lambda task: None, too_much], ids=["nothing", "too much"])
def test_nothing_and_too_much_pass_nowhere(failures: Failures, task: str, work: Callable[[Any], None]) -> None:
    assert failures(task, work) != []


def test_every_task_is_sound(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / FILE, tmp_path)
    answer = json.loads(
        CliRunner().invoke(app, ["suites", "audit", "bicycle company", "--files", str(tmp_path), "--json"]).output
    )
    assert [test["name"] for test in answer["tests"] if not test["isSound"]] == []

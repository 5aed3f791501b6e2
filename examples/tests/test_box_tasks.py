"""The tasks in the bike shop: every one can be done, and none is done by doing nothing or too much."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from examples import box_solutions
from examples.tests.judged_suite import EXAMPLES, JudgedSuite, tasks_of
from tests.harness import Environment
from twindiff.cli import app

FILE = "box_tasks.json"
TASKS = tasks_of(FILE)
Failures = Callable[[str, Callable[[Any], None]], list[str]]


@pytest.fixture(scope="module")
def failures() -> Iterator[Failures]:
    """What is wrong with somebody's work at a task."""
    suite = JudgedSuite(FILE)

    def judge(task: str, work: Callable[[Any], None]) -> list[str]:
        def begin(environment: Environment) -> None:
            url = str(environment.platform.client.base_url.join(environment.made["environmentUrls"]["box"]))
            given = {"prompt": TASKS[task]["prompt"], "url": url, "token": environment.token, "urls": {"box": url}}
            work(SimpleNamespace(**given))

        return suite.failures(task, begin)

    yield judge
    suite.close()


def too_much(task: Any) -> None:
    """Solve a task, and make a folder that nobody asked for."""
    box_solutions.work(task)
    wanted = {"name": "Done!", "parent": {"id": "0"}}
    headers = {"Authorization": f"Bearer {task.token}"}
    httpx.post(f"{task.url}/2.0/folders", json=wanted, headers=headers, trust_env=False).raise_for_status()


@pytest.mark.parametrize("task", TASKS)
def test_a_written_solution_passes(failures: Failures, task: str) -> None:
    assert failures(task, box_solutions.work) == []


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("work", [lambda task: None, too_much], ids=["nothing", "too much"])
def test_nothing_and_too_much_pass_nowhere(failures: Failures, task: str, work: Callable[[Any], None]) -> None:
    assert failures(task, work) != []


def test_every_task_is_sound(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / FILE, tmp_path)
    answer = json.loads(
        CliRunner().invoke(app, ["suites", "audit", "bike shop", "--files", str(tmp_path), "--json"]).output
    )
    assert [test["name"] for test in answer["tests"] if not test["isSound"]] == []

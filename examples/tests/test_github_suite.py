"""The tasks in the harbour company: each can be done, and none is done by doing nothing or nearly the right thing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from examples import github_solutions
from examples.github_solutions import Hub
from examples.tests.judged_suite import EXAMPLES, JudgedSuite, tasks_of
from tests.harness import Environment
from twindiff.cli import app

FILE = "github_suite.json"
TASKS = tasks_of(FILE)
API, WEB = "repos/tidewater/harbour-api", "repos/tidewater/harbour-web"
Failures = Callable[[str, Callable[[Any], None]], list[str]]


@pytest.fixture(scope="module")
def failures() -> Iterator[Failures]:
    """What is wrong with somebody's work at a task."""
    suite = JudgedSuite(FILE)

    def judge(task: str, work: Callable[[Any], None]) -> list[str]:
        def begin(environment: Environment) -> None:
            base = environment.platform.client.base_url
            urls = {twin: str(base.join(path)) for twin, path in environment.made["environmentUrls"].items()}
            work(SimpleNamespace(prompt=TASKS[task]["prompt"], token=environment.token, urls=urls))

        return suite.failures(task, begin)

    yield judge
    suite.close()


def too_much(hub: Hub) -> None:
    """Write a comment that nobody asked for."""
    hub("POST", f"{API}/issues/13/comments", {"body": "Done!"})


def merge(hub: Hub, repo: str, title: str) -> None:
    """Merge a pull request by a merge commit."""
    hub("PUT", f"repos/tidewater/{repo}/pulls/{hub.find(repo, title)}/merge", {"merge_method": "merge"})


NEARLY: dict[str, tuple[bool, Callable[[Hub], Any]]] = {
    "github_triage": (True, lambda hub: hub("POST", f"{API}/issues/13/labels", {"labels": ["bug"]})),
    "github_duplicate": (True, lambda hub: hub("PATCH", f"{API}/issues/28", {"state": "open"})),
    "github_file": (True, too_much),
    "github_approve": (
        False,
        lambda hub: hub("POST", f"{API}/pulls/38/reviews", {"event": "COMMENT", "body": "Looks good to me."}),
    ),
    "github_review": (
        False,
        lambda hub: hub("POST", f"{WEB}/pulls/32/reviews", {"event": "REQUEST_CHANGES", "body": "A test is missing."}),
    ),
    "github_fix": (True, lambda hub: merge(hub, "runbooks", "Say the pager's number")),
    "github_merge": (
        False,
        lambda hub: merge(hub, "ferry-cli", "Speed up main"),
    ),
    "github_release": (
        False,
        lambda hub: hub("POST", "repos/tidewater/tide-model/releases", {"tag_name": "v1.0.0", "draft": True}),
    ),
    "github_branches": (
        True,
        lambda hub: hub("DELETE", "repos/tidewater/design-system/git/refs/heads/sarahsmith/speed-up-table-4"),
    ),
    "github_deploy": (
        False,
        lambda hub: hub("POST", f"{API}/issues", {"title": "The deploy of main failed", "body": "Run 1 failed."}),
    ),
    "github_slack": (True, lambda hub: hub("POST", f"{API}/issues/38/comments", {"body": "Robert, please review"})),
    "github_linear": (False, lambda hub: hub("POST", f"{WEB}/issues/16/comments", {"body": "See ENG-1."})),
}
"""By task: whether it is solved first, and what is then done wrong."""


def do_nearly(name: str) -> Callable[[Any], None]:
    """Do nearly the right thing."""

    def work(task: Any) -> None:
        is_solved, wrong = NEARLY[name]
        if is_solved:
            github_solutions.work(task)
        with Hub(task) as hub:
            wrong(hub)

    return work


@pytest.mark.parametrize("task", TASKS)
def test_a_written_solution_passes(failures: Failures, task: str) -> None:
    assert failures(task, github_solutions.work) == []


@pytest.mark.parametrize("task", TASKS)
def test_nothing_and_nearly_the_right_thing_pass_nowhere(failures: Failures, task: str) -> None:
    assert failures(task, lambda task: None) != []
    assert failures(task, do_nearly(task)) != []


def test_every_task_is_sound(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / FILE, tmp_path)
    answer = json.loads(
        CliRunner().invoke(app, ["suites", "audit", "harbour company", "--files", str(tmp_path), "--json"]).output
    )
    assert [test["name"] for test in answer["tests"] if not test["isSound"]] == []

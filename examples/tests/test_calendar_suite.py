"""The suite of Calendar tasks: each can be done, and none is done by doing nothing, too much or something else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from examples import calendar_solutions
from examples.tests.judged_suite import EXAMPLES, JudgedSuite, tasks_of
from tests.harness import Environment
from twindiff.cli import app

FILE = "calendar_suite.json"
SOLVE = {
    id: next(solve for words, solve in calendar_solutions.SOLUTIONS.items() if words in task["prompt"])
    for id, task in tasks_of(FILE).items()
}
MUTANTS: dict[str, tuple[str, str]] = {
    "slot": ("T07:30", "T08:00"),
    "split": ("UNTIL=20180630", "UNTIL=20180815"),
    "cancel": ("06-21", "06-07"),
    "share": ("writer", "reader"),
    "regatta": ("08-06", "08-05"),
    "decline": ("declined", "tentative"),
    "focus": ("focusTime", "default"),
    "watch": ("c_launches", "c_visitors"),
}
"""What a near miss of a solution sends in the place of what."""


Passes = Callable[..., bool]


@pytest.fixture(scope="module")
def passes() -> Iterator[Passes]:
    """Whether somebody's work passes a task; `change` rewrites what is sent."""
    suite = JudgedSuite(FILE)

    def judge(task: str, work: Callable[[Any], None], change: tuple[str, str] = ("", "")) -> bool:
        return not suite.failures(task, lambda environment: work(caller(environment, *change)))

    yield judge
    suite.close()


def caller(environment: Environment, old: str, new: str) -> Callable[..., Any]:
    def changed(value: Any) -> Any:
        return json.loads(json.dumps(value).replace(old, new)) if old else value

    def call(verb: str, path: str, body: Any = None, **query: Any) -> Any:
        path, query = changed(path), changed(query)
        options = {} if body is None else {"json": changed(body)}
        answer = environment.ask(path, verb=verb, params=query, **options)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    return call


@pytest.mark.parametrize("task", SOLVE)
def test_a_solution_passes_and_nothing_else_does(passes: Passes, task: str) -> None:
    def too_much(call: Any) -> None:
        SOLVE[task](call)
        call("POST", "calendars/primary/events/quickAdd", text="Done tomorrow")

    assert passes(task, SOLVE[task])
    assert not passes(task, lambda call: None)
    assert not passes(task, too_much)
    assert not passes(task, SOLVE[task], MUTANTS[task])


def test_every_task_is_sound(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / FILE, tmp_path)
    asked = ["suites", "audit", "calendar_office", "--files", str(tmp_path), "--json"]
    answer = json.loads(CliRunner().invoke(app, asked).output)
    assert [test["name"] for test in answer["tests"] if not test["isSound"]] == []

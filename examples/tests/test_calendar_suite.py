"""The suite of Calendar tasks: each can be done, and none is done by doing nothing, too much or something else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples import calendar_solutions
from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

SUITE = Path(__file__).parents[1] / "calendar_suite.json"
TASKS = json.loads(SUITE.read_text())["tests"]
SOLVE = [
    next(solve for words, solve in calendar_solutions.SOLUTIONS.items() if words in task["prompt"]) for task in TASKS
]
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


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    server = LiveServer(Settings())
    platform = Platform(server.in_process)
    platform.post("import", {"files": {"calendar_office.json": json.loads(SUITE.read_text())}})
    yield platform
    server.close()


@pytest.fixture(scope="module")
def tests(platform: Platform) -> dict[str, str]:
    """The ids of the tests by name."""
    (suite,) = platform.get("testSuites", name="calendar_office")["testSuites"]
    return {test["name"]: test["id"] for test in platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]}


Judge = Callable[..., bool]


@pytest.fixture
def passes(platform: Platform, tests: dict[str, str]) -> Judge:
    """Whether somebody's work passes a task; `change` rewrites what is sent."""

    def judge(number: int, work: Callable[[Any], None], change: tuple[str, str] = ("", "")) -> bool:
        test = tests[TASKS[number]["name"]]
        environment = platform.environment("calendar:calendar_default", "user_agent", testId=test)
        run = platform.start(environment, testId=test)
        work(caller(environment, *change))
        return platform.evaluate(run)["passed"]

    return judge


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


@pytest.mark.parametrize("number", range(len(TASKS)), ids=lambda number: TASKS[number]["id"])
def test_a_solution_passes_and_nothing_else_does(passes: Judge, number: int) -> None:
    def too_much(call: Any) -> None:
        SOLVE[number](call)
        call("POST", "calendars/primary/events/quickAdd", text="Done tomorrow")

    assert passes(number, SOLVE[number])
    assert not passes(number, lambda call: None)
    assert not passes(number, too_much)
    assert not passes(number, SOLVE[number], MUTANTS[TASKS[number]["id"]])

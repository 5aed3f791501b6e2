"""The public Calendar suite: nothing done passes no task, and those that take the most calls can be solved.

The suite and its world stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json

import pytest

from .conftest import AGENT, SHARED, Calendar
from .suite_solutions import SOLUTIONS, Desk

SUITE = SHARED / "agent-diff" / "suites" / "calendar_bench.json"
WORLD = SHARED / "agent-diff" / "seeds" / "calendar_default.json"
TASKS = {task["id"]: task for task in json.loads(SUITE.read_text())["tests"]} if SUITE.exists() else {}
NET = {"test_61": ["calendars"]}
"""Tasks that ask for changes of rows which the task itself creates: a net diff shows those as added only."""

pytestmark = pytest.mark.skipif(not TASKS, reason=f"there is no suite at {SUITE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def imported(platform):
    """The suite's tests by name, on the server."""
    platform.post("import", {"files": {path.name: json.loads(path.read_text()) for path in (WORLD, SUITE)}})
    (suite,) = platform.get("testSuites", name="Calendar")["testSuites"]
    tests = platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]
    return {test["name"]: test["id"] for test in tests}


@pytest.fixture
def judged(platform, imported):
    """Do a task's work in a fresh world, and give the verdict with its failures."""

    def judge(task, work):
        test = imported[TASKS[task]["name"]]
        environment = platform.environment("calendar:calendar_default", AGENT, testId=test)
        run = platform.start(environment, testId=test)
        work(Desk(Calendar(environment, environment.token)))
        verdict = platform.evaluate(run)
        return verdict["passed"], platform.get(f"results/{run}")["failures"]

    return judge


def test_the_fifteen_longest_tasks_have_a_solution():
    longest = sorted(TASKS.values(), key=lambda task: -task["metadata"]["min_tool_calls"])[:15]
    assert {task["id"] for task in longest} == SOLUTIONS.keys()


@pytest.mark.parametrize("task", sorted(SOLUTIONS))
def test_a_written_solution_passes(judged, task):
    passed, failures = judged(task, SOLUTIONS[task])
    if task in NET:
        assert len(failures) == len(NET[task])
        assert all(table in text for table, text in zip(NET[task], failures, strict=True))
    else:
        assert (passed, failures) == (True, [])


@pytest.mark.parametrize("task", sorted(TASKS))
def test_doing_nothing_passes_no_task(judged, task):
    assert judged(task, lambda desk: None)[0] is False

"""The public Box suite: nothing done passes no task, and those that take the most calls can be solved.

The suite and its files stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from twindiff.suites.suite_folder import bring_files

from .conftest import Box
from .suite_solutions import SOLUTIONS, Desk

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
FOLDER = SHARED / "agent-diff"
SUITE = FOLDER / "suites" / "box_bench.json"
TASKS = {task["id"]: task for task in json.loads(SUITE.read_text())["tests"]} if SUITE.exists() else {}
ADMIN = "27512847635"

pytestmark = pytest.mark.skipif(not TASKS, reason=f"there is no suite at {SUITE}; set TWINDIFF_SHARED")


@pytest.fixture(scope="module")
def imported(platform):
    """The suite's tests by name, on the server; its files that the folder lacks are 18."""
    seed = json.loads((FOLDER / "seeds" / "box_default.json").read_text())
    assert len(bring_files(FOLDER, seed)) == 18
    files = {"box_public.json": seed, "box_bench.json": renamed(json.loads(SUITE.read_text()))}
    platform.post("import", {"files": files})
    (suite,) = platform.get("testSuites", name="Box")["testSuites"]
    tests = platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]
    return {test["name"]: test["id"] for test in tests}


def renamed(suite):
    """The suite for the seed under a name of its own, beside the template that the twin brings."""
    return {**suite, "tests": [{**test, "seed_template": "box_public"} for test in suite["tests"]]}


@pytest.fixture
def judged(platform, imported):
    """Do a task's work in a fresh enterprise, and give the verdict with its failures."""

    def judge(task, work):
        test = imported[TASKS[task]["name"]]
        tokens = {f"token-{ADMIN}": ADMIN}
        environment = platform.environment("box:box_public", ADMIN, testId=test, tokens=tokens)
        run = platform.start(environment, testId=test)
        work(Desk(Box(environment, ADMIN)))
        verdict = platform.evaluate(run)
        return verdict["passed"], platform.get(f"results/{run}")["failures"]

    return judge


def test_the_twelve_longest_tasks_have_a_solution():
    longest = sorted(TASKS.values(), key=lambda task: -task["metadata"]["min_tool_calls"])[:12]
    assert {task["id"] for task in longest} == SOLUTIONS.keys()


@pytest.mark.parametrize("task", sorted(SOLUTIONS))
def test_a_written_solution_passes(judged, task):
    assert judged(task, SOLUTIONS[task]) == (True, [])


@pytest.mark.parametrize("task", sorted(TASKS))
def test_doing_nothing_passes_no_task(judged, task):
    assert judged(task, lambda desk: None)[0] is False

"""The public Box suite: nothing done passes no task, and each can be solved.

The suite and its files stand in a folder `shared` beside the checkout, or where TWINDIFF_SHARED says.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from twindiff.suites.suite_folder import bring_files

from .conftest import Box
from .suite_small_solutions import SOLUTIONS
from .suite_solutions import Desk

SHARED = Path(os.environ.get("TWINDIFF_SHARED", Path(__file__).parents[6] / "shared"))
FOLDER = SHARED / "agent-diff"
SUITE = FOLDER / "suites" / "box_bench.json"
TASKS = {task["id"]: task for task in json.loads(SUITE.read_text())["tests"]} if SUITE.exists() else {}
ADMIN = "27512847635"
PRICES = b"Series_reference,Period,Data_value,Series_title_1\nCPIM.SE901,1999.06,664,Food\n"
TRANSPORT = b"Series_reference,Period,Data_value\n" + b"TPTA.S22IA,1970.12,5\n" * 44_760
STAND_INS = {
    "test_18": ("selected-price-indexes-december-2025.csv", PRICES),
    "test_20": ("transport-april-2025-csv.csv", TRANSPORT),
    "test_21": ("transport-april-2025-csv.csv", TRANSPORT),
}
"""Contents of our own for files that tasks read and that the public folder lacks."""

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
        desk = Desk(Box(environment, ADMIN))
        if task in STAND_INS:
            name, data = STAND_INS[task]
            assert desk.box.new_version(desk.named(name, "file"), data).status_code == 200
        run = platform.start(environment, testId=test)
        work(desk)
        verdict = platform.evaluate(run)
        return verdict["passed"], platform.get(f"results/{run}")["failures"]

    return judge


def test_every_task_has_a_solution():
    assert TASKS.keys() == SOLUTIONS.keys()


@pytest.mark.parametrize("task", sorted(SOLUTIONS))
def test_a_written_solution_passes(judged, task):
    passed, failures = judged(task, SOLUTIONS[task])
    assert not failures, "\n".join(failures)
    assert passed


@pytest.mark.parametrize("task", sorted(TASKS))
def test_doing_nothing_passes_no_task(judged, task):
    assert judged(task, lambda desk: None)[0] is False

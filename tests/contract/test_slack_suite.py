"""The public Slack suite: it imports, its tasks can be solved through the API, and doing nothing solves none."""

import json
import os
from pathlib import Path

import pytest

from tests.contract import slack_small_solutions, slack_solutions
from tests.contract.slack_solutions import CONTRADICTIONS
from tests.harness import Environment

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[3] / "shared") / "agent-diff"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the public benchmark's files are not at {SHARED}")


SOLUTIONS = [*slack_solutions.SOLUTIONS, *slack_small_solutions.SOLUTIONS]


class Agent:
    """Slack for one user, who is never refused."""

    def __init__(self, environment: Environment, token: str) -> None:
        self.environment = environment
        self.token = token

    def __call__(self, method, **parameters):
        answer = self.environment.slack(method, token=self.token, **parameters)
        assert answer["ok"], (method, parameters, answer)
        return answer

    def as_user(self, user):
        return Agent(self.environment, f"xoxp-{user}")


@pytest.fixture(scope="module")
def files():
    seed, suite = "seeds/slack_bench_v2.json", "suites/slack_bench_v2.json"
    return {name: json.loads((SHARED / name).read_text()) for name in (seed, suite)}


@pytest.fixture(scope="module")
def tests(platform, files):
    """The suite's tests by their public ids; a prompt tells each from the others, a name does not."""
    platform.post("import", {"files": files})
    (suite,) = platform.get("testSuites", name="Slack Bench v2")["testSuites"]
    stored = {test["prompt"]: test for test in platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]}
    return {test["id"]: stored[test["prompt"]] for test in files["suites/slack_bench_v2.json"]["tests"]}


def begin(platform, test):
    """An environment and a run for a test."""
    tokens = {f"xoxp-{user}": user for user in ("U_LUKAS", "U_MATEO", "U02JOHNDOE1")}
    env = Environment(platform, platform.post("initEnv", {"testId": test["id"], "tokens": tokens}))
    return env, platform.start(env, testId=test["id"])


def test_the_whole_suite_is_imported(tests):
    assert len(tests) == 47
    assert {test["seed_template"] for test in tests.values()} == {"slack_bench_v2"}


def test_its_ignored_fields_belong_to_each_test(tests):
    ignored = {"global": ["created_at", "updated_at"]}
    assert all(test["expected_output"]["ignore_fields"] == ignored for test in tests.values())


def test_every_task_has_a_solution(files):
    tasks = files["suites/slack_bench_v2.json"]["tests"]
    assert {solution.__name__ for solution in SOLUTIONS} == {task["id"] for task in tasks}


@pytest.mark.parametrize("solution", SOLUTIONS, ids=lambda solution: solution.__name__)
def test_a_solved_task_passes(platform, tests, solution):
    env, run = begin(platform, tests[solution.__name__])
    solution(Agent(env, env.token))
    verdict = platform.evaluate(run)
    failed = [each["assertion"] for each in verdict["explanations"]]
    assert failed == CONTRADICTIONS.get(solution.__name__, []), verdict["failures"]


def test_doing_nothing_solves_no_task(platform, tests):
    runs = [begin(platform, test)[1] for test in tests.values()]
    assert {platform.evaluate(run)["status"] for run in runs} == {"failed"}

"""The public recordings: diffs of real agents with the verdicts that the public engine gave them."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from twindiff.checks import evaluate

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[3] / "shared")
RUNS = SHARED / "agent-diff" / "recorded" / "linear_runs.json"
SUITE = SHARED / "agent-diff" / "suites" / "linear_bench.json"

pytestmark = pytest.mark.skipif(
    not (RUNS.exists() and SUITE.exists()),
    reason="the public recordings are not here; set TWINDIFF_SHARED to the folder that holds agent-diff/",
)


@pytest.fixture(scope="module")
def runs() -> list[dict[str, Any]]:
    return json.loads(RUNS.read_text())


@pytest.fixture(scope="module")
def specs() -> dict[str, dict[str, Any]]:
    """Each test's spec by its prompt, with what the suite ignores everywhere."""
    suite = json.loads(SUITE.read_text())
    ignored = {"ignore_fields": suite["ignore_fields"]}
    return {test["prompt"]: {**ignored, "assertions": test["assertions"]} for test in suite["tests"]}


def test_every_recorded_diff_gets_its_recorded_verdict_and_score(
    runs: list[dict[str, Any]], specs: dict[str, dict[str, Any]]
) -> None:
    judged = [evaluate(specs[run["prompt"]], run["diff"]) for run in runs]
    given = [(verdict.passed, msgspec.to_builtins(verdict.score)) for verdict in judged]
    assert given == [(run["passed"], run["score"]) for run in runs]
    assert len(given) == 198


def test_every_recorded_failure_has_its_recorded_words(
    runs: list[dict[str, Any]], specs: dict[str, dict[str, Any]]
) -> None:
    assert [evaluate(specs[run["prompt"]], run["diff"]).failures for run in runs] == [run["failures"] for run in runs]


@pytest.mark.parametrize("suite", ["box_bench", "calendar_bench", "linear_bench", "slack_bench_v2"])
def test_every_spec_of_a_public_suite_is_understood(suite: str) -> None:
    content = json.loads((SUITE.parent / f"{suite}.json").read_text())
    for test in content["tests"]:
        spec = {"ignore_fields": content.get("ignore_fields", {}), "assertions": test["assertions"]}
        assert evaluate(spec, {"inserts": [], "updates": [], "deletes": []}).score.total == len(test["assertions"])

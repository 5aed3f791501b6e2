"""What came of `twindiff suites run`, test by test."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table
from rich.text import Text

from twindiff.cli.render import ADDED, CHANGED, REMOVED, add_row, show, table
from twindiff.cli.trial_sets import no_op_of
from twindiff.cli.trial_words import describe_reason, describe_usage, percent_words
from twindiff.client import Suite, Test, Trial, Usage
from twindiff.client.trial_runner import Status

STYLES = {"passed": ADDED, "failed": REMOVED, "error": CHANGED}


class SuiteTestResult(NamedTuple):
    """A test and its trials."""

    test: Test
    trials: list[Trial]

    @property
    def counted(self) -> list[Trial]:
        """The trials that passed or failed; the others ended with an error."""
        return [trial for trial in self.trials if trial.status != "error"]

    @property
    def status(self) -> Status:
        if not self.counted:
            return "error"
        return "passed" if all(trial.passed for trial in self.counted) else "failed"

    @property
    def errors(self) -> int:
        return len(self.trials) - len(self.counted)

    @property
    def passed(self) -> bool:
        """Whether all trials passed."""
        return all(trial.passed for trial in self.trials)

    @property
    def percent(self) -> float | None:
        """The mean score of the trials that count; None if none does."""
        scores = [trial.verdict.score["percent"] for trial in self.counted if trial.verdict]
        return fmean(scores) if scores else None

    @property
    def no_op(self) -> float | None:
        """The score of an agent that does nothing; None if it is unknown."""
        return no_op_of(self.test)

    @property
    def reason(self) -> str:
        unpassed = [trial for trial in self.trials if not trial.passed]
        failed = [trial for trial in unpassed if trial.status == "failed"]
        return next((describe_reason(trial) for trial in failed or unpassed), "")

    @property
    def warnings(self) -> list[str]:
        of_trials = [trial.verdict.warnings for trial in self.trials if trial.verdict]
        return of_trials[0] if of_trials else []


def show_results(results: Sequence[SuiteTestResult], seconds: float, trial_set: str) -> None:
    """Print a table of the tests, and a line of figures."""
    show(_table(results))
    passed = sum(result.status == "passed" for result in results)
    scores = [result.percent for result in results if result.percent is not None]
    parts = [f"\n{passed} of {len(results)} tests passed"]
    if errors := sum(result.errors for result in results):
        parts[0] += f", {errors} {'trial' if errors == 1 else 'trials'} ended with an error"
    parts += [f"mean score {fmean(scores):.0f} %"] if scores else []
    parts += [f"{seconds:.1f} s", *_costs(results)]
    parts += [f"trial set {trial_set}"] if trial_set else []
    show("; ".join(parts))


def _costs(results: Sequence[SuiteTestResult]) -> list[str]:
    """Return the tokens that all trials used, if the agent reports them."""
    used = sum((trial.usage for result in results for trial in result.trials), Usage())
    return [describe_usage(used)] if used != Usage() else []


def _table(results: Sequence[SuiteTestResult]) -> Table:
    is_kept = any(trial.is_kept for result in results for trial in result.trials)
    has_no_op = any(result.no_op for result in results)
    more = [*(["no-op"] if has_no_op else []), "reason", *(["environment"] if is_kept else [])]
    shown = table("test", "verdict", "score", *more)
    for result in results:
        kept = next((trial.environment_id for trial in result.trials if trial.is_kept), "")
        cells = [result.test.name, Text(_verdict_words(result), STYLES[result.status]), percent_words(result.percent)]
        cells += [percent_words(result.no_op)] if has_no_op else []
        add_row(shown, *cells, result.reason, *([kept] if is_kept else []))
    return shown


def _verdict_words(result: SuiteTestResult) -> str:
    word: str = result.status
    if len(result.trials) > 1 and result.counted:
        word = f"{word} {sum(trial.passed for trial in result.counted)}/{len(result.counted)}"
        word = f"{word}, {result.errors} errors" if result.errors else word
    return word


def to_json(suite: Suite, results: Sequence[SuiteTestResult]) -> dict[str, Any]:
    """Return the results as `--json` prints them."""
    tests = [
        {
            "testId": result.test.id,
            "name": result.test.name,
            "passed": result.passed,
            "status": result.status,
            "percent": result.percent,
            "noOpPercent": result.no_op,
            "trials": [_trial(trial) for trial in result.trials],
        }
        for result in results
    ]
    return {"suite": suite.name, "passed": all(result.passed for result in results), "tests": tests}


def _trial(trial: Trial) -> dict[str, Any]:
    verdict = trial.verdict
    return {
        "passed": trial.passed,
        "status": trial.status,
        "error": trial.error,
        "score": verdict.score if verdict else None,
        "reason": trial.reason,
        "explanations": verdict.explanations if verdict else [],
        "warnings": verdict.warnings if verdict else [],
        "seconds": round(trial.seconds, 3),
        "environmentId": trial.environment_id,
        "isKept": trial.is_kept,
        "runId": trial.run_id,
        "usage": trial.usage._asdict(),
    }

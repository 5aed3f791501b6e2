"""The verdict of a pull request run, computed from its test results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from twindiff.server.apis.test_runs.reports import TestResult


class ChangeVerdict(NamedTuple):
    """The verdict over the results of a run's tests."""

    results: Sequence[TestResult]

    @property
    def bad(self) -> list[TestResult]:
        """The results that make the run fail."""
        return [each for each in self.results if each.is_bad]

    @property
    def status(self) -> str:
        """The final status of the run: `failed` or `completed`."""
        return "failed" if self.bad else "completed"

    @property
    def summary(self) -> str:
        """The verdict in a sentence: how many tests passed, and the details of the others."""
        passed = sum(each.status == "passed" for each in self.results)
        said = [f"{each.name}: {each.detail}" for each in self.results if each.status != "passed"]
        counted = f"{passed} of {sum(each.status != 'skipped' for each in self.results)} tests passed"
        return "; ".join([f"{len(self.bad)} of {len(self.results)} failed", *said] if self.bad else [counted, *said])

    def outcome(self) -> dict[str, Any]:
        """The verdict as fields of the run's record.
        Keys: `passed`, `failed`, `total`, `summary`; on failure also `failure_category` and `failure_detail`.
        """
        counts = {
            "passed": sum(each.status == "passed" for each in self.results),
            "failed": len(self.bad),
            "total": sum(each.status != "skipped" for each in self.results),
        }
        said = "; ".join(f"{each.name}: {each.detail}" for each in self.bad)
        failure = {"failure_category": self.bad[0].category, "failure_detail": said} if self.bad else {}
        return {**counts, **failure, "summary": self.summary}

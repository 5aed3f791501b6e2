"""The verdict of a pull request run: what its tests came to, and the reports that say so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from twindiff.server.test_runs.reports import CHECK_RUN, JUNIT, TestResult, check_run, junit


class Verdict(NamedTuple):
    """What the tests of a run came to."""

    results: Sequence[TestResult]

    @property
    def bad(self) -> list[TestResult]:
        """The results because of which the run has failed."""
        return [each for each in self.results if each.is_bad]

    @property
    def status(self) -> str:
        """How the run ends."""
        return "failed" if self.bad else "completed"

    @property
    def summary(self) -> str:
        """The verdict in words: how many tests passed, and what each of the others says."""
        passed = sum(each.status == "passed" for each in self.results)
        said = [f"{each.name}: {each.detail}" for each in self.results if each.status != "passed"]
        counted = f"{passed} of {sum(each.status != 'skipped' for each in self.results)} tests passed"
        return "; ".join([f"{len(self.bad)} of {len(self.results)} failed", *said] if self.bad else [counted, *said])

    def outcome(self) -> dict[str, Any]:
        """The verdict as fields of the run's record."""
        counts = {
            "passed": sum(each.status == "passed" for each in self.results),
            "failed": len(self.bad),
            "total": sum(each.status != "skipped" for each in self.results),
        }
        said = "; ".join(f"{each.name}: {each.detail}" for each in self.bad)
        failure = {"failure_category": self.bad[0].category, "failure_detail": said} if self.bad else {}
        return {**counts, **failure, "summary": self.summary}


def write_reports(folder: Path, verdict: Verdict, head_sha: str, details_url: str) -> None:
    """Write the verdict as JUnit XML and as a check run into the folder of the run's artifacts."""
    (folder / JUNIT).write_bytes(junit(verdict.results))
    body = check_run(head_sha, verdict.results, verdict.summary, details_url)
    (folder / CHECK_RUN).write_bytes(msgspec.json.encode(body))

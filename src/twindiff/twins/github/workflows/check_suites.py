"""Check suites: all check runs of a commit together.

https://docs.github.com/en/rest/checks/suites
"""

from __future__ import annotations

from twindiff.kit import Call

from ..core.stamps import new_id
from ..tables.repository_tables import CheckRun, CheckSuite, Repository


def suite_for(call: Call, repo: Repository, sha: str, branch: str | None = None) -> CheckSuite:
    """Return the check suite of a commit, made if there is none."""
    known = call.db.find(CheckSuite, CheckSuite.repository_id == repo.id, CheckSuite.head_sha == sha)
    if known:
        return known
    now = call.clock.iso()
    times = {"created_at": now, "updated_at": now}
    return call.db.add(CheckSuite(id=new_id(call), repository_id=repo.id, head_sha=sha, head_branch=branch, **times))


def update_suite(call: Call, suite: CheckSuite) -> None:
    """Set the status and the conclusion of a suite by its runs."""
    runs = call.db.rows(CheckRun, CheckRun.check_suite_id == suite.id)
    is_done = all(run.status == "completed" for run in runs)
    conclusions = [run.conclusion for run in runs]
    failed = next((name for name in conclusions if name not in ("success", "neutral", "skipped")), None)
    status = "completed" if is_done else "in_progress"
    conclusion = (failed or "success") if is_done else None
    if (suite.status, suite.conclusion) != (status, conclusion):
        call.db.change(suite, status=status, conclusion=conclusion, updated_at=call.clock.iso())

"""Runs happen in time: jobs begin, end as their workflow says, and let others begin.

https://docs.github.com/en/actions/concepts/workflows-and-actions/workflows
"""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from typing import Any

from twindiff.kit import Call, Operations

from ..core.stamps import new_id, show_instant
from ..event_delivery.announcements import announce
from ..pulls.merging import merge_when_ready
from ..pushes.head_tracking import branch_key, open_pulls
from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import CheckRun, CheckSuite, Repository
from ..tables.work_tables import Artifact, WorkflowJob, WorkflowRun
from ..workflows.check_suites import update_suite
from ..workflows.run_views import show_job
from ..workflows.triggers import tell_run

api = Operations()
ARTIFACT_DAYS = 90
DONE = ("success", "skipped", "neutral")


def later(stamp: str, seconds: int) -> str:
    """Return an instant of a row some seconds later."""
    return (datetime.fromisoformat(stamp) + timedelta(seconds=seconds)).isoformat()


@api.due(WorkflowJob.next_at)
def advance_job(call: Call, job: WorkflowJob) -> None:
    """Begin a queued job at its time, or end one that runs."""
    run = call.db.get(WorkflowRun, job.run_id)
    call.actor = run.triggering_actor
    if job.status == "queued":
        begin_job(call, run, job)
    else:
        end_job(call, run, job)


def begin_job(call: Call, run: WorkflowRun, job: WorkflowJob) -> None:
    """Begin a job; it ends after the seconds that its steps take."""
    now = call.clock.iso()
    seconds = sum(step["seconds"] for step in job.plan["steps"])
    job = call.db.change(job, status="in_progress", started_at=now, next_at=later(now, max(1, seconds)))
    _update_check(call, job)
    if run.status == "queued":
        run = call.db.change(run, status="in_progress", updated_at=now)
        tell_run(call, call.db.get(Repository, run.repository_id), run, "in_progress")


def _update_check(call: Call, job: WorkflowJob) -> None:
    """Show the state of a job as its check run."""
    check = call.db.find(CheckRun, CheckRun.id == job.check_run_id)
    if check is None:
        return
    times: dict[str, Any] = {"started_at": job.started_at or job.created_at, "completed_at": job.completed_at}
    call.db.change(check, status=job.status, conclusion=job.conclusion, **times)
    update_suite(call, call.db.get(CheckSuite, check.check_suite_id))


def end_job(call: Call, run: WorkflowRun, job: WorkflowJob) -> None:
    """End a job as its workflow says, leave its artifacts and logs, and let the next ones begin."""
    plan: list[dict[str, Any]] = job.plan["steps"]
    conclusion = "failure" if any(step["conclusion"] == "failure" for step in plan) else "success"
    at, steps, lines = str(job.started_at), list[dict[str, Any]](), list[str]()
    for number, step in enumerate(plan, 1):
        ends = later(at, step["seconds"])
        times = {"started_at": show_instant(at), "completed_at": show_instant(ends)}
        named = {"name": step["name"], "status": "completed", "conclusion": step["conclusion"], "number": number}
        steps.append({**named, **times})
        lines += [f"{at[:19]}.0000000Z {line}" for line in step["log"]]
        at = ends
    done: dict[str, Any] = {"status": "completed", "conclusion": conclusion, "completed_at": call.clock.iso()}
    rest: dict[str, Any] = {**job.plan, "steps": []}
    job = call.db.change(job, plan=rest, next_at=None, steps=steps, log="\n".join(lines) + "\n", **done)
    _update_check(call, job)
    for name in job.plan["artifacts"]:
        add_artifact(call, run, name, job.log.encode())
    repo = call.db.get(Repository, run.repository_id)
    announce(call, repo, "workflow_job", {"action": "completed", "workflow_job": show_job(call, repo, job, run)})
    continue_run(call, run)


def add_artifact(call: Call, run: WorkflowRun, name: str, data: bytes) -> Artifact:
    """Store an artifact of a run: a zip archive with one file."""
    buffer, now = io.BytesIO(), call.clock.iso()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(f"{name}.txt"), data)
    packed = buffer.getvalue()
    about: dict[str, Any] = {"run_id": run.id, "repository_id": run.repository_id, "name": name}
    times: dict[str, Any] = {"created_at": now, "expires_at": later(now, ARTIFACT_DAYS * 86400)}
    row = Artifact(id=new_id(call), size_in_bytes=len(packed), digest=call.blobs.put(packed), **about, **times)
    return call.db.add(row)


def jobs_of(call: Call, run: WorkflowRun) -> list[WorkflowJob]:
    """Return the jobs of the newest attempt of a run."""
    where = (WorkflowJob.run_id == run.id, WorkflowJob.run_attempt == run.run_attempt)
    return call.db.rows(WorkflowJob, *where, order=WorkflowJob.id)


def continue_run(call: Call, run: WorkflowRun) -> None:
    """Let jobs begin whose needs are met, skip those whose needs failed, and end the run after the last one."""
    has_changed = True
    while has_changed:
        has_changed = False
        jobs = jobs_of(call, run)
        for job in jobs:
            if job.status == "queued" and job.next_at is None:
                has_changed = _release_job(call, job, jobs) or has_changed
    jobs = jobs_of(call, run)
    if all(job.status == "completed" for job in jobs):
        conclusions = [job.conclusion for job in jobs]
        failed = next((each for each in ("failure", "cancelled") if each in conclusions), None)
        finish_run(call, run, failed or "success")


def _release_job(call: Call, job: WorkflowJob, jobs: list[WorkflowJob]) -> bool:
    """Let a job begin or skip it if all that it needs is done; return whether it was skipped."""
    needed = [each for each in jobs if each.plan["key"] in job.needs]
    if any(each.status != "completed" for each in needed):
        return False
    condition = str(job.plan.get("if", ""))
    is_met = all(each.conclusion == "success" for each in needed) or "always()" in condition
    if "failure()" in condition:
        is_met = any(each.conclusion == "failure" for each in needed)
    if is_met:
        call.db.change(job, next_at=later(call.clock.iso(), 1))
        return False
    done: dict[str, Any] = {"status": "completed", "conclusion": "skipped", "completed_at": call.clock.iso()}
    _update_check(call, call.db.change(job, **done))
    return True


def finish_run(call: Call, run: WorkflowRun, conclusion: str) -> None:
    """End a run, and merge pull requests that waited for its checks."""
    run = call.db.change(run, status="completed", conclusion=conclusion, updated_at=call.clock.iso())
    repo = call.db.get(Repository, run.repository_id)
    tell_run(call, repo, run, "completed")
    key = branch_key(repo.id, run.head_branch or "")
    for pull, _ in open_pulls(call, PullRequest.head_repository_ref == key, PullRequest.head_sha == run.head_sha):
        if pull.auto_merge:
            call.actor = pull.auto_merge["enabled_by"]
            merge_when_ready(call, call.db.get(Repository, pull.repository_id), pull)

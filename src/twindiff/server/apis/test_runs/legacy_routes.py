"""Runs as the released SDK requests them: `/validate/url-run`, `/runs/{id}`, `/validate/{id}/…`."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from twindiff.catalog import TestRunRecord, TwinRunRecord
from twindiff.kit.http import Response
from twindiff.kit.twin import Operations
from twindiff.server.apis.test_runs.artifacts import MAX_LOG_BYTES
from twindiff.server.apis.test_runs.routes import Hosts, LastEventId, Prompt, Seconds, SessionId, Ttl
from twindiff.server.apis.test_runs.runs import DEFAULT_SECONDS, TestRunRequest, without_none
from twindiff.server.apis.test_runs.streams import stream
from twindiff.server.apis.test_runs.views import brief, log_entry, render_run
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext

api = Operations()

Offset = Annotated[int, msgspec.Meta(ge=0)]
PageSize = Annotated[int, msgspec.Meta(ge=1, le=100)]


@api.post("/validate/url-run")
async def create_url_run(
    desk: TwinRunContext,
    url: str,
    prompt: Prompt | None = None,
    twins: list[str] | None = None,
    credentials: dict[str, str] | None = None,
    runner_mode: str | None = None,
    session_id: SessionId | None = None,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    provision_id: str | None = None,
    ttl_minutes: Ttl = 60,
    scenario_id: str | None = None,
    hosts: Hosts | None = None,
    timeout_seconds: Seconds = DEFAULT_SECONDS,
) -> dict[str, Any]:
    """Queue a test of a URL: the steps of the prompt, or without one that the page opens."""
    wanted = TestRunRequest(
        prompt=prompt,
        start_url=url,
        credentials=credentials or {},
        hosts=hosts or [],
        twins=twins or [],
        ttl_minutes=ttl_minutes,
        provision_id=provision_id,
        scenario_id=scenario_id,
        seconds=timeout_seconds,
        about=without_none(repo=repo, branch=branch, pr_url=pr_url, session_id=session_id, runner_mode=runner_mode),
    )
    run = await desk.tests.create(wanted, desk.address, "url")
    return brief(desk.tests.ledger, run, desk.address)


@api.get("/runs/{run_id}")
def get_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """The status of a run of any kind, and the results of its steps."""
    run = desk.tests.ledger.find_by_id(run_id)
    if run is None:
        return _twin_run(desk, desk.runs.find(run_id))
    return render_run(desk.tests, run, desk.address)


def _twin_run(desk: TwinRunContext, run: TwinRunRecord) -> dict[str, Any]:
    """Render a twin run like the other kinds."""
    return {
        "id": run.run_id,
        "run_id": run.run_id,
        "status": desk.runs.status(run),
        "run_type": "twin_quickstart",
        "mode": "twin_quickstart",
        "twins": [*run.requested.values()],
        "environment_id": run.environment_id or None,
        "created_at": f"{run.created_at}Z",
    }


@api.get("/runs/{run_id}/logs")
def get_run_logs(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """The events of a run, and the log of its worker."""
    run = desk.tests.ledger.find(run_id)
    events = desk.tests.ledger.events(run.run_id)
    return {
        "run": {
            **brief(desk.tests.ledger, run, desk.address),
            "repo_full_name": run.repo,
            "commit_sha": run.asked.get("commit_sha"),
            "github_pr_number": run.asked.get("pr_number"),
            "git_branch": run.asked.get("branch"),
            "event_log_json": [log_entry(event) for event in events],
        },
        "worker_logs": [_worker_log(desk, run), *_application_log(desk, run)],
        "runtime_logs": [
            {
                "timestamp": f"{event.at}Z",
                "service_name": "runner",
                "severity": "ERROR" if event.data.get("status") == "failed" else "INFO",
                "event": event.type,
                "code": None,
                "request_id": None,
                "job_id": run.run_id,
                "surface_name": None,
                "message": event.message,
            }
            for event in events
        ],
        "warnings": [event.message for event in events if event.type == "refused"],
    }


def _worker_log(desk: TwinRunContext, run: TestRunRecord) -> dict[str, Any]:
    return {
        "job_id": run.run_id,
        "job_type": run.kind,
        "target_role": "browser",
        "status": run.status,
        "content": desk.tests.artifacts.log(run.run_id),
        "truncated": False,
        "error": run.outcome.get("failure_detail") if run.status == "failed" else None,
    }


def _application_log(desk: TwinRunContext, run: TestRunRecord) -> list[dict[str, Any]]:
    """The output of the application in a run's sandbox."""
    sandbox = desk.tests.ledger.find_by_id(run.sandbox_id or "")
    if sandbox is None:
        return []
    printed = [each.message for each in desk.tests.ledger.events(sandbox.run_id) if each.type == "output"]
    return [
        {
            "job_id": sandbox.run_id,
            "job_type": sandbox.kind,
            "target_role": "application",
            "status": sandbox.status,
            "content": "\n".join(printed)[-MAX_LOG_BYTES:],
            "truncated": len("\n".join(printed)) > MAX_LOG_BYTES,
            "error": sandbox.outcome.get("failure_detail"),
        }
    ]


@api.get("/validate/{run_id}/results")
def stream_results(desk: TwinRunContext, run_id: str, last_event_id: LastEventId = None) -> Response:
    """Stream the events of a run until it ends, as server-sent events."""
    return stream(desk.tests.ledger, desk.tests.ledger.find(run_id), last_event_id)


@api.get("/validate/{run_id}/artifacts")
def list_run_artifacts(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """List the artifacts of a run."""
    run = desk.tests.ledger.find(run_id)
    return {"run_id": run.run_id, "artifacts": desk.tests.artifacts.names(run.run_id)}


@api.get("/validate/{run_id}/artifacts/{name}")
def get_run_artifact(desk: TwinRunContext, run_id: str, name: str) -> Response:
    """An artifact of a run."""
    return desk.tests.artifacts.read(desk.tests.ledger.find(run_id).run_id, name)


@api.post("/validate/{run_id}/cancel")
def cancel_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """Cancel a run of any kind."""
    if desk.tests.ledger.find_by_id(run_id):
        desk.tests.cancel(run_id)
    else:
        desk.runs.tear_down(run_id, "cancelled")
    return {"status": "cancelled", "run_id": run_id}


@api.get("/validation/runs")
def list_validation_runs(
    desk: TwinRunContext, repo: str | None = None, limit: PageSize = 20, offset: Offset = 0
) -> dict[str, Any]:
    """List runs of all kinds, newest first."""
    runs = desk.tests.ledger.list(1000, repo=repo)
    return {
        "items": [brief(desk.tests.ledger, run, desk.address) for run in runs[offset : offset + limit]],
        "limit": limit,
        "offset": offset,
        "has_more": len(runs) > offset + limit,
        "total": len(runs),
    }

"""Tools for what Actions left: logs, usage and artifacts of runs; review comments and tags.

https://github.com/github/github-mcp-server
"""
# ruff: noqa: N803 - the names of arguments are those on the wire

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit.agent_tools import Caller, ToolRefused

from .repository_tools import find_pending_review, place_pull
from .tool_registry import PULL, REPO, RUN, Page, PageSize, ask_graphql, tools

Side = Literal["LEFT", "RIGHT"]
DEFAULT_LOG_LINES = 500


async def _read_log(call: Caller, place: dict[str, Any], job: dict[str, Any], lines: int) -> dict[str, Any]:
    """Return the log of a job, cut to its last lines."""
    text = await call(f"GET {REPO}/actions/jobs/{{job_id}}/logs", **place, job_id=job["id"])
    kept = str(text or "").splitlines()[-lines:]
    return {"job_id": job["id"], "job_name": job["name"], "logs_content": "\n".join(kept)}


@tools.reads
async def get_job_logs(
    call: Caller,
    owner: str,
    repo: str,
    job_id: int | None = None,
    run_id: int | None = None,
    failed_only: bool | None = None,
    return_content: bool | None = None,
    tail_lines: int | None = None,
) -> Any:
    """Get the log of a job, or the logs of all failed jobs of a run."""
    place = {"owner": owner, "repo": repo}
    lines = max(1, tail_lines or DEFAULT_LOG_LINES)
    del return_content  # addresses of logs are of no use to a model here, so the text is always returned
    if failed_only:
        if run_id is None:
            raise ToolRefused("run_id is required when failed_only is true")
        listed = await call(f"GET {RUN}/jobs", **place, run_id=run_id, per_page=100)
        failed = [job for job in listed["jobs"] if job["conclusion"] == "failure"]
        logs = [await _read_log(call, place, job, lines) for job in failed]
        return {"run_id": run_id, "total_jobs": listed["total_count"], "failed_jobs": len(failed), "logs": logs}
    if job_id is None:
        raise ToolRefused("job_id is required when failed_only is false")
    job = await call(f"GET {REPO}/actions/jobs/{{job_id}}", **place, job_id=job_id)
    return await _read_log(call, place, job, lines)


@tools.reads
async def get_workflow_run_logs(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Get the logs of all jobs of a workflow run."""
    place = {"owner": owner, "repo": repo}
    listed = await call(f"GET {RUN}/jobs", **place, run_id=run_id, per_page=100)
    done = [job for job in listed["jobs"] if job["status"] == "completed"]
    return {"run_id": run_id, "logs": [await _read_log(call, place, job, DEFAULT_LOG_LINES) for job in done]}


@tools.writes
async def delete_workflow_run_logs(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Delete the logs of a workflow run."""
    await call(f"DELETE {RUN}/logs", owner=owner, repo=repo, run_id=run_id)
    return {"message": "Workflow run logs have been deleted", "run_id": run_id}


@tools.reads
async def get_workflow_run_usage(call: Caller, owner: str, repo: str, run_id: int) -> Any:
    """Get the billable time of a workflow run."""
    return await call(f"GET {RUN}/timing", owner=owner, repo=repo, run_id=run_id)


@tools.reads
async def list_workflow_run_artifacts(
    call: Caller, owner: str, repo: str, run_id: int, page: Page = 1, perPage: PageSize = 30
) -> Any:
    """List the artifacts of a workflow run."""
    return await call(f"GET {RUN}/artifacts", owner=owner, repo=repo, run_id=run_id, page=page, per_page=perPage)


@tools.reads
async def download_workflow_run_artifact(call: Caller, owner: str, repo: str, artifact_id: int) -> Any:
    """Get an artifact with the address of its archive."""
    place = {"owner": owner, "repo": repo, "artifact_id": artifact_id}
    artifact = await call(f"GET {REPO}/actions/artifacts/{{artifact_id}}", **place)
    return {"download_url": artifact["archive_download_url"], "artifact_id": artifact_id, "name": artifact["name"]}


@tools.reads
async def get_tag(call: Caller, owner: str, repo: str, tag: str) -> Any:
    """Get an annotated tag by its name."""
    place = {"owner": owner, "repo": repo}
    ref = await call(f"GET {REPO}/git/ref/{{ref:path}}", **place, ref=f"tags/{tag}")
    return await call(f"GET {REPO}/git/tags/{{tag_sha}}", **place, tag_sha=ref["object"]["sha"])


@tools.writes
async def add_comment_to_pending_review(
    call: Caller,
    owner: str,
    repo: str,
    pullNumber: int,
    path: str,
    body: str,
    subjectType: Literal["FILE", "LINE"],
    line: int | None = None,
    side: Side | None = None,
    startLine: int | None = None,
    startSide: Side | None = None,
) -> Any:
    """Comment on a line or a file in the review that was begun."""
    place = place_pull(owner, repo, pullNumber)
    review = await find_pending_review(call, place)
    shown = await call(f"GET {PULL}/reviews/{{review_id}}", **place, review_id=review)
    given = {"path": path, "body": body, "subjectType": subjectType, "line": line, "side": side}
    given |= {"startLine": startLine, "startSide": startSide, "pullRequestReviewId": shown["node_id"]}
    query = """mutation($input: AddPullRequestReviewThreadInput!) {
        addPullRequestReviewThread(input: $input) { thread { id path line } } }"""
    variables = {"input": {name: value for name, value in given.items() if value is not None}}
    return await ask_graphql(call, query, **variables)

"""Workflows, runs, jobs and artifacts as the API shows them."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.node_ids import node_id
from ..core.stamps import show_instant, times_of
from ..git.histories import get_commit
from ..tables.repository_tables import Repository
from ..tables.work_tables import Artifact, Workflow, WorkflowJob, WorkflowRun
from ..views.commit_views import show_simple_commit
from ..views.pull_links import pulls_with_head
from ..views.repository_views import html_url, repo_url, show_repo_name
from ..views.user_views import user_of


def show_workflow(call: Call, repo: Repository, workflow: Workflow) -> dict[str, Any]:
    """Render a workflow."""
    page, url = html_url(call, repo), f"{repo_url(call, repo)}/actions/workflows/{workflow.id}"
    return {
        "id": workflow.id,
        "node_id": node_id("W", repo.id, workflow.id),
        "name": workflow.name,
        "path": workflow.path,
        "state": workflow.state,
        **times_of(workflow),
        "url": url,
        "html_url": f"{page}/blob/{repo.default_branch}/{workflow.path}",
        "badge_url": f"{page}/workflows/{workflow.name}/badge.svg",
    }


def _run_links(base: str, url: str, run: WorkflowRun) -> dict[str, Any]:
    return {
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{base}/check-suites/{run.check_suite_id}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": f"{url}/attempts/{run.run_attempt - 1}" if run.run_attempt > 1 else None,
        "workflow_url": f"{base}/actions/workflows/{run.workflow_id}",
    }


def show_run(call: Call, repo: Repository, run: WorkflowRun) -> dict[str, Any]:
    """Render a run."""
    base, url = repo_url(call, repo), f"{repo_url(call, repo)}/actions/runs/{run.id}"
    commit = get_commit(call, repo.network_id, run.head_sha)
    named = show_repo_name(call, repo)
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("WFR", repo.id, run.id),
        "head_branch": run.head_branch,
        "head_sha": run.head_sha,
        "path": run.path,
        "display_title": run.display_title,
        "run_number": run.run_number,
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "workflow_id": run.workflow_id,
        "check_suite_id": run.check_suite_id,
        "check_suite_node_id": node_id("CS", repo.id, run.check_suite_id),
        "url": url,
        "html_url": f"{html_url(call, repo)}/actions/runs/{run.id}",
        "pull_requests": pulls_with_head(call, repo, run.head_sha),
        **times_of(run),
        "actor": user_of(call, run.actor),
        "run_attempt": run.run_attempt,
        "referenced_workflows": [],
        "run_started_at": show_instant(run.run_started_at),
        "triggering_actor": user_of(call, run.triggering_actor),
        **_run_links(base, url, run),
        "head_commit": show_simple_commit(commit) if commit else None,
        "repository": named,
        "head_repository": named,
    }


def show_job(call: Call, repo: Repository, job: WorkflowJob, run: WorkflowRun) -> dict[str, Any]:
    """Render a job with its steps."""
    base, has_begun = repo_url(call, repo), job.started_at is not None
    return {
        "id": job.id,
        "run_id": run.id,
        "workflow_name": run.name,
        "head_branch": run.head_branch,
        "run_url": f"{base}/actions/runs/{run.id}",
        "run_attempt": job.run_attempt,
        "node_id": node_id("CR", repo.id, job.id),
        "head_sha": run.head_sha,
        "url": f"{base}/actions/jobs/{job.id}",
        "html_url": f"{html_url(call, repo)}/actions/runs/{run.id}/job/{job.id}",
        "status": job.status,
        "conclusion": job.conclusion,
        "created_at": show_instant(job.created_at),
        "started_at": show_instant(job.started_at or job.created_at),
        "completed_at": show_instant(job.completed_at),
        "name": job.name,
        "steps": job.steps,
        "check_run_url": f"{base}/check-runs/{job.check_run_id}",
        "labels": job.labels,
        "runner_id": 1 if has_begun else None,
        "runner_name": "GitHub Actions 1" if has_begun else None,
        "runner_group_id": 0 if has_begun else None,
        "runner_group_name": "GitHub Actions" if has_begun else None,
    }


def show_artifact(call: Call, repo: Repository, artifact: Artifact, run: WorkflowRun) -> dict[str, Any]:
    """Render an artifact."""
    url = f"{repo_url(call, repo)}/actions/artifacts/{artifact.id}"
    about = {"id": run.id, "repository_id": repo.id, "head_repository_id": repo.id}
    return {
        "id": artifact.id,
        "node_id": node_id("A", repo.id, artifact.id),
        "name": artifact.name,
        "size_in_bytes": artifact.size_in_bytes,
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": artifact.expired,
        "digest": f"sha256:{artifact.digest}" if artifact.digest else None,
        "created_at": show_instant(artifact.created_at),
        "updated_at": show_instant(artifact.created_at),
        "expires_at": show_instant(artifact.expires_at),
        "workflow_run": {**about, "head_branch": run.head_branch or "", "head_sha": run.head_sha},
    }

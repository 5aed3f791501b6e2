"""Actions: workflows, runs, jobs, logs and artifacts.

https://docs.github.com/en/rest/actions
"""

from __future__ import annotations

import hmac
import io
import zipfile
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from twindiff.kit import Call, Operations, Response, ValueResponse
from twindiff.kit.auth import is_same_secret

from ..core.access import find_repo
from ..core.date_ranges import date_conditions
from ..core.listing import paginate, slice_page
from ..core.stamps import unix_of
from ..git.objects import store_of
from ..git.refs import HEADS, TAGS, find_ref, resolve_commit
from ..git.trees import find_entry
from ..tables.repository_tables import Repository
from ..tables.work_tables import Artifact, Workflow, WorkflowJob, WorkflowRun
from ..views.repository_views import html_url, repo_url
from ..wire_style import Conflict, Forbidden, Gone, NotVisible, Unprocessable
from ..workflows.run_views import show_artifact, show_job, show_run, show_workflow
from ..workflows.triggers import add_jobs, queue_run, trigger_workflows
from ..workflows.workflow_files import WorkflowFile, as_dict, parse_workflow
from .run_progress import DONE, continue_run, finish_run, jobs_of

api = Operations()
_BASE = "/repos/{owner}/{repo}/actions"


def find_workflow(call: Call, repo: Repository, workflow_id: str) -> Workflow:
    """Return a workflow by its id or the name of its file; raise NotVisible."""
    where: Any = Workflow.path.ends(f"/{workflow_id}")
    if workflow_id.isdecimal():
        where = Workflow.id == int(workflow_id)
    workflow = call.db.find(Workflow, Workflow.repository_id == repo.id, where)
    if workflow is None:
        raise NotVisible
    return workflow


@api.get(f"{_BASE}/workflows")
def list_workflows(call: Call, owner: str, repo: str) -> Any:
    """List the workflows of a repository."""
    row = find_repo(call, owner, repo)
    where = (Workflow.repository_id == row.id, Workflow.state != "deleted")
    return paginate(
        call, Workflow, *where, by=Workflow.id, show=lambda each: show_workflow(call, row, each), key="workflows"
    )


@api.get(f"{_BASE}/workflows/{{workflow_id}}")
def get_workflow(call: Call, owner: str, repo: str, workflow_id: str) -> Any:
    """Get a workflow by its id or the name of its file."""
    row = find_repo(call, owner, repo)
    return show_workflow(call, row, find_workflow(call, row, workflow_id))


def _set_state(call: Call, owner: str, repo: str, workflow_id: str, state: str) -> None:
    row = find_repo(call, owner, repo)
    call.db.change(find_workflow(call, row, workflow_id), state=state, updated_at=call.clock.iso())


@api.put(f"{_BASE}/workflows/{{workflow_id}}/disable", status=204)
def disable_workflow(call: Call, owner: str, repo: str, workflow_id: str) -> None:
    """Disable a workflow, so that events start it no more."""
    _set_state(call, owner, repo, workflow_id, "disabled_manually")


@api.put(f"{_BASE}/workflows/{{workflow_id}}/enable", status=204)
def enable_workflow(call: Call, owner: str, repo: str, workflow_id: str) -> None:
    """Enable a workflow."""
    _set_state(call, owner, repo, workflow_id, "active")


def file_at(call: Call, repo: Repository, path: str, sha: str) -> WorkflowFile | None:
    """Return the parsed workflow file of a commit; None if there is none."""
    commit, store = resolve_commit(call, repo, sha), store_of(call, repo)
    entry = find_entry(store, commit.tree_sha, path) if commit else None
    return parse_workflow(store.read(entry.sha).decode("utf-8", "replace"), path) if entry else None


@api.post(f"{_BASE}/workflows/{{workflow_id}}/dispatches", status=204)
def dispatch_workflow(
    call: Call,
    owner: str,
    repo: str,
    workflow_id: str,
    ref: str,
    inputs: dict[str, Any] | None = None,
    return_run_details: bool = False,
) -> Any:
    """Start a workflow that has the event `workflow_dispatch`."""
    row = find_repo(call, owner, repo)
    workflow = find_workflow(call, row, workflow_id)
    branch = ref.removeprefix(HEADS).removeprefix(TAGS)
    target = find_ref(call, row, HEADS + branch) or find_ref(call, row, TAGS + branch)
    if target is None:
        raise Unprocessable(f"No ref found for: {ref}")
    commit = resolve_commit(call, row, target.sha)
    parsed = file_at(call, row, workflow.path, target.sha)
    if commit is None or parsed is None or "workflow_dispatch" not in parsed.events:
        raise Unprocessable("Workflow does not have 'workflow_dispatch' trigger")
    if workflow.state != "active":
        raise Unprocessable("Cannot trigger a 'workflow_dispatch' on a disabled workflow")
    given = _check_inputs(parsed, inputs or {})
    title = parsed.name
    options: dict[str, Any] = {"event": "workflow_dispatch", "sha": commit.sha, "branch": branch, "title": title}
    run = queue_run(call, row, workflow, parsed, inputs=given, **options)
    if not return_run_details:
        return None
    url = f"{repo_url(call, row)}/actions/runs/{run.id}"
    page = f"{html_url(call, row)}/actions/runs/{run.id}"
    return ValueResponse({"workflow_run_id": run.id, "run_url": url, "html_url": page}, 200)


def _check_inputs(parsed: WorkflowFile, given: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of a dispatch with defaults; raise GitHub's 422 for unknown and missing ones."""
    declared: Any = parsed.events["workflow_dispatch"].get("inputs")
    inputs = as_dict(declared)
    unknown = [name for name in given if name not in inputs]
    if unknown:
        raise Unprocessable(f"Unexpected inputs provided: {unknown}")
    values: dict[str, Any] = {}
    for name, about in inputs.items():
        options = as_dict(about)
        default = options.get("default")
        if name not in given and default is None and options.get("required") == "true":
            raise Unprocessable(f"Required input '{name}' not provided")
        values[name] = given.get(name, default)
    return values


@api.post("/repos/{owner}/{repo}/dispatches", status=204)
def dispatch_repository(call: Call, owner: str, repo: str, event_type: str) -> None:
    """Start the workflows of the default branch that have the event `repository_dispatch` of a type."""
    row = find_repo(call, owner, repo)
    head = resolve_commit(call, row, "HEAD")
    if head:
        ref = HEADS + row.default_branch
        trigger_workflows(call, row, "repository_dispatch", head.sha, ref=ref, action=event_type)


def _run_conditions(query: dict[str, str]) -> list[Any]:
    """Return the conditions of the parameters of a list of runs; `status` may be a conclusion."""
    where: list[Any] = []
    if status := query.get("status"):
        is_status = status in ("queued", "in_progress", "completed", "waiting", "requested", "pending")
        where.append(WorkflowRun.status == status if is_status else WorkflowRun.conclusion == status)
    columns = {
        "actor": WorkflowRun.actor,
        "branch": WorkflowRun.head_branch,
        "event": WorkflowRun.event,
        "head_sha": WorkflowRun.head_sha,
    }
    where += [column == query[name] for name, column in columns.items() if query.get(name)]
    return where + (date_conditions(WorkflowRun.created_at, query["created"]) if query.get("created") else [])


def _list_runs(call: Call, repo: Repository, *where: Any) -> Any:
    conditions = [WorkflowRun.repository_id == repo.id, *where, *_run_conditions(call.memo["query"])]
    by = (-WorkflowRun.created_at, -WorkflowRun.id)
    return paginate(
        call, WorkflowRun, *conditions, by=by, show=lambda run: show_run(call, repo, run), key="workflow_runs"
    )


@api.get(f"{_BASE}/runs")
def list_runs(call: Call, owner: str, repo: str) -> Any:
    """List the runs of a repository, newest first."""
    return _list_runs(call, find_repo(call, owner, repo))


@api.get(f"{_BASE}/workflows/{{workflow_id}}/runs")
def list_workflow_runs(call: Call, owner: str, repo: str, workflow_id: str) -> Any:
    """List the runs of a workflow, newest first."""
    row = find_repo(call, owner, repo)
    return _list_runs(call, row, WorkflowRun.workflow_id == find_workflow(call, row, workflow_id).id)


def find_run(call: Call, repo: Repository, run_id: int) -> WorkflowRun:
    """Return a run of a repository; raise NotVisible."""
    run = call.db.find(WorkflowRun, WorkflowRun.id == run_id, WorkflowRun.repository_id == repo.id)
    if run is None:
        raise NotVisible
    return run


@api.get(f"{_BASE}/runs/{{run_id}}")
def get_run(call: Call, owner: str, repo: str, run_id: int) -> Any:
    """Get a run."""
    row = find_repo(call, owner, repo)
    return show_run(call, row, find_run(call, row, run_id))


@api.delete(f"{_BASE}/runs/{{run_id}}", status=204)
def delete_run(call: Call, owner: str, repo: str, run_id: int) -> None:
    """Delete a run that is completed."""
    run = find_run(call, find_repo(call, owner, repo), run_id)
    if run.status != "completed":
        raise Forbidden("Could not delete a workflow run that is in progress.")
    call.db.remove(run)


@api.get(f"{_BASE}/runs/{{run_id}}/jobs")
def list_jobs(call: Call, owner: str, repo: str, run_id: int, filter: str = "latest") -> Any:
    """List the jobs of a run: of the newest attempt, or of all."""
    row = find_repo(call, owner, repo)
    run = find_run(call, row, run_id)
    jobs = jobs_of(call, run)
    if filter == "all":
        jobs = call.db.rows(WorkflowJob, WorkflowJob.run_id == run.id, order=WorkflowJob.id)
    return slice_page(call, jobs, lambda job: show_job(call, row, job, run), "jobs")


def find_job(call: Call, repo: Repository, job_id: int) -> tuple[WorkflowJob, WorkflowRun]:
    """Return a job of a repository with its run; raise NotVisible."""
    job = call.db.find(WorkflowJob, WorkflowJob.id == job_id, WorkflowJob.repository_id == repo.id)
    if job is None:
        raise NotVisible
    return job, call.db.get(WorkflowRun, job.run_id)


@api.get(f"{_BASE}/jobs/{{job_id}}")
def get_job(call: Call, owner: str, repo: str, job_id: int) -> Any:
    """Get a job."""
    row = find_repo(call, owner, repo)
    return show_job(call, row, *find_job(call, row, job_id))


def _redirect(call: Call, path: str) -> Response:
    """Send the client to an address that needs no token, as the vendor does with its storage."""
    token = hmac.new(call.secret.encode(), path.encode(), sha256).hexdigest()
    return Response(b"", 302, content_type="", headers=(("Location", f"{call.base_url}/_storage/{path}?sig={token}"),))


def _check_signature(call: Call, path: str, sig: str) -> None:
    expected = hmac.new(call.secret.encode(), path.encode(), sha256).hexdigest()
    if not is_same_secret(sig, expected):
        raise NotVisible


@api.get(f"{_BASE}/jobs/{{job_id}}/logs")
def get_job_logs(call: Call, owner: str, repo: str, job_id: int) -> Response:
    """Redirect to the log of a job."""
    job, run = find_job(call, find_repo(call, owner, repo), job_id)
    if run.logs_deleted:
        raise Gone("Server Error")
    if job.status != "completed":
        raise NotVisible
    return _redirect(call, f"jobs/{job.id}.txt")


@api.get("/_storage/jobs/{job_id}.txt", open=True)
def download_job_log(call: Call, job_id: int, sig: str = "") -> Response:
    """Download the log of a job from a signed address."""
    _check_signature(call, f"jobs/{job_id}.txt", sig)
    job = call.db.get(WorkflowJob, job_id, missing=NotVisible)
    return Response(job.log.encode(), 200, "text/plain; charset=utf-8")


@api.get(f"{_BASE}/runs/{{run_id}}/logs")
def get_run_logs(call: Call, owner: str, repo: str, run_id: int) -> Response:
    """Redirect to an archive of the logs of a run."""
    run = find_run(call, find_repo(call, owner, repo), run_id)
    if run.logs_deleted:
        raise Gone("Server Error")
    return _redirect(call, f"runs/{run.id}.zip")


@api.get("/_storage/runs/{run_id}.zip", open=True)
def download_run_logs(call: Call, run_id: int, sig: str = "") -> Response:
    """Download the logs of a run as an archive from a signed address."""
    _check_signature(call, f"runs/{run_id}.zip", sig)
    run, buffer = call.db.get(WorkflowRun, run_id, missing=NotVisible), io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, job in enumerate(jobs_of(call, run)):
            name = job.name.replace("/", "_")
            archive.writestr(zipfile.ZipInfo(f"{number}_{name}.txt"), job.log)
    return Response(buffer.getvalue(), 200, "application/zip")


@api.delete(f"{_BASE}/runs/{{run_id}}/logs", status=204)
def delete_run_logs(call: Call, owner: str, repo: str, run_id: int) -> None:
    """Delete the logs of a run."""
    run = find_run(call, find_repo(call, owner, repo), run_id)
    call.db.change(run, logs_deleted=True, updated_at=call.clock.iso())


@api.get(f"{_BASE}/runs/{{run_id}}/timing")
def get_run_usage(call: Call, owner: str, repo: str, run_id: int) -> Any:
    """Get the time that a run took."""
    run = find_run(call, find_repo(call, owner, repo), run_id)
    jobs = [job for job in jobs_of(call, run) if job.started_at and job.completed_at]
    spans = [(job, (unix_of(str(job.completed_at)) - unix_of(str(job.started_at))) * 1000) for job in jobs]
    each = [{"job_id": job.id, "duration_ms": span} for job, span in spans]
    total = sum(span for _, span in spans)
    return {"billable": {"UBUNTU": {"total_ms": total, "jobs": len(each), "job_runs": each}}, "run_duration_ms": total}


def _rerun(call: Call, owner: str, repo: str, run_id: int, *, only_failed: bool) -> dict[str, Any]:
    """Begin another attempt of a run; with `only_failed`, jobs that succeeded stay as they are."""
    row = find_repo(call, owner, repo)
    run = find_run(call, row, run_id)
    if run.status != "completed":
        raise Forbidden("The workflow run is already running")
    before = {job.name: job for job in jobs_of(call, run)}
    if only_failed and all(job.conclusion in DONE for job in before.values()):
        raise Forbidden("The workflow run cannot be retried: it has no failed jobs")
    parsed = file_at(call, row, run.path, run.head_sha)
    if parsed is None:
        raise Unprocessable("This workflow run cannot be retried: its workflow file is gone")
    now = call.clock.iso()
    attempt: dict[str, Any] = {
        "run_attempt": run.run_attempt + 1,
        "triggering_actor": call.actor,
        "run_started_at": now,
    }
    run = call.db.change(run, status="queued", conclusion=None, logs_deleted=False, updated_at=now, **attempt)
    add_jobs(call, row, run, parsed)
    for job in jobs_of(call, run) if only_failed else []:
        known = before.get(job.name)
        if known and known.conclusion == "success":
            done: dict[str, Any] = {"status": "completed", "conclusion": "success", "steps": known.steps}
            times = {"started_at": known.started_at, "completed_at": known.completed_at, "next_at": None}
            call.db.change(job, log=known.log, **done, **times)
    continue_run(call, run)
    return {}


@api.post(f"{_BASE}/runs/{{run_id}}/rerun", status=201)
def rerun(call: Call, owner: str, repo: str, run_id: int) -> Any:
    """Run all jobs of a run again."""
    return _rerun(call, owner, repo, run_id, only_failed=False)


@api.post(f"{_BASE}/runs/{{run_id}}/rerun-failed-jobs", status=201)
def rerun_failed(call: Call, owner: str, repo: str, run_id: int) -> Any:
    """Run the failed jobs of a run again, and those that need them."""
    return _rerun(call, owner, repo, run_id, only_failed=True)


@api.post(f"{_BASE}/jobs/{{job_id}}/rerun", status=201)
def rerun_job(call: Call, owner: str, repo: str, job_id: int) -> Any:
    """Run a job again, as a new attempt of its run."""
    _, run = find_job(call, find_repo(call, owner, repo), job_id)
    return _rerun(call, owner, repo, run.id, only_failed=True)


@api.post(f"{_BASE}/runs/{{run_id}}/cancel", status=202)
def cancel_run(call: Call, owner: str, repo: str, run_id: int) -> Any:
    """Cancel a run."""
    row = find_repo(call, owner, repo)
    run = find_run(call, row, run_id)
    if run.status == "completed":
        raise Conflict("Cannot cancel a workflow run that is completed.")
    for job in jobs_of(call, run):
        if job.status != "completed":
            done: dict[str, Any] = {"status": "completed", "conclusion": "cancelled", "completed_at": call.clock.iso()}
            call.db.change(job, next_at=None, **done)
    finish_run(call, run, "cancelled")
    return {}


@api.post(f"{_BASE}/runs/{{run_id}}/force-cancel", status=202)
def force_cancel_run(call: Call, owner: str, repo: str, run_id: int) -> Any:
    """Cancel a run whatever its jobs do."""
    return cancel_run(call, owner, repo, run_id)


def _artifact_view(call: Call, repo: Repository) -> Callable[[Artifact], dict[str, Any]]:
    return lambda each: show_artifact(call, repo, each, call.db.get(WorkflowRun, each.run_id))


@api.get(f"{_BASE}/artifacts")
def list_artifacts(call: Call, owner: str, repo: str, name: str = "") -> Any:
    """List the artifacts of a repository."""
    row = find_repo(call, owner, repo)
    where = [Artifact.repository_id == row.id, *([Artifact.name == name] if name else [])]
    return paginate(call, Artifact, *where, by=-Artifact.id, show=_artifact_view(call, row), key="artifacts")


@api.get(f"{_BASE}/runs/{{run_id}}/artifacts")
def list_run_artifacts(call: Call, owner: str, repo: str, run_id: int, name: str = "") -> Any:
    """List the artifacts of a run."""
    row = find_repo(call, owner, repo)
    where = [Artifact.run_id == find_run(call, row, run_id).id, *([Artifact.name == name] if name else [])]
    return paginate(call, Artifact, *where, by=Artifact.id, show=_artifact_view(call, row), key="artifacts")


def find_artifact(call: Call, repo: Repository, artifact_id: int) -> Artifact:
    """Return an artifact of a repository; raise NotVisible."""
    artifact = call.db.find(Artifact, Artifact.id == artifact_id, Artifact.repository_id == repo.id)
    if artifact is None:
        raise NotVisible
    return artifact


@api.get(f"{_BASE}/artifacts/{{artifact_id}}")
def get_artifact(call: Call, owner: str, repo: str, artifact_id: int) -> Any:
    """Get an artifact."""
    row = find_repo(call, owner, repo)
    return _artifact_view(call, row)(find_artifact(call, row, artifact_id))


@api.delete(f"{_BASE}/artifacts/{{artifact_id}}", status=204)
def delete_artifact(call: Call, owner: str, repo: str, artifact_id: int) -> None:
    """Delete an artifact."""
    call.db.remove(find_artifact(call, find_repo(call, owner, repo), artifact_id))


@api.get(f"{_BASE}/artifacts/{{artifact_id}}/{{archive_format}}")
def download_artifact(call: Call, owner: str, repo: str, artifact_id: int, archive_format: str) -> Response:
    """Redirect to the archive of an artifact."""
    artifact = find_artifact(call, find_repo(call, owner, repo), artifact_id)
    if archive_format != "zip" or artifact.digest is None:
        raise NotVisible
    if artifact.expired or artifact.expires_at <= call.clock.iso():
        raise Gone("Artifact has expired")
    return _redirect(call, f"artifacts/{artifact.id}.zip")


@api.get("/_storage/artifacts/{artifact_id}.zip", open=True)
def download_artifact_archive(call: Call, artifact_id: int, sig: str = "") -> Response:
    """Download an artifact from a signed address."""
    _check_signature(call, f"artifacts/{artifact_id}.zip", sig)
    artifact = call.db.get(Artifact, artifact_id, missing=NotVisible)
    return Response(call.blobs.get(artifact.digest or ""), 200, "application/zip")


@api.get("/repos/{owner}/{repo}/actions/caches")
def list_caches(call: Call, owner: str, repo: str) -> dict[str, Any]:
    """List the caches of workflows: none, since workflows run nothing that caches."""
    find_repo(call, owner, repo)
    return {"total_count": 0, "actions_caches": []}


@api.delete("/repos/{owner}/{repo}/actions/caches")
def delete_caches(call: Call, owner: str, repo: str, key: str) -> None:
    """Delete the caches with a key; there are none."""
    find_repo(call, owner, repo)
    raise NotVisible


@api.get("/repos/{owner}/{repo}/actions/cache/usage")
def get_cache_usage(call: Call, owner: str, repo: str) -> dict[str, Any]:
    """Get how many bytes caches take: none."""
    row = find_repo(call, owner, repo)
    return {"full_name": row.full_name, "active_caches_size_in_bytes": 0, "active_caches_count": 0}

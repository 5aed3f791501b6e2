"""Events start workflows: their files are read from the commit, and runs are queued.

https://docs.github.com/en/actions/reference/events-that-trigger-workflows
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from twindiff.kit import Call

from ..core.stamps import new_id
from ..event_delivery.announcements import announce
from ..git.diffs import is_binary
from ..git.histories import get_commit
from ..git.objects import store_of
from ..git.trees import find_entry, walk_tree
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import CheckRun, Commit, Repository, Secret
from ..tables.work_tables import Workflow, WorkflowJob, WorkflowRun
from .check_suites import suite_for, update_suite
from .run_views import show_run, show_workflow
from .workflow_files import WorkflowFile, is_triggered, parse_workflow, plan_jobs

FOLDER = ".github/workflows"
QUEUE_SECONDS = 2


def list_workflow_files(call: Call, repo: Repository, commit: Commit) -> dict[str, str]:
    """Return the texts of the workflow files of a commit by path."""
    store = store_of(call, repo)
    folder = find_entry(store, commit.tree_sha, FOLDER)
    if folder is None or folder.type != "tree":
        return {}
    files: dict[str, str] = {}
    for path, entry in walk_tree(store, folder.sha, f"{FOLDER}/"):
        if path.endswith((".yml", ".yaml")) and entry.type == "blob":
            data = store.read(entry.sha)
            files[path] = "" if is_binary(data) else data.decode("utf-8", "replace")
    return files


def register_workflow(call: Call, repo: Repository, path: str, name: str) -> Workflow:
    """Return the row of a workflow, made or renamed as its file says."""
    known = call.db.find(Workflow, Workflow.repository_id == repo.id, Workflow.path == path)
    now = call.clock.iso()
    if known is None:
        fields: dict[str, Any] = {"path": path, "name": name, "created_at": now, "updated_at": now}
        return call.db.add(Workflow(id=new_id(call), repository_id=repo.id, **fields))
    if known.name != name or known.state == "deleted":
        state = "active" if known.state == "deleted" else known.state
        return call.db.change(known, name=name, state=state, updated_at=now)
    return known


def trigger_workflows(
    call: Call,
    repo: Repository,
    event: str,
    sha: str,
    *,
    ref: str = "",
    pull: PullRequest | None = None,
    action: str = "",
) -> None:
    """Register the workflows of a commit, and queue runs of those that an event starts."""
    commit = get_commit(call, repo.network_id, sha)
    if commit is None:
        return
    files = list_workflow_files(call, repo, commit)
    is_default = ref == f"refs/heads/{repo.default_branch}"
    if is_default:
        _retire(call, repo, files)
    branch, tag = ref.removeprefix("refs/heads/"), ""
    if ref.startswith("refs/tags/"):
        branch, tag = "", ref.removeprefix("refs/tags/")
    if pull:
        branch = pull.base_ref
    paths = [change["filename"] for change in commit.changes] if commit.changes else None
    for path, text in files.items():
        parsed = parse_workflow(text, path)
        if parsed is None:
            continue
        row = register_workflow(call, repo, path, parsed.name)
        if row.state == "active" and is_triggered(parsed, event, branch=branch, tag=tag, action=action, paths=paths):
            head = pull.head_ref if pull else tag or branch
            queue_run(call, repo, row, parsed, event=event, sha=sha, branch=head, title=_title(call, commit, pull))


def _retire(call: Call, repo: Repository, files: dict[str, str]) -> None:
    """Mark workflows whose files the default branch no longer has."""
    for row in call.db.rows(Workflow, Workflow.repository_id == repo.id):
        if row.path not in files and row.state != "deleted":
            call.db.change(row, state="deleted", updated_at=call.clock.iso())


def _title(call: Call, commit: Commit, pull: PullRequest | None) -> str:
    return call.db.get(Issue, pull.issue_id).title if pull else commit.message.partition("\n")[0]


def queue_run(
    call: Call,
    repo: Repository,
    row: Workflow,
    parsed: WorkflowFile,
    *,
    event: str,
    sha: str,
    branch: str,
    title: str,
    inputs: dict[str, Any] | None = None,
) -> WorkflowRun:
    """Queue a run of a workflow with its jobs; they begin two seconds later."""
    now, suite = call.clock.iso(), suite_for(call, repo, sha, branch)
    number = call.db.count(WorkflowRun, WorkflowRun.workflow_id == row.id) + 1
    about: dict[str, Any] = {"head_branch": branch, "head_sha": sha, "event": event, "path": row.path}
    run = WorkflowRun(
        id=new_id(call),
        repository_id=repo.id,
        workflow_id=row.id,
        check_suite_id=suite.id,
        name=parsed.name,
        display_title=title,
        run_number=number,
        actor=call.actor,
        triggering_actor=call.actor,
        inputs=inputs or {},
        run_started_at=now,
        created_at=now,
        updated_at=now,
        **about,
    )
    call.db.add(run)
    add_jobs(call, repo, run, parsed)
    tell_run(call, repo, run, "requested")
    return run


def secrets_of(call: Call, repo: Repository) -> dict[str, str]:
    """Return the values of a repository's secrets by name, which logs must not show."""
    scopes = (f"repos/{repo.id}", f"orgs/{repo.owner}")
    rows = call.db.rows(Secret, Secret.scope.in_(scopes), Secret.kind == "actions")
    return {row.name: row.value for row in rows}


def add_jobs(call: Call, repo: Repository, run: WorkflowRun, parsed: WorkflowFile) -> None:
    """Add the jobs of a run's attempt; those that need no other begin in two seconds."""
    now = call.clock.iso()
    begins = (datetime.fromisoformat(now) + timedelta(seconds=QUEUE_SECONDS)).isoformat()
    for plan in plan_jobs(parsed, run.inputs, secrets_of(call, repo)):
        identity: dict[str, Any] = {"repository_id": repo.id, "head_sha": run.head_sha, "name": plan.name}
        check = CheckRun(id=new_id(call), check_suite_id=run.check_suite_id, **identity)
        call.db.add(check)
        steps = [step._asdict() for step in plan.steps]
        job = WorkflowJob(
            id=check.id,
            run_id=run.id,
            repository_id=repo.id,
            check_run_id=check.id,
            run_attempt=run.run_attempt,
            name=plan.name,
            needs=plan.needs,
            labels=plan.labels,
            plan={"key": plan.key, "steps": steps, "artifacts": plan.artifacts, "if": plan.condition},
            next_at=None if plan.needs else begins,
            created_at=now,
        )
        call.db.add(job)
    suite = suite_for(call, repo, run.head_sha)
    update_suite(call, suite)
    if not call.db.count(WorkflowJob, WorkflowJob.run_id == run.id):
        call.db.change(run, status="completed", conclusion="success")


def tell_run(call: Call, repo: Repository, run: WorkflowRun, action: str) -> None:
    """Announce a change of a run."""
    workflow = call.db.get(Workflow, run.workflow_id)
    payload = {"workflow": show_workflow(call, repo, workflow), "workflow_run": show_run(call, repo, run)}
    announce(call, repo, "workflow_run", {"action": action, **payload})

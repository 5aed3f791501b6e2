"""Commit statuses, check runs and check suites.

https://docs.github.com/en/rest/commits/statuses
https://docs.github.com/en/rest/checks
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Body, Call, Operations, Struct, field

from ..core.access import find_repo
from ..core.listing import paginate, slice_page
from ..core.node_ids import node_id
from ..core.stamps import new_id, parse_instant, show_instant, times_of
from ..core.text_lengths import check_lengths
from ..event_delivery.announcements import announce
from ..git.refs import find_commit
from ..tables.repository_tables import CheckRun, CheckSuite, CommitStatus, Repository
from ..views.app_views import show_app
from ..views.commit_views import show_simple_commit
from ..views.pull_links import pulls_with_head
from ..views.repository_views import html_url, repo_url, show_repo
from ..views.user_views import user_of
from ..wire_style import NotVisible, Unprocessable, invalid
from ..workflows.check_suites import suite_for, update_suite

api = Operations()
State = Literal["error", "failure", "pending", "success"]
RunStatus = Literal["queued", "in_progress", "completed", "waiting", "requested", "pending"]
Conclusion = Literal[
    "action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out", "startup_failure"
]
MAX_ANNOTATIONS = 50
"""Annotations that one request may add to a check run."""
MAX_STATUSES = 1000


def show_status(call: Call, repo: Repository, status: CommitStatus) -> dict[str, Any]:
    """Render a status without its creator."""
    creator = user_of(call, status.creator)
    return {
        "url": f"{repo_url(call, repo)}/statuses/{status.sha}",
        "avatar_url": creator["avatar_url"] if creator else None,
        "id": status.id,
        "node_id": node_id("SC", repo.id, status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        **times_of(status),
    }


@api.post("/repos/{owner}/{repo}/statuses/{sha}", status=201)
def create_status(
    call: Call,
    owner: str,
    repo: str,
    sha: str,
    state: State,
    context: str = "default",
    description: str | None = None,
    target_url: str | None = None,
) -> Any:
    """Report a status for a commit."""
    row = find_repo(call, owner, repo)
    check_lengths("Status", context=context, description=description)
    commit, now = find_commit(call, row, sha, Unprocessable), call.clock.iso()
    where = (CommitStatus.repository_id == row.id, CommitStatus.sha == commit.sha, CommitStatus.context == context)
    if call.db.count(CommitStatus, *where) >= MAX_STATUSES:
        text = "This SHA and context has reached the maximum number of statuses."
        raise invalid("Status", "", "custom", text)
    fields: dict[str, Any] = {"state": state, "context": context, "description": description, "target_url": target_url}
    times: dict[str, Any] = {"created_at": now, "updated_at": now}
    identity: dict[str, Any] = {"id": new_id(call), "repository_id": row.id, "sha": commit.sha, "creator": call.actor}
    status = call.db.add(CommitStatus(**identity, **fields, **times))
    shown = show_status(call, row, status) | {"creator": user_of(call, status.creator)}
    announce(call, row, "status", {"sha": commit.sha, **fields, "id": status.id, "name": row.full_name})
    return shown


@api.get("/repos/{owner}/{repo}/commits/{ref}/statuses")
def list_statuses(call: Call, owner: str, repo: str, ref: str) -> Any:
    """List the statuses of a commit, newest first."""
    row = find_repo(call, owner, repo)
    sha = find_commit(call, row, ref).sha

    def show(status: CommitStatus) -> dict[str, Any]:
        return show_status(call, row, status) | {"creator": user_of(call, status.creator)}

    where = (CommitStatus.repository_id == row.id, CommitStatus.sha == sha)
    return paginate(call, CommitStatus, *where, by=-CommitStatus.id, show=show)


@api.get("/repos/{owner}/{repo}/statuses/{sha}")
def list_statuses_of_sha(call: Call, owner: str, repo: str, sha: str) -> Any:
    """List the statuses of a commit, as older clients ask."""
    return list_statuses(call, owner, repo, sha)


def latest_statuses(call: Call, repo: Repository, sha: str) -> list[CommitStatus]:
    """Return the newest status of each context."""
    rows = call.db.rows(
        CommitStatus, CommitStatus.repository_id == repo.id, CommitStatus.sha == sha, order=-CommitStatus.id
    )
    return list({row.context: row for row in reversed(rows)}.values())


def combine_states(states: list[str]) -> str:
    """Return the state of all statuses together."""
    if any(state in ("failure", "error") for state in states):
        return "failure"
    return "pending" if not states or "pending" in states else "success"


@api.get("/repos/{owner}/{repo}/commits/{ref}/status")
def get_combined_status(call: Call, owner: str, repo: str, ref: str) -> Any:
    """Get the newest status of each context and what they are together."""
    row = find_repo(call, owner, repo)
    sha = find_commit(call, row, ref).sha
    latest = latest_statuses(call, row, sha)
    page = slice_page(call, latest, lambda status: show_status(call, row, status))
    url = f"{repo_url(call, row)}/commits/{sha}"
    more = {"sha": sha, "total_count": len(latest), "repository": show_repo(call, row)}
    value = {"state": combine_states([each.state for each in latest]), "statuses": page.value, **more}
    return page._replace(value={**value, "commit_url": url, "url": f"{url}/status"})


class CheckOutput(Struct):
    """What a check found."""

    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    images: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class CheckRunBody(Struct):
    """A check run to make or to change."""

    name: str | None = None
    head_sha: str | None = None
    details_url: str | None = None
    external_id: str | None = None
    status: RunStatus | None = None
    started_at: str | None = None
    conclusion: Conclusion | None = None
    completed_at: str | None = None
    output: CheckOutput | None = None
    actions: list[dict[str, Any]] | None = None


def show_check_run(call: Call, repo: Repository, run: CheckRun) -> dict[str, Any]:
    """Render a check run."""
    url, output = f"{repo_url(call, repo)}/check-runs/{run.id}", run.output
    annotations: list[Any] = output.get("annotations") or []
    texts = {name: output.get(name) for name in ("title", "summary", "text")}
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CR", repo.id, run.id),
        "head_sha": run.head_sha,
        "external_id": run.external_id or "",
        "url": url,
        "html_url": f"{html_url(call, repo)}/runs/{run.id}",
        "details_url": run.details_url or f"{html_url(call, repo)}/runs/{run.id}",
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": show_instant(run.started_at),
        "completed_at": show_instant(run.completed_at),
        "output": {**texts, "annotations_count": len(annotations), "annotations_url": f"{url}/annotations"},
        "check_suite": {"id": run.check_suite_id},
        "app": show_app(call),
        "pull_requests": pulls_with_head(call, repo, run.head_sha),
    }


def check_fields(call: Call, body: CheckRunBody) -> dict[str, Any]:
    """Return the columns that a body sets; raise GitHub's 422 for a completed run without a conclusion."""
    if body.status == "completed" and body.conclusion is None:
        raise invalid("CheckRun", "conclusion", "missing_field")
    now = call.clock.iso()
    fields: dict[str, Any] = {
        name: value
        for name in ("name", "details_url", "external_id", "status", "conclusion")
        if (value := getattr(body, name)) is not None
    }
    if body.conclusion:
        fields |= {"status": "completed", "completed_at": parse_instant(body.completed_at or "") or now}
    if body.output:
        fields["output"] = {name: getattr(body.output, name) for name in body.output.__struct_fields__}
        if (given := len(body.output.annotations or ())) > MAX_ANNOTATIONS:
            raise Unprocessable(
                f"Invalid request.\n\nNo more than {MAX_ANNOTATIONS} items are allowed; {given} were supplied."
            )
    if body.started_at or body.status == "in_progress":
        fields["started_at"] = parse_instant(body.started_at or "") or now
    return fields


@api.post("/repos/{owner}/{repo}/check-runs", status=201)
def create_check_run(call: Call, owner: str, repo: str, body: Annotated[CheckRunBody, Body]) -> Any:
    """Make a check run for a commit."""
    row = find_repo(call, owner, repo)
    for name in ("name", "head_sha"):
        if not getattr(body, name):
            raise Unprocessable(f'Invalid request.\n\n"{name}" wasn\'t supplied.')
    commit = find_commit(call, row, body.head_sha or "", Unprocessable)
    fields = check_fields(call, body)
    fields.setdefault("started_at", call.clock.iso())
    suite = suite_for(call, row, commit.sha)
    run = CheckRun(id=new_id(call), repository_id=row.id, check_suite_id=suite.id, head_sha=commit.sha, **fields)
    call.db.add(run)
    update_suite(call, suite)
    shown = show_check_run(call, row, run)
    announce(call, row, "check_run", {"action": "created", "check_run": shown})
    return shown


def find_check_run(call: Call, repo: Repository, check_run_id: int) -> CheckRun:
    """Return a check run of a repository; raise NotVisible."""
    run = call.db.find(CheckRun, CheckRun.id == check_run_id, CheckRun.repository_id == repo.id)
    if run is None:
        raise NotVisible
    return run


@api.get("/repos/{owner}/{repo}/check-runs/{check_run_id}")
def get_check_run(call: Call, owner: str, repo: str, check_run_id: int) -> Any:
    """Get a check run."""
    row = find_repo(call, owner, repo)
    return show_check_run(call, row, find_check_run(call, row, check_run_id))


@api.patch("/repos/{owner}/{repo}/check-runs/{check_run_id}")
def update_check_run(call: Call, owner: str, repo: str, check_run_id: int, body: Annotated[CheckRunBody, Body]) -> Any:
    """Change a check run."""
    row = find_repo(call, owner, repo)
    run, fields = find_check_run(call, row, check_run_id), check_fields(call, body)
    if output := fields.get("output"):
        output["annotations"] = [*(run.output.get("annotations") or ()), *(output.get("annotations") or ())]
    run = call.db.change(run, **fields)
    update_suite(call, call.db.get(CheckSuite, run.check_suite_id))
    shown = show_check_run(call, row, run)
    action = "completed" if run.status == "completed" else "created"
    announce(call, row, "check_run", {"action": action, "check_run": shown})
    return shown


@api.get("/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations")
def list_annotations(call: Call, owner: str, repo: str, check_run_id: int) -> Any:
    """List the annotations of a check run."""
    run = find_check_run(call, find_repo(call, owner, repo), check_run_id)
    return slice_page(call, run.output.get("annotations") or [])


@api.get("/repos/{owner}/{repo}/commits/{ref}/check-runs")
def list_check_runs(
    call: Call, owner: str, repo: str, ref: str, check_name: str = "", status: str = "", filter: str = "latest"
) -> Any:
    """List the check runs of a commit; by default the newest of each name."""
    row = find_repo(call, owner, repo)
    sha = find_commit(call, row, ref, Unprocessable).sha
    runs = call.db.rows(CheckRun, CheckRun.repository_id == row.id, CheckRun.head_sha == sha, order=CheckRun.id)
    if filter == "latest":
        runs = list({run.name: run for run in runs}.values())
    kept = [run for run in runs if check_name in ("", run.name) and status in ("", run.status)]
    return slice_page(call, kept[::-1], lambda run: show_check_run(call, row, run), "check_runs")


@api.get("/repos/{owner}/{repo}/commits/{ref}/check-suites")
def list_check_suites(call: Call, owner: str, repo: str, ref: str) -> Any:
    """List the check suites of a commit."""
    row = find_repo(call, owner, repo)
    sha = find_commit(call, row, ref, Unprocessable).sha
    where = (CheckSuite.repository_id == row.id, CheckSuite.head_sha == sha)
    return paginate(
        call,
        CheckSuite,
        *where,
        by=CheckSuite.id,
        show=lambda suite: show_check_suite(call, row, suite),
        key="check_suites",
    )


@api.get("/repos/{owner}/{repo}/check-suites/{check_suite_id}")
def get_check_suite(call: Call, owner: str, repo: str, check_suite_id: int) -> Any:
    """Get a check suite."""
    row = find_repo(call, owner, repo)
    suite = call.db.find(CheckSuite, CheckSuite.id == check_suite_id, CheckSuite.repository_id == row.id)
    if suite is None:
        raise NotVisible
    return show_check_suite(call, row, suite)


def show_check_suite(call: Call, repo: Repository, suite: CheckSuite) -> dict[str, Any]:
    """Render a check suite."""
    url = f"{repo_url(call, repo)}/check-suites/{suite.id}"
    commit = find_commit(call, repo, suite.head_sha)
    return {
        "id": suite.id,
        "node_id": node_id("CS", repo.id, suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": url,
        "before": commit.parents[0] if commit.parents else None,
        "after": suite.head_sha,
        "pull_requests": pulls_with_head(call, repo, suite.head_sha),
        "app": show_app(call),
        **times_of(suite),
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": call.db.count(CheckRun, CheckRun.check_suite_id == suite.id),
        "check_runs_url": f"{url}/check-runs",
        "head_commit": show_simple_commit(commit),
        "repository": show_repo(call, repo),
    }

"""Inspector views of GitHub: a repository, an issue, a pull request with its diff, and a workflow run."""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenCode, ScreenLink, ScreenPost, ScreenTable

from .git.diffs import write_diff
from .git.histories import walk_history
from .git.pull_commits import changes_of_pull
from .git.refs import HEADS, list_refs, resolve_commit
from .tables.issue_tables import Issue, IssueComment, PullRequest, Review, ReviewComment
from .tables.repository_tables import CheckRun, Repository, RepositoryFile
from .tables.work_tables import WorkflowJob, WorkflowRun

MAX_ROWS = 100
MAX_COMMITS = 20
MAX_DIFF_LETTERS = MAX_LOG_LETTERS = 20_000


def screen(call: Call, path: str) -> Screen | None:
    """Render `owner/repo`, `owner/repo/issues/7`, `owner/repo/pull/7` or `owner/repo/actions/runs/7`; else None.

    Without a path, it is the first repository.
    """
    repos = call.db.rows(Repository, order=Repository.full_name, limit=500)
    places = [("Repositories", [ScreenLink(repo.full_name, repo.full_name) for repo in repos])]
    if not path:
        return _repository(call, repos[0])._replace(places=places) if repos else Screen("No repositories")
    owner, _, rest = path.partition("/")
    name, _, inner = rest.partition("/")
    repo = next((each for each in repos if each.full_name == f"{owner}/{name}"), None)
    if repo is None:
        return None
    shown = _repository(call, repo) if not inner else _inner(call, repo, inner)
    if shown is None:
        return None
    trail = [ScreenLink(repo.full_name, repo.full_name)] if inner else []
    return shown._replace(places=places, trail=trail)


def _inner(call: Call, repo: Repository, path: str) -> Screen | None:
    kind, _, number = path.rpartition("/")
    if not number.isdecimal() or len(number) > 18:
        return None
    if kind == "actions/runs":
        run = call.db.find(WorkflowRun, WorkflowRun.id == int(number), WorkflowRun.repository_id == repo.id)
        return _run(call, run) if run else None
    if kind not in ("issues", "pull"):
        return None
    issue = call.db.find(Issue, Issue.repository_id == repo.id, Issue.number == int(number))
    return _issue(call, repo, issue) if issue else None


def _repository(call: Call, repo: Repository) -> Screen:
    where = (Issue.repository_id == repo.id, Issue.state == "open")
    issues = call.db.rows(Issue, *where, order=-Issue.number, limit=MAX_ROWS)
    branches = [ref.ref.removeprefix(HEADS) for ref in list_refs(call, repo, HEADS)]
    facts = {
        "Default branch": repo.default_branch,
        "Branches": ", ".join(branches[:20]),
        "Visibility": repo.visibility,
        "Language": repo.language or "",
        "Topics": ", ".join(repo.topics),
    }
    return Screen(
        title=repo.full_name,
        subtitle=repo.description or "",
        facts=[(name, text) for name, text in facts.items() if text],
        lanes=[_lane(repo, "Issues", issues, pulls=False), _lane(repo, "Pull requests", issues, pulls=True)],
        tables=_repository_tables(call, repo),
    )


def _repository_tables(call: Call, repo: Repository) -> list[ScreenTable]:
    """Render the files, the newest commits and the newest workflow runs of a repository."""
    head = resolve_commit(call, repo, "HEAD")
    history = walk_history(call, repo.network_id, [head.sha]) if head else iter(())
    commits = [commit for _, commit in zip(range(MAX_COMMITS), history, strict=False)]
    where = RepositoryFile.repository_id == repo.id
    files = call.db.rows(RepositoryFile, where, order=RepositoryFile.path, limit=MAX_ROWS)
    runs = call.db.rows(WorkflowRun, WorkflowRun.repository_id == repo.id, order=-WorkflowRun.id, limit=10)
    rows = [
        [each.sha[:7], each.message.partition("\n")[0], each.author or each.author_name, each.committed_at[:16]]
        for each in commits
    ]
    return [
        ScreenTable("Files", ["Path", "Bytes"], [[file.path, str(file.size)] for file in files]),
        ScreenTable("Commits", ["Commit", "Message", "Author", "Date"], rows),
        ScreenTable("Workflow runs", ["Run", "Event", "Result"], [_run_row(repo, run) for run in runs]),
    ]


def _lane(repo: Repository, title: str, issues: Sequence[Issue], *, pulls: bool) -> Lane:
    kind = "pull" if pulls else "issues"
    cards = [
        Card(
            f"#{issue.number} {issue.title}",
            f"{repo.full_name}/{kind}/{issue.number}",
            [*issue.labels, *(f"@{login}" for login in issue.assignees)],
        )
        for issue in issues
        if issue.is_pull_request == pulls
    ]
    return Lane(title, cards)


def _run_row(repo: Repository, run: WorkflowRun) -> list[str | ScreenLink]:
    link = ScreenLink(f"{run.name} #{run.run_number}", f"{repo.full_name}/actions/runs/{run.id}")
    return [link, run.event, run.conclusion or run.status]


def _issue(call: Call, repo: Repository, issue: Issue) -> Screen:
    comments = call.db.rows(IssueComment, IssueComment.issue_id == issue.id, order=IssueComment.id, limit=MAX_ROWS)
    entries = [ScreenPost(each.user, each.created_at[:16], each.body) for each in comments]
    facts = {
        "State": issue.state,
        "Opened by": issue.user,
        "Labels": ", ".join(issue.labels),
        "Assignees": ", ".join(issue.assignees),
    }
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id)
    shown = Screen(title=f"#{issue.number} {issue.title}", text=issue.body or "", entries=entries)
    if pull:
        facts |= _pull_facts(pull)
        shown = shown._replace(tables=_pull_tables(call, repo, pull), codes=[_diff(call, repo, pull)])
    return shown._replace(facts=[(name, text) for name, text in facts.items() if text])


def _pull_facts(pull: PullRequest) -> dict[str, str]:
    merged = f"by {pull.merged_by} as {(pull.merge_commit_sha or '')[:7]}" if pull.merged else ""
    reviewers = ", ".join(pull.requested_reviewers)
    branches = f"{pull.head_owner}:{pull.head_ref} into {pull.base_ref}"
    return {"Branches": branches, "Merged": merged, "Draft": "yes" if pull.draft else "", "Reviewers": reviewers}


def _pull_tables(call: Call, repo: Repository, pull: PullRequest) -> list[ScreenTable]:
    """Render the checks of a pull request's head, its reviews, and the comments on its lines."""
    reviews = call.db.rows(Review, Review.pull_request_id == pull.id, order=Review.id, limit=MAX_ROWS)
    where = (CheckRun.repository_id == repo.id, CheckRun.head_sha == pull.head_sha)
    checks = call.db.rows(CheckRun, *where, order=CheckRun.id, limit=MAX_ROWS)
    comments = call.db.rows(ReviewComment, ReviewComment.pull_request_id == pull.id, order=ReviewComment.id)
    results = [[each.name, each.conclusion or each.status, str(each.output.get("title") or "")] for each in checks]
    said = [[f"{each.path}:{each.line or ''}", each.user, each.body] for each in comments[:MAX_ROWS]]
    return [
        ScreenTable("Checks", ["Name", "Result", "Title"], results),
        ScreenTable("Reviews", ["By", "State", "Text"], [[each.user, each.state, each.body] for each in reviews]),
        *([ScreenTable("Comments on lines", ["Line", "By", "Text"], said)] if said else []),
    ]


def _diff(call: Call, repo: Repository, pull: PullRequest) -> ScreenCode:
    diff = write_diff(changes_of_pull(call, repo, pull))
    note = "The rest of the diff is left out." if len(diff) > MAX_DIFF_LETTERS else ""
    return ScreenCode("Diff", diff[:MAX_DIFF_LETTERS], note, is_diff=True)


def _run(call: Call, run: WorkflowRun) -> Screen:
    jobs = call.db.rows(WorkflowJob, WorkflowJob.run_id == run.id, order=WorkflowJob.id, limit=MAX_ROWS)
    facts = {
        "Result": run.conclusion or run.status,
        "Event": run.event,
        "Branch": run.head_branch or "",
        "Commit": run.head_sha[:7],
        "Attempt": str(run.run_attempt),
        "Started by": run.triggering_actor,
    }
    tables = [
        ScreenTable(
            f"{job.name}: {job.conclusion or job.status}",
            ["Step", "Result"],
            [[step["name"], step["conclusion"] or step["status"]] for step in job.steps],
        )
        for job in jobs
    ]
    logs = [ScreenCode(f"Log of {job.name}", job.log[:MAX_LOG_LETTERS], _note(job.log)) for job in jobs if job.log]
    return Screen(
        f"{run.name} #{run.run_number}", run.display_title, facts=list(facts.items()), tables=tables, codes=logs
    )


def _note(log: str) -> str:
    return "The rest of the log is left out." if len(log) > MAX_LOG_LETTERS else ""

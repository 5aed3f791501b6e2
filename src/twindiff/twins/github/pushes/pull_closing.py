"""Pull requests that are closed or merged, and the issues that are closed with a merge or a commit.

https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import find_pull, may
from ..event_delivery.announcements import announce
from ..issues.closing_keywords import find_issues_to_close
from ..issues.issue_changes import change_state, note_event
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import Commit, Repository
from ..views.pull_views import show_pull
from ..workflows.triggers import trigger_workflows


def pull_payload(call: Call, repo: Repository, pull: PullRequest, action: str) -> dict[str, Any]:
    """Return what a webhook about a pull request tells of it."""
    return {"action": action, "number": pull.number, "pull_request": show_pull(call, repo, pull)}


def close_pull(call: Call, repo: Repository, pull: PullRequest, issue: Issue) -> None:
    """Close a pull request without merging it."""
    change_state(call, repo, issue, "closed")
    announce(call, repo, "pull_request", pull_payload(call, repo, pull, "closed"))


def mark_merged(
    call: Call, repo: Repository, pull: PullRequest, issue: Issue, sha: str, *, base_sha: str | None = None
) -> PullRequest:
    """Record that a pull request is merged with a commit; close its issue and, on the default branch, those it fixes.

    `base_sha` is the base before a push.
    """
    fields: dict[str, Any] = {"merged": True, "merged_at": call.clock.iso(), "merged_by": call.actor}
    if base_sha:
        fields["base_sha"] = base_sha
    pull = call.db.change(pull, merge_commit_sha=sha, auto_merge=None, **fields)
    note_event(call, issue, "merged", sha)
    change_state(call, repo, issue, "closed", commit_id=None)
    announce(call, repo, "pull_request", pull_payload(call, repo, pull, "closed"))
    trigger_workflows(call, repo, "pull_request", sha, pull=pull, action="closed")
    if pull.base_ref == repo.default_branch:
        _close_fixed_issues(call, repo, issue.body or "", sha)
    return pull


def close_issues_fixed_by(call: Call, repo: Repository, commits: list[Commit]) -> None:
    """Close the issues and pull requests that the messages of commits on the default branch say they fix."""
    for commit in commits:
        _close_fixed_issues(call, repo, commit.message, commit.sha)


def _close_fixed_issues(call: Call, repo: Repository, text: str, sha: str) -> None:
    """Close what a text names; in another repository, only what the caller may close there."""
    for issue, target in find_issues_to_close(call, repo, text):
        is_allowed = target.id == repo.id or (may(call, target, "triage") and not target.archived)
        if issue.state != "open" or not is_allowed:
            continue
        if issue.is_pull_request:
            close_pull(call, target, find_pull(call, target, issue.number), issue)
        else:
            change_state(call, target, issue, "closed", "completed", sha)

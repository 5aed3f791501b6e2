"""Pull requests follow their branches: new heads, deleted branches, and merges by push."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import issue_of
from ..event_delivery.announcements import announce
from ..git.histories import is_ancestor
from ..git.protection import protection_of
from ..git.refs import HEADS, find_ref
from ..issues.issue_changes import note_event
from ..tables.issue_tables import Issue, PullRequest, Review
from ..tables.repository_tables import Ref, Repository
from ..workflows.triggers import trigger_workflows
from .pull_closing import close_pull, mark_merged, pull_payload


def branch_key(repo_id: int | None, branch: str) -> str:
    """Return the value of the columns by which pull requests of a branch are found."""
    return f"{repo_id}:{branch}"


def open_pulls(call: Call, *where: Any) -> list[tuple[PullRequest, Issue]]:
    """Return the open pull requests that match conditions, each with its issue."""
    pairs = [(pull, issue_of(call, pull)) for pull in call.db.rows(PullRequest, *where, order=PullRequest.id)]
    return [(pull, issue) for pull, issue in pairs if issue.state == "open"]


def follow_branch(call: Call, repo: Repository, branch: str, before: str | None, after: str | None) -> None:
    """Bring the pull requests from and into a branch up to date after it moved."""
    key = branch_key(repo.id, branch)
    for pull, issue in open_pulls(call, PullRequest.head_repository_ref == key):
        base = call.db.get(Repository, pull.repository_id)
        if after is None:
            note_event(call, issue, "head_ref_deleted")
            close_pull(call, base, pull, issue)
        elif before:
            _move_head(call, base, pull, issue, before, after)
    for pull, issue in open_pulls(call, PullRequest.base_repository_ref == key):
        if after is None:
            _follow_deleted_base(call, repo, pull, issue)
            continue
        moved = call.db.change(pull, base_sha=after)
        if is_ancestor(call, repo.network_id, pull.head_sha, after):
            mark_merged(call, repo, moved, issue, after, base_sha=pull.base_sha)


def change_base(
    call: Call, repo: Repository, pull: PullRequest, issue: Issue, base: Ref, event: str = "base_ref_changed"
) -> PullRequest:
    """Set the base of a pull request to another branch of its repository, with an event in its timeline."""
    branch = base.ref.removeprefix(HEADS)
    note_event(call, issue, event)
    return call.db.change(pull, base_ref=branch, base_sha=base.sha, base_repository_ref=branch_key(repo.id, branch))


def _follow_deleted_base(call: Call, repo: Repository, pull: PullRequest, issue: Issue) -> None:
    """Give a pull request the base into which its deleted base was merged; close it if there is none.

    https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/proposing-changes-to-your-work-with-pull-requests/about-branches#working-with-branches
    """
    where = (PullRequest.head_repository_ref == pull.base_repository_ref, PullRequest.repository_id == repo.id)
    merged = call.db.rows(PullRequest, *where, PullRequest.merged.is_true, order=-PullRequest.id, limit=1)
    base = find_ref(call, repo, HEADS + merged[0].base_ref) if merged else None
    if base is None or branch_key(repo.id, merged[0].base_ref) == pull.head_repository_ref:
        close_pull(call, repo, pull, issue)
        return
    pull = change_base(call, repo, pull, issue, base, "automatic_base_change_succeeded")
    announce(call, repo, "pull_request", pull_payload(call, repo, pull, "edited"))


def _move_head(call: Call, repo: Repository, pull: PullRequest, issue: Issue, before: str, after: str) -> None:
    """Set the new head of a pull request; a protection may dismiss approvals of the old one."""
    pull = call.db.change(pull, head_sha=after)
    call.db.change(issue, updated_at=call.clock.iso())
    set_pull_ref(call, repo, pull)
    if not is_ancestor(call, repo.network_id, before, after):
        note_event(call, issue, "head_ref_force_pushed", after)
    protection = protection_of(call, repo, pull.base_ref)
    reviews: dict[str, Any] = (protection.settings.get("required_pull_request_reviews") or {}) if protection else {}
    if reviews.get("dismiss_stale_reviews"):
        for review in call.db.rows(Review, Review.pull_request_id == pull.id, Review.state == "APPROVED"):
            call.db.change(review, state="DISMISSED")
    payload = pull_payload(call, repo, pull, "synchronize")
    announce(call, repo, "pull_request", {**payload, "before": before, "after": after})
    trigger_workflows(call, repo, "pull_request", after, pull=pull, action="synchronize")


def set_pull_ref(call: Call, repo: Repository, pull: PullRequest) -> None:
    """Let `refs/pull/7/head` name the head of a pull request, so that clones can fetch it."""
    name = f"refs/pull/{pull.number}/head"
    known = call.db.find(Ref, Ref.repository_id == repo.id, Ref.ref == name)
    if known:
        call.db.change(known, sha=pull.head_sha)
    else:
        call.db.add(Ref(repository_id=repo.id, ref=name, sha=pull.head_sha))

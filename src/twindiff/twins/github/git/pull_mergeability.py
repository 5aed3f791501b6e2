"""Whether a pull request can be merged, worked out from its trees, protection, reviews and checks.

https://docs.github.com/en/graphql/reference/enums#mergestatestatus
"""

from __future__ import annotations

from typing import Any, NamedTuple

from twindiff.kit import Call

from ..tables.issue_tables import PullRequest, Review, ReviewComment
from ..tables.repository_tables import CheckRun, CommitStatus, Repository
from .histories import get_commit
from .objects import EMPTY_TREE, ObjectStore, hash_object
from .protection import binds, missing_checks, protection_of
from .pull_commits import divergence_of
from .tree_merges import MergeResult, merge_trees


class MergeState(NamedTuple):
    """Whether a pull request merges without conflicts (None if closed), and GitHub's word for its state."""

    mergeable: bool | None
    state: str


class ScratchStore(ObjectStore):
    """An object store that only remembers what is added, so that a read can try a merge."""

    def __init__(self, call: Call, network_id: int) -> None:
        super().__init__(call, network_id)
        self._added: dict[str, tuple[str, bytes]] = {}

    def add(self, kind: str, data: bytes) -> str:
        sha = hash_object(kind, data)
        self._added[sha] = kind, data
        return sha

    def read(self, sha: str, kind: str = "") -> bytes:
        return self._added[sha][1] if sha in self._added else super().read(sha, kind)


def try_merge(call: Call, repo: Repository, pull: PullRequest, *, writes: bool = False) -> MergeResult:
    """Merge the trees of a pull request; objects are stored only if the operation `writes`."""
    base = divergence_of(call, repo, pull).merge_base
    ours, theirs = (get_commit(call, repo.network_id, sha) for sha in (pull.base_sha, pull.head_sha))
    trees = [commit.tree_sha if commit else EMPTY_TREE for commit in (base, ours, theirs)]
    kind = ObjectStore if writes else ScratchStore
    return merge_trees(kind(call, repo.network_id), *trees)


def latest_reviews(call: Call, pull: PullRequest) -> dict[str, Review]:
    """Return the newest review of each user that approves, requests changes or was dismissed."""
    rows = call.db.rows(Review, Review.pull_request_id == pull.id, order=(Review.submitted_at, Review.id))
    return {row.user: row for row in rows if row.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")}


def why_blocked(call: Call, repo: Repository, pull: PullRequest) -> str:
    """Return why a protected base refuses a merge now; empty if it does not."""
    protection = protection_of(call, repo, pull.base_ref)
    if protection is None or not binds(call, repo, protection):
        return ""
    settings: dict[str, Any] = protection.settings
    reviews: dict[str, Any] | None = settings.get("required_pull_request_reviews")
    if reviews is not None:
        states = [review.state for review in latest_reviews(call, pull).values()]
        wanted = int(reviews.get("required_approving_review_count", 1))
        if "CHANGES_REQUESTED" in states:
            return "Changes have been requested."
        if states.count("APPROVED") < wanted:
            plural = "s" * (wanted != 1)
            return f"At least {wanted} approving review{plural} is required by reviewers with write access."
    missing = missing_checks(call, repo, settings, pull.head_sha)
    if missing:
        return f'Required status check "{missing[0]}" is expected.'
    checks: dict[str, Any] = settings.get("required_status_checks") or {}
    if checks.get("strict") and divergence_of(call, repo, pull).theirs:
        return "The head branch is not up to date with the base branch."
    if settings.get("required_conversation_resolution") and _has_open_threads(call, pull):
        return "A conversation must be resolved before this pull request can be merged."
    if settings.get("lock_branch"):
        return "Branch is locked and cannot be modified"
    return ""


def _has_open_threads(call: Call, pull: PullRequest) -> bool:
    where = (ReviewComment.pull_request_id == pull.id, ReviewComment.in_reply_to_id.is_null())
    return any(not thread.is_resolved for thread in call.db.rows(ReviewComment, *where))


def merge_state(call: Call, repo: Repository, pull: PullRequest, *, is_open: bool) -> MergeState:
    """Return whether a pull request can be merged."""
    if not is_open:
        return MergeState(None, "unknown")
    if try_merge(call, repo, pull).conflicts:
        return MergeState(mergeable=False, state="dirty")
    if pull.draft:
        return MergeState(mergeable=True, state="draft")
    if why_blocked(call, repo, pull):
        return MergeState(mergeable=True, state="blocked")
    return MergeState(mergeable=True, state="clean" if has_passed_all(call, repo, pull.head_sha) else "unstable")


def has_passed_all(call: Call, repo: Repository, sha: str) -> bool:
    """Return whether every check and status of a commit succeeded."""
    runs = call.db.rows(CheckRun, CheckRun.repository_id == repo.id, CheckRun.head_sha == sha, order=CheckRun.id)
    latest = {run.name: run.conclusion for run in runs}
    statuses = call.db.rows(
        CommitStatus, CommitStatus.repository_id == repo.id, CommitStatus.sha == sha, order=CommitStatus.id
    )
    states = {status.context: status.state for status in statuses}
    passed = ("success", "neutral", "skipped")
    return all(conclusion in passed for conclusion in latest.values()) and set(states.values()) <= {"success"}

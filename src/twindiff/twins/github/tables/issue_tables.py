"""Issues, pull requests, reviews and everything around them."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .repository_tables import Repository
from .user_tables import User


class Label(Row, table="labels", key=("id",), indexes=(("repository_id", "name"),)):
    """A label of a repository."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    name: Column[str]
    color: Column[str] = column(default="ededed")
    description: Column[str | None] = column(default=None)
    default: Column[bool] = column(default=False)


class Milestone(Row, table="milestones", key=("id",), indexes=(("repository_id", "number"),)):
    """A milestone of a repository."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    number: Column[int]
    title: Column[str]
    description: Column[str | None] = column(default=None)
    state: Column[str] = column(default="open")
    creator: Column[str] = references(User)
    due_on: Column[Timestamp | None] = column(default=None)
    closed_at: Column[Timestamp | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Issue(
    Row,
    table="issues",
    key=("id",),
    indexes=(
        ("repository_id", "number"),
        ("repository_id", "state", "created_at"),
        ("repository_id", "created_at"),
        ("created_at", "id"),
        ("milestone_id",),
        ("parent_id",),
    ),
    words=("title", "body"),
):
    """An issue, or the issue half of a pull request; `labels` and `assignees` are names and logins."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    number: Column[int]
    is_pull_request: Column[bool] = column(default=False)
    title: Column[str]
    body: Column[str | None] = column(default=None)
    state: Column[str] = column(default="open")
    state_reason: Column[str | None] = column(default=None)
    user: Column[str] = references(User)
    labels: Column[Json] = column(default=[])
    assignees: Column[Json] = column(default=[])
    milestone_id: Column[int | None] = references(Milestone, default=None)
    type: Column[str | None] = column(default=None)
    locked: Column[bool] = column(default=False)
    active_lock_reason: Column[str | None] = column(default=None)
    parent_id: Column[int | None] = column(default=None)
    position: Column[int] = column(default=0)
    comments: Column[int] = column(default=0, derived=True)
    closed_by: Column[str | None] = column(default=None)
    closed_at: Column[Timestamp | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    pinned_by: Column[str | None] = column(default=None)


class FormerIssue(Row, table="former_issues", key=("repository_id", "number")):
    """A number that an issue had before it was transferred, or deleted where `issue_id` is null."""

    repository_id: Column[int] = references(Repository, on_delete="cascade")
    number: Column[int]
    issue_id: Column[int | None] = references(Issue, default=None, on_delete="cascade")


class LinkedBranch(Row, table="linked_branches", key=("id",), indexes=(("issue_id",),)):
    """A branch that was made for an issue; `ref` is its full name."""

    id: Column[int]
    issue_id: Column[int] = references(Issue, on_delete="cascade")
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    ref: Column[str]


class IssueDependency(
    Row, table="issue_dependencies", key=("issue_id", "blocked_by_id"), indexes=(("blocked_by_id",),)
):
    """One issue blocks another."""

    issue_id: Column[int] = references(Issue, on_delete="cascade")
    blocked_by_id: Column[int] = references(Issue, on_delete="cascade")


class IssueComment(
    Row, table="issue_comments", key=("id",), indexes=(("repository_id", "created_at"),), words=("body",)
):
    """A comment on an issue or a pull request."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    issue_id: Column[int] = references(Issue, on_delete="cascade")
    user: Column[str] = references(User)
    body: Column[str]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class IssueEvent(Row, table="issue_events", key=("id",), indexes=(("repository_id",),)):
    """An entry of an issue's timeline; `details` are the fields that the event adds."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    issue_id: Column[int] = references(Issue, on_delete="cascade")
    event: Column[str]
    actor: Column[str] = references(User)
    commit_id: Column[str | None] = column(default=None)
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]


class Reaction(Row, table="reactions", key=("id",), indexes=(("subject", "subject_id"),)):
    """A user's reaction; `subject` is the table of the object reacted to."""

    id: Column[int]
    subject: Column[str]
    subject_id: Column[int]
    user: Column[str] = references(User)
    content: Column[str]
    created_at: Column[Timestamp]


class PullRequest(
    Row,
    table="pull_requests",
    key=("id",),
    indexes=(("repository_id", "number"), ("base_repository_ref",), ("head_repository_ref",)),
):
    """The pull half of a pull request; title, body, state and labels are those of its issue."""

    id: Column[int]
    issue_id: Column[int] = references(Issue, on_delete="cascade")
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    number: Column[int]
    head_repository_id: Column[int | None] = column(default=None)
    head_ref: Column[str]
    head_sha: Column[str]
    head_owner: Column[str] = column(default="")
    base_ref: Column[str]
    base_sha: Column[str]
    draft: Column[bool] = column(default=False)
    merged: Column[bool] = column(default=False)
    merged_at: Column[Timestamp | None] = column(default=None)
    merged_by: Column[str | None] = column(default=None)
    merge_commit_sha: Column[str | None] = column(default=None)
    maintainer_can_modify: Column[bool] = column(default=False)
    requested_reviewers: Column[Json] = column(default=[])
    requested_teams: Column[Json] = column(default=[])
    auto_merge: Column[Json] = column(default=None)
    base_repository_ref: Column[str] = column(default="", derived=True)
    head_repository_ref: Column[str] = column(default="", derived=True)


class Review(Row, table="reviews", key=("id",)):
    """A review of a pull request; `state` is PENDING, APPROVED, CHANGES_REQUESTED, COMMENTED or DISMISSED."""

    id: Column[int]
    pull_request_id: Column[int] = references(PullRequest, on_delete="cascade")
    user: Column[str] = references(User)
    state: Column[str] = column(default="PENDING")
    body: Column[str] = column(default="")
    commit_id: Column[str]
    submitted_at: Column[Timestamp | None] = column(default=None)


class ReviewComment(Row, table="review_comments", key=("id",), indexes=(("repository_id",),)):
    """A comment on the diff of a pull request; a thread is the comments with one `thread_id`."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    pull_request_id: Column[int] = references(PullRequest, on_delete="cascade")
    review_id: Column[int | None] = references(Review, default=None, on_delete="cascade")
    thread_id: Column[int]
    in_reply_to_id: Column[int | None] = column(default=None)
    user: Column[str] = references(User)
    body: Column[str]
    path: Column[str]
    commit_id: Column[str]
    original_commit_id: Column[str]
    diff_hunk: Column[str] = column(default="")
    position: Column[int | None] = column(default=None)
    line: Column[int | None] = column(default=None)
    side: Column[str] = column(default="RIGHT")
    start_line: Column[int | None] = column(default=None)
    start_side: Column[str | None] = column(default=None)
    subject_type: Column[str] = column(default="line")
    is_resolved: Column[bool] = column(default=False)
    resolved_by: Column[str | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


TABLES = (
    Label,
    Milestone,
    Issue,
    FormerIssue,
    LinkedBranch,
    IssueDependency,
    IssueComment,
    IssueEvent,
    Reaction,
    PullRequest,
    Review,
    ReviewComment,
)

"""Actions, notifications, stars, gists, alerts and events."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .repository_tables import Repository
from .user_tables import User


class Workflow(Row, table="workflows", key=("id",), indexes=(("repository_id", "path"),)):
    """A workflow file of a repository's default branch."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    path: Column[str]
    name: Column[str]
    state: Column[str] = column(default="active")
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class WorkflowRun(
    Row, table="workflow_runs", key=("id",), indexes=(("repository_id", "created_at"), ("workflow_id", "created_at"))
):
    """A run of a workflow; `next_at` is when the next of its jobs changes its status."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    workflow_id: Column[int] = references(Workflow, on_delete="cascade")
    check_suite_id: Column[int] = column(default=0)
    name: Column[str]
    display_title: Column[str] = column(default="")
    event: Column[str]
    status: Column[str] = column(default="queued")
    conclusion: Column[str | None] = column(default=None)
    head_branch: Column[str | None] = column(default=None)
    head_sha: Column[str]
    path: Column[str]
    run_number: Column[int] = column(default=1)
    run_attempt: Column[int] = column(default=1)
    actor: Column[str] = references(User)
    triggering_actor: Column[str] = references(User)
    inputs: Column[Json] = column(default={})
    logs_deleted: Column[bool] = column(default=False)
    run_started_at: Column[Timestamp]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class WorkflowJob(Row, table="workflow_jobs", key=("id",)):
    """A job of a run; `plan` holds the outcome that its workflow says, and `next_at` when its status changes."""

    id: Column[int]
    run_id: Column[int] = references(WorkflowRun, on_delete="cascade")
    repository_id: Column[int]
    check_run_id: Column[int] = column(default=0)
    run_attempt: Column[int] = column(default=1)
    name: Column[str]
    needs: Column[Json] = column(default=[])
    status: Column[str] = column(default="queued")
    conclusion: Column[str | None] = column(default=None)
    steps: Column[Json] = column(default=[])
    labels: Column[Json] = column(default=[])
    plan: Column[Json] = column(default={}, derived=True)
    log: Column[str] = column(default="", derived=True)
    next_at: Column[Timestamp | None] = column(default=None, derived=True)
    created_at: Column[Timestamp]
    started_at: Column[Timestamp | None] = column(default=None)
    completed_at: Column[Timestamp | None] = column(default=None)


class Artifact(Row, table="artifacts", key=("id",)):
    """An artifact that a run left."""

    id: Column[int]
    run_id: Column[int] = references(WorkflowRun, on_delete="cascade")
    repository_id: Column[int]
    name: Column[str]
    size_in_bytes: Column[int] = column(default=0)
    digest: Column[str | None] = column(default=None)
    expired: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    expires_at: Column[Timestamp]


class Star(Row, table="stars", key=("user", "repository_id"), indexes=(("repository_id",),)):
    """A user's star of a repository."""

    user: Column[str] = references(User)
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    starred_at: Column[Timestamp]


class Subscription(Row, table="subscriptions", key=("user", "repository_id"), indexes=(("repository_id",),)):
    """A user watches or ignores a repository."""

    user: Column[str] = references(User)
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    subscribed: Column[bool] = column(default=True)
    ignored: Column[bool] = column(default=False)
    created_at: Column[Timestamp]


class Notification(
    Row,
    table="notifications",
    key=("id",),
    indexes=(("user", "updated_at"), ("user", "repository_id", "subject_number")),
):
    """A notification thread of a user about an issue or a pull request."""

    id: Column[int]
    user: Column[str] = references(User)
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    subject_type: Column[str]
    subject_number: Column[int]
    reason: Column[str]
    unread: Column[bool] = column(default=True)
    is_done: Column[bool] = column(default=False)
    ignored: Column[bool] = column(default=False)
    subscribed: Column[bool | None] = column(default=None)
    latest_comment_id: Column[int | None] = column(default=None)
    last_read_at: Column[Timestamp | None] = column(default=None)
    updated_at: Column[Timestamp] = column(derived=True)


class ActivityEvent(
    Row, table="events", key=("id",), indexes=(("actor",), ("repository_id",), ("org",)), visibility="derived"
):
    """An entry of the public activity feeds."""

    id: Column[int]
    type: Column[str]
    actor: Column[str]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    org: Column[str | None] = column(default=None)
    payload: Column[Json] = column(default={})
    created_at: Column[Timestamp]


class Gist(Row, table="gists", key=("id",), indexes=(("owner",),)):
    """A gist; `files` are its texts by name."""

    id: Column[str]
    owner: Column[str] = references(User)
    description: Column[str | None] = column(default=None)
    public: Column[bool] = column(default=False)
    files: Column[Json] = column(default={})
    history: Column[Json] = column(default=[], derived=True)
    fork_of: Column[str | None] = column(default=None)
    stars: Column[Json] = column(default=[])
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class GistComment(Row, table="gist_comments", key=("id",)):
    """A comment on a gist."""

    id: Column[int]
    gist_id: Column[str] = references(Gist, on_delete="cascade")
    user: Column[str] = references(User)
    body: Column[str]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Alert(Row, table="alerts", key=("id",), indexes=(("repository_id", "kind", "number"),)):
    """An alert; `kind` is code-scanning, secret-scanning or dependabot, and `details` the vendor's object."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    kind: Column[str]
    number: Column[int]
    state: Column[str] = column(default="open")
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Advisory(Row, table="advisories", key=("ghsa_id",), indexes=(("repository_id",),)):
    """A security advisory: global without a repository; `details` is the vendor's object."""

    ghsa_id: Column[str]
    repository_id: Column[int | None] = references(Repository, default=None, on_delete="cascade")
    state: Column[str] = column(default="published")
    severity: Column[str] = column(default="medium")
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


TABLES = (
    Workflow,
    WorkflowRun,
    WorkflowJob,
    Artifact,
    Star,
    Subscription,
    Notification,
    ActivityEvent,
    Gist,
    GistComment,
    Alert,
    Advisory,
)

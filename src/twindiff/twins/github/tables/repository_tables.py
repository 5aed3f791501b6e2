"""Repositories, who may do what in them, and git's data."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .user_tables import User


class Repository(
    Row,
    table="repositories",
    key=("id",),
    indexes=(("owner", "name"), ("network_id",)),
    folded=("full_name",),
    words=("name", "description"),
):
    """A repository; all forks of one have its `network_id` and share git objects."""

    id: Column[int]
    owner: Column[str] = references(User)
    name: Column[str]
    full_name: Column[str] = column(derived=True)
    network_id: Column[int] = column(derived=True)
    parent_id: Column[int | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    homepage: Column[str | None] = column(default=None)
    private: Column[bool] = column(default=False)
    visibility: Column[str] = column(default="public")
    default_branch: Column[str] = column(default="main")
    archived: Column[bool] = column(default=False)
    is_template: Column[bool] = column(default=False)
    topics: Column[Json] = column(default=[])
    license: Column[str | None] = column(default=None)
    language: Column[str | None] = column(default=None, derived=True)
    settings: Column[Json] = column(default={})
    size: Column[int] = column(default=0, derived=True)
    next_number: Column[int] = column(default=1, derived=True)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    pushed_at: Column[Timestamp] = column(derived=True)


class RepositoryName(Row, table="repository_names", key=("full_name",), folded=("full_name",), visibility="derived"):
    """A former name of a repository, which redirects to it."""

    full_name: Column[str]
    repository_id: Column[int] = references(Repository, on_delete="cascade")


class Collaborator(Row, table="collaborators", key=("repository_id", "user"), indexes=(("user",),)):
    """A user's own permission for a repository: pull, triage, push, maintain or admin."""

    repository_id: Column[int] = references(Repository, on_delete="cascade")
    user: Column[str] = references(User)
    permission: Column[str] = column(default="push")


class Invitation(Row, table="invitations", key=("id",), indexes=(("invitee",),)):
    """An invitation to collaborate on a repository."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    invitee: Column[str] = references(User)
    inviter: Column[str] = references(User)
    permission: Column[str] = column(default="push")
    created_at: Column[Timestamp]


class GitObject(Row, table="git_objects", key=("network_id", "sha"), visibility="bookkeeping"):
    """A git object as packs hold it: zlib's output, as Base64 in `content` or, if large, in a blob."""

    network_id: Column[int]
    sha: Column[str]
    type: Column[str]
    size: Column[int]
    content: Column[str | None] = column(default=None)
    digest: Column[str | None] = column(default=None)


class Commit(
    Row, table="commits", key=("network_id", "sha"), indexes=(("repository_id", "committed_at"),), words=("message",)
):
    """A commit; `changes` are its files compared with its first parent, where they were computed."""

    network_id: Column[int]
    sha: Column[str]
    repository_id: Column[int]
    tree_sha: Column[str]
    parents: Column[Json] = column(default=[])
    message: Column[str] = column(default="")
    author_name: Column[str] = column(default="")
    author_email: Column[str] = column(default="")
    author_date: Column[Timestamp]
    committer_name: Column[str] = column(default="")
    committer_email: Column[str] = column(default="")
    committed_at: Column[Timestamp]
    author: Column[str | None] = column(default=None)
    committer: Column[str | None] = column(default=None)
    changes: Column[Json] = column(default=None, derived=True)


class Ref(Row, table="refs", key=("repository_id", "ref")):
    """A reference: `refs/heads/main` with the SHA-1 of its object."""

    repository_id: Column[int] = references(Repository, on_delete="cascade")
    ref: Column[str]
    sha: Column[str]


class RepositoryFile(Row, table="files", key=("repository_id", "path"), indexes=(("sha",),), words=("content", "path")):
    """A file of a default branch; `content` is its text, null for binary and large files."""

    repository_id: Column[int] = references(Repository, on_delete="cascade")
    path: Column[str]
    sha: Column[str]
    mode: Column[str] = column(default="100644")
    size: Column[int] = column(default=0)
    content: Column[str | None] = column(default=None)


class BranchProtection(Row, table="branch_protections", key=("repository_id", "branch")):
    """The protection of a branch; `settings` is what the vendor's request says."""

    repository_id: Column[int] = references(Repository, on_delete="cascade")
    branch: Column[str]
    settings: Column[Json] = column(default={})


class CommitStatus(Row, table="commit_statuses", key=("id",), indexes=(("repository_id", "sha"),)):
    """A status that an integration reported for a commit."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    sha: Column[str]
    state: Column[str]
    context: Column[str] = column(default="default")
    description: Column[str | None] = column(default=None)
    target_url: Column[str | None] = column(default=None)
    creator: Column[str] = references(User)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CheckSuite(Row, table="check_suites", key=("id",), indexes=(("repository_id", "head_sha"),)):
    """The checks of one app for one commit."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    head_sha: Column[str]
    head_branch: Column[str | None] = column(default=None)
    status: Column[str] = column(default="queued")
    conclusion: Column[str | None] = column(default=None)
    app: Column[str] = column(default="twindiff")
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class CheckRun(Row, table="check_runs", key=("id",), indexes=(("repository_id", "head_sha"),)):
    """One check of a commit."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    check_suite_id: Column[int] = references(CheckSuite, on_delete="cascade")
    head_sha: Column[str]
    name: Column[str]
    status: Column[str] = column(default="queued")
    conclusion: Column[str | None] = column(default=None)
    details_url: Column[str | None] = column(default=None)
    external_id: Column[str | None] = column(default=None)
    output: Column[Json] = column(default={})
    started_at: Column[Timestamp | None] = column(default=None)
    completed_at: Column[Timestamp | None] = column(default=None)


class CommitComment(Row, table="commit_comments", key=("id",), indexes=(("repository_id", "commit_id"),)):
    """A comment on a commit."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    commit_id: Column[str]
    user: Column[str] = references(User)
    body: Column[str]
    path: Column[str | None] = column(default=None)
    position: Column[int | None] = column(default=None)
    line: Column[int | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Release(Row, table="releases", key=("id",), indexes=(("repository_id", "tag_name"),)):
    """A release of a repository."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    tag_name: Column[str]
    target_commitish: Column[str]
    name: Column[str | None] = column(default=None)
    body: Column[str | None] = column(default=None)
    draft: Column[bool] = column(default=False)
    prerelease: Column[bool] = column(default=False)
    is_latest: Column[bool | None] = column(default=None)
    author: Column[str] = references(User)
    created_at: Column[Timestamp]
    published_at: Column[Timestamp | None] = column(default=None)


class ReleaseAsset(Row, table="release_assets", key=("id",)):
    """A file of a release."""

    id: Column[int]
    release_id: Column[int] = references(Release, on_delete="cascade")
    repository_id: Column[int]
    name: Column[str]
    label: Column[str | None] = column(default=None)
    content_type: Column[str] = column(default="application/octet-stream")
    size: Column[int] = column(default=0)
    digest: Column[str] = column(default="")
    uploader: Column[str] = references(User)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Hook(Row, table="hooks", key=("id",), indexes=(("repository_id",), ("org",))):
    """A webhook of a repository or an organization."""

    id: Column[int]
    repository_id: Column[int | None] = references(Repository, default=None, on_delete="cascade")
    org: Column[str | None] = column(default=None)
    active: Column[bool] = column(default=True)
    events: Column[Json] = column(default=[])
    url: Column[str]
    content_type: Column[str] = column(default="form")
    secret: Column[str | None] = column(default=None)
    insecure_ssl: Column[str] = column(default="0")
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Environment(Row, table="environments", key=("id",), indexes=(("repository_id", "name"),)):
    """A deployment environment of a repository."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    name: Column[str]
    settings: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class DeployKey(Row, table="deploy_keys", key=("id",)):
    """A deploy key of a repository."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    title: Column[str]
    key: Column[str]
    read_only: Column[bool] = column(default=False)
    created_at: Column[Timestamp]


class Secret(Row, table="secrets", key=("scope", "kind", "name")):
    """A secret or variable; `scope` is `repos/1` or `orgs/acme`, `kind` is actions, dependabot, codespaces, variables.

    An encrypted value is never shown again; a variable's `value` is.
    """

    scope: Column[str]
    kind: Column[str]
    name: Column[str]
    value: Column[str] = column(default="")
    visibility: Column[str | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class Autolink(Row, table="autolinks", key=("id",), indexes=(("repository_id",),)):
    """A prefix of references that lead to an address with `<num>`."""

    id: Column[int]
    repository_id: Column[int] = references(Repository, on_delete="cascade")
    key_prefix: Column[str]
    url_template: Column[str]
    is_alphanumeric: Column[bool] = column(default=True)
    created_at: Column[Timestamp]


TABLES = (
    Repository,
    RepositoryName,
    Collaborator,
    Invitation,
    GitObject,
    Commit,
    Ref,
    RepositoryFile,
    BranchProtection,
    CommitStatus,
    CheckSuite,
    CheckRun,
    CommitComment,
    Release,
    ReleaseAsset,
    Hook,
    Environment,
    DeployKey,
    Secret,
    Autolink,
)

"""Users, organizations, teams and what belongs to a user alone."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


class User(Row, table="users", key=("login",), indexes=(("id",),), folded=("login",), words=("bio",)):
    """A user or an organization; `login` is the key, so that rows elsewhere name people readably.

    `default_branch` names the branch that new repositories begin with; null is main.
    """

    login: Column[str]
    id: Column[int]
    type: Column[str] = column(default="User")
    name: Column[str | None] = column(default=None)
    email: Column[str | None] = column(default=None)
    company: Column[str | None] = column(default=None)
    blog: Column[str | None] = column(default=None)
    location: Column[str | None] = column(default=None)
    bio: Column[str | None] = column(default=None)
    hireable: Column[bool | None] = column(default=None)
    twitter_username: Column[str | None] = column(default=None)
    site_admin: Column[bool] = column(default=False)
    description: Column[str | None] = column(default=None)
    billing_email: Column[str | None] = column(default=None)
    default_repository_permission: Column[str] = column(default="read")
    members_can_create_repositories: Column[bool] = column(default=True)
    settings: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    default_branch: Column[str | None] = column(default=None)


class Membership(Row, table="memberships", key=("org", "user"), indexes=(("user",),)):
    """A user's membership of an organization; `role` is admin or member."""

    org: Column[str] = references(User)
    user: Column[str] = references(User)
    role: Column[str] = column(default="member")
    state: Column[str] = column(default="active")
    is_public: Column[bool] = column(default=False)


class Team(Row, table="teams", key=("id",), indexes=(("org", "slug"),)):
    """A team of an organization."""

    id: Column[int]
    org: Column[str] = references(User)
    name: Column[str]
    slug: Column[str]
    description: Column[str | None] = column(default=None)
    privacy: Column[str] = column(default="closed")
    notification_setting: Column[str] = column(default="notifications_enabled")
    permission: Column[str] = column(default="pull")
    parent_id: Column[int | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class TeamMember(Row, table="team_members", key=("team_id", "user"), indexes=(("user",),)):
    """A user's membership of a team."""

    team_id: Column[int] = references(Team, on_delete="cascade")
    user: Column[str] = references(User)
    role: Column[str] = column(default="member")


class TeamRepository(Row, table="team_repositories", key=("team_id", "repository_id"), indexes=(("repository_id",),)):
    """A team's permission for a repository."""

    team_id: Column[int] = references(Team, on_delete="cascade")
    repository_id: Column[int]
    permission: Column[str] = column(default="pull")


class Following(Row, table="following", key=("user", "target"), indexes=(("target",),)):
    """One user follows another."""

    user: Column[str] = references(User)
    target: Column[str] = references(User)


class Block(Row, table="blocks", key=("owner", "user")):
    """A user whom a user or an organization blocks."""

    owner: Column[str] = references(User)
    user: Column[str] = references(User)


class UserKey(Row, table="user_keys", key=("id",), indexes=(("user", "kind"),)):
    """A key of a user; `kind` is ssh, gpg or signing."""

    id: Column[int]
    user: Column[str] = references(User)
    kind: Column[str]
    title: Column[str | None] = column(default=None)
    key: Column[str]
    created_at: Column[Timestamp]


class UserEmail(Row, table="user_emails", key=("user", "email")):
    """An email address of a user."""

    user: Column[str] = references(User)
    email: Column[str]
    primary: Column[bool] = column(default=False)
    verified: Column[bool] = column(default=True)
    visibility: Column[str | None] = column(default=None)


class AppInstallation(Row, table="installations", key=("id",)):
    """An installation of the environment's GitHub App in an account."""

    id: Column[int]
    account: Column[str] = references(User)
    repository_selection: Column[str] = column(default="all")
    permissions: Column[Json] = column(default={})
    events: Column[Json] = column(default=[])
    created_at: Column[Timestamp]


class AppKey(Row, table="app_keys", key=("id",), visibility="bookkeeping"):
    """A public key, as PEM, that verifies JSON Web Tokens of the environment's app beside its own key."""

    id: Column[int]
    public_key: Column[str]


class AccessToken(Row, table="access_tokens", key=("token",), visibility="bookkeeping"):
    """A token: of an installation, of the device flow, or a personal access token that a template or a seed declares.

    A classic token has `scopes`. A fine-grained token and one of an installation have `permissions`, and
    `repository_ids` if they are limited to some repositories.
    """

    token: Column[str]
    user: Column[str] = references(User)
    installation_id: Column[int | None] = column(default=None)
    permissions: Column[Json] = column(default={})
    repository_ids: Column[Json] = column(default=None)
    scopes: Column[Json] = column(default=None)
    expires_at: Column[Timestamp | None] = column(default=None)


TABLES = (
    User,
    Membership,
    Team,
    TeamMember,
    TeamRepository,
    Following,
    Block,
    UserKey,
    UserEmail,
    AppInstallation,
    AppKey,
    AccessToken,
)

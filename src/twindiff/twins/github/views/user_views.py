"""Users, organizations and teams as the API shows them."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import not_

from ..core.node_ids import node_id
from ..core.stamps import times_of
from ..tables.repository_tables import Repository
from ..tables.user_tables import Following, Membership, Team, TeamMember, TeamRepository, User
from ..tables.work_tables import Gist

Shown = dict[str, Any]
PAGES = "https://github.com"
"""Where the pages are that people look at; clients clone from the twin's own address."""
PREFIXES = {"User": "U", "Organization": "O", "Bot": "BOT", "Mannequin": "M"}


def user_node_id(user: User) -> str:
    """Return the node id of a user or an organization."""
    return node_id(PREFIXES[user.type], user.id)


def show_user(call: Call, user: User) -> Shown:
    """Render a simple user."""
    url = f"{call.base_url}/users/{user.login}"
    return {
        "login": user.login,
        "id": user.id,
        "node_id": user_node_id(user),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{user.id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{PAGES}/{user.login}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": user.type,
        "user_view_type": "public",
        "site_admin": user.site_admin,
    }


def user_of(call: Call, login: str | None) -> Shown | None:
    """Render the simple user with a login; None if there is none."""
    if login is None:
        return None
    known: dict[str, Shown | None] = call.memo.setdefault("users", {})
    if login not in known:
        user = call.db.find(User, User.login == login)
        known[login] = show_user(call, user) if user else None
    shown = known[login]
    return dict(shown) if shown else None


def users_of(call: Call, logins: list[str]) -> list[Shown]:
    """Render the simple users with some logins."""
    return [shown for login in logins if (shown := user_of(call, login))]


def show_full_user(call: Call, user: User, *, private: bool = False) -> Shown:
    """Render a public user or, with `private`, the caller."""
    shown = show_user(call, user) | {
        "name": user.name,
        "company": user.company,
        "blog": user.blog or "",
        "location": user.location,
        "email": user.email,
        "hireable": user.hireable,
        "bio": user.bio,
        "twitter_username": user.twitter_username,
        "notification_email": user.email,
        "public_repos": call.db.count(Repository, Repository.owner == user.login, ~Repository.private),
        "public_gists": call.db.count(Gist, Gist.owner == user.login, Gist.public),
        "followers": call.db.count(Following, Following.target == user.login),
        "following": call.db.count(Following, Following.user == user.login),
        **times_of(user),
    }
    return shown | _private_fields(call, user) if private else shown


def _private_fields(call: Call, user: User) -> Shown:
    private = call.db.count(Repository, Repository.owner == user.login, Repository.private)
    return {
        "user_view_type": "private",
        "private_gists": call.db.count(Gist, Gist.owner == user.login, not_(Gist.public)),
        "total_private_repos": private,
        "owned_private_repos": private,
        "disk_usage": 0,
        "collaborators": 0,
        "two_factor_authentication": True,
        "plan": {"name": "free", "space": 976562499, "collaborators": 0, "private_repos": 10000},
    }


def show_org(call: Call, org: User) -> Shown:
    """Render a simple organization."""
    url = f"{call.base_url}/orgs/{org.login}"
    return {
        "login": org.login,
        "id": org.id,
        "node_id": user_node_id(org),
        "url": url,
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"https://avatars.githubusercontent.com/u/{org.id}?v=4",
        "description": org.description or "",
    }


def show_full_org(call: Call, org: User) -> Shown:
    """Render an organization; its members see its settings too."""
    shown = show_org(call, org) | {
        "name": org.name or org.login,
        "company": org.company,
        "blog": org.blog or "",
        "location": org.location or "",
        "email": org.email or "",
        "twitter_username": org.twitter_username,
        "is_verified": False,
        "has_organization_projects": True,
        "has_repository_projects": True,
        "public_repos": call.db.count(Repository, Repository.owner == org.login, ~Repository.private),
        "public_gists": 0,
        "followers": call.db.count(Following, Following.target == org.login),
        "following": 0,
        "html_url": f"{PAGES}/{org.login}",
        **times_of(org),
        "archived_at": None,
        "type": "Organization",
    }
    if call.db.find(Membership, Membership.org == org.login, Membership.user == call.actor):
        shown |= _member_fields(call, org)
    return {name: value for name, value in shown.items() if value is not None or name not in ("company", "email")}


def _member_fields(call: Call, org: User) -> Shown:
    private = call.db.count(Repository, Repository.owner == org.login, Repository.private)
    seats = call.db.count(Membership, Membership.org == org.login)
    return {
        "total_private_repos": private,
        "owned_private_repos": private,
        "private_gists": 0,
        "disk_usage": 0,
        "collaborators": 0,
        "billing_email": org.billing_email or org.email or f"billing@{org.login}.example",
        "default_repository_permission": org.default_repository_permission,
        "members_can_create_repositories": org.members_can_create_repositories,
        "two_factor_requirement_enabled": False,
        "members_allowed_repository_creation_type": "all" if org.members_can_create_repositories else "none",
        "members_can_create_public_repositories": org.members_can_create_repositories,
        "members_can_create_private_repositories": org.members_can_create_repositories,
        "members_can_create_internal_repositories": False,
        "members_can_create_pages": True,
        "members_can_create_public_pages": True,
        "members_can_create_private_pages": True,
        "members_can_fork_private_repositories": False,
        "web_commit_signoff_required": False,
        "plan": {"name": "free", "space": 976562499, "private_repos": 10000, "filled_seats": seats, "seats": 0},
        **org.settings,
    }


def show_team(call: Call, team: Team) -> Shown:
    """Render a team with its parent."""
    parent = call.db.find(Team, Team.id == team.parent_id) if team.parent_id else None
    return show_team_simple(call, team) | {"parent": show_team_simple(call, parent) if parent else None}


def show_team_simple(call: Call, team: Team) -> Shown:
    """Render a team without its parent."""
    org = call.db.get(User, team.org)
    url = f"{call.base_url}/organizations/{org.id}/team/{team.id}"
    return {
        "name": team.name,
        "id": team.id,
        "node_id": node_id("T", org.id, team.id),
        "slug": team.slug,
        "description": team.description,
        "privacy": team.privacy,
        "notification_setting": team.notification_setting,
        "url": url,
        "html_url": f"{PAGES}/orgs/{team.org}/teams/{team.slug}",
        "members_url": f"{url}/members{{/member}}",
        "repositories_url": f"{url}/repos",
        "type": "organization",
        "organization_id": org.id,
        "permission": team.permission,
    }


def show_full_team(call: Call, team: Team) -> Shown:
    """Render a team with its organization and counts."""
    org = call.db.get(User, team.org)
    organization = show_full_org(call, org)
    public = {name: organization[name] for name in organization if name not in _member_fields(call, org)}
    return show_team(call, team) | {
        "members_count": call.db.count(TeamMember, TeamMember.team_id == team.id),
        "repos_count": call.db.count(TeamRepository, TeamRepository.team_id == team.id),
        **times_of(team),
        "organization": public,
    }

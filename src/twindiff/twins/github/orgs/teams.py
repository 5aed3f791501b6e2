"""Teams: their members and repositories, by slug and, as older clients ask, by id.

https://docs.github.com/en/rest/teams
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Struct, UnsetType, any_of, field, revise
from twindiff.kit.rows import exists

from ..core.access import (
    LEVELS,
    ROLE_NAMES,
    acting_user,
    check_org_admin,
    find_org,
    find_repo,
    find_team,
    find_user,
    level_of,
    membership_of,
)
from ..core.listing import paginate
from ..core.node_ids import node_id
from ..core.stamps import new_id, show_instant, slug_of
from ..core.text_lengths import check_lengths
from ..tables.repository_tables import Repository
from ..tables.user_tables import Membership, Team, TeamMember, TeamRepository, User
from ..views.repository_views import show_permissions, show_repo
from ..views.user_views import show_full_team, show_team, show_user
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid

api = Operations()


class TeamBody(Struct):
    """A team to make or to change."""

    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    privacy: Literal["secret", "closed"] | UnsetType = UNSET
    notification_setting: Literal["notifications_enabled", "notifications_disabled"] | UnsetType = UNSET
    permission: Literal["pull", "push", "admin"] | UnsetType = UNSET
    parent_team_id: int | UnsetType | None = UNSET
    maintainers: list[str] = field(default_factory=list[str])
    repo_names: list[str] = field(default_factory=list[str])


@api.get("/orgs/{org}/teams")
def list_teams(call: Call, org: str) -> Any:
    """List the teams of an organization that the caller sees."""
    owner = find_org(call, org)
    mine = exists(TeamMember, TeamMember.team_id == Team.id, TeamMember.user == call.actor)
    membership = membership_of(call, owner.login, call.actor)
    if membership is None:
        raise NotVisible
    where = [Team.org == owner.login, *([] if membership.role == "admin" else [any_of(Team.privacy == "closed", mine)])]
    return paginate(call, Team, *where, by=Team.name, show=lambda team: show_team(call, team))


@api.get("/user/teams")
def list_own_teams(call: Call) -> Any:
    """List the caller's teams in all organizations."""
    where = exists(TeamMember, TeamMember.team_id == Team.id, TeamMember.user == call.actor)
    return paginate(call, Team, where, by=Team.id, show=lambda team: show_full_team(call, team))


@api.post("/orgs/{org}/teams", status=201)
def create_team(call: Call, org: str, body: Annotated[TeamBody, Body]) -> Any:
    """Make a team, whose first maintainer is the caller."""
    owner, now = find_org(call, org), call.clock.iso()
    if membership_of(call, owner.login, call.actor) is None:
        raise Forbidden("You must be a member of the organization to create teams.")
    if body.name is UNSET:
        raise Unprocessable('Invalid request.\n\n"name" wasn\'t supplied.')
    check_lengths("Team", name=body.name)
    slug = slug_of(body.name)
    if not slug:
        raise invalid("Team", "name")
    if call.db.find(Team, Team.org == owner.login, Team.slug == slug):
        raise invalid("Team", "name", "already_exists", "Name must be unique for this org")
    given = ("description", "privacy", "notification_setting", "permission")
    fields: dict[str, Any] = {name: value for name in given if (value := getattr(body, name)) is not UNSET}
    fields |= {"parent_id": body.parent_team_id or None}
    fields.setdefault("privacy", "closed" if fields["parent_id"] else "secret")
    team = Team(id=new_id(call), org=owner.login, name=body.name, slug=slug, created_at=now, updated_at=now, **fields)
    call.db.add(team)
    for login in dict.fromkeys([call.actor, *body.maintainers]):
        call.db.add(TeamMember(team_id=team.id, user=find_user(call, login).login, role="maintainer"))
    for full_name in body.repo_names:
        owner_name, _, name = full_name.partition("/")
        repo = find_repo(call, owner_name, name, "admin")
        call.db.add(TeamRepository(team_id=team.id, repository_id=repo.id, permission=team.permission))
    return show_full_team(call, team)


def _by_slug(call: Call, org: str, team_slug: str) -> Team:
    return find_team(call, find_org(call, org), team_slug)


def _by_id(call: Call, team_id: int) -> Team:
    team = call.db.find(Team, Team.id == team_id)
    if team is None or membership_of(call, team.org, call.actor) is None:
        raise NotVisible
    return team


def _check_maintains(call: Call, team: Team) -> None:
    """Raise Forbidden unless the caller maintains the team or owns its organization."""
    member = call.db.find(TeamMember, TeamMember.team_id == team.id, TeamMember.user == call.actor)
    if member is None or member.role != "maintainer":
        check_org_admin(call, call.db.get(User, team.org))


def _update(call: Call, team: Team, body: TeamBody) -> Any:
    _check_maintains(call, team)
    given = ("name", "description", "privacy", "notification_setting", "permission")
    fields: dict[str, Any] = {name: getattr(body, name) for name in given}
    if body.name is not UNSET:
        check_lengths("Team", name=body.name)
        fields["slug"] = slug_of(body.name)
        taken = call.db.find(Team, Team.org == team.org, Team.slug == fields["slug"])
        if taken and taken.id != team.id:
            raise invalid("Team", "name", "already_exists")
    if body.parent_team_id is not UNSET:
        fields["parent_id"] = _check_parent(call, team, body.parent_team_id)
    return show_full_team(call, revise(call.db, team, stamp={"updated_at": call.clock.iso()}, **fields))


def _check_parent(call: Call, team: Team, parent_id: int | None) -> int | None:
    """Return the id of a parent; raise GitHub's 422 for one of another organization or below the team."""
    above = call.db.find(Team, Team.id == parent_id, Team.org == team.org) if parent_id else None
    if parent_id and above is None:
        raise invalid("Team", "parent_team_id")
    while above:
        if above.id == team.id:
            raise invalid("Team", "parent_team_id", "custom", "a team cannot be its own ancestor")
        above = call.db.find(Team, Team.id == above.parent_id) if above.parent_id else None
    return parent_id


def _delete(call: Call, team: Team) -> None:
    _check_maintains(call, team)
    call.db.remove(team)


@api.get("/orgs/{org}/teams/{team_slug}")
def get_team(call: Call, org: str, team_slug: str) -> Any:
    """Get a team."""
    return show_full_team(call, _by_slug(call, org, team_slug))


@api.patch("/orgs/{org}/teams/{team_slug}")
def update_team(call: Call, org: str, team_slug: str, body: Annotated[TeamBody, Body]) -> Any:
    """Change a team."""
    return _update(call, _by_slug(call, org, team_slug), body)


@api.delete("/orgs/{org}/teams/{team_slug}", status=204)
def delete_team(call: Call, org: str, team_slug: str) -> None:
    """Delete a team."""
    _delete(call, _by_slug(call, org, team_slug))


@api.get("/teams/{team_id}")
def get_team_by_id(call: Call, team_id: int) -> Any:
    """Get a team by id."""
    return show_full_team(call, _by_id(call, team_id))


@api.patch("/teams/{team_id}")
def update_team_by_id(call: Call, team_id: int, body: Annotated[TeamBody, Body]) -> Any:
    """Change a team by id."""
    return _update(call, _by_id(call, team_id), body)


@api.delete("/teams/{team_id}", status=204)
def delete_team_by_id(call: Call, team_id: int) -> None:
    """Delete a team by id."""
    _delete(call, _by_id(call, team_id))


def _list_members(call: Call, team: Team, role: str) -> Any:
    where: list[Any] = [TeamMember.team_id == team.id, TeamMember.user == User.login]
    where += [TeamMember.role == role] if role in ("member", "maintainer") else []
    return paginate(call, User, exists(TeamMember, *where), by=User.id, show=lambda user: show_user(call, user))


@api.get("/orgs/{org}/teams/{team_slug}/members")
def list_team_members(call: Call, org: str, team_slug: str, role: str = "all") -> Any:
    """List the members of a team."""
    return _list_members(call, _by_slug(call, org, team_slug), role)


@api.get("/teams/{team_id}/members")
def list_team_members_by_id(call: Call, team_id: int, role: str = "all") -> Any:
    """List the members of a team by id."""
    return _list_members(call, _by_id(call, team_id), role)


def _show_membership(call: Call, team: Team, login: str) -> dict[str, Any]:
    member = call.db.find(TeamMember, TeamMember.team_id == team.id, TeamMember.user == login)
    if member is None:
        raise NotVisible
    org = call.db.get(User, team.org)
    membership = call.db.find(Membership, Membership.org == team.org, Membership.user == login)
    url = f"{call.base_url}/organizations/{org.id}/team/{team.id}/memberships/{login}"
    return {"url": url, "role": member.role, "state": membership.state if membership else "pending"}


def _set_membership(call: Call, team: Team, username: str, role: str) -> dict[str, Any]:
    _check_maintains(call, team)
    login = find_user(call, username).login
    if call.db.find(Membership, Membership.org == team.org, Membership.user == login) is None:
        call.db.add(Membership(org=team.org, user=login, state="pending"))
    known = call.db.find(TeamMember, TeamMember.team_id == team.id, TeamMember.user == login)
    if known:
        call.db.change(known, role=role)
    else:
        call.db.add(TeamMember(team_id=team.id, user=login, role=role))
    return _show_membership(call, team, login)


def _remove_membership(call: Call, team: Team, username: str) -> None:
    login = find_user(call, username).login
    if login != call.actor:
        _check_maintains(call, team)
    known = call.db.find(TeamMember, TeamMember.team_id == team.id, TeamMember.user == login)
    if known is None:
        raise NotVisible
    call.db.remove(known)


@api.get("/orgs/{org}/teams/{team_slug}/memberships/{username}")
def get_team_membership(call: Call, org: str, team_slug: str, username: str) -> Any:
    """Get the membership of a user in a team."""
    return _show_membership(call, _by_slug(call, org, team_slug), find_user(call, username).login)


@api.put("/orgs/{org}/teams/{team_slug}/memberships/{username}")
def set_team_membership(
    call: Call, org: str, team_slug: str, username: str, role: Literal["member", "maintainer"] = "member"
) -> Any:
    """Add a user to a team; one who is no member of the organization is invited."""
    return _set_membership(call, _by_slug(call, org, team_slug), username, role)


@api.delete("/orgs/{org}/teams/{team_slug}/memberships/{username}", status=204)
def remove_team_membership(call: Call, org: str, team_slug: str, username: str) -> None:
    """Remove a user from a team."""
    _remove_membership(call, _by_slug(call, org, team_slug), username)


@api.get("/teams/{team_id}/memberships/{username}")
def get_team_membership_by_id(call: Call, team_id: int, username: str) -> Any:
    """Get the membership of a user in a team by id."""
    return _show_membership(call, _by_id(call, team_id), find_user(call, username).login)


@api.put("/teams/{team_id}/memberships/{username}")
def set_team_membership_by_id(
    call: Call, team_id: int, username: str, role: Literal["member", "maintainer"] = "member"
) -> Any:
    """Add a user to a team by id."""
    return _set_membership(call, _by_id(call, team_id), username, role)


@api.delete("/teams/{team_id}/memberships/{username}", status=204)
def remove_team_membership_by_id(call: Call, team_id: int, username: str) -> None:
    """Remove a user from a team by id."""
    _remove_membership(call, _by_id(call, team_id), username)


@api.get("/teams/{team_id}/members/{username}", status=204)
def check_team_member(call: Call, team_id: int, username: str) -> None:
    """Answer 204 if a user is in a team, else 404."""
    _show_membership(call, _by_id(call, team_id), find_user(call, username).login)


@api.put("/teams/{team_id}/members/{username}", status=204)
def add_team_member(call: Call, team_id: int, username: str) -> None:
    """Add a user to a team, as older clients do."""
    _set_membership(call, _by_id(call, team_id), username, "member")


@api.delete("/teams/{team_id}/members/{username}", status=204)
def remove_team_member(call: Call, team_id: int, username: str) -> None:
    """Remove a user from a team, as older clients do."""
    _remove_membership(call, _by_id(call, team_id), username)


@api.get("/teams/{team_id}/invitations")
def list_team_invitations(call: Call, team_id: int) -> Any:
    """List the memberships of a team that wait to be accepted."""
    return _list_pending(call, _by_id(call, team_id))


@api.get("/orgs/{org}/teams/{team_slug}/invitations")
def list_team_invitations_by_slug(call: Call, org: str, team_slug: str) -> Any:
    """List the memberships of a team that wait to be accepted."""
    return _list_pending(call, _by_slug(call, org, team_slug))


def _list_pending(call: Call, team: Team) -> Any:
    member = exists(TeamMember, TeamMember.team_id == team.id, TeamMember.user == Membership.user)
    where = (Membership.org == team.org, Membership.state == "pending", member)
    return paginate(call, Membership, *where, by=Membership.user, show=lambda each: show_pending(call, each))


def show_pending(call: Call, membership: Membership) -> dict[str, Any]:
    """Render an invitation to an organization."""
    user = call.db.get(User, membership.user)
    org = call.db.get(User, membership.org)
    url = f"{call.base_url}/organizations/{org.id}/invitations/{user.id}/teams"
    named = {"id": user.id, "node_id": node_id("OI", org.id, user.id), "login": user.login, "email": user.email}
    role = "admin" if membership.role == "admin" else "direct_member"
    times = {"created_at": show_instant(org.created_at), "failed_at": None, "failed_reason": None}
    more = {"inviter": show_user(call, acting_user(call)), "team_count": 0, "invitation_teams_url": url}
    return {**named, "role": role, **times, **more}


@api.get("/orgs/{org}/invitations")
def list_org_invitations(call: Call, org: str) -> Any:
    """List the invitations to an organization that wait to be accepted."""
    where = (Membership.org == find_org(call, org).login, Membership.state == "pending")
    return paginate(call, Membership, *where, by=Membership.user, show=lambda each: show_pending(call, each))


@api.get("/teams/{team_id}/repos/{owner}/{repo}")
def check_team_repo_by_id(call: Call, team_id: int, owner: str, repo: str) -> Any:
    """Answer 204 if a team has a permission for a repository, by id."""
    team, row = _by_id(call, team_id), find_repo(call, owner, repo)
    if _find_share(call, team, row) is None:
        raise NotVisible
    return None


def _list_repos(call: Call, team: Team) -> Any:
    where = exists(TeamRepository, TeamRepository.team_id == team.id, TeamRepository.repository_id == Repository.id)
    return paginate(call, Repository, where, by=Repository.id, show=lambda repo: show_repo(call, repo))


@api.get("/orgs/{org}/teams/{team_slug}/repos")
def list_team_repos(call: Call, org: str, team_slug: str) -> Any:
    """List the repositories of a team."""
    return _list_repos(call, _by_slug(call, org, team_slug))


@api.get("/teams/{team_id}/repos")
def list_team_repos_by_id(call: Call, team_id: int) -> Any:
    """List the repositories of a team by id."""
    return _list_repos(call, _by_id(call, team_id))


def _find_share(call: Call, team: Team, repo: Repository) -> TeamRepository | None:
    where = (TeamRepository.team_id == team.id, TeamRepository.repository_id == repo.id)
    return call.db.find(TeamRepository, *where)


@api.get("/orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}")
def check_team_repo(call: Call, org: str, team_slug: str, owner: str, repo: str) -> Any:
    """Answer 204 if a team has a permission for a repository; with the media type `repository`, which one."""
    team, row = _by_slug(call, org, team_slug), find_repo(call, owner, repo)
    shared = _find_share(call, team, row)
    if shared is None:
        raise NotVisible
    if "repository" not in str(call.memo.get("accept")):
        return None
    level = shared.permission
    return show_repo(call, row) | {"permissions": show_permissions(level), "role_name": ROLE_NAMES.get(level, level)}


def _share(call: Call, team: Team, repo: Repository, permission: str) -> None:
    level = level_of(permission)
    if level not in LEVELS[1:]:
        raise invalid("TeamRepository", "permission")
    known = _find_share(call, team, repo)
    if known:
        call.db.change(known, permission=level)
    else:
        call.db.add(TeamRepository(team_id=team.id, repository_id=repo.id, permission=level))


@api.put("/orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}", status=204)
def add_team_repo(call: Call, org: str, team_slug: str, owner: str, repo: str, permission: str = "push") -> None:
    """Give a team a permission for a repository of its organization."""
    team, row = _by_slug(call, org, team_slug), find_repo(call, owner, repo, "admin")
    if row.owner != team.org:
        raise Unprocessable("Validation Failed", errors=["repository is not owned by the organization"])
    _share(call, team, row, permission)


@api.delete("/orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}", status=204)
def remove_team_repo(call: Call, org: str, team_slug: str, owner: str, repo: str) -> None:
    """Take a repository from a team."""
    team, row = _by_slug(call, org, team_slug), find_repo(call, owner, repo, "admin")
    known = _find_share(call, team, row)
    if known:
        call.db.remove(known)


@api.get("/orgs/{org}/teams/{team_slug}/teams")
def list_child_teams(call: Call, org: str, team_slug: str) -> Any:
    """List the teams below a team."""
    team = _by_slug(call, org, team_slug)
    return paginate(call, Team, Team.parent_id == team.id, by=Team.name, show=lambda each: show_team(call, each))

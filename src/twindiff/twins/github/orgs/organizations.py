"""Organizations: settings, members, outside collaborators, blocked users.

https://docs.github.com/en/rest/orgs
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Struct, UnsetType, not_, revise
from twindiff.kit.rows import exists

from ..core.access import check_org_admin, find_org, find_user, membership_of
from ..core.listing import paginate
from ..tables.repository_tables import Collaborator, Repository
from ..tables.user_tables import Block, Membership, Team, TeamMember, User
from ..users.users import block, find_block, unblock
from ..views.user_views import show_full_org, show_org, show_user, user_of
from ..wire_style import Forbidden, NotVisible

api = Operations()


@api.get("/orgs/{org}")
def get_org(call: Call, org: str) -> Any:
    """Get an organization; members see its settings too."""
    return show_full_org(call, find_org(call, org))


class OrgSettings(Struct):
    """The settings of an organization that are kept together in `settings`."""

    has_organization_projects: bool | UnsetType = UNSET
    has_repository_projects: bool | UnsetType = UNSET
    members_can_create_public_repositories: bool | UnsetType = UNSET
    members_can_create_private_repositories: bool | UnsetType = UNSET
    members_can_create_pages: bool | UnsetType = UNSET
    members_can_fork_private_repositories: bool | UnsetType = UNSET
    web_commit_signoff_required: bool | UnsetType = UNSET


class OrgBody(OrgSettings):
    """What can be changed of an organization."""

    name: str | UnsetType | None = UNSET
    email: str | UnsetType | None = UNSET
    billing_email: str | UnsetType | None = UNSET
    company: str | UnsetType | None = UNSET
    blog: str | UnsetType | None = UNSET
    location: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    twitter_username: str | UnsetType | None = UNSET
    default_repository_permission: Literal["read", "write", "admin", "none"] | UnsetType = UNSET
    members_can_create_repositories: bool | UnsetType = UNSET


@api.patch("/orgs/{org}")
def update_org(call: Call, org: str, body: Annotated[OrgBody, Body]) -> Any:
    """Change the settings of an organization."""
    row = find_org(call, org)
    given: dict[str, Any] = {name: getattr(body, name) for name in body.__struct_fields__}
    columns = {name: value for name, value in given.items() if name not in OrgSettings.__struct_fields__}
    chosen = {name: given[name] for name in OrgSettings.__struct_fields__ if isinstance(given.get(name), bool)}
    settings = {**row.settings, **chosen} if chosen else UNSET
    row = revise(call.db, row, stamp={"updated_at": call.clock.iso()}, settings=settings, **columns)
    return show_full_org(call, row)


@api.get("/orgs/{org}/members")
def list_members(call: Call, org: str, role: str = "all") -> Any:
    """List the members of an organization; those outside it see the public ones."""
    owner = find_org(call, org)
    where: list[Any] = [Membership.org == owner.login, Membership.user == User.login, Membership.state == "active"]
    if membership_of(call, owner.login, call.actor) is None:
        where.append(Membership.is_public.is_true)
    if role in ("admin", "member"):
        where.append(Membership.role == role)
    return paginate(call, User, exists(Membership, *where), by=User.id, show=lambda user: show_user(call, user))


@api.get("/orgs/{org}/members/{username}", status=204)
def check_member(call: Call, org: str, username: str) -> None:
    """Answer 204 if a user is a member, else 404."""
    owner = find_org(call, org)
    membership = membership_of(call, owner.login, find_user(call, username).login)
    is_inside = membership_of(call, owner.login, call.actor) is not None
    if membership is None or not (is_inside or membership.is_public):
        raise NotVisible("User does not exist or is not a member of the organization")


@api.delete("/orgs/{org}/members/{username}", status=204)
def remove_member(call: Call, org: str, username: str) -> None:
    """Remove a member from an organization and its teams."""
    remove_membership(call, org, username)


@api.get("/orgs/{org}/public_members")
def list_public_members(call: Call, org: str) -> Any:
    """List the members whose membership is public."""
    owner = find_org(call, org)
    where = (Membership.org == owner.login, Membership.user == User.login, Membership.is_public)
    return paginate(call, User, exists(Membership, *where), by=User.id, show=lambda user: show_user(call, user))


@api.get("/orgs/{org}/public_members/{username}", status=204)
def check_public_member(call: Call, org: str, username: str) -> None:
    """Answer 204 if a user is a public member, else 404."""
    membership = membership_of(call, find_org(call, org).login, find_user(call, username).login)
    if membership is None or not membership.is_public:
        raise NotVisible


def _set_public(call: Call, org: str, username: str, *, is_public: bool) -> None:
    membership = membership_of(call, find_org(call, org).login, find_user(call, username).login)
    if membership is None or membership.user != call.actor:
        raise Forbidden("You don't have permission to publicize or conceal this user's membership.")
    call.db.change(membership, is_public=is_public)


@api.put("/orgs/{org}/public_members/{username}", status=204)
def publicize_membership(call: Call, org: str, username: str) -> None:
    """Make the caller's membership public."""
    _set_public(call, org, username, is_public=True)


@api.delete("/orgs/{org}/public_members/{username}", status=204)
def conceal_membership(call: Call, org: str, username: str) -> None:
    """Make the caller's membership private."""
    _set_public(call, org, username, is_public=False)


def show_membership(call: Call, membership: Membership) -> dict[str, Any]:
    """Render a membership."""
    org = call.db.get(User, membership.org)
    return {
        "url": f"{call.base_url}/orgs/{org.login}/memberships/{membership.user}",
        "state": membership.state,
        "role": membership.role,
        "organization_url": f"{call.base_url}/orgs/{org.login}",
        "organization": show_org(call, org),
        "user": user_of(call, membership.user),
    }


@api.get("/user/memberships/orgs")
def list_own_memberships(call: Call, state: str = "") -> Any:
    """List the caller's memberships."""
    where = [Membership.user == call.actor, *([Membership.state == state] if state else [])]
    return paginate(call, Membership, *where, by=Membership.org, show=lambda each: show_membership(call, each))


def find_membership(call: Call, org: str, username: str) -> Membership:
    """Return a membership, also one that waits to be accepted; raise NotVisible."""
    login = find_user(call, username).login
    membership = call.db.find(Membership, Membership.org == find_org(call, org).login, Membership.user == login)
    if membership is None:
        raise NotVisible
    return membership


@api.get("/user/memberships/orgs/{org}")
def get_own_membership(call: Call, org: str) -> Any:
    """Get the caller's membership of an organization."""
    return show_membership(call, find_membership(call, org, call.actor))


@api.patch("/user/memberships/orgs/{org}")
def accept_membership(call: Call, org: str, state: Literal["active"]) -> Any:
    """Accept the caller's membership."""
    return show_membership(call, call.db.change(find_membership(call, org, call.actor), state=state))


@api.get("/orgs/{org}/memberships/{username}")
def get_membership(call: Call, org: str, username: str) -> Any:
    """Get the membership of a user."""
    owner = find_org(call, org)
    if membership_of(call, owner.login, call.actor) is None:
        raise Forbidden("You must be a member of the organization to see membership information for it.")
    return show_membership(call, find_membership(call, org, username))


@api.put("/orgs/{org}/memberships/{username}")
def set_membership(call: Call, org: str, username: str, role: Literal["admin", "member"] = "member") -> Any:
    """Invite a user to an organization, or change a member's role."""
    owner = find_org(call, org)
    login = find_user(call, username).login
    known = call.db.find(Membership, Membership.org == owner.login, Membership.user == login)
    if known:
        return show_membership(call, call.db.change(known, role=role))
    return show_membership(call, call.db.add(Membership(org=owner.login, user=login, role=role, state="pending")))


@api.delete("/orgs/{org}/memberships/{username}", status=204)
def remove_membership(call: Call, org: str, username: str) -> None:
    """Remove a member, or withdraw an invitation."""
    owner, membership = find_org(call, org), find_membership(call, org, username)
    if membership.user != call.actor:
        check_org_admin(call, owner)
    admins = call.db.count(
        Membership, Membership.org == owner.login, Membership.role == "admin", Membership.state == "active"
    )
    if membership.role == "admin" and membership.state == "active" and admins == 1:
        raise Forbidden("Cannot remove the last owner")
    where = exists(Team, Team.id == TeamMember.team_id, Team.org == owner.login)
    for each in call.db.rows(TeamMember, TeamMember.user == membership.user, where):
        call.db.remove(each)
    call.db.remove(membership)


@api.get("/orgs/{org}/outside_collaborators")
def list_outside_collaborators(call: Call, org: str) -> Any:
    """List those who work in an organization's repositories without being members."""
    owner = find_org(call, org)
    owned = exists(Repository, Repository.id == Collaborator.repository_id, Repository.owner == owner.login)
    where = exists(Collaborator, Collaborator.user == User.login, owned)
    member = exists(Membership, Membership.org == owner.login, Membership.user == User.login)
    return paginate(call, User, where, not_(member), by=User.id, show=lambda user: show_user(call, user))


@api.get("/orgs/{org}/blocks")
def list_org_blocks(call: Call, org: str) -> Any:
    """List the users whom an organization blocks."""
    where = exists(Block, Block.user == User.login, Block.owner == find_org(call, org).login)
    return paginate(call, User, where, by=User.login, show=lambda user: show_user(call, user))


@api.get("/orgs/{org}/blocks/{username}", status=204)
def check_org_block(call: Call, org: str, username: str) -> None:
    """Answer 204 if an organization blocks a user, else 404."""
    if find_block(call, find_org(call, org).login, username) is None:
        raise NotVisible


@api.put("/orgs/{org}/blocks/{username}", status=204)
def block_from_org(call: Call, org: str, username: str) -> None:
    """Block a user from an organization."""
    block(call, find_org(call, org).login, username)


@api.delete("/orgs/{org}/blocks/{username}", status=204)
def unblock_from_org(call: Call, org: str, username: str) -> None:
    """Unblock a user from an organization."""
    unblock(call, find_org(call, org).login, username)

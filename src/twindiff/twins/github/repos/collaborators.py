"""Collaborators, their permissions, and invitations.

https://docs.github.com/en/rest/collaborators
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, ValueResponse

from ..core.access import (
    LEVELS,
    ROLE_NAMES,
    acting_user,
    check_permission,
    find_repo,
    find_user,
    level_of,
    may,
    membership_of,
    permission_of,
)
from ..core.listing import paginate, slice_page
from ..core.node_ids import node_id
from ..core.stamps import new_id, show_instant
from ..core.visibility import assignable_logins
from ..tables.repository_tables import Collaborator, Invitation, Repository
from ..tables.user_tables import User
from ..views.repository_views import forget_shown, html_url, repo_url, show_permissions, show_repo
from ..views.user_views import show_user, user_of
from ..wire_style import NotVisible, invalid

api = Operations()


@api.get("/repos/{owner}/{repo}/collaborators")
def list_collaborators(call: Call, owner: str, repo: str, affiliation: str = "all", permission: str = "") -> Any:
    """List those who work in a repository with their permissions."""
    row = find_repo(call, owner, repo)
    direct = {each.user for each in call.db.rows(Collaborator, Collaborator.repository_id == row.id)}
    logins = assignable_logins(call, row)
    if affiliation == "direct":
        logins = [login for login in logins if login in direct or login == row.owner]
    elif affiliation == "outside":
        logins = [login for login in logins if login in direct and not membership_of(call, row.owner, login)]
    need = level_of(permission) if permission else "pull"
    kept = [login for login in logins if need in LEVELS and may(call, row, need, login)]
    return slice_page(call, kept, lambda login: show_collaborator(call, row, login))


def show_collaborator(call: Call, repo: Repository, login: str) -> dict[str, Any]:
    """Render a user with the permission for a repository."""
    level = permission_of(call, repo, login)
    shown = show_user(call, call.db.get(User, login))
    return shown | {"permissions": show_permissions(level), "role_name": ROLE_NAMES.get(level, level)}


@api.get("/repos/{owner}/{repo}/collaborators/{username}", status=204)
def check_collaborator(call: Call, owner: str, repo: str, username: str) -> None:
    """Answer 204 if a user works in a repository, else 404."""
    row = find_repo(call, owner, repo)
    if username.lower() not in {login.lower() for login in assignable_logins(call, row)}:
        raise NotVisible


@api.get("/repos/{owner}/{repo}/collaborators/{username}/permission")
def get_permission(call: Call, owner: str, repo: str, username: str) -> Any:
    """Get the permission of a user for a repository."""
    row = find_repo(call, owner, repo)
    login = find_user(call, username).login
    level = permission_of(call, row, login)
    legacy = {"pull": "read", "triage": "read", "push": "write", "maintain": "write"}.get(level, level)
    return {
        "permission": legacy,
        "user": show_collaborator(call, row, login),
        "role_name": ROLE_NAMES.get(level, level),
    }


@api.put("/repos/{owner}/{repo}/collaborators/{username}", status=201)
def add_collaborator(call: Call, owner: str, repo: str, username: str, permission: str = "push") -> Any:
    """Change a collaborator's permission (204), or invite a user (201); members of the organization join at once."""
    row = find_repo(call, owner, repo)
    user, level = find_user(call, username), level_of(permission)
    if level not in LEVELS[1:]:
        raise invalid("Collaborator", "permission", "custom", f"permission must be one of {', '.join(LEVELS[1:])}")
    if user.login == row.owner:
        raise invalid("Collaborator", "username", "custom", "Repository owner cannot be a collaborator")
    known = call.db.find(Collaborator, Collaborator.repository_id == row.id, Collaborator.user == user.login)
    if known:
        call.db.change(known, permission=level)
        return ValueResponse(None, 204)
    if membership_of(call, row.owner, user.login):
        call.db.add(Collaborator(repository_id=row.id, user=user.login, permission=level))
        return ValueResponse(None, 204)
    invitation = call.db.find(Invitation, Invitation.invitee == user.login, Invitation.repository_id == row.id)
    if invitation is None:
        fields: dict[str, Any] = {"invitee": user.login, "inviter": call.actor, "created_at": call.clock.iso()}
        invitation = call.db.add(Invitation(id=new_id(call), repository_id=row.id, permission=level, **fields))
    return show_invitation(call, invitation)


@api.delete("/repos/{owner}/{repo}/collaborators/{username}", status=204)
def remove_collaborator(call: Call, owner: str, repo: str, username: str) -> None:
    """Remove a collaborator and any invitation."""
    row = find_repo(call, owner, repo)
    if username.lower() != call.actor.lower():
        check_permission(call, row, "admin")
    known = call.db.find(Collaborator, Collaborator.repository_id == row.id, Collaborator.user.equals(username))
    if known:
        call.db.remove(known)
    for each in call.db.rows(Invitation, Invitation.repository_id == row.id, Invitation.invitee.equals(username)):
        call.db.remove(each)


def show_invitation(call: Call, invitation: Invitation) -> dict[str, Any]:
    """Render an invitation."""
    repo = call.db.get(Repository, invitation.repository_id)
    forget_shown(call)
    return {
        "id": invitation.id,
        "node_id": node_id("RI", repo.id, invitation.id),
        "repository": show_repo(call, repo),
        "invitee": user_of(call, invitation.invitee),
        "inviter": user_of(call, invitation.inviter),
        "permissions": ROLE_NAMES.get(invitation.permission, invitation.permission),
        "created_at": show_instant(invitation.created_at),
        "expired": False,
        "url": f"{repo_url(call, repo)}/invitations/{invitation.id}",
        "html_url": f"{html_url(call, repo)}/invitations",
    }


@api.get("/repos/{owner}/{repo}/invitations")
def list_invitations(call: Call, owner: str, repo: str) -> Any:
    """List the open invitations to a repository."""
    row = find_repo(call, owner, repo)
    return paginate(
        call,
        Invitation,
        Invitation.repository_id == row.id,
        by=Invitation.id,
        show=lambda each: show_invitation(call, each),
    )


@api.patch("/repos/{owner}/{repo}/invitations/{invitation_id}")
def update_invitation(call: Call, owner: str, repo: str, invitation_id: int, permissions: str = "write") -> Any:
    """Change the permission of an invitation."""
    row = find_repo(call, owner, repo)
    invitation = call.db.find(Invitation, Invitation.id == invitation_id, Invitation.repository_id == row.id)
    if invitation is None:
        raise NotVisible
    return show_invitation(call, call.db.change(invitation, permission=level_of(permissions)))


@api.delete("/repos/{owner}/{repo}/invitations/{invitation_id}", status=204)
def delete_invitation(call: Call, owner: str, repo: str, invitation_id: int) -> None:
    """Withdraw an invitation."""
    row = find_repo(call, owner, repo)
    invitation = call.db.find(Invitation, Invitation.id == invitation_id, Invitation.repository_id == row.id)
    if invitation is None:
        raise NotVisible
    call.db.remove(invitation)


@api.get("/user/repository_invitations")
def list_own_invitations(call: Call) -> Any:
    """List the caller's open invitations."""
    me = acting_user(call).login
    return paginate(
        call, Invitation, Invitation.invitee == me, by=Invitation.id, show=lambda each: show_invitation(call, each)
    )


def _find_own(call: Call, invitation_id: int) -> Invitation:
    invitation = call.db.find(Invitation, Invitation.id == invitation_id, Invitation.invitee == call.actor)
    if invitation is None:
        raise NotVisible
    return invitation


@api.patch("/user/repository_invitations/{invitation_id}", status=204)
def accept_invitation(call: Call, invitation_id: int) -> None:
    """Accept an invitation."""
    invitation = _find_own(call, invitation_id)
    row = Collaborator(
        repository_id=invitation.repository_id, user=invitation.invitee, permission=invitation.permission
    )
    call.db.add(row)
    call.db.remove(invitation)


@api.delete("/user/repository_invitations/{invitation_id}", status=204)
def decline_invitation(call: Call, invitation_id: int) -> None:
    """Decline an invitation."""
    call.db.remove(_find_own(call, invitation_id))

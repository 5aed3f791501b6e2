"""Which repositories a user sees, and which users work in a repository."""

from __future__ import annotations

from twindiff.kit import Call, any_of
from twindiff.kit.rows import Expression, exists

from ..tables.repository_tables import Collaborator, Repository
from ..tables.user_tables import Membership, TeamMember, TeamRepository, User


def visible_to(login: str) -> Expression:
    """Return the condition of repositories that a user may see."""
    member = exists(
        Membership, Membership.org == Repository.owner, Membership.user == login, Membership.state == "active"
    )
    shared = exists(Collaborator, Collaborator.repository_id == Repository.id, Collaborator.user == login)
    return any_of(~Repository.private, Repository.owner == login, member, shared)


def assignable_logins(call: Call, repo: Repository) -> list[str]:
    """Return the logins of those who work in a repository, in order."""
    logins = {each.user for each in call.db.rows(Collaborator, Collaborator.repository_id == repo.id)}
    logins |= {
        each.user for each in call.db.rows(Membership, Membership.org == repo.owner, Membership.state == "active")
    }
    shared = exists(
        TeamRepository, TeamRepository.team_id == TeamMember.team_id, TeamRepository.repository_id == repo.id
    )
    logins |= {each.user for each in call.db.rows(TeamMember, shared)}
    owner = call.db.find(User, User.login == repo.owner)
    if owner and owner.type == "User":
        logins.add(owner.login)
    return sorted(logins, key=str.lower)

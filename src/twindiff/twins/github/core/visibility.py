"""Which repositories a user sees, and which users work in a repository."""

from __future__ import annotations

from twindiff.kit import Call, all_of, any_of
from twindiff.kit.rows import Expression, exists

from ..tables.repository_tables import Collaborator, Repository
from ..tables.user_tables import Membership, TeamMember, TeamRepository, User
from .token_grants import installation_account, token_of


def visible_to(login: str) -> Expression:
    """Return the condition of repositories that a user may see."""
    membership = (Membership.org == Repository.owner, Membership.user == login, Membership.state == "active")
    owner = exists(Membership, *membership, Membership.role == "admin")
    reads_all = exists(User, User.login == Repository.owner, User.default_repository_permission != "none")
    member = all_of(exists(Membership, *membership), reads_all)
    mine = exists(TeamMember, TeamMember.team_id == TeamRepository.team_id, TeamMember.user == login)
    by_team = exists(TeamRepository, TeamRepository.repository_id == Repository.id, mine)
    shared = exists(Collaborator, Collaborator.repository_id == Repository.id, Collaborator.user == login)
    return any_of(~Repository.private, Repository.owner == login, owner, member, by_team, shared)


def visible_to_caller(call: Call) -> Expression:
    """Return the condition of repositories that the caller may see with the token that is sent."""
    visible, token = visible_to(call.actor), token_of(call)
    if token is None:
        return visible
    if token.scopes is not None:
        return visible if "repo" in token.scopes else all_of(visible, ~Repository.private)
    if token.installation_id is not None:
        account = Repository.owner == installation_account(call, token.installation_id)
        chosen = all_of(account, Repository.id.in_(token.repository_ids)) if token.repository_ids else account
        return any_of(~Repository.private, chosen)
    if token.repository_ids is not None:
        return all_of(visible, any_of(~Repository.private, Repository.id.in_(token.repository_ids)))
    return visible


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

"""Finding objects: 404 for what the caller may not see, 403 for what the caller may not do.

https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories
"""

from __future__ import annotations

from collections.abc import Mapping

from twindiff.kit import Call
from twindiff.kit.rows import exists

from ..tables.issue_tables import FormerIssue, Issue, PullRequest
from ..tables.repository_tables import Collaborator, Repository, RepositoryName
from ..tables.user_tables import Membership, Team, TeamMember, TeamRepository, User
from ..wire_style import Forbidden, Gone, Moved, NotVisible
from .permissions import ADMIN_RIGHTS, ORG_ADMIN, Requirement, requirement_of
from .token_grants import acts_for_installation, check_token, hides, is_installed

LEVELS = ("none", "pull", "triage", "push", "maintain", "admin")
BY_ID = ":id"
"""The owner in paths such as `/repositories/7`, which name a repository by its id."""
_NAMES = {"read": "pull", "write": "push", "none": "none"}
ROLE_NAMES = {"pull": "read", "push": "write"}
"""The names that roles have in `role_name`, where these differ from permissions."""


def level_of(name: str) -> str:
    """Return a permission by the name of a role or a permission: `write` is `push`."""
    return _NAMES.get(name, name)


def find_user(call: Call, login: str) -> User:
    """Return a user or organization by login, whatever its case; raise NotVisible."""
    user = call.db.find(User, User.login == login) or call.db.find(User, User.login.equals(login))
    if user is None:
        raise NotVisible
    return user


def find_org(call: Call, org: str) -> User:
    """Return an organization by login or by `:id` and its number; raise NotVisible."""
    if org.startswith(BY_ID):
        organization = call.db.find(User, User.id == _number(org.removeprefix(BY_ID)))
    else:
        organization = find_user(call, org)
    if organization is None or organization.type != "Organization":
        raise NotVisible
    return organization


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 19 else -1


def acting_user(call: Call) -> User:
    """Return the caller; raise NotVisible if the environment has no such user."""
    return find_user(call, call.actor)


def membership_of(call: Call, org: str, login: str) -> Membership | None:
    """Return an active membership of an organization."""
    return call.db.find(Membership, Membership.org == org, Membership.user == login, Membership.state == "active")


def check_org_admin(call: Call, org: User) -> None:
    """Raise Forbidden unless the caller owns the organization."""
    membership = membership_of(call, org.login, call.actor)
    if membership is None or membership.role != "admin":
        raise Forbidden(ORG_ADMIN)


def check_org_role(call: Call, org: User, role: str, denial: str) -> None:
    """Raise Forbidden, or NotVisible if `denial` is empty, unless the caller is a member, or an owner."""
    membership = membership_of(call, org.login, call.actor)
    if membership is None or (role == "owner" and membership.role != "admin"):
        raise Forbidden(denial) if denial else NotVisible


def permission_of(call: Call, repo: Repository, login: str | None = None) -> str:
    """Return the highest permission of a user (by default the caller) for a repository; see LEVELS."""
    if login is None and hides(call, repo):
        return "none"
    login = call.actor if login is None else login
    known: dict[tuple[int, str], str] = call.memo.setdefault("permissions", {})
    if (repo.id, login) not in known:
        known[repo.id, login] = max(_list_grants(call, repo, login), key=LEVELS.index)
    return known[repo.id, login]


def _list_grants(call: Call, repo: Repository, login: str) -> list[str]:
    """Return all permissions that a user has by one way or another."""
    is_looked_up = call.memo.get("app") and is_installed(call, repo)
    granted = ["pull" if not repo.private or is_looked_up else "none"]
    if repo.owner == login or (login == call.actor and acts_for_installation(call, repo)):
        return ["admin"]
    own = call.db.find(Collaborator, Collaborator.repository_id == repo.id, Collaborator.user == login)
    if own:
        granted.append(own.permission)
    membership = membership_of(call, repo.owner, login)
    if membership:
        if membership.role == "admin":
            return ["admin"]
        owner = call.db.find(User, User.login == repo.owner)
        granted.append(level_of(owner.default_repository_permission) if owner else "none")
        granted += team_permissions(call, repo, login)
    return granted


def team_permissions(call: Call, repo: Repository, login: str) -> list[str]:
    """Return the permissions for a repository of the teams that a user is in."""
    shared = call.db.rows(
        TeamRepository,
        TeamRepository.repository_id == repo.id,
        exists(TeamMember, TeamMember.team_id == TeamRepository.team_id, TeamMember.user == login),
    )
    return [level_of(each.permission) for each in shared]


def may(call: Call, repo: Repository, need: str, login: str | None = None) -> bool:
    """Return whether a user (by default the caller) has a permission for a repository."""
    return LEVELS.index(permission_of(call, repo, login)) >= LEVELS.index(need)


def find_repo(call: Call, owner: str, repo: str, need: str = "pull") -> Repository:
    """Return a repository by its names; raise NotVisible, Moved after a rename, or Forbidden without `need`."""
    guarded: tuple[str, Repository] | None = call.memo.pop("guarded_repo", None)
    if guarded and guarded[0] == f"{owner}/{repo}":
        row = guarded[1]
    elif owner == BY_ID:
        row = call.db.find(Repository, Repository.id == _number(repo))
    else:
        row = call.db.find(Repository, Repository.full_name.equals(f"{owner}/{repo}")) or _find_renamed(
            call, owner, repo
        )
    if row is None or not may(call, row, "pull"):
        raise NotVisible
    check_permission(call, row, need)
    return row


def check_permission(
    call: Call, repo: Repository, need: str, denial: str = ADMIN_RIGHTS, *, writes: bool = True
) -> None:
    """Raise Forbidden, or NotVisible if `denial` is empty, unless the caller has a permission.

    Nobody writes to an archived repository but its admins, who can unarchive it.
    """
    if not may(call, repo, need):
        raise Forbidden(denial) if denial else NotVisible
    if writes and repo.archived and need in ("push", "triage"):
        raise Forbidden("Repository was archived so is read-only.")


def authorize(call: Call, verb: str, path: str, names: Mapping[str, str]) -> None:
    """Raise an error if the caller or the token may not do what an operation does; `names` are its placeholders."""
    required = requirement_of(verb, path)
    if required is None:
        return
    call.memo["required"] = required
    repo = _authorize_repository(call, required, names) if "owner" in names and "org" not in names else None
    check_token(call, required, repo)
    if "org" in names and required.role:
        check_org_role(call, find_org(call, names["org"]), required.role, required.denial)


def _authorize_repository(call: Call, required: Requirement, names: Mapping[str, str]) -> Repository:
    """Return the repository of a path, which the caller may see and has the required role for."""
    row = find_repo(call, names["owner"], names["repo"])
    if required.role:
        check_permission(call, row, required.role, required.denial, writes=required.access == "write")
    call.memo["guarded_repo"] = (f"{names['owner']}/{names['repo']}", row)
    return row


def _find_renamed(call: Call, owner: str, repo: str) -> Repository | None:
    """Raise Moved if a visible repository had this name before."""
    former = call.db.find(RepositoryName, RepositoryName.full_name.equals(f"{owner}/{repo}"))
    row = call.db.find(Repository, Repository.id == former.repository_id) if former else None
    if row is None or not may(call, row, "pull"):
        return None
    rest = str(call.memo.get("path", "")).split("/", 4)[4:]
    query = call.memo.get("query")
    if query is None:
        return row
    raise Moved("/".join([f"{call.base_url}/repositories/{row.id}", *rest]))


def find_issue(call: Call, repo: Repository, number: int) -> Issue:
    """Return an issue or pull request by its number; raise NotVisible, Gone if deleted, Moved if transferred."""
    issue = call.db.find(Issue, Issue.repository_id == repo.id, Issue.number == number)
    if issue is None:
        raise _former_issue(call, repo, number)
    return issue


def _former_issue(call: Call, repo: Repository, number: int) -> NotVisible | Gone | Moved:
    """Return the error about a number that no issue of a repository has now."""
    former = call.db.find(FormerIssue, FormerIssue.repository_id == repo.id, FormerIssue.number == number)
    if former is None:
        return NotVisible()
    if former.issue_id is None:
        return Gone("This issue was deleted")
    issue = call.db.get(Issue, former.issue_id)
    if not may(call, call.db.get(Repository, issue.repository_id), "pull"):
        return NotVisible()
    rest = str(call.memo.get("path", "")).split("/")[6:]
    return Moved("/".join([f"{call.base_url}/repositories/{issue.repository_id}/issues/{issue.number}", *rest]))


def find_pull(call: Call, repo: Repository, number: int) -> PullRequest:
    """Return a pull request by its number; raise NotVisible."""
    pull = call.db.find(PullRequest, PullRequest.repository_id == repo.id, PullRequest.number == number)
    if pull is None:
        raise NotVisible
    return pull


def issue_of(call: Call, pull: PullRequest) -> Issue:
    """Return the issue half of a pull request."""
    return call.db.get(Issue, pull.issue_id)


def find_team(call: Call, org: User, slug: str) -> Team:
    """Return a team by its slug; raise NotVisible."""
    team = call.db.find(Team, Team.org == org.login, Team.slug == slug)
    if team is None or (team.privacy == "secret" and not is_in_team(call, team, call.actor)):
        raise NotVisible
    return team


def is_in_team(call: Call, team: Team, login: str) -> bool:
    """Return whether a user is in a team, or owns its organization."""
    if call.db.find(TeamMember, TeamMember.team_id == team.id, TeamMember.user == login):
        return True
    membership = membership_of(call, team.org, login)
    return membership is not None and membership.role == "admin"


def association_of(call: Call, repo: Repository, login: str | None) -> str:
    """Return the author association of a user with a repository."""
    known: dict[tuple[int, str | None], str] = call.memo.setdefault("associations", {})
    if (repo.id, login) not in known:
        known[repo.id, login] = _association(call, repo, login)
    return known[repo.id, login]


def _association(call: Call, repo: Repository, login: str | None) -> str:
    if login is None:
        return "NONE"
    if repo.owner == login:
        return "OWNER"
    if membership_of(call, repo.owner, login):
        return "MEMBER"
    if call.db.find(Collaborator, Collaborator.repository_id == repo.id, Collaborator.user == login):
        return "COLLABORATOR"
    merged = call.db.find(
        Issue, Issue.repository_id == repo.id, Issue.user == login, Issue.is_pull_request, Issue.state == "closed"
    )
    return "CONTRIBUTOR" if merged else "NONE"

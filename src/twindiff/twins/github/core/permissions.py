"""What each operation requires of its caller's role and of its token, declared by families of paths.

https://docs.github.com/en/rest/authentication/permissions-required-for-fine-grained-personal-access-tokens
https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories
https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

ADMIN_RIGHTS = "Must have admin rights to Repository."
PUSH_ACCESS = "Must have push access to repository"
VIEW_COLLABORATORS = "Must have push access to view repository collaborators."
VIEW_PERMISSION = "Must have push access to view collaborator permission."
NOT_AUTHORIZED = "You are not authorized to perform this operation."
ORG_ADMIN = "You must be an admin to perform this action."
ORG_SECRETS = "You must be an org admin or have the actions secrets fine-grained permission."
ORG_VARIABLES = "You must be an org admin or have the actions variables fine-grained permission."
NOT_FOUND = ""
"""A denial by 404, as GitHub answers where the operation itself is a secret to those without the role."""
_REPO, _ORG = "/repos/{owner}/{repo}", "/orgs/{org}"
_READS = ("GET", "HEAD")


class Requirement(NamedTuple):
    """What an operation requires.

    `permission` is what a fine-grained token or an installation needs with `access` (read or write); `scopes` are the
    scopes of which a classic token needs one. `role` is the least role: of pull, triage, push, maintain and admin for a
    repository, of member and owner for an organization, and empty where the handler decides. `denial` is the message of
    the 403 for callers below the role, or NOT_FOUND.
    """

    permission: str
    access: str
    role: str
    denial: str
    scopes: tuple[str, ...]


class _Family(NamedTuple):
    """The requirements of the operations whose paths begin with `path`; the longest path counts."""

    path: str
    permission: str
    read_role: str
    write_role: str
    denial: str = ADMIN_RIGHTS
    scopes: str = "repo"
    write_permission: str = ""


FAMILIES = tuple(
    _Family(base + each.path, *each[1:])
    for base, families in {
        _REPO: (
            _Family("", "metadata", "pull", "admin", write_permission="administration"),
            _Family("/actions", "actions", "pull", "push"),
            _Family("/actions/secrets", "secrets", "push", "push"),
            _Family("/actions/variables", "actions_variables", "push", "push"),
            _Family("/autolinks", "administration", "admin", "admin", NOT_FOUND),
            _Family("/branches", "contents", "pull", "push", NOT_FOUND),
            _Family("/branches/{branch}/protection", "administration", "admin", "admin", NOT_FOUND),
            _Family("/check-runs", "checks", "pull", "push"),
            _Family("/check-suites", "checks", "pull", "push"),
            _Family("/code-scanning", "security_events", "push", "push", NOT_AUTHORIZED, "security_events"),
            _Family("/codespaces/secrets", "codespaces_secrets", "push", "push"),
            _Family("/collaborators", "metadata", "push", "admin", ADMIN_RIGHTS, write_permission="administration"),
            _Family("/comments", "contents", "pull", "pull"),
            _Family("/commits", "contents", "pull", "pull"),
            _Family("/commits/{ref}/check-runs", "checks", "pull", "push"),
            _Family("/commits/{ref}/check-suites", "checks", "pull", "push"),
            _Family("/commits/{ref}/status", "statuses", "pull", "push", scopes="repo:status"),
            _Family("/commits/{ref}/statuses", "statuses", "pull", "push", scopes="repo:status"),
            _Family("/compare", "contents", "pull", "push"),
            _Family("/contents", "contents", "pull", "push", NOT_FOUND),
            _Family("/dependabot/alerts", "vulnerability_alerts", "push", "push", NOT_AUTHORIZED, "security_events"),
            _Family("/dependabot/secrets", "dependabot_secrets", "push", "push"),
            _Family("/deployments", "deployments", "pull", "push", NOT_FOUND, "repo_deployment"),
            _Family("/discussions", "discussions", "pull", "triage"),
            _Family("/dispatches", "contents", "pull", "push", NOT_FOUND),
            _Family("/environments", "actions", "pull", "admin", write_permission="administration"),
            _Family("/environments/{environment_name}/secrets", "environments", "push", "push"),
            _Family("/environments/{environment_name}/variables", "environments", "push", "push"),
            _Family("/forks", "metadata", "pull", "pull", write_permission="administration"),
            _Family("/git", "contents", "pull", "push", NOT_FOUND),
            _Family("/hooks", "repository_hooks", "admin", "admin", NOT_FOUND, "admin:repo_hook"),
            _Family("/invitations", "administration", "admin", "admin", scopes="repo:invite"),
            _Family("/issues", "issues", "pull", "triage"),
            _Family("/keys", "administration", "admin", "admin", NOT_FOUND),
            _Family("/labels", "issues", "pull", "push"),
            _Family("/license", "contents", "pull", "push"),
            _Family("/merge-upstream", "contents", "pull", "push", NOT_FOUND),
            _Family("/merges", "contents", "pull", "push", NOT_FOUND),
            _Family("/milestones", "issues", "pull", "push"),
            _Family("/notifications", "notifications", "pull", "pull", scopes="notifications"),
            _Family("/pulls", "pull_requests", "pull", "pull"),
            _Family("/readme", "contents", "pull", "push"),
            _Family("/releases", "contents", "pull", "push", NOT_FOUND),
            _Family("/secret-scanning", "secret_scanning_alerts", "push", "push", NOT_FOUND, "security_events"),
            _Family("/statuses", "statuses", "pull", "push", NOT_FOUND, "repo:status"),
            _Family("/subscription", "notifications", "pull", "pull", scopes="notifications"),
            _Family("/tarball", "contents", "pull", "push"),
            _Family("/traffic", "administration", "push", "push", PUSH_ACCESS),
            _Family("/zipball", "contents", "pull", "push"),
        ),
        _ORG: (
            _Family("", "metadata", "", "owner", ORG_ADMIN, "admin:org", "organization_administration"),
            _Family("/actions/secrets", "organization_secrets", "owner", "owner", ORG_SECRETS, "admin:org"),
            _Family(
                "/actions/variables", "organization_actions_variables", "owner", "owner", ORG_VARIABLES, "admin:org"
            ),
            _Family("/blocks", "organization_user_blocking", "owner", "owner", NOT_FOUND, "admin:org"),
            _Family(
                "/codespaces/secrets", "organization_codespaces_secrets", "owner", "owner", ORG_SECRETS, "admin:org"
            ),
            _Family(
                "/dependabot/secrets", "organization_dependabot_secrets", "owner", "owner", ORG_SECRETS, "admin:org"
            ),
            _Family("/hooks", "organization_hooks", "owner", "owner", NOT_FOUND, "admin:org_hook"),
            _Family("/invitations", "members", "owner", "owner", NOT_FOUND, "admin:org"),
            _Family("/members", "members", "", "owner", ORG_ADMIN, "admin:org"),
            _Family("/memberships", "members", "", "owner", ORG_ADMIN, "admin:org"),
            _Family("/projectsV2", "organization_projects", "", "", scopes="project"),
            _Family("/public_members", "members", "", "", scopes="admin:org"),
            _Family("/repos", "metadata", "", "", scopes="repo", write_permission="administration"),
            _Family("/teams", "members", "member", "member", NOT_FOUND, "write:org"),
        ),
        "": (
            _Family("/{owner}/{repo}/archive", "contents", "pull", "push", NOT_FOUND),
            _Family("/api/uploads/repos/{owner}/{repo}", "contents", "pull", "push", NOT_FOUND),
            _Family("/codeload/{owner}/{repo}", "contents", "pull", "push", NOT_FOUND),
            _Family("/gists", "gists", "", "", scopes="gist"),
            _Family("/notifications", "notifications", "", "", scopes="notifications"),
            _Family("/raw/{owner}/{repo}", "contents", "pull", "push", NOT_FOUND),
            _Family("/repos/{template_owner}/{template_repo}", "metadata", "", "", write_permission="administration"),
            _Family("/teams", "members", "", "", scopes="write:org"),
            _Family("/user", "profile", "", "", scopes="user"),
            _Family("/user/blocks", "blocking", "", "", scopes="user"),
            _Family("/user/emails", "emails", "", "", scopes="user:email"),
            _Family("/user/following", "followers", "", "", scopes="user:follow"),
            _Family("/user/gpg_keys", "gpg_keys", "", "", scopes="admin:gpg_key"),
            _Family("/user/keys", "keys", "", "", scopes="admin:public_key"),
            _Family("/user/memberships", "members", "", "", scopes="write:org"),
            _Family("/user/public_emails", "emails", "", "", scopes="user:email"),
            _Family("/user/repos", "metadata", "", "", scopes="repo", write_permission="administration"),
            _Family("/user/repository_invitations", "metadata", "", "", scopes="repo:invite"),
            _Family("/user/ssh_signing_keys", "git_signing_ssh_public_keys", "", "", scopes="admin:ssh_signing_key"),
            _Family("/user/starred", "starring", "", "", scopes="repo"),
            *(
                _Family(path, "user_projects", "", "", scopes="project")
                for path in (
                    "/users/{username}/projectsV2",
                    "/users/{user_id}/projectsV2",
                    "/user/{user_id}/projectsV2",
                )
            ),
        ),
    }.items()
    for each in families
)
_ISSUE, _PULL = _REPO + "/issues/{issue_number}", _REPO + "/pulls/{pull_number}"
_LESS = {
    # What readers do with issues: open them, comment and react; the handlers ask for triage where others wrote it.
    f"POST {_REPO}/issues": "pull",
    f"PATCH {_ISSUE}": "pull",
    f"PATCH {_REPO}/issues/comments/{{comment_id}}": "pull",
    f"DELETE {_REPO}/issues/comments/{{comment_id}}": "pull",
    f"POST {_ISSUE}/comments": "pull",
    # Discussions are for all readers; GraphQL's mutations ask by these names.
    f"POST {_REPO}/discussions": "pull",
    f"PATCH {_REPO}/discussions/{{number}}": "pull",
    f"DELETE {_REPO}/discussions/{{number}}": "pull",
    f"POST {_REPO}/discussions/{{number}}/comments": "pull",
    f"PATCH {_REPO}/discussions/comments/{{comment_id}}": "pull",
    f"DELETE {_REPO}/discussions/comments/{{comment_id}}": "pull",
    # Collaborators may leave; members may leave an organization.
    f"DELETE {_REPO}/collaborators/{{username}}": "pull",
    f"DELETE {_ORG}/memberships/{{username}}": "",
    f"PUT {_REPO}/topics": "maintain",
    **{
        f"{verb} {_REPO}{path}/reactions{rest}": "pull"
        for path in (
            "/issues/comments/{number}",
            "/issues/{number}",
            "/comments/{number}",
            "/releases/{number}",
            "/discussions/{number}",
            "/discussions/comments/{number}",
        )
        for verb, rest in (("POST", ""), ("DELETE", "/{reaction_id}"))
    },
}
_MORE = {
    f"PUT {_ISSUE}/lock": "push",
    f"DELETE {_ISSUE}/lock": "push",
    f"PUT {_PULL}/merge": "push",
    f"POST {_PULL}/requested_reviewers": "triage",
    f"DELETE {_PULL}/requested_reviewers": "triage",
}
_ROLES = _LESS | _MORE
_DENIALS = {
    f"GET {_REPO}/collaborators": VIEW_COLLABORATORS,
    f"GET {_REPO}/collaborators/{{username}}": VIEW_COLLABORATORS,
    f"GET {_REPO}/collaborators/{{username}}/permission": VIEW_PERMISSION,
}
_CONTENTS = (f"PUT {_PULL}/merge", f"PUT {_PULL}/update-branch")
_IMPLIED = {
    "repo": ("public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"),
    "admin:org": ("write:org", "read:org"),
    "write:org": ("read:org",),
    "admin:repo_hook": ("write:repo_hook", "read:repo_hook"),
    "write:repo_hook": ("read:repo_hook",),
    "user": ("read:user", "user:email", "user:follow"),
    "admin:public_key": ("write:public_key", "read:public_key"),
    "admin:gpg_key": ("write:gpg_key", "read:gpg_key"),
    "admin:ssh_signing_key": ("write:ssh_signing_key", "read:ssh_signing_key"),
    "project": ("read:project",),
}
"""The scopes that a scope includes."""
ALL_SCOPES = ("admin:org", "delete_repo", "gist", "notifications", "project", "repo", "user", "workflow")
"""The scopes of tokens that the environment gives to its agents."""


@lru_cache(maxsize=2048)
def requirement_of(verb: str, path: str) -> Requirement | None:
    """Return what the operation with a verb and a path template requires, or None if it is open to all."""
    fitting = [each for each in FAMILIES if path == each.path or path.startswith((each.path + "/", each.path + "."))]
    if not fitting:
        return None
    family, name, reads = max(fitting, key=lambda each: len(each.path)), f"{verb} {path}", verb in _READS
    role = _ROLES.get(name, family.read_role if reads else family.write_role)
    permission = family.permission if reads else (family.write_permission or family.permission)
    return Requirement(
        "contents" if name in _CONTENTS else permission,
        "read" if reads else "write",
        role,
        _DENIALS.get(name, family.denial),
        _scopes_of(name, family.scopes, reads=reads),
    )


def _scopes_of(name: str, scope: str, *, reads: bool) -> tuple[str, ...]:
    """Return the scopes that an operation accepts, least first: for reads also the `read:` form of a scope."""
    if name == f"DELETE {_REPO}":
        return ("delete_repo",)
    words = scope.partition(":")
    least = [f"read:{words[2]}"] if reads and words[0] in ("admin", "write") else []
    least += ["read:project"] if reads and scope == "project" else []
    least += ["read:user"] if reads and scope == "user" else []
    return tuple(dict.fromkeys([*least, scope, *(whole for whole, parts in _IMPLIED.items() if scope in parts)]))


def expand_scopes(granted: list[str]) -> set[str]:
    """Return scopes with all that they include."""
    return {*granted, *(part for scope in granted for part in _IMPLIED.get(scope, ()))}

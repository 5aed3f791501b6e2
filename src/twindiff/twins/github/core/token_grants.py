"""What a token lets its user do: scopes of classic tokens, permissions and repositories of fine-grained ones.

The environment's own tokens let their users do all that these may do. A token of the table `access_tokens` is limited.
https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from __future__ import annotations

from twindiff.kit import Call

from ..tables.repository_tables import Repository
from ..tables.user_tables import AccessToken, AppInstallation
from ..wire_style import Forbidden, NotVisible
from .permissions import ADMIN_RIGHTS, Requirement, expand_scopes

BY_INTEGRATION = "Resource not accessible by integration"
BY_PERSONAL_TOKEN = "Resource not accessible by personal access token"  # noqa: S105 - a message
APP_ONLY = "You must authenticate via a GitHub App."
_ACCESS = ("none", "read", "write", "admin")
_FREE_READS = frozenset(("metadata", "profile", "gists", "starring", "followers", "members"))
"""The permissions whose reads a classic token needs no scope for, but for what is private."""


def token_of(call: Call) -> AccessToken | None:
    """Return the row of the token that is sent, or None for one that the environment gave to an agent."""
    return call.memo.get("token")


def installation_account(call: Call, installation_id: int) -> str:
    """Return the account of an installation; empty if it is gone."""
    installation = call.db.find(AppInstallation, AppInstallation.id == installation_id)
    return installation.account if installation else ""


def is_installed(call: Call, repo: Repository) -> bool:
    """Return whether the app looks up its own installation for a repository, and there is one."""
    is_lookup = str(call.memo.get("path", "")).endswith("/installation")
    return is_lookup and call.db.find(AppInstallation, AppInstallation.account == repo.owner) is not None


def acts_for_installation(call: Call, repo: Repository) -> bool:
    """Return whether the token that is sent is of an installation that has a repository; its permissions limit it."""
    token = token_of(call)
    return token is not None and token.installation_id is not None and _selects(call, token, repo)


def hides(call: Call, repo: Repository) -> bool:
    """Return whether the token that is sent keeps a repository from its user."""
    token = token_of(call)
    if token is None or not repo.private:
        return False
    if token.scopes is not None:
        return "repo" not in token.scopes
    return not _selects(call, token, repo)


def _selects(call: Call, token: AccessToken, repo: Repository) -> bool:
    """Return whether a repository is one of those that a fine-grained token is for."""
    if token.repository_ids is not None:
        return repo.id in token.repository_ids
    if token.installation_id is None:
        return True
    return installation_account(call, token.installation_id) == repo.owner


def check_token(call: Call, required: Requirement, repo: Repository | None) -> None:
    """Raise NotVisible or Forbidden if the token that is sent lacks what an operation requires."""
    token = token_of(call)
    if token is None:
        return
    if required.permission == "checks" and required.access == "write" and token.installation_id is None:
        raise Forbidden(APP_ONLY)
    if token.scopes is not None:
        _check_scopes(expand_scopes(token.scopes), required, repo)
    elif not _is_permitted(token, required, repo) or (
        repo is not None and required.access == "write" and not _selects(call, token, repo)
    ):
        raise Forbidden(BY_PERSONAL_TOKEN if token.installation_id is None else BY_INTEGRATION)


def _check_scopes(granted: set[str], required: Requirement, repo: Repository | None) -> None:
    if granted.intersection(accepted_scopes(required, repo)) or _is_free_read(required, repo):
        return
    if required.scopes == ("delete_repo",):
        raise Forbidden(ADMIN_RIGHTS)
    if "notifications" in required.scopes:
        raise Forbidden("Missing the 'notifications' scope.")
    raise NotVisible


def _is_free_read(required: Requirement, repo: Repository | None) -> bool:
    """Return whether a classic token without scopes reads this: public things can be read by all."""
    if required.access != "read":
        return False
    if repo is not None:
        return not repo.private and required.role == "pull" and "notifications" not in required.scopes
    return required.permission in _FREE_READS


def accepted_scopes(required: Requirement, repo: Repository | None) -> tuple[str, ...]:
    """Return the scopes of which a classic token needs one; `public_repo` is enough for a public repository."""
    is_public = repo is not None and not repo.private and "repo" in required.scopes
    return ("public_repo", *required.scopes) if is_public else required.scopes


def _is_permitted(token: AccessToken, required: Requirement, repo: Repository | None) -> bool:
    """Return whether a fine-grained token has a permission; the metadata and public things can be read by all."""
    if required.access == "read" and (
        required.permission in ("metadata", "gists")
        or (repo is not None and not repo.private and required.role == "pull")
    ):
        return True
    levels = [token.permissions.get(name, "none") for name in accepted_permissions(required)]
    return any(_ACCESS.index(level) >= _ACCESS.index(required.access) for level in levels if level in _ACCESS)


def accepted_permissions(required: Requirement) -> tuple[str, ...]:
    """Return the permissions of which a fine-grained token needs one: pull requests are issues as well."""
    return ("issues", "pull_requests") if required.permission == "issues" else (required.permission,)

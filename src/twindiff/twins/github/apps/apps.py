"""GitHub Apps: the app of the environment, its installations, and tokens of installations.

https://docs.github.com/en/rest/apps
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, Struct

from ..core.access import find_org, find_repo, find_user
from ..core.listing import paginate
from ..core.stamps import show_instant
from ..core.visibility import visible_to_caller
from ..tables.repository_tables import Repository
from ..tables.user_tables import AccessToken, AppInstallation
from ..views.app_views import APP_SLUG, PERMISSIONS, show_app, show_installation
from ..views.repository_views import show_repo
from ..wire_style import NotVisible, Unprocessable
from .app_keys import derive_private_key
from .app_tokens import find_bot

api = Operations()
TOKEN_SECONDS = 3600


@api.get("/app")
def get_own_app(call: Call) -> Any:
    """Get the app whose JWT is sent; the twin has one, and takes any other token for it as well."""
    count = call.db.count(AppInstallation)
    return show_app(call) | {"installations_count": count}


@api.post("/app-manifests/{code}/conversions", status=201)
def convert_manifest(call: Call, code: str) -> Any:
    """Get the app with its private key, as the last step of making an app from a manifest; any code is good."""
    secrets = {
        name: hmac.new(call.secret.encode(), f"app {name}".encode(), sha256).hexdigest()[:40]
        for name in ("client_secret", "webhook_secret")
    }
    return {**show_app(call), **secrets, "pem": derive_private_key(call.secret)}


@api.get("/apps/{app_slug}")
def get_app(call: Call, app_slug: str) -> Any:
    """Get an app by its slug."""
    if app_slug != APP_SLUG:
        raise NotVisible
    return show_app(call)


@api.get("/app/installations")
def list_installations(call: Call) -> Any:
    """List the installations of the app."""
    return paginate(call, AppInstallation, by=AppInstallation.id, show=lambda each: show_installation(call, each))


def find_installation(call: Call, installation_id: int) -> AppInstallation:
    """Return an installation; raise NotVisible."""
    return call.db.get(AppInstallation, installation_id, missing=NotVisible)


@api.get("/app/installations/{installation_id}")
def get_installation(call: Call, installation_id: int) -> Any:
    """Get an installation."""
    return show_installation(call, find_installation(call, installation_id))


def _of_account(call: Call, account: str) -> dict[str, Any]:
    known = call.db.find(AppInstallation, AppInstallation.account == account)
    if known is None:
        raise NotVisible
    return show_installation(call, known)


@api.get("/orgs/{org}/installation")
def get_org_installation(call: Call, org: str) -> Any:
    """Get the installation of an organization."""
    return _of_account(call, find_org(call, org).login)


@api.get("/users/{username}/installation")
def get_user_installation(call: Call, username: str) -> Any:
    """Get the installation of a user."""
    return _of_account(call, find_user(call, username).login)


@api.get("/repos/{owner}/{repo}/installation")
def get_repository_installation(call: Call, owner: str, repo: str) -> Any:
    """Get the installation that a repository is part of."""
    return _of_account(call, find_repo(call, owner, repo).owner)


@api.get("/user/installations")
def list_user_installations(call: Call) -> Any:
    """List the installations that the caller can use."""
    return paginate(
        call,
        AppInstallation,
        by=AppInstallation.id,
        show=lambda each: show_installation(call, each),
        key="installations",
    )


class TokenBody(Struct):
    """What a token of an installation may do."""

    repositories: list[str] | None = None
    repository_ids: list[int] | None = None
    permissions: dict[str, str] | None = None


@api.post("/app/installations/{installation_id}/access_tokens", status=201)
def create_installation_token(call: Call, installation_id: int, body: Annotated[TokenBody, Body]) -> Any:
    """Make a token of an installation, which expires after an hour."""
    installation = find_installation(call, installation_id)
    owned = call.db.rows(Repository, Repository.owner == installation.account, order=Repository.id)
    chosen = None
    if body.repositories or body.repository_ids:
        names, ids = body.repositories or [], body.repository_ids or []
        chosen = [repo for repo in owned if repo.name in names or repo.id in ids]
        if len(chosen) < len(names) + len(ids):
            text = (
                "There is at least one repository that does not exist or is not accessible to the parent installation."
            )
            raise Unprocessable(text)
    unknown = [name for name in body.permissions or {} if name not in PERMISSIONS]
    if unknown:
        raise Unprocessable(f"The permissions requested are not granted to this installation: {', '.join(unknown)}")
    expires = (datetime.fromisoformat(call.clock.iso()) + timedelta(seconds=TOKEN_SECONDS)).isoformat()
    number = call.db.next("installation_token")
    secret = hmac.new(call.secret.encode(), f"ghs {number}".encode(), sha256).hexdigest()[:36]
    token, permissions = f"ghs_{secret}", body.permissions or PERMISSIONS
    fields: dict[str, Any] = {
        "permissions": permissions,
        "repository_ids": [repo.id for repo in chosen] if chosen else None,
    }
    call.db.add(
        AccessToken(
            token=token, user=find_bot(call).login, installation_id=installation.id, expires_at=expires, **fields
        )
    )
    selection = "selected" if chosen else installation.repository_selection
    shown: dict[str, Any] = {"token": token, "expires_at": show_instant(expires), "permissions": permissions}
    shown["repository_selection"] = selection
    return shown | {"repositories": [show_repo(call, repo) for repo in chosen]} if chosen else shown


def _list_repositories(call: Call, installation: AppInstallation | None) -> Any:
    where: list[Any] = [visible_to_caller(call)]
    where += [Repository.owner == installation.account] if installation else []
    token: AccessToken | None = call.memo.get("token")
    where += [Repository.id.in_(token.repository_ids)] if token and token.repository_ids else []
    selection = installation.repository_selection if installation else "all"
    return paginate(
        call,
        Repository,
        *where,
        by=Repository.id,
        show=lambda repo: show_repo(call, repo),
        key="repositories",
        repository_selection=selection,
    )


@api.get("/installation/repositories")
def list_installation_repositories(call: Call) -> Any:
    """List the repositories of the installation whose token is sent."""
    token: AccessToken | None = call.memo.get("token")
    installation = call.db.find(AppInstallation, AppInstallation.id == token.installation_id) if token else None
    return _list_repositories(call, installation)


@api.get("/user/installations/{installation_id}/repositories")
def list_user_installation_repositories(call: Call, installation_id: int) -> Any:
    """List the repositories of an installation that the caller can use."""
    return _list_repositories(call, find_installation(call, installation_id))


@api.delete("/installation/token", status=204)
def revoke_installation_token(call: Call) -> None:
    """Revoke the token of an installation that is sent."""
    known = call.db.find(AccessToken, AccessToken.token == call.token)
    if known:
        call.db.remove(known)

"""OAuth: issue and revocation of tokens, and the identity of a user.

https://docs.slack.dev/authentication
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, Response
from twindiff.kit.oauth import InvalidClient, OauthStyle, challenge_of, fits_challenge, redirect

from ..core.access import workspace
from ..core.authorization import find_token, hash_token
from ..core.errors import UserNotFound
from ..core.tables import AccessToken, OauthCode, User
from ..core.token_errors import (
    BadClientSecret,
    BadRedirectUri,
    CodeAlreadyUsed,
    InvalidClientId,
    InvalidCode,
    InvalidGrant,
    NotAllowedTokenType,
)
from ..rendering.user_views import image_addresses
from .socket_mode import PATH, ticket

api = Operations()
browser = Operations(style=OauthStyle())


@browser.get("/oauth/v2/authorize", reads=False, open=True)
def authorize(
    call: Call,
    client_id: str = "",
    scope: str = "",
    user_scope: str = "",
    redirect_uri: str = "",
    state: str = "",
    code_challenge: str = "",
    code_challenge_method: str = "",
) -> Response:
    """Redirect the browser to the app with a code; the environment's user installs the app without a consent page.

    The bot token will act as the workspace's first bot, or as that user if there is no bot.
    https://docs.slack.dev/authentication/installing-with-oauth, https://docs.slack.dev/authentication/using-pkce
    """
    known = call.tokens.clients
    if not client_id or (known and client_id not in known):
        raise InvalidClient("The client_id is missing or unknown.")
    code = call.ids.new("", 24)
    answer = redirect(redirect_uri, code=code, state=state)
    bot = call.db.find(User, User.is_bot.is_true)
    call.db.add(
        OauthCode(
            code=code,
            client_id=client_id,
            client_secret=known.get(client_id, ""),
            user_id=call.actor,
            bot_user_id=(bot.user_id if bot else call.actor) if scope else None,
            redirect_uri=redirect_uri,
            scopes=scope,
            user_scopes=user_scope,
            app_id=f"A{client_id[:10].upper()}",
            challenge=challenge_of(code_challenge, code_challenge_method) or None,
        )
    )
    return answer


@api.method("oauth.v2.access", open=True)
def access(
    call: Call,
    code: str,
    client_id: str = "",
    client_secret: str = "",
    redirect_uri: str = "",
    code_verifier: str = "",
) -> dict[str, Any]:
    """Exchange a code, from the template or from `authorize`, for the tokens of an app, once.

    A code of an unregistered app accepts any secret. A code with a PKCE challenge requires its verifier; then the
    secret is optional.
    https://docs.slack.dev/reference/methods/oauth.v2.access
    """
    grant = call.db.find(OauthCode, OauthCode.code == code)
    if client_id and not call.db.find(OauthCode, OauthCode.client_id == client_id):
        raise InvalidClientId
    if grant is None or grant.client_id != client_id:
        raise InvalidCode
    is_public = bool(grant.challenge) and not client_secret
    if grant.client_secret and grant.client_secret != client_secret and not is_public:
        raise BadClientSecret
    if grant.redirect_uri and redirect_uri != grant.redirect_uri:
        raise BadRedirectUri
    if grant.is_used:
        raise CodeAlreadyUsed
    if not fits_challenge(grant.challenge or "", code_verifier):
        raise InvalidGrant
    call.db.change(grant, is_used=True)
    return _issue_tokens(call, grant)


def _issue_tokens(call: Call, code: OauthCode) -> dict[str, Any]:
    team = workspace(call.db)
    person: dict[str, Any] = {"id": code.user_id}
    if code.user_scopes:
        token = _token(call, "xoxp", code.user_scopes, code.user_id)
        person.update(scope=code.user_scopes, access_token=token, token_type="user")  # noqa: S106 - the name of a type
    answer: dict[str, Any] = {
        "app_id": code.app_id,
        "authed_user": person,
        "team": {"id": team.team_id, "name": team.team_name},
        "is_enterprise_install": False,
    }
    if code.bot_user_id:
        bot = {"bot_user_id": code.bot_user_id, "scope": code.scopes, "token_type": "bot"}
        answer.update(bot, access_token=_token(call, "xoxb", code.scopes, code.bot_user_id))
    return answer


def _token(call: Call, kind: str, scopes: str, user: str) -> str:
    token = f"{kind}-{call.ids.new('', 24)}"
    call.db.add(AccessToken(token=token, scopes=scopes, user_id=user))
    return token


@api.method("auth.revoke")
def revoke(call: Call, test: bool = False) -> dict[str, Any]:
    """Revoke the caller's token; with `test`, change nothing.

    https://docs.slack.dev/reference/methods/auth.revoke
    """
    if test:
        return {"revoked": False}
    known = find_token(call)
    if known:
        call.db.change(known, is_revoked=True)
    else:
        call.db.add(AccessToken(token=hash_token(call.token), is_revoked=True))
    return {"revoked": True}


@api.method("users.identity", reads=True, scope="identity.basic")
def identity(call: Call) -> dict[str, Any]:
    """Return the profile of the signed-in user.

    https://docs.slack.dev/reference/methods/users.identity
    """
    user = call.db.get(User, call.actor, missing=UserNotFound)
    team = workspace(call.db)
    name = user.real_name or user.display_name or user.username
    person = {"id": user.user_id, "name": name, "email": user.email, **image_addresses(user.email)}
    return {"user": person, "team": {"id": team.team_id, "name": team.team_name}}


@api.method("apps.connections.open", reads=True)
def open_connection(call: Call) -> dict[str, Any]:
    """Return the WebSocket address of Socket Mode for an app-level token.

    https://docs.slack.dev/reference/methods/apps.connections.open
    """
    if not call.token.startswith("xapp-"):
        raise NotAllowedTokenType
    shown = ticket(call.secret, str(call.clock.unix()))
    return {"url": f"{call.base_url.replace('https', 'wss', 1)}{PATH}/?ticket={shown}"}

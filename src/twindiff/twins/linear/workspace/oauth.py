"""OAuth 2.0: the operations that issue, refresh and revoke tokens.

https://linear.app/developers/oauth-2-0-authentication
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Call, Header, Operations, RequestContext, Response
from twindiff.kit.errors import ApiError
from twindiff.kit.oauth import (
    CODE_SECONDS,
    Credentials,
    InvalidClient,
    InvalidGrant,
    InvalidRequest,
    OauthError,
    OauthStyle,
    OauthToken,
    UnsupportedGrantType,
    actor_of_token,
    challenge_of,
    client_of,
    keep,
    new_token,
    redeem_code,
    redirect,
    valid_token,
)
from twindiff.kit.oauth import revoke as revoked

from ..core.token_scopes import ACCESS, SCOPES
from ..model.users import User
from .style import AuthenticationRequired


class LinearOauthStyle(OauthStyle):
    """The usual conventions; an unknown client is told with status 400, as probed live."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        answer = super().error(error, exchange)
        return answer._replace(status=400) if isinstance(error, InvalidClient) else answer


class InvalidScope(OauthError):
    """The application asks for a scope that does not exist, or that it cannot have."""


api = Operations(style=LinearOauthStyle())
DAY = 86_400
MONTH = 30 * DAY


def actor_of(call: Call) -> str | None:
    """Return the id of the user that a token issued here acts as."""
    return actor_of_token(call, ACCESS, AuthenticationRequired)


@api.get("/oauth/authorize", reads=False, open=True)
def authorize(
    call: Call,
    client_id: str = "",
    redirect_uri: str = "",
    response_type: str = "",
    scope: str = "read",
    state: str = "",
    actor: str = "user",
    code_challenge: str = "",
    code_challenge_method: str = "",
) -> Response:
    """Redirect the browser to the application with a code. The environment's user consents without a prompt.

    With `actor=app`, the code is for the workspace's app user, if there is one.
    """
    if not client_id or not redirect_uri:
        raise InvalidRequest("client_id and redirect_uri are required")
    if response_type != "code":
        return redirect(redirect_uri, error="unsupported_response_type", state=state)
    acts_as_app = actor in ("app", "application")
    if refused := _refused_scope(scope, acts_as_app=acts_as_app):
        said = f"Invalid scope: {refused}"
        return redirect(redirect_uri, error=InvalidScope.code, error_description=said, state=state)
    code = new_token(call, "", 40)
    answer = redirect(redirect_uri, code=code, state=state)
    keep(
        call,
        code,
        CODE_SECONDS,
        kind="code",
        client_id=client_id,
        user_id=_app_user(call) if acts_as_app else call.actor,
        scope=_scopes(scope),
        redirect_uri=redirect_uri,
        challenge=challenge_of(code_challenge, code_challenge_method),
    )
    return answer


def _scopes(given: str) -> str:
    """Return scopes separated by spaces. `read` is always included."""
    return " ".join(dict.fromkeys(["read", *given.replace(",", " ").split()]))


def _refused_scope(given: str, *, acts_as_app: bool) -> str:
    """Return the first scope that does not exist or, for an application that acts as itself, is `admin`; else "".

    https://github.com/assembledhq/143/pull/816
    """
    allowed = SCOPES - {"admin"} if acts_as_app else SCOPES
    return next((scope for scope in _scopes(given).split() if scope not in allowed), "")


def _app_user(call: Call) -> str:
    app = call.db.find(User.row, User.row.app.is_true)
    return app.id if app else call.actor


@api.post("/oauth/token", open=True)
def token(
    call: Call,
    grant_type: str = "",
    client_id: str = "",
    client_secret: str = "",
    code: str = "",
    redirect_uri: str = "",
    code_verifier: str = "",
    refresh_token: str = "",
    scope: str = "read",
    authorization: Annotated[str, Header("Authorization")] = "",
) -> dict[str, Any]:
    """Issue tokens for a code, for a refresh token, which is replaced, or for client credentials."""
    credentials = Credentials(client_id, client_secret, authorization)
    if grant_type == "authorization_code":
        return _issue_tokens(call, redeem_code(call, code, redirect_uri, code_verifier, credentials))
    if grant_type == "refresh_token":
        return _refresh_tokens(call, refresh_token, credentials)
    if grant_type == "client_credentials":
        access = new_token(call, ACCESS)
        known, scopes = client_of(call, credentials), _scopes(scope)
        if refused := _refused_scope(scope, acts_as_app=True):
            raise InvalidScope(f"Invalid scope: {refused}")
        keep(call, access, MONTH, kind="access", client_id=known, user_id=_app_user(call), scope=scopes)
        return {"access_token": access, "token_type": "Bearer", "expires_in": MONTH - 1, "scope": scopes}
    if not grant_type:
        raise InvalidRequest("grant_type is required")
    raise UnsupportedGrantType(f"grant_type: '{grant_type[:100]}' is not supported")


def _refresh_tokens(call: Call, given: str, credentials: Credentials) -> dict[str, Any]:
    known = valid_token(call, given, "refresh")
    client_id = client_of(call, credentials, public=bool(known and known.challenge))
    if known is None or known.client_id != client_id:
        raise InvalidGrant("The refresh token is unknown, revoked or another client's.")
    return _issue_tokens(call, call.db.change(known, is_revoked=True))


def _issue_tokens(call: Call, given: OauthToken) -> dict[str, Any]:
    """Issue an access token that is valid for a day, with a refresh token."""
    access, refresh = new_token(call, ACCESS), new_token(call, "lin_refresh_")
    shared = {name: getattr(given, name) for name in ("client_id", "user_id", "scope", "grant", "challenge")}
    keep(call, access, DAY, kind="access", **shared)
    keep(call, refresh, None, kind="refresh", **shared)
    return {
        "access_token": access,
        "token_type": "Bearer",
        "expires_in": DAY - 1,
        "scope": given.scope,
        "refresh_token": refresh,
    }


@api.post("/oauth/revoke", open=True)
def revoke(
    call: Call,
    token: str = "",
    access_token: str = "",
    refresh_token: str = "",
    token_type_hint: str = "",
    authorization: Annotated[str, Header("Authorization")] = "",
) -> dict[str, Any]:
    """Revoke a token and the tokens issued with it."""
    given = token or access_token or refresh_token or authorization.removeprefix("Bearer ").strip()
    if not revoked(call, given):
        raise InvalidRequest("The token is unknown, or revoked already.")
    return {}

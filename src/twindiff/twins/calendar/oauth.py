"""Google's OAuth 2.0: authorization codes, access tokens and refresh tokens for users and service accounts.

https://developers.google.com/identity/protocols/oauth2/web-server ·
https://developers.google.com/identity/protocols/oauth2/service-account
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Call, Header, Operations, Response
from twindiff.kit.oauth import (
    CODE_SECONDS,
    JWT_BEARER,
    Credentials,
    InvalidGrant,
    InvalidRequest,
    InvalidToken,
    OauthError,
    OauthStyle,
    OauthToken,
    UnsupportedGrantType,
    actor_of_token,
    challenge_of,
    claims_of,
    client_of,
    keep,
    new_token,
    redeem_code,
    redirect,
    valid_token,
)
from twindiff.kit.oauth import revoke as revoked
from twindiff.kit.styles.google import InvalidCredentials

from .tables import CalendarUser

api = Operations(style=OauthStyle())
HOSTS = ("oauth2.googleapis.com", "accounts.google.com", "openidconnect.googleapis.com", "www.googleapis.com/oauth2")
ACCESS = "ya29.a0"
HOUR = 3600
MICROSECOND = 1_000_000


class InvalidValue(OauthError):
    """Invalid Value"""

    code = "invalid_token"


def actor_of(call: Call) -> str | None:
    """Return the id of the user that an issued access token acts as; None for other tokens."""
    return actor_of_token(call, ACCESS, InvalidCredentials)


@api.get("/o/oauth2/v2/auth", reads=False, open=True)
@api.get("/o/oauth2/auth", reads=False, open=True)
def authorize(
    call: Call,
    client_id: str = "",
    redirect_uri: str = "",
    response_type: str = "",
    scope: str = "",
    state: str = "",
    access_type: str = "online",
    login_hint: str = "",
    code_challenge: str = "",
    code_challenge_method: str = "",
) -> Response:
    """Redirect the browser to the application with an authorization code.

    There is no consent page: the user with the address `login_hint`, else the environment's user, consents at once.
    """
    if not client_id or not redirect_uri:
        raise InvalidRequest("client_id and redirect_uri are required")
    if response_type != "code":
        return redirect(redirect_uri, error="unsupported_response_type", state=state)
    code = new_token(call, "4/0", 64)
    answer = redirect(redirect_uri, code=code, scope=scope, state=state)
    keep(
        call,
        code,
        CODE_SECONDS,
        kind="code",
        client_id=client_id,
        user_id=_user_with(call, login_hint) or call.actor,
        scope=scope,
        redirect_uri=redirect_uri,
        challenge=challenge_of(code_challenge, code_challenge_method),
        is_offline=access_type == "offline",
    )
    return answer


def _user_with(call: Call, email: str) -> str:
    user = call.db.find(CalendarUser, CalendarUser.email == email.lower()) if email else None
    return user.id if user else ""


@api.post("/token", open=True)
@api.post("/oauth2/v4/token", open=True)
def token(
    call: Call,
    grant_type: str = "",
    client_id: str = "",
    client_secret: str = "",
    code: str = "",
    redirect_uri: str = "",
    code_verifier: str = "",
    refresh_token: str = "",
    assertion: str = "",
    authorization: Annotated[str, Header("Authorization")] = "",
) -> dict[str, Any]:
    """Exchange a code, a refresh token or a service account's assertion for an access token."""
    credentials = Credentials(client_id, client_secret, authorization)
    if grant_type == "authorization_code":
        return _redeem_code(call, redeem_code(call, code, redirect_uri, code_verifier, credentials))
    if grant_type == "refresh_token":
        return _refresh_access(call, refresh_token, credentials)
    if grant_type == JWT_BEARER:
        return _grant_for_assertion(call, assertion)
    if not grant_type:
        raise InvalidRequest("Missing required parameter: grant_type")
    raise UnsupportedGrantType(f"Invalid grant_type: {grant_type[:100]}")


def _access(call: Call, **fields: Any) -> dict[str, Any]:
    access = new_token(call, ACCESS, 64)
    keep(call, access, HOUR, kind="access", **fields)
    answer = {"access_token": access, "expires_in": HOUR - 1, "token_type": "Bearer"}
    return {**answer, "scope": fields["scope"]} if fields["scope"] else answer


def _of(given: OauthToken) -> dict[str, Any]:
    return {
        name: getattr(given, name) for name in ("client_id", "user_id", "scope", "grant", "is_offline", "challenge")
    }


def _redeem_code(call: Call, code: OauthToken) -> dict[str, Any]:
    answer = _access(call, **_of(code))
    if not code.is_offline:
        return answer
    refresh = new_token(call, "1//0", 64)
    keep(call, refresh, None, kind="refresh", **_of(code))
    return {**answer, "refresh_token": refresh}


def _refresh_access(call: Call, given: str, credentials: Credentials) -> dict[str, Any]:
    """Grant an access token for an issued refresh token or that of the run; the refresh token stays valid."""
    if not given:
        raise InvalidRequest("Missing required parameter: refresh_token")
    known = valid_token(call, given, "refresh")
    client_id = client_of(call, credentials, public=bool(known and known.challenge))
    if known and known.client_id == client_id:
        return _access(call, **_of(known))
    user = call.tokens.refresh.get(given)
    if user is None:
        raise InvalidGrant("Token has been expired or revoked." if known is None else "Bad Request")
    return _access(call, client_id=client_id, user_id=user, scope="", is_offline=True)


def _grant_for_assertion(call: Call, assertion: str) -> dict[str, Any]:
    """Grant an access token to a service account.

    It acts as the user in `sub`, else as the account itself, else as the environment's user.
    """
    claims = claims_of(assertion)
    if claims is None or not claims.get("iss"):
        raise InvalidGrant("Invalid JWT: the assertion is no JSON Web Token with an issuer.")
    if "target_audience" in claims:
        raise InvalidRequest("target_audience: ID tokens are not implemented")
    lasts = _seconds(claims, "exp") - _seconds(claims, "iat")
    if not 0 < lasts <= HOUR:
        raise InvalidGrant("Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
    issuer, subject = str(claims["iss"]), str(claims.get("sub") or "")
    user = _user_with(call, subject or issuer)
    if not user and subject not in ("", issuer):
        raise InvalidGrant("Invalid email or User ID")
    if not user and call.strict:
        raise InvalidGrant("Invalid grant: account not found")
    return _access(call, client_id=issuer, user_id=user or call.actor, scope=str(claims.get("scope") or ""))


def _seconds(claims: dict[str, Any], name: str) -> float:
    value = claims.get(name)
    return value if isinstance(value, int | float) else 0


@api.post("/revoke", open=True)
def revoke(call: Call, token: str = "") -> dict[str, Any]:
    """Revoke a token, and all tokens of the same grant."""
    if not revoked(call, token):
        raise InvalidValue("Token expired or revoked")
    return {}


@api.get("/tokeninfo", open=True)
@api.get("/oauth2/v3/tokeninfo", open=True)
def tokeninfo(call: Call, access_token: str = "") -> dict[str, Any]:
    """Return the user, client, scope and expiration of an access token."""
    known = valid_token(call, access_token, "access")
    if known is None:
        raise InvalidValue("Invalid Value")
    user = call.db.find(CalendarUser, CalendarUser.id == known.user_id)
    ends = (known.expires or 0) // MICROSECOND
    return {
        "azp": known.client_id,
        "aud": known.client_id,
        "sub": known.user_id,
        "scope": known.scope,
        "exp": str(ends),
        "expires_in": str(ends - call.clock.unix()),
        **({"email": user.email, "email_verified": "true"} if user else {}),
        "access_type": "offline" if known.is_offline else "online",
    }


@api.get("/oauth2/v3/userinfo")
@api.get("/v1/userinfo")
def userinfo(call: Call) -> dict[str, Any]:
    """Return the profile of the signed-in user.

    https://developers.google.com/identity/openid-connect/openid-connect#obtaininguserprofileinformation
    """
    user = call.db.find(CalendarUser, CalendarUser.id == call.actor)
    if user is None:
        raise InvalidToken("Invalid Credentials")
    name = user.display_name or user.email.partition("@")[0]
    given, _, family = name.partition(" ")
    said = {"sub": user.id, "name": name, "given_name": given, "email": user.email, "email_verified": True}
    return {**said, "family_name": family} if family else said

"""OAuth 2.0: client authentication, and the codes and tokens that a twin issues.

https://www.rfc-editor.org/rfc/rfc6749 · https://www.rfc-editor.org/rfc/rfc7636 · https://www.rfc-editor.org/rfc/rfc7523
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b, sha256
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl, unquote_plus, urlencode

from .auth import is_same_secret
from .call import Call
from .clock import SECOND
from .errors import ApiError, MissingToken, UnknownToken
from .http import Request, Response, json_answer
from .links import split_url
from .request_context import RequestContext
from .rows import Column, Row, column
from .styles.base import Style

JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
CODE_SECONDS = 600
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class OauthToken(Row, table="oauth_tokens", key=("token",), indexes=(("grant",),), visibility="bookkeeping"):
    """An issued code, access token or refresh token (`kind`); `token` is its hash.

    `grant` is shared by all tokens of one consent; `expires` is in microseconds since 1970, None for never.
    """

    token: Column[str]
    kind: Column[str]
    grant: Column[str]
    client_id: Column[str]
    user_id: Column[str]
    scope: Column[str] = column(default="")
    expires: Column[int | None] = column(default=None)
    redirect_uri: Column[str] = column(default="")
    challenge: Column[str] = column(default="")
    is_offline: Column[bool] = column(default=False)
    is_revoked: Column[bool] = column(default=False)


OAUTH_SECRETS = (OauthToken.token, OauthToken.grant)
"""The columns with secrets that exports leave out; see `Twin(secret_columns=…)`."""


class OauthError(ApiError):
    """The request could not be fulfilled."""


class InvalidRequest(OauthError):
    """The request lacks a parameter or has one that cannot be read."""


class InvalidClient(OauthError):
    """The client is not known, or its secret is wrong."""

    status = 401


class InvalidGrant(OauthError):
    """The grant is not valid: it is unknown, expired, revoked or was given to another client."""


class UnsupportedGrantType(OauthError):
    """There is no such grant type."""


class NoToken(MissingToken):
    """No access token was given."""

    code = "invalid_request"


class InvalidToken(UnknownToken):
    """The access token is not valid."""


class OauthStyle(Style):
    """Forms in, JSON out; errors as in section 5.2 of RFC 6749."""

    missing_token = NoToken
    unknown_token = InvalidToken

    def body(self, request: Request) -> dict[str, Any]:
        """The parameters of a form without a content type, or of a JSON object, which some servers accept too."""
        if request.body.lstrip().startswith(b"{"):
            return super().body(request)
        return dict(parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True))

    def result(self, value: Any, exchange: RequestContext) -> Response:
        return super().result(value, exchange)._replace(headers=(("Cache-Control", "no-store"), ("Pragma", "no-cache")))

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        is_ours = isinstance(error, OauthError | NoToken | InvalidToken) or error.status >= 500
        document = {"error": error.code if is_ours else InvalidRequest.code, "error_description": str(error)}
        challenge = (("WWW-Authenticate", "Basic"),) if isinstance(error, InvalidClient) else ()
        return json_answer(document, error.status, (*error.headers, *challenge))


class Credentials(NamedTuple):
    """The credentials of an application: from the form, or from the header Authorization (basic)."""

    client_id: str
    client_secret: str
    authorization: str


def client_of(call: Call, given: Credentials, *, public: bool = False) -> str:
    """Authenticate an application and return its client id; raises InvalidClient.

    If the environment lists applications, only those are known; otherwise any is accepted. A `public` application needs
    no secret, since it is authenticated by other means (PKCE).
    """
    basic = Request("", "", headers={"authorization": given.authorization}).basic()
    client_id, client_secret = (unquote_plus(each) for each in basic) if basic else given[:2]
    known = call.tokens.clients
    if not client_id or (known and client_id not in known):
        raise InvalidClient("The OAuth client was not found.")
    if not client_secret and public:
        return client_id
    if not client_secret or not is_same_secret(client_secret, known.get(client_id, client_secret)):
        raise InvalidClient("The client secret is wrong or missing.")
    return client_id


def new_token(call: Call, prefix: str, length: int = 48) -> str:
    """A new code or token: `prefix` followed by `length` letters and digits."""
    return call.ids.new(prefix, length, _LETTERS)


def keep(call: Call, token: str, seconds: int | None, **fields: Any) -> OauthToken:
    """Store an issued token that is valid for `seconds` (None: forever); `fields` are further columns of OauthToken.

    The token begins a new grant unless `fields` has a `grant`.
    """
    sealed = _hash_token(token)
    expires = None if seconds is None else call.clock.micros + seconds * SECOND
    given: dict[str, Any] = {"grant": sealed, **fields}
    return call.db.add(OauthToken(token=sealed, expires=expires, **given))


def valid_token(call: Call, token: str, kind: str) -> OauthToken | None:
    """The stored token of this kind, or None if it is unknown, expired or revoked."""
    known = call.db.find(OauthToken, OauthToken.token == _hash_token(token)) if token else None
    is_valid = known is not None and known.kind == kind and not known.is_revoked and not _is_over(call, known)
    return known if is_valid else None


def _is_over(call: Call, known: OauthToken) -> bool:
    return known.expires is not None and known.expires <= call.clock.micros


def revoke(call: Call, token: str) -> bool:
    """Revoke an access or refresh token with all tokens of its grant; returns whether the token was valid."""
    known = valid_token(call, token, "access") or valid_token(call, token, "refresh")
    if known:
        for each in call.db.rows(OauthToken, OauthToken.grant == known.grant):
            if not each.is_revoked:
                call.db.change(each, is_revoked=True)
    return known is not None


def redirect(redirect_uri: str, **parameters: str) -> Response:
    """Redirect (302) a browser to the application with the parameters that are not empty.

    Raises InvalidRequest if `redirect_uri` is not an absolute URL.
    """
    parts = split_url(redirect_uri)
    if not parts.scheme or not (parts.netloc or parts.path.startswith("/")):
        raise InvalidRequest(f"redirect_uri: '{redirect_uri[:200]}' is no absolute address")
    query = urlencode([*parse_qsl(parts.query), *((name, value) for name, value in parameters.items() if value)])
    return Response(b"", 302, headers=(("Location", parts._replace(query=query, fragment="").geturl()),))


def challenge_of(challenge: str, method: str) -> str:
    """The S256 form of a code challenge (RFC 7636), to store with the code; empty without a challenge.

    Raises InvalidRequest for a method other than `plain` and `S256`.
    """
    if challenge and method not in ("", "plain", "S256"):
        raise InvalidRequest(f"code_challenge_method: '{method[:50]}' is neither S256 nor plain")
    return _challenge_of(challenge) if challenge and method != "S256" else challenge


def fits_challenge(challenge: str, verifier: str) -> bool:
    """Whether a code verifier matches the result of `challenge_of`; always true without a challenge."""
    return not challenge or is_same_secret(_challenge_of(verifier), challenge)


def redeem_code(call: Call, code: str, redirect_uri: str, verifier: str, given: Credentials) -> OauthToken:
    """Authenticate the client, use up its code, and return the stored code; raises InvalidGrant or InvalidClient."""
    known = valid_token(call, code, "code")
    client_id = client_of(call, given, public=bool(known and known.challenge))
    return redeem(call, known, redirect_uri, verifier, client_id)


def redeem(call: Call, known: OauthToken | None, redirect_uri: str | None, verifier: str, client_id: str) -> OauthToken:
    """Use up a code for an authenticated client, and return the stored code; raises InvalidGrant.

    If `redirect_uri` is None, it is not compared with the one of the authorization request.
    """
    if known is None:
        raise InvalidGrant("The code is malformed, expired or was used before.")
    if known.client_id != client_id:
        raise InvalidGrant("The code was given to another client.")
    if redirect_uri is not None and known.redirect_uri != redirect_uri:
        raise InvalidGrant("The redirect_uri is not the one that the code was sent to.")
    if not fits_challenge(known.challenge, verifier):
        raise InvalidGrant("The code verifier does not fit the code challenge.")
    return call.db.change(known, is_revoked=True)


def claims_of(assertion: str) -> dict[str, Any] | None:
    """The claims of a JSON Web Token, or None for any other text. The signature is not verified."""
    parts = assertion.split(".")
    if len(parts) != 3:
        return None
    try:
        read: Any = json.loads(urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], read) if isinstance(read, dict) else None


def actor_of_token(call: Call, prefix: str, unknown: type[ApiError]) -> str | None:
    """The id of the user that the call's access token acts as, or None if this twin did not issue the token.

    Only tokens that begin with `prefix` are looked up. Raises `unknown` for a token that is revoked or expired.
    """
    if not call.token.startswith(prefix):
        return None
    if known := valid_token(call, call.token, "access"):
        return known.user_id
    if call.db.find(OauthToken, OauthToken.token == _hash_token(call.token)):
        raise unknown
    return None


def _hash_token(token: str) -> str:
    return blake2b(token.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _challenge_of(verifier: str) -> str:
    return urlsafe_b64encode(sha256(verifier.encode("utf-8", "replace")).digest()).decode().rstrip("=")

"""The middleware of every operation: who asks, the page asked for, entity tags and GitHub's headers.

https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b, sha256
from typing import Any
from urllib.parse import parse_qsl

from twindiff.kit import Call, RequestContext, Response
from twindiff.kit.errors import ApiError
from twindiff.kit.etags import names_version

from ..core.access import authorize
from ..core.permissions import ALL_SCOPES
from ..core.token_grants import accepted_permissions, token_of
from ..tables.user_tables import AccessToken, User
from ..wire_style import BadCredentials
from .app_tokens import BOT, check_jwt, is_jwt

LIMIT, HOUR_SECONDS = 5000, 3600
SEARCH_LIMIT = 30


def actor_of(call: Call) -> str | None:
    """Return the login that a token issued here acts as; raise BadCredentials for one that has expired,
    and for a JWT that GitHub refuses."""
    if is_jwt(call.token):
        check_jwt(call, call.token)
        call.memo["app"] = True
        return BOT
    known = call.db.find(AccessToken, AccessToken.token == call.token)
    if known is None:
        return None
    if known.expires_at and known.expires_at <= call.clock.iso():
        raise BadCredentials
    call.memo["token"] = known
    return known.user


def guard(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Note the request's page and media type, run the handler, and add entity tags and GitHub's headers."""
    request = exchange.request
    call.memo["path"] = request.path
    call.memo["parameters"] = exchange.path_parameters
    call.memo["query"] = dict(parse_qsl(request.query, keep_blank_values=True, max_num_fields=1000))
    call.memo["accept"] = request.headers.get("accept", "")
    if call.actor and call.db.find(User, User.login == call.actor) is None:
        call.actor = _login_of(call, call.actor)
    try:
        authorize(call, exchange.operation.declared.verb, exchange.operation.declared.path, exchange.path_parameters)
        answer = exchange.answer(proceed())
    except ApiError as error:
        error.details["headers"] = (*error.headers, *_headers(exchange, call))
        raise
    headers = _headers(exchange, call)
    if request.verb in ("GET", "HEAD") and answer.status == 200 and answer.parts is None:
        etag = f'W/"{sha256(answer.body).hexdigest()}"'
        headers += (("ETag", etag), ("Cache-Control", "private, max-age=60, s-maxage=60"))
        if names_version(request.headers.get("if-none-match", "-"), etag):
            return Response(b"", 304, content_type="", headers=headers)
    return answer._replace(headers=(*answer.headers, *headers))


def _login_of(call: Call, actor: str) -> str:
    """Return the login of a user who is given by email address or in another case; else the actor unchanged."""
    user = call.db.find(User, User.login.equals(actor)) or call.db.find(User, User.email == actor)
    return user.login if user else actor


def _headers(exchange: RequestContext, call: Call) -> tuple[tuple[str, str], ...]:
    """Return the headers that all answers have."""
    request = exchange.request
    is_search = request.path.startswith("/search")
    limit = SEARCH_LIMIT if is_search else LIMIT
    about = f"{request.verb} {request.path} {request.query} {call.clock.micros}"
    return (
        ("X-GitHub-Media-Type", "github.v3; format=json"),
        ("X-GitHub-Api-Version-Selected", request.headers.get("x-github-api-version", "2022-11-28")),
        ("X-GitHub-Request-Id", blake2b(about.encode(), digest_size=10).hexdigest().upper()),
        *_token_headers(call),
        ("X-RateLimit-Limit", str(limit)),
        ("X-RateLimit-Remaining", str(limit - 1)),
        ("X-RateLimit-Used", "1"),
        ("X-RateLimit-Reset", str(call.clock.unix() + HOUR_SECONDS)),
        ("X-RateLimit-Resource", "search" if is_search else "core"),
    )


def _token_headers(call: Call) -> tuple[tuple[str, str], ...]:
    """Return the headers that say what the token may do, and what the operation asks for."""
    token, required = token_of(call), call.memo.get("required")
    if token is None or token.scopes is not None:
        scopes = ALL_SCOPES if token is None else token.scopes
        accepted = required.scopes if required else ()
        return (("X-OAuth-Scopes", ", ".join(scopes)), ("X-Accepted-OAuth-Scopes", ", ".join(accepted)))
    if required is None:
        return ()
    wanted = "; ".join(f"{name}={required.access}" for name in accepted_permissions(required))
    return (("X-Accepted-GitHub-Permissions", wanted),)

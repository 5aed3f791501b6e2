"""Who may pass. An agent's token opens its own environment and nothing else, so that no agent can judge itself."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Container, Mapping
from functools import lru_cache

from twindiff.environments.environments import TOKEN_PREFIX, LoadedEnvironment
from twindiff.environments.registry import Registry, did_you_mean
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.styles.base import Style
from twindiff.server.run_errors import RunFailure

OPEN = {"GET /health", "GET /ready"}
"""Control-plane operations that need no key, and no twin."""

LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


class MissingApiKey(ApiError):
    """missing api key"""

    status = 401


class InvalidApiKey(ApiError):
    """invalid api key"""

    status = 401


class Unauthorized(ApiError):
    """unauthorized"""

    status = 403


class AgentUnauthorized(Unauthorized):
    """unauthorized: an agent token does not open the control plane"""

    code = "unauthorized"


class ForeignHost(ApiError):
    """Without an API key the server answers to names of this machine only."""

    status = 403


class ForeignOrigin(ApiError):
    """Without an API key the server answers to pages of this machine only."""

    status = 403


class CrossSite(ApiError):
    """Without an API key the server does not answer what pages of other sites ask for."""

    status = 403


class TwinNotFound(ApiError):
    """The environment has no such twin."""

    status = 404


@lru_cache(maxsize=1024)
def _is_here(host: str) -> bool:
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() in LOOPBACK or name.lower().endswith(".localhost")


def check_origin(headers: Mapping[str, str], *, is_page: bool = False) -> None:
    """Keep pages of other sites out: one that rebinds DNS names its own host, any other says its origin or its site.

    Browsers send `Sec-Fetch-Site` with requests that have no origin, such as those of forms, images and links. To them
    `localhost` and `127.0.0.1` are two sites, so what a page of this machine asks for is let in. A link that a person
    follows from elsewhere leads to what is a page for people (`is_page`), and to no twin.
    """
    host, origin = headers.get("host", "").lower(), headers.get("origin", "")
    if not _is_here(host):
        raise ForeignHost(f"Host '{host}' is not a name of this machine; serve with an API key to be reached by others")
    if origin and not _is_here(origin.rpartition("//")[2]):
        raise ForeignOrigin(f"Origin '{origin}' is not of this machine; serve with an API key to be reached by others")
    is_cross_site = headers.get("sec-fetch-site") == "cross-site" and not origin
    if is_cross_site and not (is_page and _is_followed(headers)) and not _is_referred(headers):
        raise CrossSite("A page of another site asked for this; serve with an API key to be reached by others")


def _is_followed(headers: Mapping[str, str]) -> bool:
    """Whether a browser asks for what it is to show in a tab, of which the page that led to it sees nothing."""
    return (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")


def _is_referred(headers: Mapping[str, str]) -> bool:
    """Whether a page of this machine asks; no page can name another site than its own here."""
    return _is_here(headers.get("referer", "").partition("//")[2].partition("/")[0])


def agent_token(headers: Mapping[str, str]) -> str:
    """The agent's token that the headers of a request bring in any form; empty without one."""
    request = Request("GET", "", headers={name: headers.get(name, "") for name in ("authorization", "x-api-key")})
    given = (request.headers["x-api-key"], request.bearer() or "", *(request.basic() or ()))
    return next((each for each in given if each.startswith(TOKEN_PREFIX)), "")


def authorize_control(key: str | None, request: Request, operation: str, free: Container[str] = OPEN) -> None:
    """Let the platform key in, or anyone but an agent where there is none; `free` are operations that need no key."""
    if agent_token(request.headers):
        raise AgentUnauthorized
    api_key, token = request.headers.get("x-api-key", ""), request.bearer() or ""
    if key is None or operation in free:
        return
    given = api_key or token
    if not given:
        raise MissingApiKey
    if not same(given, key):
        raise InvalidApiKey


def authorize(
    key: str | None,
    environment: LoadedEnvironment,
    request: Request,
    token: str,
    *,
    is_open: bool,
    is_known: Callable[[], bool],
) -> bool:
    """Let a data-plane request in; whether it came with the platform key or the environment's agent token.

    `is_known` says whether the twin has issued the token itself. Raises Unauthorized, InvalidApiKey, MissingApiKey.
    """
    given = (token, request.headers.get("x-api-key", ""))
    ours = [each for each in given if each.startswith(TOKEN_PREFIX)]
    if not all(environment.opens_with(each) for each in ours):
        raise Unauthorized("unauthorized: this token belongs to another environment")
    if ours:
        return True
    if key is None:
        return False
    if any(same(each, key) for each in given):
        return True
    if is_open or token in environment.tokens.actors or (token and is_known()):
        return False
    raise InvalidApiKey if any(given) else MissingApiKey


def token_of(style: Style, request: Request) -> str:
    """The token of a request; none when it cannot be read, which is for the twin to say in the vendor's words."""
    try:
        token: object = style.token(request)
    except ApiError:
        return ""
    return token if isinstance(token, str) else ""


def same(given: str, key: str) -> bool:
    """Compare secrets in constant time."""
    return secrets.compare_digest(given.encode(), key.encode())


def no_such_twin(environment: LoadedEnvironment, name: str, registry: Registry) -> ApiError:
    """What to say of a twin that an environment lacks."""
    have = ", ".join(environment.twins)
    near = [alias for alias, twin in registry.by_alias.items() if twin.name in environment.twins]
    return TwinNotFound(
        f"environment '{environment.id}' has no twin '{name}'; it has {have}.{did_you_mean(name, near)}"
    )


def refusal(error: ApiError) -> Response:
    """An error that no style has a form for; it reads as one to clients of every style."""
    if isinstance(error, RunFailure):
        return error.answer()
    body = {"ok": False, "error": error.code, "detail": str(error)}
    return json_answer(body, error.status, tuple(error.details.get("headers", ())))

"""Authorization of requests. An agent token opens its own environment only, so that no agent can grade itself."""

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
"""Control-plane operations that need no key and no loaded twin."""

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
    """Refuse requests from pages of other sites; raises ForeignHost, ForeignOrigin or CrossSite.
    A page that rebinds DNS names its own host in `Host`; any other foreign page reveals itself by `Origin` or
    `Sec-Fetch-Site`. Browsers send the latter with requests that have no origin, such as forms, images and links.
    Browsers treat `localhost` and `127.0.0.1` as two sites, so a cross-site request whose referrer is on this machine
    is allowed. With `is_page`, so is a link that a person follows from another site; twins are never reachable that
    way.
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
    """Whether this is a top-level navigation, whose response the linking page cannot read."""
    return (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")


def _is_referred(headers: Mapping[str, str]) -> bool:
    """Whether the referrer is on this machine; a page cannot forge the host of its own referrer."""
    return _is_here(headers.get("referer", "").partition("//")[2].partition("/")[0])


def agent_token(headers: Mapping[str, str]) -> str:
    """The agent token in the headers of a request, in any of the supported forms; empty without one."""
    request = Request("GET", "", headers={name: headers.get(name, "") for name in ("authorization", "x-api-key")})
    given = (request.headers["x-api-key"], request.bearer() or "", *(request.basic() or ()))
    return next((each for each in given if each.startswith(TOKEN_PREFIX)), "")


def authorize_control(key: str | None, request: Request, operation: str, free: Container[str] = OPEN) -> None:
    """Authorize a control-plane request; `free` names the operations that need no key.
    Without a platform key every client but an agent is authorized. Raises AgentUnauthorized, MissingApiKey,
    InvalidApiKey.
    """
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
    """Authorize a data-plane request. True if it has the platform key or the environment's agent token.
    `is_known` tells whether the twin has issued the token itself. Raises Unauthorized, InvalidApiKey, MissingApiKey.
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
    """The token of a request; empty if it cannot be read, so that the twin refuses it with the vendor's error."""
    try:
        token: object = style.token(request)
    except ApiError:
        return ""
    return token if isinstance(token, str) else ""


def same(given: str, key: str) -> bool:
    """Compare secrets in constant time."""
    return secrets.compare_digest(given.encode(), key.encode())


def no_such_twin(environment: LoadedEnvironment, name: str, registry: Registry) -> ApiError:
    """The TwinNotFound error for an environment without the named twin; lists its twins and near misses."""
    have = ", ".join(environment.twins)
    near = [alias for alias, twin in registry.by_alias.items() if twin.name in environment.twins]
    return TwinNotFound(
        f"environment '{environment.id}' has no twin '{name}'; it has {have}.{did_you_mean(name, near)}"
    )


def refusal(error: ApiError) -> Response:
    """Render an error outside of any style; its body is recognizable as an error to clients of every style."""
    if isinstance(error, RunFailure):
        return error.answer()
    body = {"ok": False, "error": error.code, "detail": str(error)}
    return json_answer(body, error.status, tuple(error.details.get("headers", ())))

"""Who may pass. An agent's token opens its own environment and nothing else, so that no agent can judge itself."""

from __future__ import annotations

import secrets
from functools import lru_cache

from twindiff.environments.environments import TOKEN_PREFIX, Environment
from twindiff.environments.registry import Registry, did_you_mean
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Answer, Request, json_answer
from twindiff.kit.twin import Twin

OPEN = {"GET /health", "GET /ready"}
"""Control-plane operations that need no key."""

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


class ForeignHost(ApiError):
    """Without an API key the server answers to names of this machine only."""

    status = 403


class ForeignOrigin(ApiError):
    """Without an API key the server answers to pages of this machine only."""

    status = 403


class TwinNotFound(ApiError):
    """The environment has no such twin."""

    status = 404


@lru_cache(maxsize=1024)
def _is_here(host: str) -> bool:
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() in LOOPBACK or name.lower().endswith(".localhost")


def refuse_foreigners(host: str, origin: str) -> None:
    """Keep pages of other sites out: one that rebinds DNS names its own host, any other says its origin."""
    if not _is_here(host):
        raise ForeignHost(f"Host '{host}' is not a name of this machine; serve with an API key to be reached by others")
    if origin and not _is_here(origin.rpartition("//")[2]):
        raise ForeignOrigin(f"Origin '{origin}' is not of this machine; serve with an API key to be reached by others")


def open_control_plane(key: str | None, request: Request, operation: str) -> None:
    """Let the platform key in, or anyone but an agent where there is none."""
    api_key, token = request.headers.get("x-api-key", ""), request.bearer() or ""
    if api_key.startswith(TOKEN_PREFIX) or token.startswith(TOKEN_PREFIX):
        raise Unauthorized("unauthorized: an agent token does not open the control plane")
    if key is None or operation in OPEN:
        return
    given = api_key or token
    if not given:
        raise MissingApiKey
    if not same(given, key):
        raise InvalidApiKey


def admit(key: str | None, environment: Environment, twin: Twin, request: Request) -> bool:
    """Let a data-plane request in; whether it came with the platform key or the environment's agent token."""
    given = (_token(twin, request), request.headers.get("x-api-key", ""))
    ours = [each for each in given if each.startswith(TOKEN_PREFIX)]
    if not all(environment.opens_with(each) for each in ours):
        raise Unauthorized("unauthorized: this token belongs to another environment")
    if ours:
        return True
    if key is None:
        return False
    if any(same(each, key) for each in given):
        return True
    if given[0] in environment.tokens.actors:
        return False
    if _is_open(twin, request):
        return False
    raise InvalidApiKey if any(given) else MissingApiKey


def _is_open(twin: Twin, request: Request) -> bool:
    """Whether a request is for an operation that needs no token."""
    found = twin.dispatch.find(request.verb, request.path)
    return found is not None and found.operation.declared.open


def _token(twin: Twin, request: Request) -> str:
    """The token of a request; none when it cannot be read, which is for the twin to say in the vendor's words."""
    try:
        token: object = twin.style.token(request)
    except ApiError:
        return ""
    return token if isinstance(token, str) else ""


def same(given: str, key: str) -> bool:
    """Compare secrets in constant time."""
    return secrets.compare_digest(given.encode(), key.encode())


def no_such_twin(environment: Environment, name: str, registry: Registry) -> ApiError:
    """What to say of a twin that an environment lacks."""
    have = ", ".join(environment.twins)
    near = [alias for alias, twin in registry.by_alias.items() if twin.name in environment.twins]
    return TwinNotFound(
        f"environment '{environment.id}' has no twin '{name}'; it has {have}.{did_you_mean(name, near)}"
    )


def refusal(error: ApiError) -> Answer:
    """An error that no style has a form for; it reads as one to clients of every style."""
    body = {"ok": False, "error": error.code, "detail": str(error)}
    return json_answer(body, error.status, tuple(error.details.get("headers", ())))

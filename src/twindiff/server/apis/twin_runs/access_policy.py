"""Access policy of a run's twins: public, or restricted to clients that send the run's proxy token."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from twindiff.environments.access_policy import EnvironmentAccessPolicy
from twindiff.environments.environments import EnvironmentDeleted, EnvironmentExpired, LoadedEnvironment
from twindiff.kit.http import Request
from twindiff.server.apis.twin_runs.admin import HEALTH, is_admin
from twindiff.server.auth import same
from twindiff.server.run_errors import AuthenticationRequired, EnvironmentDestroyed, InvalidProxyToken
from twindiff.server.service import Service

COOKIE = "arga_env_proxy_token"
HEADER = "x-proxy-token"


def existing(service: Service, environment_id: str) -> LoadedEnvironment:
    """Find a usable environment; raises what `Environments.get` raises, or EnvironmentDestroyed for an ended run."""
    try:
        return service.environments.get(environment_id)
    except (EnvironmentDeleted, EnvironmentExpired) as error:
        if service.environments.record(environment_id).gate:
            raise EnvironmentDestroyed(str(error)) from None
        raise


def pass_gate(gate: EnvironmentAccessPolicy, request: Request) -> Request:
    """Authorize a request, and remove the proxy token from its query; raises AuthenticationRequired, InvalidProxyToken.
    The admin API requires the token for public runs too; `/healthz` does not.
    """
    given, request = _extract_token(gate, request)
    is_needed = not gate.is_public or (is_admin(request.path) and request.path != HEALTH)
    if is_needed and not (given is not None and same(given, gate.proxy_token)):
        raise AuthenticationRequired if given is None else InvalidProxyToken
    return request


def _extract_token(gate: EnvironmentAccessPolicy, request: Request) -> tuple[str | None, Request]:
    """Extract the proxy token of a request; returns the token and the request.
    A token in the query or in the header Authorization is removed, because the vendor's own token may be there.
    """
    query = parse_qsl(request.query, keep_blank_values=True) if "token=" in request.query else []
    named = [value for name, value in query if name == "token"]
    if any(same(value, gate.proxy_token) for value in named):
        rest = [(name, value) for name, value in query if (name, value) != ("token", gate.proxy_token)]
        return gate.proxy_token, request._replace(query=urlencode(rest))
    if request.headers.get("authorization") and same(request.bearer() or "", gate.proxy_token):
        return gate.proxy_token, request._replace(headers={**request.headers, "authorization": ""})
    return request.headers.get(HEADER) or _cookie(request) or next(iter(named), None), request


def _cookie(request: Request) -> str | None:
    try:
        cookie = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return cookie.value if cookie else None

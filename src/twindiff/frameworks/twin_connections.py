"""How episodes call twins: directly in process, or over HTTP connections that all episodes of a platform share."""

from __future__ import annotations

from typing import Any, Protocol, cast
from weakref import WeakKeyDictionary

import httpx

from twindiff.client import Client, Environment, Test
from twindiff.client.mcp_tools import McpTools
from twindiff.client.sync_client import Platform
from twindiff.client.transport import is_secured
from twindiff.client.twin_tool import SHOWN, MalformedCall, TwinResponse, build_request

SECONDS_OF_A_CALL = 60.0
MAX_CONNECTIONS = 256


class TwinConnection(Protocol):
    """Calls the twins of environments."""

    def send(self, environment: Environment, test: Test, arguments: dict[str, Any]) -> TwinResponse:
        """Send the request in a tool call's arguments; malformed ones get a response with the status 0."""
        ...

    def tools(self, environment: Environment, test: Test) -> McpTools:
        """The tools that the twins of an environment offer by MCP."""
        ...


_connections: WeakKeyDictionary[Platform, TwinConnection] = WeakKeyDictionary()


def connection_of(platform: Platform) -> TwinConnection:
    """Return the connection to a platform's twins; there is one for each platform."""
    if platform not in _connections:
        is_remote = isinstance(platform, Client)
        _connections[platform] = (
            HttpConnection(platform) if is_remote else InProcessConnection(cast(LocalPlatform, platform))
        )
    return _connections[platform]


class LocalPlatform(Protocol):
    """A Twindiff, or a pool of them: requests reach it without a connection."""

    def transport(self) -> TwinTransport:
        """What handles requests whose paths name an environment."""
        ...


class TwinTransport(Protocol):
    """Handles requests of httpx."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Handle a request."""
        ...


class _Twins:
    """The base URLs of the twins of tests, which are the same in all environments but for the environment's id."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._of_test: dict[str, tuple[str, ...]] = {}

    def urls(self, environment: Environment, test: Test) -> dict[str, str]:
        if test.id not in self._of_test:
            self._of_test[test.id] = tuple(environment.show().templates)
        base = f"{self._platform.base_url}/api/env/{environment.id}/services/"
        return {twin: base + twin for twin in self._of_test[test.id]}


class InProcessConnection:
    """Hands requests to the twins in this process, or to those of a pool, without a socket."""

    def __init__(self, platform: LocalPlatform) -> None:
        self._twins = _Twins(cast(Platform, platform))
        self._transport = platform.transport()

    def send(self, environment: Environment, test: Test, arguments: dict[str, Any]) -> TwinResponse:
        headers = {"Authorization": f"Bearer {environment.token}"}
        try:
            request = build_request(self._twins.urls(environment, test), arguments, headers)
        except MalformedCall as error:
            return TwinResponse(0, str(error))
        answer = self._transport.handle_request(request)
        return TwinResponse(answer.status_code, answer.text[:SHOWN])

    def tools(self, environment: Environment, test: Test) -> McpTools:
        headers = {"Authorization": f"Bearer {environment.token}"}

        def send(url: str, message: dict[str, Any]) -> dict[str, Any]:
            request = httpx.Request("POST", url, json=message, headers=headers)
            return self._transport.handle_request(request).json()

        return McpTools(self._twins.urls(environment, test), send)


class HttpConnection:
    """Sends requests over connections that are kept open."""

    def __init__(self, platform: Platform) -> None:
        self._twins = _Twins(platform)
        limits = httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS)
        verify = is_secured(platform.base_url)
        self._http = httpx.Client(trust_env=False, verify=verify, timeout=SECONDS_OF_A_CALL, limits=limits)

    def send(self, environment: Environment, test: Test, arguments: dict[str, Any]) -> TwinResponse:
        headers = {"Authorization": f"Bearer {environment.token}"}
        try:
            answer = self._http.send(build_request(self._twins.urls(environment, test), arguments, headers))
        except MalformedCall as error:
            return TwinResponse(0, str(error))
        except httpx.HTTPError as error:
            return TwinResponse(0, f"The request could not be sent: {error}")
        return TwinResponse(answer.status_code, answer.text[:SHOWN])

    def tools(self, environment: Environment, test: Test) -> McpTools:
        headers = {"Authorization": f"Bearer {environment.token}"}

        def send(url: str, message: dict[str, Any]) -> dict[str, Any]:
            answer = self._http.post(url, json=message, headers=headers)
            answer.raise_for_status()
            return answer.json()

        return McpTools(self._twins.urls(environment, test), send)

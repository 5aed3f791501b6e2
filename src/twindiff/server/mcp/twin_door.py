"""MCP for the twins of an environment: a call of a tool is a request to a twin, like any other.

Each request is authorized, logged and subject to faults by the same code as requests by URL.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from twindiff.kit.http import Request, Response
from twindiff.kit.twin import Twin
from twindiff.kit.vendor_hosts import VendorHost, find_vendor_host
from twindiff.server.apis.twin_runs.access_policy import HEADER as PROXY_TOKEN_HEADER
from twindiff.server.bodies import Receive, give_body, read_body
from twindiff.server.data_plane import DataPlane
from twindiff.server.mcp_address import MCP_PATH
from twindiff.server.service import Service
from twindiff.server.targets import RequestTarget

from .json_rpc import MAX_MESSAGE_BYTES, keep_headers, read_arguments, refuse_verb, respond
from .tool_sets import (
    CALL_TOOL,
    SEARCH_TOOL,
    ToolChoice,
    ToolSet,
    build_tool_set,
    read_choice,
    read_search,
)

REDIRECTS = (301, 302, 303, 307, 308)
MAX_TOOL_SETS = 100
"""The most combinations of twins and chosen tools whose lists are kept."""
Json = dict[str, Any]


class TwinDoor:
    """Serves MCP for one twin of an environment, or for all of them."""

    def __init__(self, service: Service, data_plane: DataPlane) -> None:
        self._service = service
        self._data_plane = data_plane
        self._tool_sets: dict[tuple[tuple[Twin, ...], ToolChoice, bool], ToolSet] = {}

    def serves(self, target: RequestTarget) -> bool:
        """Whether a request is MCP: by its path, or as it goes to the host of the vendor's MCP server."""
        if target.path == MCP_PATH:
            return True
        twin = self._service.registry.by_alias.get(target.twin) if target.vendor_host else None
        return bool(twin and twin.vendor_tools and twin.vendor_tools.host == target.vendor_host)

    async def answer(self, request: Request, target: RequestTarget, receive: Receive) -> Response:
        """Respond to a request; raises ApiError if there is no such environment or twin, or it is not authorized."""
        if refused := refuse_verb(request):
            return refused
        choice = read_choice(request)
        twins = await self._data_plane.admit(request, target)
        body = await read_body(request, receive, MAX_MESSAGE_BYTES)
        opened = partial(self._open, twins, request, target, choice, receive)
        return await respond(request._replace(body=body), opened)

    async def _open(
        self, twins: tuple[Twin, ...], request: Request, target: RequestTarget, choice: ToolChoice, receive: Receive
    ) -> OpenedTools:
        key = twins, choice, not target.twin
        tools = self._tool_sets.get(key)
        if tools is None:
            build = partial(build_tool_set, twins, choice, prefixed=not target.twin)
            tools = self._tool_sets[key] = await self._service.runtime.run_in_thread(build)
            if len(self._tool_sets) > MAX_TOOL_SETS:
                del self._tool_sets[next(iter(self._tool_sets))]
        hosts = {twin.name: twin.hosts for twin in twins} if target.vendor_host else {}
        return OpenedTools(self._data_plane, tools, request, target, receive, hosts)


class OpenedTools:
    """The tools of an environment for one message."""

    def __init__(
        self,
        data_plane: DataPlane,
        tools: ToolSet,
        request: Request,
        target: RequestTarget,
        receive: Receive,
        hosts: Mapping[str, tuple[VendorHost, ...]],
    ) -> None:
        self._data_plane = data_plane
        self._tools = tools
        self._request = request
        self._target = target
        self._receive = receive
        self._hosts = hosts

    @property
    def instructions(self) -> str:
        """What a model should know of the server."""
        named = ", ".join(dict.fromkeys(tool.twin for tool in self._tools.listed))
        more = f" More tools than are listed: find them with {SEARCH_TOOL}." if self._tools.has_search else ""
        return f"Tools of the API of {named}; results are the API's own responses.{more}"

    @property
    def encoded_tools(self) -> msgspec.Raw:
        """The list of the tools as JSON."""
        return self._tools.encoded

    async def call(self, name: str, arguments: Json) -> Response:
        """The twin's response to a call; raises RpcError if there is no such tool."""
        if self._tools.has_search and name == SEARCH_TOOL:
            return read_search(self._tools, arguments)
        if self._tools.has_search and name == CALL_TOOL:
            name, arguments = str(arguments.get("name", "")), read_arguments(arguments.get("arguments"))
        tool = self._tools.find(name)
        return await tool.run(partial(self._send, tool.twin), arguments)

    async def _send(self, twin: str, request: Request) -> Response:
        """Send a request of the vendor's API to the twin, with the credentials of the message."""
        target = self._target
        base_url = target.base_url if target.twin else f"{target.base_url}{twin}"
        own = keep_headers(self._request)
        if token := self._request.query_parameters().get("token"):
            own.setdefault(PROXY_TOKEN_HEADER, token)
        headers = {**own, **request.headers, "content-length": str(len(request.body))}
        place = target._replace(twin=twin, path=request.path, base_url=base_url)
        answer = await self._data_plane.answer(
            request._replace(headers=headers), place, give_body(request.body, self._receive)
        )
        followed = _follow(answer, base_url, self._hosts.get(twin, ())) if request.verb == "GET" else None
        return await self._send(twin, followed) if followed else answer


def _follow(answer: Response, base_url: str, hosts: tuple[VendorHost, ...]) -> Request | None:
    """The request for the place that a redirect names, if the twin serves it, such as the content of a file.

    `hosts` are the vendor's, for callers who came by one of them.
    """
    place = next((value for name, value in answer.headers if name.lower() == "location"), "")
    if answer.status not in REDIRECTS:
        return None
    if place.startswith(f"{base_url}/"):
        path, _, query = place.removeprefix(base_url).partition("?")
        return Request("GET", unquote(path), query)
    parts = urlsplit(place)
    host = find_vendor_host(hosts, parts.hostname or "", parts.path)
    return Request("GET", unquote(host.prefix + parts.path), parts.query) if host else None

"""MCP over streamable HTTP without sessions: one JSON-RPC message per POST, and its response as JSON.

Serves the protocol revisions with a handshake (2024-11-05 to 2025-11-25) and the one without (2026-07-28).
https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, Protocol, cast

import msgspec

from twindiff import __version__
from twindiff.kit.http import Request, Response
from twindiff.kit.json_values import read_json

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
"""Revisions without a handshake, in which each request names its revision."""
VERSIONS = (*HANDSHAKE_VERSIONS, *MODERN_VERSIONS)
MAX_MESSAGE_BYTES = 4_000_000
"""The longest message, in bytes."""
MAX_BINARY_BYTES = 1_000_000
"""The largest file that a result holds, in bytes; a larger one is described only."""
MAX_ID_CHARACTERS = 1_000

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

_VERSION_HEADER = "mcp-protocol-version"
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_STATUS = {METHOD_NOT_FOUND: 404}
"""The HTTP status of an error in the revisions without a handshake, where it is not 400."""
_NOT_ALLOWED = (("Allow", "POST"),)
_OF_MCP = ("accept", "content-type", "content-length", "transfer-encoding")
"""Headers that describe a message itself, beside those that begin with `mcp-`."""
_UNCACHED = {"ttlMs": 0, "cacheScope": "private"}
_JSON = "application/json"
_SHOWN_HEADERS = ("location", "retry-after")

Json = dict[str, Any]


class RpcError(Exception):
    """A refused message: the code of JSON-RPC, and one sentence."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class ToolServer(Protocol):
    """What an MCP server offers."""

    @property
    def instructions(self) -> str:
        """What a model should know of the server."""
        ...

    @property
    def encoded_tools(self) -> msgspec.Raw:
        """The list of its tools as JSON."""
        ...

    async def call(self, name: str, arguments: Json) -> Response:
        """The response to a call of a tool; raises RpcError if there is no such tool."""
        ...


class RpcMessage(NamedTuple):
    """A JSON-RPC message; `id` is None for a notification."""

    method: str
    params: Json
    id: int | str | None
    version: str
    """The revision that the message names; empty if it names none."""

    @property
    def is_modern(self) -> bool:
        """Whether its revision has no handshake."""
        return self.version in MODERN_VERSIONS


def refuse_verb(request: Request) -> Response | None:
    """The response to a verb other than POST, as there are no sessions and no streams; None for POST."""
    if request.verb == "POST":
        return None
    detail = "Send MCP messages with POST; there are no sessions to read or end"
    said = {"ok": False, "error": "method_not_allowed", "detail": detail}
    return Response(msgspec.json.encode(said), 405, headers=_NOT_ALLOWED)


async def respond(request: Request, open_server: Callable[[], Awaitable[ToolServer]]) -> Response:
    """The response to one message; `open_server` is awaited for messages that need the server."""
    message: RpcMessage | None = None
    try:
        message = read_message(request)
        if message.id is None:
            return Response(b"", 202)
        result = await _result(message, open_server)
    except RpcError as error:
        return _render_error(error, message)
    if message.is_modern:
        result = {"resultType": "complete", **result}
    return Response(msgspec.json.encode({"jsonrpc": "2.0", "id": message.id, "result": result}))


def keep_headers(request: Request) -> dict[str, str]:
    """The headers of a message that also are those of the request that it leads to, such as its credentials."""
    return {name: value for name, value in request.headers.items() if name not in _OF_MCP and name[:4] != "mcp-"}


def read_message(request: Request) -> RpcMessage:
    """Parse a message; raises RpcError if it is malformed or of an unknown revision."""
    try:
        value = read_json(request.body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"The message is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise RpcError(INVALID_REQUEST, "The message must be one JSON-RPC object; batches are not supported")
    given = cast("Json", value)
    method, params, identity = given.get("method"), given.get("params"), given.get("id")
    if given.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, 'The message needs "jsonrpc": "2.0" and a method')
    if not isinstance(params, dict | None):
        raise RpcError(INVALID_PARAMS, "params must be an object")
    known = cast("Json", params or {})
    return RpcMessage(method, known, _check_id(given, identity), _version_of(request, method, known))


def _check_id(given: Json, identity: Any) -> int | str | None:
    if "id" not in given:
        return None
    if isinstance(identity, bool) or not isinstance(identity, int | str) or len(str(identity)) > MAX_ID_CHARACTERS:
        raise RpcError(INVALID_REQUEST, f"id must be a number or a text of at most {MAX_ID_CHARACTERS:,} characters")
    return identity


def _version_of(request: Request, method: str, params: Json) -> str:
    """The revision that a message names; raises RpcError for an unknown one and for headers that contradict it."""
    about = params.get("_meta")
    named = cast("Json", about).get(_VERSION_KEY) if isinstance(about, dict) else None
    version = request.headers.get(_VERSION_HEADER) or named or ""
    if version and version not in VERSIONS:
        data = {"supported": VERSIONS, "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, f"Unsupported protocol version '{version}'", data)
    if request.headers.get("mcp-method", method) != method or (named and named != version):
        raise RpcError(HEADER_MISMATCH, "The headers of the request contradict its message")
    return version


async def _result(message: RpcMessage, open_server: Callable[[], Awaitable[ToolServer]]) -> Json:
    method, params = message.method, message.params
    if method == "ping":
        return {}
    if method == "initialize":
        return _describe_server(await open_server(), protocolVersion=_negotiate(params))
    if method == "server/discover":
        return _describe_server(await open_server(), supportedVersions=VERSIONS, **_UNCACHED)
    if method == "tools/list":
        return {"tools": (await open_server()).encoded_tools, **(_UNCACHED if message.is_modern else {})}
    if method == "tools/call":
        return await _call(params, await open_server(), any_value=message.is_modern)
    raise RpcError(METHOD_NOT_FOUND, f"There is no method '{method[:100]}'; this server has tools only")


def _describe_server(server: ToolServer, **more: Any) -> Json:
    about = {"name": "twindiff", "version": __version__}
    return {**more, "capabilities": {"tools": {}}, "serverInfo": about, "instructions": server.instructions}


def _negotiate(params: Json) -> str:
    """The revision of a handshake: the one that the client asks for, else the newest with a handshake."""
    asked = params.get("protocolVersion")
    return asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


async def _call(params: Json, server: ToolServer, *, any_value: bool) -> Json:
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "name must be the name of a tool")
    return render_result(await server.call(name, read_arguments(arguments)), any_value=any_value)


def read_arguments(given: Any) -> Json:
    """The arguments of a tool; raises RpcError unless they are an object or null."""
    if not isinstance(given, dict | None):
        raise RpcError(INVALID_PARAMS, "The arguments of a tool must be an object")
    return cast("Json", given or {})


def render_result(response: Response, *, any_value: bool) -> Json:
    """The result of a tool: the vendor's body as a text, or as a file; errors of the vendor are marked as such.

    A JSON object is `structuredContent` too; with `any_value`, as since revision 2026-07-28, any JSON value is.
    """
    is_error = response.status >= 400 or bool(response.error)
    content = [_render_content(response)]
    headers = {name.lower(): value for name, value in response.headers}
    content += [{"type": "text", "text": f"{name}: {headers[name]}"} for name in _SHOWN_HEADERS if name in headers]
    result: Json = {"content": content, "isError": is_error}
    is_json = bool(response.body) and response.content_type.startswith(_JSON)
    if is_json and not is_error and (any_value or response.body.startswith(b"{")):
        result["structuredContent"] = msgspec.Raw(response.body)
    return result


def _render_content(response: Response) -> Json:
    body, kind = response.body, response.content_type.partition(";")[0]
    if not body:
        return {"type": "text", "text": f"HTTP {response.status}, without a body"}
    try:
        return {"type": "text", "text": body.decode()}
    except UnicodeDecodeError:
        pass
    if len(body) > MAX_BINARY_BYTES:
        return {"type": "text", "text": f"A file of {len(body):,} bytes, {kind}; more than a result holds"}
    data = b64encode(body).decode()
    if kind.startswith("image/"):
        return {"type": "image", "data": data, "mimeType": kind}
    return {"type": "resource", "resource": {"uri": "twindiff:file", "mimeType": kind, "blob": data}}


def _render_error(error: RpcError, message: RpcMessage | None) -> Response:
    said: Json = {"code": error.code, "message": str(error)}
    if error.data is not None:
        said["data"] = error.data
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": message.id if message else None, "error": said})
    is_legacy = message is not None and not message.is_modern
    return Response(body, 200 if is_legacy else _STATUS.get(error.code, 400))

"""Tools with the names, arguments and results of a vendor's own MCP servers, declared beside its twin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.kit.binding import Bound, bind
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer

from .argument_schemas import describe_arguments
from .result_schemas import describe_result
from .tools import AgentTool, Send, first_sentence

if TYPE_CHECKING:
    from twindiff.kit.twin import Twin

ToolFunction = Callable[..., Awaitable[Any]]


class VendorRefused(Exception):
    """A request that the vendor's API refused, with its response."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class ToolRefused(ApiError):
    """The tool cannot do this."""


class Caller:
    """Calls operations of the twin for a tool: `await call("chat.postMessage", channel="C1", text="Hi")`."""

    def __init__(self, twin: Twin, send: Send) -> None:
        self._twin = twin
        self._send = send

    async def __call__(self, operation: str, /, **arguments: Any) -> Any:
        """The decoded response to a call by the operation's name; raises VendorRefused.

        Arguments that are None are left out. A response that is not JSON is a text, or bytes.
        """
        tool = self._twin.tools_by_operation[operation]
        given = {name: value for name, value in arguments.items() if value is not None}
        response = await tool.run(self._send, given)
        if response.status >= 400 or response.error:
            raise VendorRefused(response)
        return decode_body(response)


def decode_body(response: Response) -> Any:
    """The value of a JSON response, the text or the bytes of another; None without a body."""
    if not response.body:
        return None
    if response.content_type.startswith("application/json"):
        return msgspec.json.decode(response.body)
    try:
        return response.body.decode()
    except UnicodeDecodeError:
        return response.body


class VendorTools:
    """The tools of a vendor's MCP servers; `core` names the operations that models need most, `host` its own server.

    A tool is an async function of a Caller and its arguments, by their names on the wire. Its docstring is its
    description, and what it returns is its result: a text, or a value that is sent as JSON. A TypedDict as the
    annotation declares the result's schema, where the vendor publishes one.
    """

    def __init__(self, *, core: Sequence[str] = (), host: str = "") -> None:
        self.core = tuple(core)
        self.host = host
        self._declared: list[tuple[ToolFunction, Bound, bool]] = []

    def reads(self, function: ToolFunction) -> ToolFunction:
        """Declare a tool that only reads."""
        self._declared.append((function, bind(function), True))
        return function

    def writes(self, function: ToolFunction) -> ToolFunction:
        """Declare a tool that writes."""
        self._declared.append((function, bind(function), False))
        return function

    def list_tools(self, twin: Twin) -> list[AgentTool]:
        """The tools for a twin, in the order of their declaration."""
        return [
            AgentTool(
                function.__name__.rstrip("_"),
                first_sentence(function),
                describe_arguments(bound),
                reads,
                partial(_run, twin, bound),
                twin.name,
                result=describe_result(bound.returns),
            )
            for function, bound, reads in self._declared
        ]


async def _run(twin: Twin, bound: Bound, send: Send, arguments: dict[str, Any]) -> Response:
    try:
        value = await bound.invoke(Caller(twin, send), arguments)
    except VendorRefused as refused:
        return refused.response
    except ApiError as error:
        return twin.style.error(error)
    if isinstance(value, str):
        return Response(value.encode(), content_type="text/plain; charset=utf-8")
    return json_answer(value)

"""The tools that twins offer by MCP, in the form that models' APIs take; an alternative to `twin_tool`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import httpx

from .twin_tool import SHOWN, TwinResponse

Json = dict[str, Any]
SendMessage = Callable[[str, Json], Json]
"""Sends a JSON-RPC message to the URL of an MCP server and returns the response; raises httpx.HTTPError."""


class McpTool(NamedTuple):
    """A tool of a twin; `name` begins with the twin's where there are several twins."""

    name: str
    description: str
    parameters: Json
    """The JSON schema of its arguments."""
    url: str
    own_name: str


class McpTools:
    """The tools of twins, by their MCP servers; `urls` are the twins' base URLs by name."""

    def __init__(self, urls: Mapping[str, str], send: SendMessage) -> None:
        self._send = send
        self.apis = [*urls]
        self.by_name = {each.name: each for twin in urls for each in self._list(twin, urls)}

    def _list(self, twin: str, urls: Mapping[str, str]) -> Iterable[McpTool]:
        url = f"{urls[twin]}/mcp"
        for each in self._send(url, _message("tools/list"))["result"]["tools"]:
            own = each["name"]
            is_plain = len(urls) == 1 or own.startswith(f"{twin}_")
            name = own if is_plain else f"{twin}_{own}"
            yield McpTool(name, each["description"], each["inputSchema"], url, own)

    def call(self, name: str, arguments: Json) -> TwinResponse:
        """Call a tool; never raises for a wrong name or wrong arguments, the response then says what is wrong.

        The status is 200 for a success, 400 for an error of the tool, and 0 if no tool was called.
        """
        tool = self.by_name.get(name)
        if tool is None:
            return TwinResponse(0, f"There is no tool {name!r}. There are: {', '.join(self.by_name)}.")
        try:
            said = self._send(tool.url, _message("tools/call", name=tool.own_name, arguments=arguments))
        except httpx.HTTPError as error:
            return TwinResponse(0, f"The tool could not be called: {error}")
        if "error" in said:
            return TwinResponse(0, str(said["error"]["message"]))
        result = said["result"]
        text = "\n".join(str(each.get("text", f"[{each['type']}]")) for each in result["content"])
        return TwinResponse(400 if result["isError"] else 200, text[:SHOWN])


def instruct_for_tools(apis: Iterable[str]) -> str:
    """The system prompt of an agent with these tools."""
    return (
        f"You do the user's task with tools of {', '.join(apis)}; you are signed in already. "
        "Look up what you need to know, do exactly what is asked and nothing else, then say that you are done."
    )


def send_over(http: httpx.Client) -> SendMessage:
    """A sender over an HTTP client, with the client's headers."""

    def send(url: str, message: Json) -> Json:
        answer = http.post(url, json=message)
        answer.raise_for_status()
        return answer.json()

    return send


def _message(method: str, **params: Any) -> Json:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

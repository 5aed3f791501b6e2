"""Messages of MCP to an environment, without a library, for tests to send what a library would not."""

from __future__ import annotations

from typing import Any

import httpx

from tests.harness import Environment

Json = dict[str, Any]


def send_message(
    environment: Environment, message: Any, *, twin: str = "", query: str = "", **headers: str
) -> httpx.Response:
    """Send one message as the agent to a twin, or to the whole environment without one."""
    place = environment.made["environmentUrls"][twin] if twin else f"/api/env/{environment.id}"
    given = {"Authorization": f"Bearer {environment.token}", "Accept": "application/json, text/event-stream"} | headers
    url = f"{place}/mcp{query and '?'}{query}"
    if isinstance(message, bytes):
        return environment.platform.client.post(url, content=message, headers=given)
    return environment.platform.client.post(url, json=message, headers=given)


def ask(environment: Environment, method: str, *, twin: str = "", query: str = "", **params: Any) -> Json:
    """The JSON-RPC response to a request."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = send_message(environment, message, twin=twin, query=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def list_tools(environment: Environment, twin: str = "", query: str = "") -> dict[str, Json]:
    """The listed tools by name."""
    return {each["name"]: each for each in ask(environment, "tools/list", twin=twin, query=query)["result"]["tools"]}


def call_tool(
    environment: Environment, name: str, arguments: Json, *, twin: str = "", query: str = ""
) -> tuple[str, bool]:
    """The text of a tool's result, and whether it is an error."""
    said = ask(environment, "tools/call", twin=twin, query=query, name=name, arguments=arguments)
    result = said["result"]
    return result["content"][0]["text"], result["isError"]


def use_tool(environment: Environment, name: str, arguments: Json, *, twin: str = "", **headers: str) -> Json:
    """The whole result of a tool."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return send_message(environment, message, twin=twin, **headers).json()["result"]


def refusal(environment: Environment, name: str, *, twin: str = "", query: str = "") -> str:
    """The sentence with which a call of a tool is refused."""
    return ask(environment, "tools/call", twin=twin, query=query, name=name)["error"]["message"]

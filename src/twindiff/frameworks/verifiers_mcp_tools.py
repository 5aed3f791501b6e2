# pyright: basic, reportMissingImports=false
# The package is not a development dependency; `make frameworks` checks this file with it installed.
"""The tools that twins offer by MCP, as a toolset of verifiers, which runs this module in a process of its own."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import httpx
import verifiers.v1 as vf
from mcp.server.mcpserver import MCPServer
from pydantic import Field, WithJsonSchema

from twindiff.client.mcp_tools import McpTool, McpTools, send_over
from twindiff.client.transport import is_secured
from twindiff.client.twin_tool import render_response
from twindiff.frameworks.episodes import SECONDS_OF_A_CALL, Json
from twindiff.frameworks.verifiers_rollouts import TestData, TwinState

_OMITTED = object()
"""Stands for an optional argument that the model left out, since null may mean something to the twin."""


class TwinMcpTools(vf.Toolset[vf.ToolsetConfig, TwinState]):
    """The tools of the twins of one rollout."""

    TOOL_PREFIX = None

    async def setup_task(self, task: TestData) -> None:
        state = await self._pull_state()
        self._tools = await asyncio.to_thread(_list_tools, state)

    def register(self, mcp: MCPServer) -> None:
        for each in self._tools.by_name.values():
            mcp.add_tool(_function_of(each, self._call), each.name, description=each.description)

    async def _call(self, name: str, arguments: Json) -> str:
        return render_response(await asyncio.to_thread(self._tools.call, name, arguments))


def _list_tools(state: TwinState) -> McpTools:
    """List the tools over a client that lasts as long as this process."""
    headers = {"Authorization": f"Bearer {state.token}"}
    verify = is_secured(*state.urls.values())
    http = httpx.Client(headers=headers, trust_env=False, verify=verify, timeout=SECONDS_OF_A_CALL)
    return McpTools(state.urls, send_over(http))


def _function_of(tool: McpTool, call: Callable[[str, Json], Awaitable[str]]) -> Callable[..., Awaitable[str]]:
    """A function whose signature declares the parameters of a tool by their JSON schemas."""

    async def call_tool(**arguments: Any) -> str:
        given = {name: value for name, value in arguments.items() if value is not _OMITTED}
        return await call(tool.name, given)

    required = tool.parameters.get("required", [])
    schemas: dict[str, Json] = tool.parameters.get("properties", {})
    parameters = [
        inspect.Parameter(
            f"parameter_{number}",
            inspect.Parameter.KEYWORD_ONLY,
            annotation=_annotate(name, schema, is_required=name in required),
        )
        for number, (name, schema) in enumerate(schemas.items())
    ]
    call_tool.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    return call_tool


def _annotate(name: str, schema: Json, *, is_required: bool) -> Any:
    field = Field(alias=name) if is_required else Field(alias=name, default_factory=lambda: _OMITTED)
    # A text that looks like JSON is only left as it is where the annotation says that it is a text.
    kind = str if schema.get("type") == "string" else Any
    return Annotated[kind, field, WithJsonSchema(schema)]


if __name__ == "__main__":
    TwinMcpTools.run()

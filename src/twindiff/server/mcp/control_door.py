"""MCP for those who operate environments and runs: tools over operations of our own APIs, never for agents.

`/mcp` has the tools of Arga's server for runs of all kinds; `/api/platform/mcp` has tools for environments, with which
a coding agent builds, forks, compares and judges them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from twindiff.kit.agent_tools import AgentTool, Send
from twindiff.kit.agent_tools.operation_tools import build_tool
from twindiff.kit.http import Response
from twindiff.kit.twin import Dispatch

from .tool_sets import ToolSet

RUNS_PATH = "/mcp"
ENVIRONMENTS_PATH = "/api/platform/mcp"

RUN_TOOLS = {
    "get_twin_catalog": "GET /twins",
    "create_twin_run": "POST /twin-runs",
    "get_twin_run": "GET /twin-runs/{run_id}",
    "list_twin_runs": "GET /twin-runs",
    "extend_twin_run": "POST /twin-runs/{run_id}/extend",
    "reset_twin_run": "POST /twin-runs/{run_id}/reset",
    "teardown_twin_run": "POST /twin-runs/{run_id}/teardown",
    "create_test_run": "POST /test-runs",
    "get_test_run": "GET /test-runs/{run_id}",
    "list_test_runs": "GET /test-runs",
    "cancel_test_run": "POST /test-runs/{run_id}/cancel",
    "list_tests": "GET /tests",
    "get_test": "GET /tests/{test_id}",
    "create_test": "POST /tests",
    "run_test": "POST /tests/{test_id}/run",
    "create_sandbox_run": "POST /sandbox-runs",
    "get_sandbox_run": "GET /sandbox-runs/{sandbox_id}",
    "get_sandbox_logs": "GET /sandbox-runs/{sandbox_id}/logs",
    "delete_sandbox_run": "DELETE /sandbox-runs/{sandbox_id}",
    "list_scenarios": "GET /scenarios",
    "get_scenario": "GET /scenarios/{scenario_id}",
    "create_scenario": "POST /scenarios",
    "create_scenario_twin_environment": "POST /scenarios/{scenario_id}/twin-environment",
    "get_scenario_twin_environment": "GET /scenarios/{scenario_id}/twin-environment",
    "start_url_validation": "POST /validate/url-run",
    "get_validation_results": "GET /runs/{run_id}",
    "cancel_validation_run": "POST /validate/{run_id}/cancel",
    "provision_twins": "POST /validate/twins/provision",
    "teardown_twins": "POST /validate/twins/provision/{run_id}/teardown",
    "cancel_run": "POST /validate/{run_id}/cancel",
}
"""The tools of Arga's server, with the operations that they call."""

ENVIRONMENT_TOOLS = {
    "list_templates": "GET /templates",
    "get_template": "GET /templates/{templateId}",
    "create_environment": "POST /initEnv",
    "list_environments": "GET /env",
    "get_environment": "GET /env/{envId}",
    "delete_environment": "DELETE /env/{envId}",
    "fork_environment": "POST /env/{envId}/fork",
    "rewind_environment": "POST /env/{envId}/rewind",
    "reset_environment": "POST /env/{envId}/reset",
    "create_checkpoint": "POST /env/{envId}/checkpoints",
    "list_checkpoints": "GET /env/{envId}/checkpoints",
    "diff_environment": "GET /env/{envId}/diff",
    "list_rows": "GET /env/{envId}/rows/{table}",
    "list_calls": "GET /env/{envId}/calls",
    "get_call": "GET /env/{envId}/calls/{number}",
    "read_journal": "GET /env/{envId}/journal",
    "set_clock": "POST /env/{envId}/clock",
    "set_faults": "PUT /env/{envId}/faults",
    "list_suites": "GET /testSuites",
    "get_suite": "GET /testSuites/{suiteId}",
    "get_task": "GET /tests/{testId}",
    "start_run": "POST /startRun",
    "diff_run": "POST /diffRun",
    "judge_run": "POST /evaluateRun",
    "explain_run": "GET /results/{runId}",
    "list_runs": "GET /runs",
}
"""The tools for environments, with the operations that they call."""


class ControlDoor(NamedTuple):
    """The tools at a path, and what a model should know of them."""

    tools: Mapping[str, str]
    instructions: str


DOORS = {
    RUNS_PATH: ControlDoor(RUN_TOOLS, "Twin runs, test runs, sandbox runs and scenarios of this server."),
    ENVIRONMENTS_PATH: ControlDoor(
        ENVIRONMENT_TOOLS,
        "Environments of twins: create one from templates, let an agent act, then compare points and judge runs.",
    ),
}
"""The doors by path."""


@cache
def build_control_tools(path: str, operations: Dispatch) -> ToolSet:
    """The tools at a path, made from the operations of our own API."""
    known = {operation.name: operation for operation in operations.operations}
    tools = [build_tool("", name, operations.style, known[each]) for name, each in DOORS[path].tools.items()]
    return ToolSet(tools, tools)


class OpenedControl:
    """The tools of a door for one message; `send` calls an operation with the credentials of the message."""

    def __init__(self, path: str, operations: Dispatch, send: Send) -> None:
        self._tools = build_control_tools(path, operations)
        self._path = path
        self._send = send

    @property
    def instructions(self) -> str:
        """What a model should know of the server."""
        return DOORS[self._path].instructions

    @property
    def encoded_tools(self) -> msgspec.Raw:
        """The list of the tools as JSON."""
        return self._tools.encoded

    async def call(self, name: str, arguments: dict[str, Any]) -> Response:
        """The response of the operation; raises RpcError if there is no such tool."""
        tool: AgentTool = self._tools.find(name)
        return await tool.run(self._send, arguments)

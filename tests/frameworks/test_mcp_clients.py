# pyright: reportMissingImports=false
"""The official MCP client of Python, of both generations, over HTTP and over standard streams."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed; `make frameworks` has it")

from mcp import ClientSession, StdioServerParameters
from mcp.client import streamable_http
from mcp.client.stdio import stdio_client

from tests.harness import AGENT, GENERAL, Environment, Platform
from twindiff import Twindiff, connect

pytestmark = pytest.mark.filterwarnings("default")

MESSAGE = {"channel_id": GENERAL, "text": "Hi"}
UNKNOWN = {"channel_id": "C0", "text": "Hi"}


@pytest.fixture(scope="module")
def environment(platform: Platform) -> Environment:
    return platform.environment()


@pytest.fixture(scope="module", autouse=True)
def no_proxy() -> Iterator[None]:
    """The clients read the proxy's variables, and the server is on this machine."""
    saved = os.environ.get("NO_PROXY")
    os.environ["NO_PROXY"] = "127.0.0.1"
    yield
    if saved is None:
        del os.environ["NO_PROXY"]
    else:
        os.environ["NO_PROXY"] = saved


@asynccontextmanager
async def over_http(environment: Environment) -> AsyncIterator[ClientSession]:
    url = f"{environment.url}/mcp"
    headers = {"Authorization": f"Bearer {environment.token}"}
    async with (
        streamable_http.create_mcp_http_client(headers=headers) as http,
        streamable_http.streamable_http_client(url, http_client=http) as (read, write, *_),
        ClientSession(read, write) as session,
    ):
        yield session


@asynccontextmanager
async def over_streams(environment: Environment) -> AsyncIterator[ClientSession]:
    command = ["-m", "twindiff.cli", "env", "mcp", environment.id, "--twin", "slack"]
    server = str(environment.platform.client.base_url)
    variables = {**os.environ, "AGENT_DIFF_BASE_URL": server, "TWINDIFF_AGENT_TOKEN": environment.token}
    started = StdioServerParameters(command=sys.executable, args=command, env=variables)
    async with stdio_client(started) as (read, write), ClientSession(read, write) as session:
        yield session


async def use(session: ClientSession) -> tuple[set[str], Any, Any]:
    """The names of the tools, and the results of a call that succeeds and of one that the vendor refuses."""
    await session.initialize()
    await session.send_ping()
    tools = (await session.list_tools()).tools
    done = await session.call_tool("slack_post_message", MESSAGE)
    return {tool.name for tool in tools}, done, await session.call_tool("slack_post_message", UNKNOWN)


def is_error(result: Any) -> bool:
    """Whether a result is an error, by either generation's name of the field."""
    return bool(result.is_error if hasattr(result, "is_error") else result.isError)


@pytest.mark.parametrize("door", [over_http, over_streams], ids=lambda door: door.__name__)
def test_the_official_client_lists_and_calls_tools(environment: Environment, door: Any):
    async def run() -> tuple[set[str], Any, Any]:
        async with door(environment) as session:
            return await use(session)

    names, done, refused = asyncio.run(run())
    assert {"slack_post_message", "slack_send_message"} <= names
    assert (is_error(done), f'"user":"{AGENT}"' in done.content[0].text) == (False, True)
    assert (is_error(refused), refused.content[0].text) == (True, '{"ok":false,"error":"channel_not_found"}')


def test_the_client_without_a_handshake_speaks_the_newest_revision(environment: Environment):
    client = pytest.importorskip("mcp.client.client", reason="version 1 of mcp has no such client").Client

    async def run() -> tuple[str, str]:
        headers = {"Authorization": f"Bearer {environment.token}"}
        async with streamable_http.create_mcp_http_client(headers=headers) as http:
            transport = streamable_http.streamable_http_client(f"{environment.url}/mcp", http_client=http)
            async with client(transport, mode="auto") as session:
                result = await session.call_tool("slack_list_channels", {})
                return session.protocol_version, result.content[0].text

    version, text = asyncio.run(run())
    assert version == "2026-07-28"
    assert '"name":"general"' in text


def test_a_client_reaches_the_vendors_own_address_in_process():
    async def run(token: str) -> str:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            streamable_http.create_mcp_http_client(headers=headers) as http,
            streamable_http.streamable_http_client("https://mcp.slack.com/mcp", http_client=http) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return (await session.call_tool("slack_read_user_profile", {})).content[0].text

    with Twindiff() as twins:
        environment = twins.create("slack:slack_default")
        with connect(environment):
            assert f"User ID: {AGENT}" in asyncio.run(run(environment.token))

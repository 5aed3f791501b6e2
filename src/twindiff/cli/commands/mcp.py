"""`twindiff env mcp`: an environment's tools for a program that starts its MCP servers itself."""

from __future__ import annotations

import sys
from typing import Annotated, Literal
from urllib.parse import urlencode

import typer

from twindiff.cli.commands.env import Id, full_id, remote_of
from twindiff.cli.commands.env import commands as env_commands
from twindiff.cli.options import DEFAULT_URL, ApiKey, BaseUrl


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff env`."""
    env_commands.command("mcp")(serve_tools)


def serve_tools(
    id: Id,
    twin: Annotated[str, typer.Option(help="Only this twin, whose tools then have its names as they are.")] = "",
    tools: Annotated[
        Literal["core", "all", "read"], typer.Option(help="Those that models need most, all, or those that only read.")
    ] = "core",
    profile: Annotated[
        Literal["", "vendor", "operations"],
        typer.Option(help="The tools of the vendor's own MCP server, or one for each operation.", show_default=False),
    ] = "",
    token: Annotated[
        str, typer.Option(envvar="TWINDIFF_AGENT_TOKEN", help="Call as the owner of this token.", show_default=False)
    ] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
) -> None:
    """Speak MCP over standard input and output."""
    import httpx

    from twindiff.cli.mcp_bridge import TIMEOUT_SECONDS, carry_messages

    remote = remote_of(base_url, api_key)
    path = f"/api/env/{full_id(remote, id)}" + (f"/services/{twin}" if twin else "")
    query = urlencode({"tools": tools, **({"profile": profile} if profile else {})})
    headers = {"Authorization": f"Bearer {token}"} if token else {"X-API-Key": remote.key} if remote.key else {}
    with httpx.Client(headers=headers, trust_env=False, timeout=TIMEOUT_SECONDS) as client:
        carry_messages(client, f"{remote.url}{path}/mcp?{query}", sys.stdin.buffer, sys.stdout.buffer)

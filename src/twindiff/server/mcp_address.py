"""Where the MCP servers of twins are, and how clients are told."""

from __future__ import annotations

from twindiff.kit.twin import Twin

MCP_PATH = "/mcp"
"""The path, below a twin or an environment, at which MCP is spoken."""


def describe_mcp(twin: Twin) -> dict[str, str]:
    """Describe the MCP server of a twin: `server_name`, `transport`, `path`, `auth`, `notes`."""
    return {
        "server_name": f"arga-twin-{twin.name}",
        "transport": "streamable_http",
        "path": MCP_PATH,
        "auth": "bearer",
        "notes": "Takes the tokens of the twin's API; a private run also wants its proxy token.",
    }

"""Carries MCP messages between standard streams, one a line, and a server that speaks MCP over HTTP."""

from __future__ import annotations

import json
from typing import IO, Any, cast

import httpx

UNREACHABLE = -32000
"""The code of JSON-RPC for a message that no server answered."""
TIMEOUT_SECONDS = 600


def carry_messages(client: httpx.Client, url: str, lines: IO[bytes], answers: IO[bytes]) -> None:
    """Send each line to the server and write its response, until the lines end; failures become JSON-RPC errors."""
    for line in lines:
        if line.strip():
            answer = _send(client, url, line)
            if answer:
                answers.write(answer.rstrip(b"\n") + b"\n")
                answers.flush()


def _send(client: httpx.Client, url: str, line: bytes) -> bytes:
    try:
        response = client.post(url, content=line, headers={"Content-Type": "application/json"})
    except httpx.HTTPError as error:
        return _render_failure(line, f"Nothing answers at {url}: {error}")
    said = _read(response.content)
    if not response.content or "jsonrpc" in said:
        return response.content
    return _render_failure(line, str(said.get("detail") or said.get("error") or f"HTTP {response.status_code}"))


def _render_failure(line: bytes, message: str) -> bytes:
    """The JSON-RPC error for a line; empty for a notification, which has no response."""
    identity = _read(line).get("id")
    if identity is None:
        return b""
    error = {"code": UNREACHABLE, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": identity, "error": error}).encode()


def _read(content: bytes) -> dict[str, Any]:
    try:
        value: object = json.loads(content)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}

"""Calls tools of an MCP server over stdio: `mcp_client.py '[["tool", {…}], …]' COMMAND…`."""

import json
import subprocess
import sys
from typing import Any

WELCOME = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert server.stdin
assert server.stdout


def say(message: dict[str, Any]) -> None:
    assert server.stdin
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    say({"id": number, "method": method, "params": params})
    assert server.stdout
    while line := server.stdout.readline():
        answer = json.loads(line) if line.startswith("{") else {}
        if answer.get("id") == number:
            return answer
    raise SystemExit(f"the server ended with {server.wait()}")


ask(1, "initialize", WELCOME)
say({"method": "notifications/initialized"})
for number, (tool, arguments) in enumerate(json.loads(sys.argv[1]), 2):
    result = ask(number, "tools/call", {"name": tool, "arguments": arguments})["result"]
    print(json.dumps(result))
    if result.get("isError"):
        raise SystemExit(1)
server.kill()

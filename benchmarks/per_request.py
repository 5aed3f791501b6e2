"""What a request costs beside a bare ASGI answer on the same uvicorn, in one process and one run.

Machines change their speed within minutes, and what a client waits holds the time it takes to wake up the server; the
ratio of the processor's time is the steadier one. `python benchmarks/per_request.py [--json]`
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROUNDS = 30
BATCH = 100
GENERAL = "C01ABCD1234"

SERVER = """
import asyncio, sys, uvicorn
from twindiff.server import Gateway, Service, Settings
from twindiff.server.protocol import HttpProtocol
from twindiff.server.runtime.tuning import tune_process

async def bare(scope, receive, send):
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": b'{"ok":true}'})

async def serve():
    service = Service(Settings(data_dir=sys.argv[1]))
    apps = (bare, "off"), (Gateway(service), "on")
    servers = [
        uvicorn.Server(uvicorn.Config(app, port=0, http=HttpProtocol, lifespan=life, log_config=None, access_log=False))
        for app, life in apps
    ]
    tasks = [asyncio.create_task(each.serve()) for each in servers]
    while not all(each.started for each in servers):
        await asyncio.sleep(0.01)
    tune_process()  # as `twindiff serve` does
    print(*(each.servers[0].sockets[0].getsockname()[1] for each in servers), flush=True)
    await asyncio.gather(*tasks)

asyncio.run(serve())
"""


class Asked(NamedTuple):
    """One kind of request: where it goes and what it is."""

    port: int
    request: bytes


class Line:
    """A connection that sends one request after the other."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: bytes) -> bytes:
        """The body of the answer."""
        self._socket.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._socket.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), None)
        while (length is not None and len(body) < length) or (length is None and not body.endswith(b"0\r\n\r\n")):
            body += self._socket.recv(65536)
        return body


def http(verb: str, path: str, body: Any = None) -> bytes:
    """A request as bytes."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{verb} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer xoxb-any\r\n"
    kind = "Content-Type: application/json\r\n" if data else ""
    return f"{head}{kind}Content-Length: {len(data)}\r\n\r\n".encode() + data


def kinds(bare: int, port: int) -> dict[str, Asked]:
    """The requests that are compared; the first one is the bare answer."""
    wanted = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9", "ttlSeconds": 3600}
    made = json.loads(Line(port).ask(http("POST", "/api/platform/initEnv", wanted)))
    base = made["environmentUrl"]
    message = {"channel": GENERAL, "text": "Hello from the benchmark"}
    tool = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "auth_test", "arguments": {}}}
    tools = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    mcp = f"{base}/mcp?profile=operations&tools=all"
    return {
        "bare ASGI answer": Asked(bare, http("POST", "/", message)),
        "api.test (does nothing)": Asked(port, http("POST", f"{base}/api.test", {"foo": "bar"})),
        "auth.test (reads)": Asked(port, http("POST", f"{base}/auth.test", {})),
        "auth.test by MCP": Asked(port, http("POST", mcp, tool)),
        "240 tools listed by MCP": Asked(port, http("POST", mcp, tools)),
        "chat.postMessage (durable)": Asked(port, http("POST", f"{base}/chat.postMessage", message)),
        "GET /health of the platform": Asked(port, http("GET", "/api/platform/health")),
    }


class Cost(NamedTuple):
    """Seconds of one request: as its client waits, and of the server's processor."""

    wall: float
    processor: float


def processor_seconds(pid: int) -> float:
    """What the main thread of a process has used of the processor so far."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def measure(asked: dict[str, Asked], pid: int) -> dict[str, list[Cost]]:
    """What a request costs, for each round; the kinds take turns."""
    lines = {name: Line(each.port) for name, each in asked.items()}
    costs: dict[str, list[Cost]] = {name: [] for name in asked}
    for _ in range(ROUNDS):
        for name, each in asked.items():
            times: list[float] = []
            before = processor_seconds(pid)
            for _ in range(BATCH):
                started = time.perf_counter()
                lines[name].ask(each.request)
                times.append(time.perf_counter() - started)
            costs[name].append(Cost(median(times), (processor_seconds(pid) - before) / BATCH))
    return costs


def row_of(costs: list[Cost], floor: list[Cost]) -> dict[str, float]:
    """Medians in microseconds, and how many times the bare answer of the same round they are."""
    pairs = list(zip(costs, floor, strict=True))
    return {
        "micros": round(median(cost.wall for cost in costs) * 1e6, 1),
        "ratio": round(median(cost.wall / bare.wall for cost, bare in pairs), 2),
        "processor_micros": round(median(cost.processor for cost in costs) * 1e6, 1),
        "processor_ratio": round(median(cost.processor / bare.processor for cost, bare in pairs), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SERVER, folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                bare, port = map(int, process.stdout.readline().split())
                measured = measure(kinds(bare, port), process.pid)
            finally:
                process.terminate()
    floor = measured["bare ASGI answer"]
    rows = {name: row_of(costs, floor) for name, costs in measured.items()}
    if as_json:
        print(json.dumps(rows))
        return
    for name, row in rows.items():
        print(
            f"{name:<32} {row['micros']:7.1f} µs {row['ratio']:5.2f} x"
            f"   processor {row['processor_micros']:7.1f} µs {row['processor_ratio']:5.2f} x"
        )


if __name__ == "__main__":
    main()

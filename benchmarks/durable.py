"""What it costs that an answered write survives a power cut: create, fork, reset and post, by clients at once.

    python benchmarks/durable.py [--clients 16] [--each 40] [--json]

Each figure is in milliseconds, the median and the 99th percentile of one request, and in requests a second; in memory,
on disk, and on disk with --fsync. The server is called in process, so no figure holds what HTTP costs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, MutableMapping
from statistics import median, quantiles
from typing import Any

from twindiff.server import Gateway, Service, Settings

GENERAL = "C01ABCD1234"
WANTED = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9", "ttlSeconds": 3600}
Deed = Callable[[dict[str, Any]], Awaitable[object]]


class Server:
    """A server that is called in this event loop."""

    def __init__(self, settings: Settings) -> None:
        self.service = Service(settings)
        self._application = Gateway(self.service)

    async def ask(self, path: str, body: Any) -> Any:
        """The answer to one request, which must be a good one."""
        data = json.dumps(body).encode()
        headers = [(b"host", b"localhost"), (b"authorization", b"Bearer x"), (b"content-type", b"application/json")]
        scope = {
            "type": "http", "method": "POST", "scheme": "http", "path": path, "query_string": b"",
            "headers": [*headers, (b"content-length", str(len(data)).encode())],
        }  # fmt: skip
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": data, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await self._application(scope, receive, send)
        assert sent[0]["status"] < 300, sent
        return json.loads(sent[1]["body"])

    async def create(self, _: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self.ask("/api/platform/initEnv", WANTED)

    async def post(self, made: dict[str, Any]) -> object:
        return await self.ask(f"{made['environmentUrl']}/chat.postMessage", {"channel": GENERAL, "text": "hello"})

    async def fork(self, made: dict[str, Any]) -> object:
        return await self.ask(f"/api/platform/env/{made['environmentId']}/fork", {"at": 1, "count": 1})

    async def reset(self, made: dict[str, Any]) -> object:
        return await self.ask(f"/api/platform/env/{made['environmentId']}/reset", {})


async def measured(deed: Deed, environments: list[dict[str, Any]], each: int) -> dict[str, float]:
    """Every environment has a client that does it again and again."""
    times: list[float] = []

    async def client(made: dict[str, Any]) -> None:
        for _ in range(each):
            began = time.perf_counter()
            await deed(made)
            times.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0)  # others have their turn, as they have between requests that come over sockets

    began = time.perf_counter()
    await asyncio.gather(*map(client, environments))
    spent = time.perf_counter() - began
    p99 = quantiles(times, n=100)[98]
    return {"p50_ms": round(median(times), 2), "p99_ms": round(p99, 2), "per_second": round(len(times) / spent)}


async def figures(settings: Settings, clients: int, each: int) -> dict[str, dict[str, float]]:
    """What the deeds cost with one kind of server."""
    server = Server(settings)
    house = asyncio.create_task(server.service.maintenance.run())
    try:
        environments = [await server.create() for _ in range(clients)]
        for made in environments:
            await server.post(made)
        deeds: dict[str, Deed] = {
            "create": server.create, "post": server.post, "fork": server.fork, "reset": server.reset,
        }  # fmt: skip
        return {name: await measured(deed, environments, each) for name, deed in deeds.items()}
    finally:
        house.cancel()
        await asyncio.gather(house, return_exceptions=True)
        server.service.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--each", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    costs: dict[str, Any] = {}
    for name, fsync in (("memory", False), ("disk", False), ("disk --fsync", True)):
        with tempfile.TemporaryDirectory() as directory:
            settings = Settings(data_dir=":memory:" if name == "memory" else directory, fsync=fsync)
            costs[name] = asyncio.run(figures(settings, options.clients, options.each))
    if options.json:
        print(json.dumps(costs))
        return
    for name, deeds in costs.items():
        for deed, values in deeds.items():
            print(f"{name:14}{deed:8}" + "".join(f"{key:>12} {value:>8}" for key, value in values.items()))


if __name__ == "__main__":
    main()

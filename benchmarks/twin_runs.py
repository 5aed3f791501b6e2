"""What it takes the server to provision every installed twin in one run, to reset it and to end it.

Requests are answered in this process, without a socket. `python benchmarks/twin_runs.py [--json]`
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median
from typing import Any

from twindiff.local.inside import HERE, Inside, LocalService
from twindiff.server import Settings

RUNS = 50
WRITES = 20
BARS = {"provision": 50.0, "reset": 5.0}
"""Milliseconds that it may take."""


class Server:
    """A server in this process that says how long each answer took it."""

    def __init__(self) -> None:
        self._inside = Inside(LocalService(Settings()))
        self.twins = self._inside.service.registry.names

    def post(self, path: str, body: Any = None, token: str = "") -> tuple[Any, float]:
        """The answer and the milliseconds that it took."""
        headers = [
            (b"host", HERE),
            (b"content-type", b"application/json"),
            (b"authorization", f"Bearer {token}".encode()),
        ]
        content = json.dumps(body or {}).encode()
        begun = time.perf_counter()
        reply = self._inside.reply("POST", path, b"", headers if token else headers[:2], content)
        took = 1000 * (time.perf_counter() - begun)
        assert reply.status < 300, reply.body
        return json.loads(reply.body), took

    def get(self, path: str) -> Any:
        return json.loads(self._inside.reply("GET", path, b"", [(b"host", HERE)], b"").body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    server = Server()
    taken: dict[str, list[float]] = {"first provision": [], "provision": [], "reset": [], "teardown": []}
    for number in range(RUNS):
        made, took = server.post("/twin-runs", {"twins": [*server.twins]})
        taken["provision" if number else "first provision"].append(took)
        write(server, made["run_id"])
        taken["reset"].append(server.post(f"/twin-runs/{made['run_id']}/reset")[1])
        taken["teardown"].append(server.post(f"/twin-runs/{made['run_id']}/teardown")[1])
    result = {"twins": [*server.twins], **{name: round(median(times), 2) for name, times in taken.items()}}
    if parser.parse_args().json:
        print(json.dumps(result))
        return
    print(f"{len(server.twins)} twins: {', '.join(server.twins)}")
    for name, times in taken.items():
        bar = f"  bar {BARS[name]:g}" if name in BARS else ""
        print(f"{name:16} median {median(times):7.2f} ms  slowest {max(times):7.2f} ms{bar}")


def write(server: Server, run_id: str) -> None:
    """Change what a reset has to undo."""
    variables = server.get(f"/twin-runs/{run_id}")["twins"]["slack"]["env_vars"]
    path = variables["SLACK_API_URL"].partition("localhost")[2]
    room = server.post(f"{path}/conversations.list", {}, variables["SLACK_BOT_TOKEN"])[0]["channels"][0]["id"]
    for number in range(WRITES):
        said = {"channel": room, "text": f"message {number}"}
        assert server.post(f"{path}/chat.postMessage", said, variables["SLACK_BOT_TOKEN"])[0]["ok"]


if __name__ == "__main__":
    main()

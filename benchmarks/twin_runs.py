"""What it takes the server to provision every installed twin in one run, to reset it and to end it.

Requests are answered in this process, without a socket, and its garbage collection is set up as a server's: without
that, one full collection of everything that five twins have loaded takes up to 200 ms in the midst of any request.
The processor's time is told as well, since on a shared machine the wall's says more of the neighbours.
`python benchmarks/twin_runs.py [--json] [--runs N]`
"""

from __future__ import annotations

import argparse
import json
import time
from statistics import median
from typing import Any, NamedTuple

from twindiff.local.in_process import HERE, InProcessClient, LocalService
from twindiff.server import Settings
from twindiff.server.runtime.tuning import tune_process

WRITES = 20
BARS = {"provision": 50.0, "reset": 5.0}
"""Milliseconds that it may take."""


class Took(NamedTuple):
    """Milliseconds of an answer, by the wall's clock and of the processor."""

    wall: float
    processor: float


class Server:
    """A server in this process that says how long each answer took it."""

    def __init__(self) -> None:
        self._inside = InProcessClient(LocalService(Settings()))
        self.twins = self._inside.service.registry.names

    def post(self, path: str, body: Any = None, token: str = "") -> tuple[Any, Took]:
        """The answer and what it took."""
        headers = [
            (b"host", HERE),
            (b"content-type", b"application/json"),
            (b"authorization", f"Bearer {token}".encode()),
        ]
        content = json.dumps(body or {}).encode()
        begun, worked = time.perf_counter(), time.process_time()
        reply = self._inside.reply("POST", path, b"", headers if token else headers[:2], content)
        took = Took(1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - worked))
        assert reply.status < 300, reply.body
        return json.loads(reply.body), took

    def get(self, path: str) -> Any:
        return json.loads(self._inside.reply("GET", path, b"", [(b"host", HERE)], b"").body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=50)
    asked = parser.parse_args()
    server = Server()
    taken = measured(server, asked.runs)
    if asked.json:
        medians = {name: round(median(each.wall for each in times), 2) for name, times in taken.items()}
        print(json.dumps({"twins": [*server.twins], **medians}))
        return
    print(f"{len(server.twins)} twins: {', '.join(server.twins)}; {asked.runs} runs")
    for name, times in taken.items():
        bar = f"  bar {BARS[name]:g}" if name in BARS else ""
        wall, processor = (f"{median(each):7.2f} ms  slowest {max(each):7.2f} ms" for each in zip(*times, strict=True))
        print(f"{name:16} wall {wall}   processor {processor}{bar}")


def measured(server: Server, runs: int) -> dict[str, list[Took]]:
    """What provisioning, resetting and ending so many runs takes, each of them."""
    taken: dict[str, list[Took]] = {"first provision": [], "provision": [], "reset": [], "teardown": []}
    for number in range(runs):
        made, took = server.post("/twin-runs", {"twins": [*server.twins]})
        taken["provision" if number else "first provision"].append(took)
        if not number:
            tune_process()
        write(server, made["run_id"])
        taken["reset"].append(server.post(f"/twin-runs/{made['run_id']}/reset")[1])
        taken["teardown"].append(server.post(f"/twin-runs/{made['run_id']}/teardown")[1])
    return taken


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

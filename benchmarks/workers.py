"""Episodes per second of `twindiff serve` by its number of workers, and what the move of a connection costs.

    python benchmarks/workers.py [--workers 1,2] [--episodes 400] [--calls 10]

Each episode makes an environment, starts a run, makes calls, takes the exact diff and deletes the environment. A client
that shares processors with the server is left out: the rate is that of the busiest worker's own processor
time, which is the rate on a machine where each worker and the client have a processor. The rate by the clock is printed
beside it. For the move, calls alternate between environments of two workers on one connection, or stay with one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

TICKS = os.sysconf("SC_CLK_TCK")
THREADS = 8
CALLS_TIMED = 2000
MADE = {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"}


class Served(NamedTuple):
    """A running server."""

    url: str
    processes: list[int]

    def used(self) -> list[float]:
        """Seconds of processor time of each worker."""
        stats = (Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in self.processes)
        return [(int(each[11]) + int(each[12])) / TICKS for each in stats]

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, trust_env=False, timeout=60)


@contextmanager
def serving(workers: int) -> Generator[Served]:
    command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--json", "--data-dir", ":memory:"]
    process = subprocess.Popen(
        [*command, "--workers", str(workers)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout
    said: dict[str, Any] = json.loads(process.stdout.readline())
    try:
        yield Served(said["url"], said.get("workers") or [said["pid"]])
    finally:
        process.terminate()
        process.wait()


def post(client: httpx.Client, path: str, body: dict[str, Any], **headers: str) -> Any:
    answer = client.post(path, json=body, headers=headers)
    assert answer.is_success, answer.text
    return answer.json()


def call(client: httpx.Client, made: dict[str, Any], text: str) -> None:
    body = {"channel": "C01ABCD1234", "text": text}
    said = post(
        client, f"{made['environmentUrl']}/chat.postMessage", body, Authorization=f"Bearer {made['agentToken']}"
    )
    assert said["ok"]


def play(client: httpx.Client, calls: int) -> None:
    made = post(client, "/api/platform/initEnv", MADE)
    run = post(client, "/api/platform/startRun", {"envId": made["environmentId"]})
    for number in range(calls):
        call(client, made, f"message {number}")
    diff = post(client, "/api/platform/diffRun", {"runId": run["runId"]})["diff"]
    assert [row["message_text"] for row in diff["inserts"]] == [f"message {number}" for number in range(calls)]
    client.delete(f"/api/platform/env/{made['environmentId']}").raise_for_status()


def measure(served: Served, episodes: int, calls: int) -> tuple[float, float]:
    """Episodes per second by the processor time of the busiest worker, and by the clock."""
    clients = [served.client() for _ in range(THREADS)]

    def play_share(client: httpx.Client) -> None:
        for _ in range(episodes // THREADS):
            play(client, calls)

    with ThreadPoolExecutor(THREADS) as executor:
        list(executor.map(lambda client: play(client, calls), clients))  # loads everything
        began, before = time.perf_counter(), served.used()
        list(executor.map(play_share, clients))
        seconds, after = time.perf_counter() - began, served.used()
    for client in clients:
        client.close()
    busiest = max(end - start for start, end in zip(before, after, strict=True))
    return episodes / busiest, episodes / seconds


def measure_moves(served: Served) -> tuple[float, float]:
    """Milliseconds of the workers' processor time for a call whose connection stays, and for one whose moves."""
    with served.client() as client:
        pair = [post(client, "/api/platform/initEnv", MADE) for _ in served.processes]
        costs: list[float] = []
        for places in (pair[:1], pair):
            before = sum(served.used())
            for number in range(CALLS_TIMED):
                call(client, places[number % len(places)], "message")
            costs.append((sum(served.used()) - before) / CALLS_TIMED * 1000)
    return costs[0], costs[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--episodes", type=int, default=400)
    parser.add_argument("--calls", type=int, default=10)
    given = parser.parse_args()
    first = 0.0
    for workers in map(int, given.workers.split(",")):
        with serving(workers) as served:
            rate, clock = measure(served, given.episodes, given.calls)
            first = first or rate
            print(f"{workers} workers: {rate:.0f} episodes/s, {rate / first:.2f} x; by the clock {clock:.0f}")
            if workers > 1:
                stays, moves = measure_moves(served)
                print(f"a call: {stays:.2f} ms; with a move to another worker {moves:.2f} ms, {moves / stays:.2f} x")


if __name__ == "__main__":
    main()

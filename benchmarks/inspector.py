"""What the inspector costs: pages at the server and in Chromium, and what open pages cost an agent that writes.

`python benchmarks/inspector.py [--json]`
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
import threading
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import httpx
from playwright.sync_api import sync_playwright

from tests.harness import GENERAL, Environment, LiveServer, Platform
from twindiff.browser.chromium import chromium
from twindiff.server import Settings
from twindiff.server.runtime.tuning import tune_process

CALLS = 1000
ROWS = 100_000
PAGES = 50
POSTS = 1500
ROUNDS = 9
IDLE_SECONDS = 20
WINDOW_SECONDS = 3
"""A window that was just opened loads pages of Chromium's own, which would be measured too."""


def timed(work: Any) -> float:
    """Seconds that work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def answered(server: LiveServer, path: str) -> tuple[float, float]:
    """Milliseconds that a page takes the server and who asks for it, in one process: waited, and of the processor."""
    taken: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        worked = time.process_time()
        waited = timed(lambda: server.client.get(path))
        taken.append((1000 * waited, 1000 * (time.process_time() - worked)))
    waited, worked = map(median, zip(*taken, strict=True))
    return waited, worked


class Drawn(NamedTuple):
    """Seconds that a page took: as one waits, and of the processor for all that the page did."""

    wall: float
    processor: float


def in_chromium(url: str) -> Drawn:
    """What a timeline takes until it is loaded with all its calls, the median of several, each with an empty cache."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        taken: list[Drawn] = []
        for _ in range(ROUNDS):
            context = browser.new_context()
            page = context.new_page()
            page.wait_for_timeout(1000 * WINDOW_SECONDS)
            session: Any = context.new_cdp_session(page)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            wall = timed(lambda page=page: page.goto(url))
            assert page.locator("tbody tr").count() == CALLS
            metrics: dict[str, float] = {
                each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]
            }
            taken.append(Drawn(wall, metrics["TaskDuration"]))
            context.close()
        browser.close()
    return Drawn(*map(median, zip(*taken, strict=True)))


def with_rows(platform: Platform) -> Environment:
    """An environment with many messages."""
    made = platform.environment()
    rows = [
        {"message_id": f"{1_600_000_000 + n}.000000", "channel_id": GENERAL, "user_id": "U01AGENBOT9"}
        | {"message_text": f"message {n} of many, about subject {n % 997}"}
        for n in range(ROWS)
    ]
    export = platform.ask("GET", f"env/{made.id}/export").content
    return carried(platform, export, rows)


def carried(platform: Platform, export: bytes, rows: list[dict[str, Any]]) -> Environment:
    """The environment of an export to which rows are added."""
    import gzip

    head, *lines = gzip.decompress(export).splitlines()
    added = [json.dumps({"kind": "row", "twin": "slack", "table": "messages", "values": row}).encode() for row in rows]
    whole = [head, *added, *lines[:-1]]
    end = json.dumps({"kind": "end", "lines": len(whole)}).encode()
    file = gzip.compress(b"\n".join([*whole, end]) + b"\n", 1)
    sent = {"Content-Type": "application/gzip"}
    answer = platform.client.post("/api/platform/env/import", content=file, headers=sent, timeout=120)
    assert answer.is_success, answer.text
    return Environment(platform, answer.json())


def posting(server: LiveServer, environment: Environment) -> float:
    """Seconds of the server's processor for one message, the mean of many."""
    clock = time.pthread_getcpuclockid(server.thread_id)
    with httpx.Client(base_url=environment.url, headers={"Authorization": f"Bearer {environment.token}"}) as client:
        before = time.clock_gettime(clock)
        for _ in range(POSTS):
            client.post("/chat.postMessage", json={"channel": GENERAL, "text": "hello"})
        time.sleep(1)  # what is written and drawn later counts too
        return (time.clock_gettime(clock) - before) / POSTS


def idling(server: LiveServer) -> float:
    """Seconds of the server's processor while nobody asks it anything, for each second."""
    clock = time.pthread_getcpuclockid(server.thread_id)
    time.sleep(2)  # what was asked before is done by then
    before = time.clock_gettime(clock)
    time.sleep(IDLE_SECONDS)
    return (time.clock_gettime(clock) - before) / IDLE_SECONDS


class Watchers:
    """Open pages, without the browsers around them."""

    def __init__(self, server: LiveServer, path: str, count: int) -> None:
        self._sockets = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
        for each in self._sockets:
            each.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
            assert each.recv(1 << 16).startswith(b"HTTP/1.1 200")
        self._thread = threading.Thread(target=lambda: asyncio.run(self._drain()), daemon=True)
        self._thread.start()

    async def _drain(self) -> None:
        await asyncio.gather(*(self._read(each) for each in self._sockets))

    async def _read(self, connection: socket.socket) -> None:
        reader, _ = await asyncio.open_connection(sock=connection)
        while await reader.read(1 << 16):
            pass

    def close(self) -> None:
        for each in self._sockets:
            each.shutdown(socket.SHUT_RDWR)
        self._thread.join()


def measure() -> dict[str, float]:
    """Everything, in milliseconds; ratios without a unit."""
    tune_process()
    server = LiveServer(Settings())
    platform = Platform(server.client)
    try:
        worked = platform.environment()
        for n in range(CALLS):
            worked.post(f"message {n}") if n % 2 else worked.slack("auth.test")
        path = f"/inspect/environments/{worked.id}"
        return {
            **a_long_timeline(server, path),
            **a_large_table(server, platform),
            **open_pages(server, worked, path + "/events"),
            **idle_pages(server, path + "/events"),
        }
    finally:
        server.close()


def a_long_timeline(server: LiveServer, path: str) -> dict[str, float]:
    waited, worked_for = answered(server, path)
    drawn = in_chromium(server.url + path)
    return {
        "timeline of 1,000 calls, server ms": waited,
        "of that its processor, server ms": worked_for,
        "timeline of 1,000 calls, Chromium ms": 1000 * drawn.wall,
        "of that its processor, ms": 1000 * drawn.processor,
    }


def a_large_table(server: LiveServer, platform: Platform) -> dict[str, float]:
    table = f"/inspect/environments/{with_rows(platform).id}/tables/slack/messages"
    milliseconds: dict[str, float] = {}
    for name, query in [
        ("first page", ""),
        ("last page", f"?offset={ROWS - 100}"),
        ("filtered by words", "?column=message_text&op=contains&value=subject+996"),
        ("filtered by value", f"?column=channel_id&op=is&value={GENERAL}"),
    ]:
        waited, worked_for = answered(server, table + query)
        milliseconds[f"100,000 rows, {name}, ms"] = waited
        milliseconds[f"100,000 rows, {name}, processor ms"] = worked_for
    return milliseconds


def open_pages(server: LiveServer, worked: Environment, events: str) -> dict[str, float]:
    """What a post costs while pages watch, beside what it costs while none does, in turn."""
    ratios: list[float] = []
    for _ in range(ROUNDS):
        alone = posting(server, worked)
        watchers = Watchers(server, events, PAGES)
        ratios.append(posting(server, worked) / alone)
        watchers.close()
    return {"processor for a post with 50 open pages, ratio": median(ratios)}


def idle_pages(server: LiveServer, events: str) -> dict[str, float]:
    costs: dict[str, float] = {}
    nobody = idling(server)
    for name, stream in [("timelines", events), ("lists", "/inspect/events")]:
        watchers = Watchers(server, stream, PAGES)
        costs[f"an idle page of {PAGES} {name}, processor ms a minute"] = 60_000 * (idling(server) - nobody) / PAGES
        watchers.close()
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    measured = measure()
    if as_json:
        print(json.dumps(measured))
    else:
        for name, value in measured.items():
            print(f"{name:<50} {value:8.2f}")


if __name__ == "__main__":
    main()

"""Random workers of a server are killed under load: what was acknowledged is there once, all else at most once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles

import httpx
import pytest

from tests.harness import Environment, Platform, texts
from twindiff.catalog.shard_ids import shard_of

KILLS = int(os.environ.get("TWINDIFF_TEST_KILLS", "50"))
WORKERS = 2
ENVIRONMENTS = 4
CALM_POSTS = 200
"""Messages of each environment before the first kill."""


class Load(threading.Thread):
    """Posts numbered messages to one environment, and makes others in between."""

    def __init__(self, url: str, platform: Platform) -> None:
        super().__init__()
        self.environment = platform.environment()
        self.run_id = platform.start(self.environment)
        self.others: list[Environment] = []
        self.sent, self.known, self.lost = 0, list[str](), 0
        self.waits: list[float] = []
        """Seconds of each acknowledged message."""
        self.is_over = False
        self._platform = Platform(httpx.Client(base_url=url, trust_env=False, timeout=60))
        self._environment = Environment(self._platform, self.environment.made)

    @property
    def acknowledged(self) -> int:
        return len(self.known)

    def run(self) -> None:
        with self._platform.client:
            while not self.is_over:
                self._post()

    def _post(self) -> None:
        self.sent += 1
        started = time.perf_counter()
        try:
            self._environment.post(f"m{self.sent}")
            self.waits.append(time.perf_counter() - started)
            self.known.append(f"m{self.sent}")
            if self.sent % 50 == 0:
                self.others.append(self._platform.environment())
        except httpx.TransportError:
            self.lost += 1


class KilledServer:
    """A server whose workers are killed; `shards` has the shard of each process."""

    def __init__(self, data_dir: Path) -> None:
        command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--json", "--data-dir", str(data_dir)]
        self._process = subprocess.Popen([*command, "--workers", str(WORKERS)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        said = json.loads(self._process.stdout.readline())
        self.url: str = said["url"]
        self._shards: dict[int, int] = {pid: shard for shard, pid in enumerate(said["workers"])}

    def kill_one(self) -> int:
        """Kill a random worker; returns its shard."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        running = {int(each) for task in tasks for each in (task / "children").read_text().split()}
        missing = set(range(WORKERS)) - {self._shards[pid] for pid in running & self._shards.keys()}
        self._shards |= dict(zip(running - self._shards.keys(), missing, strict=True))
        killed = random.choice(sorted(running))
        os.kill(killed, signal.SIGKILL)
        return self._shards[killed]

    def end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=60)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KilledServer]:
    server = KilledServer(tmp_path)
    yield server
    server.end()


def _wait_for_posts(loads: list[Load], count: int) -> None:
    marks = [len(each.known) for each in loads]
    while any(len(each.known) < mark + count for each, mark in zip(loads, marks, strict=True)):
        time.sleep(0.05)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_workers_lose_double_and_halve_nothing(server: KilledServer) -> None:
    with httpx.Client(base_url=server.url, trust_env=False, timeout=120) as client:
        platform = Platform(client)
        loads = [Load(server.url, platform) for _ in range(ENVIRONMENTS)]
        for each in loads:
            each.start()
        _wait_for_posts(loads, CALM_POSTS)
        calm = [wait for each in loads for wait in each.waits]
        beside: list[float] = []
        for _ in range(KILLS):
            before = [len(each.waits) for each in loads]
            killed = server.kill_one()
            _wait_for_posts(loads, 5)
            for each, mark in zip(loads, before, strict=True):
                if shard_of(each.environment.id) != killed:
                    beside += each.waits[mark:]
        for each in loads:
            each.is_over = True
            each.join()
        for each in loads:
            _assert_is_whole(platform, each)
        known, sent, lost = (sum(getattr(each, name) for each in loads) for name in ("acknowledged", "sent", "lost"))
        print(f"{KILLS} kills: {known} of {sent} messages acknowledged, {lost} requests cut off")
        p99 = [quantiles(waits, n=100)[98] * 1000 for waits in (calm, beside)]
        print(f"p99 of a post: {p99[0]:.1f} ms before the kills, {p99[1]:.1f} ms in the shards that were not killed")


def _assert_is_whole(platform: Platform, load: Load) -> None:
    """Every acknowledged message is there once, every other at most once, each with a record of the journal."""
    counts = Counter(texts(platform.diff(load.run_id)))
    assert {each: counts[each] for each in load.known if counts[each] != 1} == {}
    assert {each: count for each, count in counts.items() if count > 1 or int(each[1:]) > load.sent} == {}
    assert platform.get(f"env/{load.environment.id}")["seq"] == sum(counts.values())
    for each in load.others:
        assert platform.get(f"env/{each.id}")["status"] == "ready"
        Environment(platform, each.made).post("still there")

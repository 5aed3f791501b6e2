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

import httpx
import pytest

from tests.harness import Environment, Platform, texts

KILLS = int(os.environ.get("TWINDIFF_TEST_KILLS", "50"))
WORKERS = 2
ENVIRONMENTS = 4


class Load(threading.Thread):
    """Posts numbered messages to one environment, and makes others in between."""

    def __init__(self, url: str, platform: Platform) -> None:
        super().__init__()
        self.environment = platform.environment()
        self.run_id = platform.start(self.environment)
        self.others: list[Environment] = []
        self.sent, self.known, self.lost = 0, list[str](), 0
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
        try:
            self._environment.post(f"m{self.sent}")
            self.known.append(f"m{self.sent}")
            if self.sent % 50 == 0:
                self.others.append(self._platform.environment())
        except httpx.TransportError:
            self.lost += 1


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "twindiff.cli", "serve", "--port", "0", "--json", "--data-dir", str(tmp_path)]
    process = subprocess.Popen([*command, "--workers", str(WORKERS)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    yield process, json.loads(process.stdout.readline())["url"]
    process.send_signal(signal.SIGTERM)
    process.wait(60)


def _all_workers(parent: int) -> list[int]:
    tasks = Path(f"/proc/{parent}/task").iterdir()
    return [int(each) for task in tasks for each in (task / "children").read_text().split()]


@pytest.mark.soak
def test_killed_workers_lose_double_and_halve_nothing(supervisor: tuple[subprocess.Popen[str], str]) -> None:
    process, url = supervisor
    with httpx.Client(base_url=url, trust_env=False, timeout=120) as client:
        platform = Platform(client)
        loads = [Load(url, platform) for _ in range(ENVIRONMENTS)]
        for each in loads:
            each.start()
        for _ in range(KILLS):
            os.kill(random.choice(_all_workers(process.pid)), signal.SIGKILL)
            marks = [len(each.known) for each in loads]
            while any(len(each.known) < mark + 5 for each, mark in zip(loads, marks, strict=True)):
                time.sleep(0.05)
        for each in loads:
            each.is_over = True
            each.join()
        for each in loads:
            _assert_is_whole(platform, each)
        known, sent, lost = (sum(getattr(each, name) for each in loads) for name in ("acknowledged", "sent", "lost"))
        print(f"{KILLS} kills: {known} of {sent} messages acknowledged, {lost} requests cut off")


def _assert_is_whole(platform: Platform, load: Load) -> None:
    """Every acknowledged message is there once, every other at most once, each with a record of the journal."""
    counts = Counter(texts(platform.diff(load.run_id)))
    assert {each: counts[each] for each in load.known if counts[each] != 1} == {}
    assert {each: count for each, count in counts.items() if count > 1 or int(each[1:]) > load.sent} == {}
    assert platform.get(f"env/{load.environment.id}")["seq"] == sum(counts.values())
    for each in load.others:
        assert platform.get(f"env/{each.id}")["status"] == "ready"
        Environment(platform, each.made).post("still there")

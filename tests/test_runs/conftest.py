"""A site to be tested, and a server that does test runs in Chromium."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import httpx
import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium

RUN_SECONDS = 240
"""How long a test waits for a run, which may be behind others in the queue; then it fails by pytest's own limit."""


@pytest.fixture(scope="session", autouse=True)
def _browser() -> None:
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    served = Site()
    yield served
    served.close()


class Served(Protocol):
    """A server that there is a client of."""

    client: httpx.Client


class Runs:
    """Test runs of a server, as a program without an SDK asks for them."""

    def __init__(self, server: Served) -> None:
        self.client = server.client

    def create(self, path: str = "/test-runs", **asked: Any) -> str:
        return succeeded(self.client.post(path, json=asked))["id"]

    def get(self, run_id: str) -> Json:
        return succeeded(self.client.get(f"/test-runs/{run_id}"))

    def until(self, run_id: str, is_there: Callable[[Json], bool], seconds: float = RUN_SECONDS) -> Json:
        """The run as soon as something holds of it."""
        end = time.monotonic() + seconds
        while not is_there(run := self.get(run_id)):
            assert time.monotonic() < end, run
            time.sleep(0.05)
        return run

    def wait(self, run_id: str, seconds: float = RUN_SECONDS) -> Json:
        """The run when it has ended, which its stream does with it."""
        with self.client.stream("GET", f"/validate/{run_id}/results", timeout=seconds) as events:
            events.read()
        run = self.get(run_id)
        assert run["status"] not in ("queued", "running"), run
        return run

    def run(self, path: str = "/test-runs", **asked: Any) -> Json:
        return self.wait(self.create(path, **asked))

    def steps(self, start_url: str, *steps: Json, **asked: Any) -> Json:
        """A run of these steps, when it has ended."""
        return self.run(start_url=start_url, test_config={"steps": list(steps)}, **asked)


@pytest.fixture(scope="session")
def runs(live: LiveServer) -> Runs:
    return Runs(live)

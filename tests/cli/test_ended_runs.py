"""Runs over the workers of a server end alone, by a request or with their worker, and leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.cli.conftest import Serving
from tests.sandbox_runs.conftest import SERVES, Repository, Sandboxes, variables_of
from tests.test_runs.conftest import Runs
from tests.test_runs.site import Site
from twindiff.browser import limits
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.catalog.shard_ids import shard_of
from twindiff.server.apis.test_runs.workers import scratch_of

WORKERS = 2
HELD = """<!doctype html><p id=out>held</p><script>setInterval(async () => {
  if ((await fetch('/gate')).ok) out.innerText = 'done'
}, 50)</script>"""
UNTIL_DONE = {"action": "expect", "expect": {"type": "text", "contains": "done"}, "timeout_ms": 60_000}


class Pair:
    """A server of two workers, and a site whose page is done once its gate is open."""

    def __init__(self, data_dir: str, site: Site) -> None:
        self.serving = Serving("--data-dir", data_dir, "--workers", str(WORKERS), "--browsers", "4", "--json")
        self.made: dict[str, Any] = json.loads(self.serving.said)
        self.site = site
        self._open_client()

    def connect(self) -> None:
        """Begin with a connection that no killed worker has taken along."""
        self.client.close()
        self._open_client()

    def _open_client(self) -> None:
        self.client = httpx.Client(base_url=self.made["url"], trust_env=False, timeout=60)
        self.runs, self.sandboxes = Runs(self), Sandboxes(self)

    def make_in_each(self, make: Callable[[], Any]) -> list[str]:
        """The id of what is made in each worker, in order."""
        made: dict[int, str] = {}
        while len(made) < WORKERS:
            run_id = make()["run_id"]
            made[shard_of(run_id)] = run_id
        return [made[shard] for shard in range(WORKERS)]

    def hold_browsers(self) -> list[str]:
        """A run of each worker, in order, whose browser waits for the gate; none without a browser."""
        try:
            chromium()
        except NoBrowser:
            return []
        asked = {"start_url": f"{self.site.url}/", "test_config": {"steps": [UNTIL_DONE]}}
        made = self.make_in_each(lambda: self.client.post("/test-runs", json=asked).json())
        for each in made:
            self.runs.until(each, lambda run: run["status"] == "running")
        return made


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with closing(Site()) as site:
        site.pages["/"] = HELD
        pair = Pair(str(tmp_path_factory.mktemp("pair")), site)
        yield pair
        pair.client.close()
        assert pair.serving.end(signal.SIGTERM) == 0


def list_leftovers(run_id: str) -> list[str]:
    """Processes and folders of a run."""
    found = [str(each.pid) for each in limits.of_run(run_id)]
    return [*found, *filter(os.path.exists, [str(scratch_of(run_id))])]


def wait_until_clear(run_id: str) -> None:
    end = time.monotonic() + 60
    while left := list_leftovers(run_id):
        assert time.monotonic() < end, left
        time.sleep(0.05)


def test_a_cancelled_run_of_one_worker_ends_alone_and_leaves_nothing(pair: Pair) -> None:
    held = pair.hold_browsers()
    if not held:
        pytest.skip("there is no browser")
    assert list_leftovers(held[1])
    assert pair.client.post(f"/test-runs/{held[1]}/cancel").json()["status"] == "cancelled"
    wait_until_clear(held[1])
    assert [pair.runs.get(each)["status"] for each in held] == ["running", "cancelled"]
    assert list_leftovers(held[0])
    pair.client.post(f"/test-runs/{held[0]}/cancel").raise_for_status()


def test_a_killed_worker_ends_its_own_runs_only_says_so_and_leaves_nothing(
    pair: Pair, tmp_path_factory: pytest.TempPathFactory
) -> None:
    held = pair.hold_browsers()
    repository = Repository(tmp_path_factory.mktemp("code") / "app", app_DOT_py=SERVES)
    boxes = pair.make_in_each(lambda: pair.sandboxes.create(repo=str(repository.path), twins=["slack"]))
    os.kill(pair.made["workers"][1], signal.SIGKILL)
    pair.connect()
    ended = pair.sandboxes.until(boxes[1], lambda run: run["status"] == "failed")
    assert ended["error"] == "the server ended while the run was open"
    assert pair.client.get(f"/twin-runs/{ended['twin_run_id']}").json()["status"] == "torn_down"
    with pytest.raises(httpx.ConnectError):
        variables_of(ended)
    assert variables_of(pair.sandboxes.until(boxes[0], lambda run: run["status"] == "ready"))
    for each in held[1:]:
        lost = pair.runs.until(each, lambda run: run["status"] == "failed")
        assert (lost["failure_category"], lost["failure_detail"]) == ("server", ended["error"])
        wait_until_clear(each)
    pair.site.pages["/gate"] = "open"
    assert [pair.runs.wait(each)["status"] for each in held[:1]] == ["completed"] * len(held[:1])

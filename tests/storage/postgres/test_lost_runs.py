"""Runs of a server that is killed are ended by another one over the same database, and no others are."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.harness import Json, succeeded
from tests.sandbox_runs.conftest import SERVES, Repository
from tests.storage.postgres.cluster import Database
from tests.storage.postgres.serving import Serving
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server.apis.test_runs import ledger

pytestmark = pytest.mark.postgres

SAID = "the server ended while the run was open"


@pytest.fixture(scope="module", autouse=True)
def _browser() -> None:
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))


class Runs:
    """Sandbox runs and test runs of a server."""

    def __init__(self, server: Serving) -> None:
        self.client = server.client
        self.client.headers["Authorization"] = "Bearer k"

    def post(self, path: str, **asked: Any) -> str:
        return succeeded(self.client.post(path, json=asked))["run_id"]

    def get(self, run_id: str) -> Json:
        return succeeded(self.client.get(f"/runs/{run_id}"))

    def until(self, run_id: str, *statuses: str) -> Json:
        end = time.monotonic() + 60
        while (run := self.get(run_id))["status"] not in statuses:
            assert time.monotonic() < end, run
            time.sleep(0.05)
        return run


@pytest.fixture
def servers(database: Database, tmp_path: Path) -> Iterator[Callable[[], Serving]]:
    """Start servers over one database, which know one repository."""
    database.initialise_all(has_templates=True)
    made = Repository(tmp_path / "repository", app_DOT_py=SERVES)
    started: list[Serving] = []

    def start() -> Serving:
        more = ("--repo", f"acme/shop={made.path}")
        started.append(Serving(database.dsn, workers=1, ready=0, more=more))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture
def site() -> Iterator[Site]:
    served = Site()
    yield served
    served.close()


def test_a_server_ends_the_runs_of_one_that_was_killed_and_no_others(
    servers: Callable[[], Serving], database: Database, site: Site
) -> None:
    dying, living = servers(), servers()
    theirs, mine = Runs(dying), Runs(living)
    waits = {"start_url": site.url, "test_config": {"steps": [{"action": "wait", "value": "60000"}] * 4}}
    lost = [theirs.post("/test-runs", **waits), theirs.post("/sandbox-runs", repo="acme/shop", ttl_minutes=60)]
    kept = [mine.post("/test-runs", **waits), mine.post("/sandbox-runs", repo="acme/shop", ttl_minutes=60)]
    for run_id in (*lost, *kept):
        mine.until(run_id, "running", "ready")
    dying.kill()
    assert [mine.get(run_id)["status"] for run_id in lost] == ["running", "ready"]
    silent = (ledger.SILENT_SECONDS + 1) * 1_000_000
    database.psql(
        "UPDATE twindiff_catalog.test_runs SET heard = heard - %s WHERE run_id = ANY(%s)", silent, [*lost, *kept]
    )
    ended = [mine.until(run_id, "failed") for run_id in lost]
    assert [(run["failure_category"], run["failure_detail"]) for run in ended] == [("server", SAID)] * 2
    assert [mine.get(run_id)["status"] for run_id in kept] == ["running", "ready"]

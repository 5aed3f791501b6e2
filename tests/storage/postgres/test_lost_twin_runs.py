"""Twin runs of servers that are killed: what was being made has failed soon, and what was torn down stays so."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.harness import Json, succeeded
from tests.server.twin_runs.conftest import Endpoint
from tests.storage.postgres.cluster import Database
from tests.storage.postgres.serving import Serving
from twindiff.server.apis.twin_runs import makers

pytestmark = pytest.mark.postgres

WORLD = json.dumps({"slack": {"channels": ["launch"]}})
ASKED = {"twins": ["slack"], "scenario_prompt": "A launch", "scenario_generation_mode": "thorough", "wait_seconds": 0}
HEADERS = {"Authorization": "Bearer k"}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A model that keeps who asks it waiting."""
    held = Endpoint(*[WORLD] * 5)
    held.goes_on.clear()
    for name, value in (("TWINDIFF_MODEL", "m"), ("OPENAI_BASE_URL", f"{held.url}/v1"), ("OPENAI_API_KEY", "k")):
        monkeypatch.setenv(name, value)
    yield held
    held.close()


@pytest.fixture
def start(database: Database, model: Endpoint) -> Iterator[Callable[[], Serving]]:
    """Start servers over one database."""
    database.initialise_all(has_templates=True)
    started: list[Serving] = []

    def begin() -> Serving:
        started.append(Serving(database.dsn, workers=1, ready=0))
        return started[-1]

    yield begin
    model.goes_on.set()
    for server in started:
        if server.process.poll() is None:
            server.stop()


def post(server: Serving, path: str, **asked: Any) -> Json:
    return succeeded(server.client.post(f"/twin-runs{path}", json=asked, headers=HEADERS))


def until(server: Serving, run_id: str, status: str) -> Json:
    end = time.monotonic() + 60
    while (run := succeeded(server.client.get(f"/twin-runs/{run_id}", headers=HEADERS)))["status"] != status:
        assert time.monotonic() < end, run
        time.sleep(0.05)
    return run


def fall_silent(database: Database, *run_ids: str) -> None:
    silent = (makers.MAX_SILENT_SECONDS + 1) * 1_000_000
    database.psql("UPDATE twindiff_catalog.twin_runs SET heard = heard - %s WHERE run_id = ANY(%s)", silent, [*run_ids])


def test_a_run_that_all_servers_died_over_has_failed_soon_and_can_be_torn_down(
    start: Callable[[], Serving], database: Database, model: Endpoint
) -> None:
    dying = start()
    run_id = post(dying, "", **ASKED)["run_id"]
    model.asks.acquire()
    dying.kill()
    living = start()
    fall_silent(database, run_id)
    assert until(living, run_id, "failed")["error"] == makers.LOST
    post(living, f"/{run_id}/teardown")
    assert until(living, run_id, "failed")["status"] == "failed"


def test_a_run_that_a_living_server_is_making_is_not_given_up(
    start: Callable[[], Serving], database: Database, model: Endpoint
) -> None:
    making, other = start(), start()
    run_id = post(making, "", **ASKED)["run_id"]
    model.asks.acquire()
    query = "SELECT heard > created FROM twindiff_catalog.twin_runs WHERE run_id = %s"
    end = time.monotonic() + 60
    while database.psql(query, run_id) != [(True,)]:
        assert time.monotonic() < end
        time.sleep(0.05)
    model.goes_on.set()
    assert until(other, run_id, "ready")["environment_id"]


def test_a_run_is_torn_down_with_its_environment_or_not_at_all(
    start: Callable[[], Serving], database: Database
) -> None:
    one, other = start(), start()
    run = post(one, "", twins=["slack"])
    with failing(database):
        assert other.client.post(f"/twin-runs/{run['run_id']}/teardown", headers=HEADERS).status_code >= 500
    stands = "SELECT status FROM twindiff_catalog.environments WHERE environment_id = %s"
    assert database.psql(stands, run["environment_id"]) == [("ready",)]
    post(other, f"/{run['run_id']}/teardown")
    assert until(one, run["run_id"], "torn_down")


@contextmanager
def failing(database: Database) -> Iterator[None]:
    """No run can be torn down."""
    database.psql(
        "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'as a test asks' USING ERRCODE = '53100'; END $$"
    )
    refusal = "FOR EACH ROW WHEN (NEW.status = 'torn_down') EXECUTE FUNCTION public.refuse()"
    database.psql(f"CREATE TRIGGER refusal BEFORE UPDATE ON twindiff_catalog.twin_runs {refusal}")
    yield
    database.psql("DROP FUNCTION public.refuse CASCADE")

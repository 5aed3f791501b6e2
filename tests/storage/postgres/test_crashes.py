"""PostgreSQL itself is killed under load: service comes back by itself, and nothing that was acknowledged is lost."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.harness import GENERAL
from tests.storage.conformance.worlds import SCHEMAS, Thing, World
from tests.storage.postgres.cluster import CATALOG, Database, draining, schemas
from tests.storage.postgres.serving import Serving, Writers, clusters, eventually, journal, posted, serving
from twindiff.storage.postgres import PostgresEngine

pytestmark = pytest.mark.postgres


class Cluster:
    """A PostgreSQL that may be killed."""

    def __init__(self) -> None:
        self._script = clusters()
        self._made: Any = self._script.make(self._script.programs())
        self.dsn: str = self._made.dsn

    def kill(self) -> None:
        """Kill the postmaster and its processes at once: left alone, one may still finish a commit."""
        pid = int((Path(self._made.directory) / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{pid}/task/{pid}/children")
        started = [int(child) for child in children.read_text().split()] if children.exists() else []
        for each in (pid, *started):
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)

    def start(self) -> None:
        """Start it again; while processes of the killed one are still ending, PostgreSQL refuses."""
        for _ in range(50):
            with contextlib.suppress(SystemExit):
                self._script.control(self._made, "start", "-t", "60")
                return
        raise AssertionError("the cluster does not start again")

    def remove(self) -> None:
        self._script.remove(self._made)


@pytest.fixture(scope="module")
def own_cluster(cluster: str) -> Iterator[Cluster]:
    """Only where there is a PostgreSQL at all."""
    assert cluster
    made = Cluster()
    yield made
    made.remove()


@pytest.fixture(scope="module")
def server(own_cluster: Cluster) -> Iterator[Serving]:
    """Two processes that answer, over a database of that cluster."""
    database = Database(own_cluster.dsn)
    database.initialise(schemas(), CATALOG)
    with serving(database.dsn, workers=2) as running:
        yield running


def test_nothing_is_lost_when_the_database_is_killed(own_cluster: Cluster, server: Serving) -> None:
    database_killed(own_cluster, server, 1)


@pytest.mark.soak
def test_nothing_is_lost_when_the_database_is_killed_20_times(own_cluster: Cluster, server: Serving) -> None:
    database_killed(own_cluster, server, 20)


def database_killed(cluster: Cluster, server: Serving, rounds: int) -> None:
    environments = [server.environment() for _ in range(4)]
    writers = Writers(environments)
    try:
        for _ in range(rounds):
            writers.wait_for(20)
            cluster.kill()
            cluster.start()
            writers.wait_for(40)
    finally:
        writers.stop()
    for environment in environments:
        records = journal(server, environment)
        texts = posted(records)
        assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
        assert len(texts) == len(set(texts))
        assert set(writers.acknowledged[environment.id]) <= set(texts)
    assert "Traceback" not in server.words


def test_requests_get_503_while_the_database_is_down_and_are_served_again(
    own_cluster: Cluster, server: Serving
) -> None:
    environment = server.environment()
    own_cluster.kill()
    for answer in (
        environment.ask("chat.postMessage", json={"channel": GENERAL, "text": "lost"}),
        server.platform.ask("GET", f"env/{environment.id}"),
    ):
        assert (answer.status_code, answer.headers.get("retry-after")) == (503, "1"), answer.text
        assert "Traceback" not in answer.text
    own_cluster.start()
    answer = eventually(lambda: environment.ask("chat.postMessage", json={"channel": GENERAL, "text": "kept"}))
    assert answer.json()["ok"]
    assert posted(journal(server, environment)) == ["kept"]
    assert "Traceback" not in server.words


def test_when_a_drainer_ends_another_takes_over(database: Database) -> None:
    database.initialise(SCHEMAS.values())
    world = World(lambda: PostgresEngine(database.dsn))
    place = world.environment()
    with draining(database.dsn):
        with draining(database.dsn):
            place.add(Thing(thing_id="T1"))
            assert len(place.records()) == 1
        place.add(Thing(thing_id="T2"))
        assert len(place.records()) == 2
    with draining(database.dsn):
        place.add(Thing(thing_id="T3"))
        assert [record.seq for record in place.records()] == [1, 2, 3]
    world.engine.close()

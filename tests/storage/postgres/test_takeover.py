"""A drainer that hangs is replaced while the database still holds its connections open."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.harness import texts
from tests.storage.conformance.worlds import SCHEMAS, Thing, World
from tests.storage.postgres.cluster import Database, DrainerProcess
from tests.storage.postgres.serving import serving
from twindiff.storage.postgres import PostgresEngine
from twindiff.storage.postgres.admin import slot_of
from twindiff.storage.postgres.connections import connect
from twindiff.storage.postgres.journal_fence import JournalLags
from twindiff.storage.postgres.lease import Lease

pytestmark = pytest.mark.postgres


@pytest.fixture
def fresh(cluster: str) -> Iterator[Database]:
    made = Database(cluster)
    yield made
    made.drop()


@pytest.fixture
def world(fresh: Database) -> Iterator[World]:
    fresh.initialise(SCHEMAS.values())
    opened = World(lambda: PostgresEngine(fresh.dsn))
    yield opened
    opened.engine.close()


@pytest.fixture
def pair(fresh: Database, world: World) -> Iterator[tuple[DrainerProcess, DrainerProcess]]:
    """One that drains, and one that stands by."""
    first = DrainerProcess(fresh.dsn)
    assert fresh.drainer() == first.pid
    other = DrainerProcess(fresh.dsn)
    yield first, other
    for each in (first, other):
        each.end()


def test_a_drainer_that_hangs_is_replaced(
    world: World, fresh: Database, pair: tuple[DrainerProcess, DrainerProcess]
) -> None:
    first, other = pair
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    assert len(place.records()) == 1
    first.send(signal.SIGSTOP)
    place.add(Thing(thing_id="T2"))
    assert len(place.records()) == 2
    assert fresh.drainer() == other.pid


def test_one_that_hung_stands_by_when_it_wakes_and_takes_over_in_turn(
    world: World, fresh: Database, pair: tuple[DrainerProcess, DrainerProcess]
) -> None:
    place = world.environment()
    for number, (hangs, wakes) in enumerate([pair, pair[::-1], pair], 1):
        wakes.send(signal.SIGCONT)
        hangs.send(signal.SIGSTOP)
        place.add(Thing(thing_id=f"T{number}"))
        assert [record.seq for record in place.records()] == list(range(1, number + 1))


def test_a_drainer_that_works_on_much_at_once_is_not_taken_for_hung(
    world: World, fresh: Database, pair: tuple[DrainerProcess, DrainerProcess]
) -> None:
    place = world.environment()
    fresh.psql(
        "INSERT INTO twin_alpha.things (env_id, thing_id, count, is_open, payload) "
        "SELECT %s, 'T' || n, 0, true, 'null' FROM generate_series(1, 40000) n",
        place.env,
    )
    records = None
    while records is None:
        try:
            records = place.records()
        except JournalLags:
            continue
    assert [len(record.changes) for record in records] == [40_000]
    assert fresh.drainer() == pair[0].pid


def test_who_takes_over_does_not_end_a_server_that_looks_into_the_slot_as_it_starts(fresh: Database) -> None:
    fresh.initialise(SCHEMAS.values())
    with connect(fresh.dsn) as holder, connect(fresh.dsn) as starting, connect(fresh.dsn) as standby:
        slot = slot_of(standby)
        starting.execute("SELECT pg_drop_replication_slot(%s)", (slot,))
        with ThreadPoolExecutor() as threads, holder.transaction():
            holder.execute("SELECT pg_current_xact_id()")  # a slot is held while it waits for older transactions
            made = threads.submit(starting.row, "SELECT pg_create_logical_replication_slot(%s, 'wal2json')", (slot,))
            while not standby.row("SELECT 1 FROM pg_replication_slots WHERE slot_name = %s", (slot,)):
                assert not made.done(), made.result()
            assert Lease(standby).wait(threading.Event())
            holder.execute("ROLLBACK")
            assert made.result()


def test_a_server_alone_has_one_that_stands_by(fresh: Database) -> None:
    fresh.initialise_all()
    with serving(fresh.dsn, workers=1, ready=0) as running:
        environment = running.environment()
        run = running.platform.start(environment)
        hung = fresh.drainer()
        assert hung in running.children("drainer")
        os.kill(hung, signal.SIGSTOP)
        environment.post("hi")
        assert texts(running.platform.diff(run)) == ["hi"]
        os.kill(hung, signal.SIGCONT)


def test_a_connection_notices_that_the_database_is_gone_as_soon_as_its_address_says(fresh: Database) -> None:
    fresh.initialise()
    with connect(fresh.dsn) as usual, connect(f"{fresh.dsn} keepalives_idle=77") as own:
        said = [connection.info.get_parameters() for connection in (usual, own)]
    assert [each["keepalives_idle"] for each in said] == ["2", "77"]

"""Environments that are copied ahead, and what is left of those that are gone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.storage.conformance.worlds import SCHEMAS, Thing, World
from tests.storage.postgres.cluster import Database, draining
from twindiff.storage.postgres import PostgresEngine
from twindiff.storage.postgres.bulk_writes import without_capture
from twindiff.storage.postgres.connections import PostgresPool

pytestmark = pytest.mark.postgres


def test_many_that_come_at_once_get_an_environment_each(world: World, database: Database) -> None:
    origin = world.environment(Thing(thing_id="T1")).origin
    engine = PostgresEngine(database.dsn, ready=2)
    engine.schema(SCHEMAS["alpha"])

    def make(_: int) -> str:
        env = engine.ready(origin)
        assert env
        engine.create(env, origin)
        return env

    with ThreadPoolExecutor(16) as threads:
        made = set(threads.map(make, range(48)))
    counts = [engine.read(env, "alpha", lambda moment: moment.db.count(Thing)) for env in made]
    engine.close()
    assert counts == [1] * 48


def rows_of(database: Database, envs: list[str]) -> int:
    """Rows and records of environments that the database still has."""
    ((things, records),) = database.psql(
        "SELECT (SELECT count(*) FROM twin_alpha.things WHERE env_id = ANY(%s)), "
        "(SELECT count(*) FROM twindiff.journal WHERE env = ANY(%s))",
        envs,
        envs,
    )
    return things + records


def test_a_journal_goes_with_the_last_fork_that_needs_it(world: World, database: Database) -> None:
    parent = world.environment()
    parent.add(Thing(thing_id="T1"))
    child = parent.fork(1)
    grandchild = child.fork(1)
    for each in (parent, child):
        world.engine.delete(each.env)
    assert [record.seq for record in grandchild.records()] == [1]
    world.engine.delete(grandchild.env)
    for _ in range(3000):  # rows are removed in the background
        left = rows_of(database, [parent.env, child.env, grandchild.env])
        if not left:
            break
    assert left == 0


def test_copies_rewinds_and_forks_go_on_while_others_copy(world: World, database: Database) -> None:
    place, pool = world.environment(Thing(thing_id="T1")), PostgresPool(database.dsn)
    place.add(Thing(thing_id="T2"))
    with without_capture(pool, ahead=True), without_capture(pool, ahead=True), without_capture(pool):
        made = world.environment(Thing(thing_id="T1"))
        place.engine.rewind(place.env, 0)
        assert place.fork(2).state() == place.state() == made.state()
    pool.close()


def test_copies_take_turns_when_there_are_more_than_origins(world: World, database: Database) -> None:
    place, forks = world.environment(Thing(thing_id="T1")), 24
    with ThreadPoolExecutor(forks) as threads:
        made = list(threads.map(lambda _: place.fork(0), range(forks)))
    assert all(fork.state() == place.state() for fork in made)
    assert not any(fork.records() for fork in made)


def test_a_drainer_leaves_out_copies_under_origins_that_came_after_it(cluster: str) -> None:
    database = Database(cluster)
    database.initialise(SCHEMAS.values())
    for name in database.psql("SELECT roname FROM pg_replication_origin WHERE roname LIKE %s", f"%-_ {database.name}"):
        database.psql("SELECT pg_replication_origin_drop(%s)", *name)
    world = World(lambda: PostgresEngine(database.dsn))
    with draining(database.dsn):
        database.drainer()
        database.initialise()
        place = world.environment(Thing(thing_id="T1"))
        child = place.fork(0)
        for each in (place, child):
            each.add(Thing(thing_id="T2"))
            assert [(record.seq, len(record.changes)) for record in each.records()] == [(1, 1)]
    world.engine.close()
    database.drop()

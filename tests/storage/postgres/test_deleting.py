"""What is said and done of an environment within a transaction of the catalog: all at its commit, or nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import psycopg
import pytest

from tests.storage.conformance.worlds import Thing, World
from tests.storage.postgres.cluster import Database
from twindiff.storage.postgres.journal_fence import CHANNEL

pytestmark = pytest.mark.postgres


def test_a_deletion_that_is_rolled_back_leaves_the_environment(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))

    def fail() -> None:
        with world.engine.transaction():
            world.engine.delete(place.env)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    place.add(Thing(thing_id="T2"))
    assert world.engine.seq(place.env) == 1


def test_others_hear_of_an_environment_once_the_transaction_has_committed(world: World, database: Database) -> None:
    first, second = world.environment().env, world.environment().env
    with psycopg.connect(database.dsn, autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        with closing(listener.notifies(timeout=60)) as notices:
            heard = (notice.payload.partition(":")[0] for notice in notices)
            named = (env for env in heard if env in (first, second))
            with world.engine.transaction(), ThreadPoolExecutor(1) as thread:
                world.engine.announce(first)
                thread.submit(world.engine.announce, second).result()
                assert next(named) == second
            assert next(named) == first

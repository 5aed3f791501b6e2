"""Two sessions that do something to the same environments at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tests.storage.conformance.worlds import Place, Thing, World
from tests.storage.postgres.cluster import Database
from twindiff.storage import StorageUnavailable
from twindiff.storage.postgres.connections import sql

pytestmark = pytest.mark.postgres

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def wait_for(database: Database, waiting: int) -> None:
    """Until so many sessions wait for others."""
    while database.psql(WAITING) < [(waiting,)]:
        continue


@contextmanager
def meanwhile(database: Database, work: Callable[[], Any], waiting: int = 1) -> Generator[None]:
    """Work in another session: the block runs once that is done, or waits for others; it ends when the work has."""
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive() and database.psql(WAITING) < [(waiting,)]:
        continue
    yield
    thread.join()


def standing(database: Database, *places: Place) -> list[str]:
    """Which of some environments are still known, forgotten or not."""
    query = "SELECT env FROM twindiff.standings WHERE env = ANY(%s)"
    return [env for (env,) in database.psql(query, [place.env for place in places])]


def deleted_at_once(world: World, database: Database, first: Place, second: Place) -> None:
    with psycopg.connect(database.dsn) as session:
        session.execute("SELECT twindiff.forget(%s)", (first.env,))
        with meanwhile(database, lambda: world.engine.delete(second.env)):
            session.commit()


def test_a_deleted_environment_goes_with_forks_that_are_deleted_at_once(world: World, database: Database) -> None:
    parent = world.environment(Thing(thing_id="T1"))
    first, second = parent.fork(0), parent.fork(0)
    world.engine.delete(parent.env)
    deleted_at_once(world, database, first, second)
    assert standing(database, parent, first, second) == []


def test_an_environment_and_its_only_fork_can_be_deleted_at_once(world: World, database: Database) -> None:
    parent = world.environment(Thing(thing_id="T1"))
    child = parent.fork(0)
    deleted_at_once(world, database, parent, child)
    assert standing(database, parent, child) == []


def test_a_fork_and_the_environment_it_came_from_can_be_deleted_at_once(world: World, database: Database) -> None:
    parent = world.environment(Thing(thing_id="T1"))
    child = parent.fork(0)
    deleted_at_once(world, database, child, parent)
    assert standing(database, parent, child) == []


def test_a_rewind_comes_after_a_change_that_is_being_numbered(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"))
    before = place.state()
    place.add(Thing(thing_id="T2"))
    assert len(place.records()) == 1
    with psycopg.connect(database.dsn) as session:
        session.execute("SELECT 1 FROM twindiff.standings WHERE env = %s FOR UPDATE", (place.env,))
        with psycopg.connect(database.admin) as hand:
            hand.execute("SELECT set_config('app.operation', 'mine', true)")
            hand.execute("UPDATE twin_alpha.things SET count = 5 WHERE env_id = %s", (place.env,))
        wait_for(database, 1)
        with meanwhile(database, lambda: place.engine.rewind(place.env, 0), waiting=2):
            session.commit()
    assert [(record.seq, record.operation) for record in place.records()] == [(1, "do"), (2, "external"), (3, "rewind")]
    assert place.state() == before


def test_an_operation_that_gives_way_to_changes_by_hand_says_that_it_is_busy(world: World, database: Database) -> None:
    place = world.environment(Thing(thing_id="T1"))
    here = f"FROM twin_alpha.things WHERE env_id = '{place.env}'"
    refusals: list[str] = []

    def write() -> None:
        try:
            place.write(lambda db: db.change(db.get(Thing, "T1"), text="new"))
        except StorageUnavailable as error:
            refusals.append(str(error))

    with psycopg.connect(database.admin) as session:
        session.execute(sql(f"SELECT 1 {here} FOR UPDATE"))
        with meanwhile(database, write):
            session.execute(sql(f"DELETE {here}"))
            session.commit()
    assert refusals == ["The environment is busy: others have been writing to it for seconds"]

"""What a failure leaves behind: the same failure for those who go on, and no rows."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.harness import LiveServer, Platform
from tests.storage.conformance.worlds import Thing, World
from tests.storage.postgres.cluster import Database, draining
from twindiff.kit.errors import TooSlow
from twindiff.kit.store import Store
from twindiff.server import Settings

pytestmark = pytest.mark.postgres


def too_slow(db: Store) -> None:
    """A statement that takes longer than it may."""
    db._run("SELECT set_config('statement_timeout', '1', true)")  # type: ignore[attr-defined]
    db._run("SELECT pg_sleep(10)")  # type: ignore[attr-defined]


def test_who_goes_on_after_a_statement_was_too_slow_is_told_so_again(world: World) -> None:
    def work(db: Store) -> int:
        with suppress(TooSlow):
            too_slow(db)
        return db.count(Thing)

    with pytest.raises(TooSlow):
        world.environment().read(work)


def test_what_was_too_slow_in_a_savepoint_leaves_the_rest_alone(world: World) -> None:
    def work(db: Store) -> int:
        with suppress(TooSlow), db.savepoint():
            too_slow(db)
        return db.count(Thing)

    assert world.environment(Thing(thing_id="T1")).write(work) == 1


def test_statements_together_have_as_long_as_each_alone(world: World) -> None:
    done: list[int] = []

    def work(db: Store) -> None:
        for number in range(60):
            db._run("SELECT pg_sleep(0.3)")  # type: ignore[attr-defined]
            done.append(number)

    with pytest.raises(TooSlow):
        world.environment().read(work)
    assert 0 < len(done) < 60


REFUSE_THIRD = """CREATE FUNCTION twindiff_catalog.refuse_third() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM twindiff_catalog.environments WHERE parent = NEW.parent) >= 2 THEN
        RAISE EXCEPTION 'full' USING ERRCODE = 'disk_full';
    END IF;
    RETURN NEW;
END $$"""


def test_forks_of_which_one_fails_leave_no_rows(database: Database) -> None:
    database.initialise_all()
    database.psql(REFUSE_THIRD)
    place = "BEFORE INSERT ON twindiff_catalog.environments FOR EACH ROW"
    database.psql(f"CREATE TRIGGER no_third {place} EXECUTE FUNCTION twindiff_catalog.refuse_third()")
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn, ready=0))
        platform = Platform(server.client)
        env = platform.environment().id
        assert platform.refusal("POST", f"env/{env}/fork", {"count": 3}) == (507, "storage_full")
        server.close()
    assert database.psql("SELECT env FROM twindiff.standings WHERE parent = %s", env) == []
    kept = "SELECT DISTINCT env_id FROM twin_slack.messages WHERE env_id NOT LIKE 'template:%'"
    assert database.psql(f"{kept} AND env_id NOT IN (SELECT env FROM twindiff.leftovers)") == [(env,)]

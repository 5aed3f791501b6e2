"""Operations that the journal never got: whatever would have to look over them is refused and says which they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.harness import Environment, LiveServer, Platform, texts
from tests.storage.conformance.worlds import SCHEMAS, Place, Thing, World
from tests.storage.postgres.cluster import Database, draining
from twindiff.server import Settings
from twindiff.storage import JournalIncomplete
from twindiff.storage.postgres import PostgresEngine

pytestmark = pytest.mark.postgres


@pytest.fixture
def fresh(cluster: str) -> Iterator[Database]:
    made = Database(cluster)
    yield made
    made.drop()


def lose_slot(database: Database) -> None:
    """What a failover to a replica without the slot does, and then what the documentation says to do."""
    database.wait_until_unread()
    database.psql(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()"
    )
    database.initialise()


def lived_through_loss(database: Database, environment: Callable[[], Environment]) -> tuple[Environment, str]:
    """An environment of five posts of which the journal never got the fourth, and a run over all of them."""
    with draining(database.dsn):
        made = environment()
        run = made.platform.start(made)
        for text in ("1", "2", "3"):
            made.post(text)
        made.platform.diff(run)
    made.post("4")
    lose_slot(database)
    return made, run


@pytest.fixture(scope="module")
def lost(database: Database) -> Iterator[tuple[Environment, str]]:
    database.initialise_all()
    live = LiveServer(Settings(storage=database.dsn, ready=0))
    environment, run = lived_through_loss(database, Platform(live.client).environment)
    with draining(database.dsn):
        environment.post("5")
        yield environment, run
    live.close()


ANYTHING = {"diff_type": "added", "entity": "messages", "expected_count": 4}


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("POST", "diffRun", {"runId": "{run}"}),
        ("POST", "evaluateRun", {"runId": "{run}", "expectedOutput": {"assertions": [ANYTHING]}}),
        ("POST", "env/{env}/rewind", {"to": 3}),
        ("POST", "env/{env}/rewind", {"to": 4}),
        ("POST", "env/{env}/fork", {"at": 3}),
        ("POST", "env/{env}/fork", {"at": 4}),
        ("GET", "env/{env}/diff?from=3&to=4", None),
        ("GET", "env/{env}/diff?from=0", None),
        ("GET", "env/{env}/diff?from=5&to=2", None),
        ("GET", "env/{env}/journal?after=1", None),
        ("GET", "env/{env}/export", None),
    ],
)
def test_what_would_look_over_a_hole_is_refused(
    lost: tuple[Environment, str], verb: str, path: str, body: dict[str, object] | None
) -> None:
    environment, run = lost
    if body and "runId" in body:
        body = {**body, "runId": run}
    answer = environment.platform.ask(verb, path.format(env=environment.id), body)
    assert (answer.status_code, answer.json()["error"]) == (409, "journal_incomplete"), answer.text
    assert "operation 4 of environment" in answer.json()["detail"]


def test_what_does_not_touch_a_hole_is_answered(lost: tuple[Environment, str]) -> None:
    environment, _ = lost
    platform = environment.platform
    (fork,) = platform.post(f"env/{environment.id}/fork", {"at": 5})["environments"]
    for env in (environment.id, fork["environmentId"]):
        assert texts(platform.get(f"env/{env}/diff", **{"from": 0, "to": 3})["diff"]) == ["1", "2", "3"]
        assert texts(platform.get(f"env/{env}/diff", **{"from": 4, "to": 5})["diff"]) == ["5"]


@pytest.fixture
def world(fresh: Database) -> Iterator[World]:
    fresh.initialise(SCHEMAS.values())
    opened = World(lambda: PostgresEngine(fresh.dsn))
    yield opened
    opened.engine.close()


def add(place: Place, *names: str) -> None:
    for name in names:
        place.add(Thing(thing_id=name))


def test_operations_lost_last_are_said_as_soon_as_they_cannot_come_any_more(world: World, fresh: Database) -> None:
    place = world.environment(Thing(thing_id="T0"))
    with draining(fresh.dsn):
        add(place, "T1")
        assert len(place.records()) == 1
    add(place, "T2", "T3")
    lose_slot(fresh)
    with draining(fresh.dsn), pytest.raises(JournalIncomplete, match="operations 2 to 3 of environment"):
        place.records()


def test_an_environment_with_lost_operations_can_be_reset_and_goes_on(world: World, fresh: Database) -> None:
    place = world.environment(Thing(thing_id="T0"))
    add(place, "T1", "T2")
    start = place.state()
    lose_slot(fresh)
    with draining(fresh.dsn):
        place.engine.rewind(place.env, 0)
        assert [thing for _, _, (thing,) in place.state()] == ["T0"]
        add(place, "T1")
        assert [(record.seq, len(record.changes)) for record in place.records(3)] == [(4, 1)]
        place.engine.rewind(place.env, 3)
        assert [thing for _, _, (thing,) in place.state()] == ["T0"]
    assert len(start) == 3


def test_a_fork_does_not_look_over_its_parents_hole(world: World, fresh: Database) -> None:
    place = world.environment(Thing(thing_id="T0"))
    add(place, "T1")
    lose_slot(fresh)
    with draining(fresh.dsn):
        add(place, "T2")
        child = place.fork(2)
        add(child, "T3")
        assert len(child.records(1)) == 2
        with pytest.raises(JournalIncomplete, match="operation 1 of environment"):
            child.records()


def test_a_database_that_moved_to_a_younger_server_is_read_again(world: World, fresh: Database) -> None:
    place = world.environment(Thing(thing_id="T0"))
    with draining(fresh.dsn):
        add(place, "T1")
        assert len(place.records()) == 1
    fresh.psql("INSERT INTO twindiff.progress SELECT slot_name, 'FFFF/0' FROM pg_replication_slots "
               "WHERE database = current_database() ON CONFLICT (slot) DO UPDATE SET lsn = excluded.lsn")  # fmt: skip
    fresh.psql("UPDATE twindiff.leftovers SET lsn = 'FFFF/0'")
    lose_slot(fresh)
    with draining(fresh.dsn):
        add(place, "T2")
        assert [record.seq for record in place.records()] == [1, 2]

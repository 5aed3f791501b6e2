"""What is special to the embedded engine's points: images, lineages, the log of the file, threads."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.storage.conformance.worlds import NOON, Place, Thing, World
from tests.storage.test_sqlite_durability import Gone, Grown, Office, Old
from twindiff.kit.clock import ClockMode
from twindiff.storage import UnknownPoint
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.sqlite import SqliteEngine


@pytest.fixture
def office(tmp_path: Path):
    made = Office(tmp_path)
    yield made
    made.engine.close()


@pytest.fixture
def world(tmp_path: Path):
    world = World(lambda: SqliteEngine(str(tmp_path)))
    yield world
    world.engine.close()


def engine_of(world: World) -> SqliteEngine:
    assert isinstance(world.engine, SqliteEngine)
    return world.engine


def forked(place: Place, at: int, name: str) -> Place:
    place.engine.fork(place.env, at, name)
    return Place(place.world, name, place.origin)


def things(place: Place) -> int:
    return place.read(lambda db: db.count(Thing))


def test_an_image_of_an_environment_that_was_carried_over_stands_alone(office: Office):
    for number in range(300):
        office.place.add(Old(paper_id=f"Q{number}", title="old"), twin="office")
    office.release(Grown, Gone)
    office.place.wake()
    for number in range(300):
        office.place.add(Grown(paper_id=f"R{number}", title="new", pages=number), twin="office")
    office.engine.evict("e1")
    office.release(Grown, Gone)
    office.place.wake()
    assert office.engine.problems("e1", office.origin) == []
    pages = office.place.read(lambda db: {row.paper_id: row.pages for row in db.rows(Grown)}, "office")
    assert pages == {"P1": 1, **{f"Q{n}": 1 for n in range(300)}, **{f"R{n}": n for n in range(300)}}


def test_a_line_of_a_thousand_forks_has_one_past(world: World):
    place = world.environment()
    for number in range(1200):
        place.add(Thing(thing_id=f"T{number}"))
        place = forked(place, number + 1, f"fork{number}")
    world.reopen()
    place.wake()
    assert (things(place), len(world.engine.records(place.env))) == (1200, 1200)


def test_a_past_that_nobody_needs_is_forgotten_with_the_last_fork(world: World):
    first = place = world.environment(Thing(thing_id="T"))
    line = [first]
    for number in range(50):
        place.add(Thing(thing_id=f"T{number}"))
        place = forked(place, number + 1, f"fork{number}")
        line.append(place)
    for each in line[:-1]:
        world.engine.delete(each.env)
    assert things(place) == 51
    world.engine.delete(place.env)
    run_to_end(engine_of(world).maintain())
    execute = engine_of(world).file.connection.execute
    assert [execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("journal", "forks")] == [(0,), (0,)]


def test_a_forks_clock_goes_on_from_its_point(world: World):
    place = world.environment(clock=ClockMode("offset", NOON))
    place.add(Thing(thing_id="T1"))
    then = world.engine.records(place.env)[0].clock
    fork = forked(place, 1, "fork")
    now = world.engine.read("fork", "alpha", lambda moment: moment.clock.micros)
    assert then <= now < then + 60_000_000
    world.reopen()
    fork.wake()
    assert world.engine.read("fork", "alpha", lambda moment: moment.clock.micros) >= now


@pytest.mark.parametrize("seq", [-1, 3, 2**70])
def test_a_point_that_there_is_not_is_refused_everywhere(world: World, seq: int):
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    place.add(Thing(thing_id="T2"))
    for ask in (place.engine.is_materialized, place.engine.rewind, lambda env, at: place.engine.fork(env, at, "fork")):
        with pytest.raises(UnknownPoint, match="has points 0 to 2"):
            ask(place.env, seq)
    assert things(place) == 2


def test_a_point_long_past_is_recalled_by_another_thread_while_this_one_writes(world: World):
    place = world.environment()
    for number in range(600):
        place.add(Thing(thing_id=f"T{number}"))
    assert not world.engine.is_materialized(place.env, 5)
    thread = threading.Thread(target=world.engine.materialize, args=(place.env, place.origin, 5))
    thread.start()
    for number in range(200):
        place.add(Thing(thing_id=f"U{number}"))
    thread.join()
    assert world.engine.is_materialized(place.env, 5)
    assert world.engine.rewind(place.env, 5) == 801
    assert things(place) == 5


def test_an_old_rewind_can_be_gone_back_over(world: World):
    place = world.environment()
    for number in range(300):
        place.add(Thing(thing_id=f"T{number}"))
    place.engine.rewind(place.env, 2)
    place.engine.rewind(place.env, 300)
    assert things(place) == 300


def test_the_log_of_the_file_begins_anew_while_others_write(world: World, tmp_path: Path):
    engine, log = engine_of(world), tmp_path / "twindiff.db-wal"
    place = world.environment()

    def add(times: int) -> None:
        for _ in range(times):
            place.write(lambda db: db.add(Thing(thing_id=f"T{db.next('n')}", text="long " * 1000)))

    sizes: list[int] = []
    for _ in range(2):
        add(400)
        assert engine.file.log.is_long
        thread = threading.Thread(target=engine.file.log.shorten)
        thread.start()
        add(1)
        thread.join()
        engine.file.log.finish()
        add(1)
        assert not engine.file.log.is_long
        sizes.append(log.stat().st_size)
    world.reopen()
    place.wake()
    assert things(place) == 804
    assert sizes[1] < sizes[0] * 1.5


def test_forks_that_are_taken_back_together_leave_nothing(world: World):
    place = world.environment()
    place.add(Thing(thing_id="T1"))

    def fork_and_fail() -> None:
        with world.engine.transaction():
            place.engine.fork(place.env, 1, "fork")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fork_and_fail()
    place.engine.evict("fork")
    assert world.engine.seq("fork") == 0

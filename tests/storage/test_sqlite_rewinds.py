"""The way back after a rewind to a point that was rebuilt, and where a fork stands after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.storage.conformance.worlds import NOON, Place, Thing, World
from twindiff.kit.clock import SECOND, ClockMode
from twindiff.storage.sqlite import SqliteEngine, live_environments
from twindiff.storage.sqlite.pages import PAGE_SIZE

REMEMBERED = 4


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """An engine that remembers the way back over four operations."""
    monkeypatch.setattr(live_environments, "REMEMBERED", REMEMBERED)
    world = World(lambda: SqliteEngine(str(tmp_path)))
    yield world
    world.engine.close()


def engine_of(place: Place) -> SqliteEngine:
    assert isinstance(place.engine, SqliteEngine)
    return place.engine


def things(place: Place) -> list[str]:
    return place.read(lambda db: [row.thing_id for row in db.rows(Thing)])


def named(count: int) -> list[str]:
    return [f"T{number}" for number in range(count)]


def written(place: Place, count: int) -> None:
    """So many operations, each of which writes some pages of its own."""
    for name in named(count):
        place.add(Thing(thing_id=name, text="long " * 2000))


@pytest.mark.parametrize("to", range(20))
def test_steps_before_a_rewind_to_a_rebuilt_point_are_not_gone_back_over_after_it(world: World, to: int):
    place = world.environment()
    written(place, 20)
    assert not engine_of(place).is_materialized(place.env, 3)
    place.engine.rewind(place.env, 3)
    place.engine.rewind(place.env, to)
    assert things(place) == sorted(named(to))
    assert engine_of(place).problems(place.env, place.origin) == []


@pytest.mark.parametrize("to", range(4, 30))
def test_nor_are_they_after_more_was_written(world: World, to: int):
    place = world.environment()
    written(place, 20)
    place.engine.rewind(place.env, 3)
    states = {3: sorted(named(3)), 21: sorted(named(3)), **{seq: sorted(named(seq)) for seq in range(4, 21)}}
    for seq in range(22, 30):
        place.add(Thing(thing_id=f"U{seq}", text="other " * 1500))
        states[seq] = sorted([*named(3), *(f"U{each}" for each in range(22, seq + 1))])
    place.engine.rewind(place.env, to)
    assert things(place) == states[to]
    assert engine_of(place).problems(place.env, place.origin) == []


def test_only_points_on_the_way_here_are_remembered(world: World):
    place = world.environment()
    written(place, 20)
    place.engine.rewind(place.env, 3)
    assert [seq for seq in range(22) if engine_of(place).is_materialized(place.env, seq)] == [3, 21]


def test_the_way_back_is_remembered_over_so_many_bytes_whatever_was_gone_back_over(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(live_environments, "REMEMBERED", 1000)
    monkeypatch.setattr(live_environments, "UNDO_BYTES", 60 * PAGE_SIZE)
    place = world.environment()

    def remembered() -> list[int]:
        return [seq for seq in range(present() + 1) if engine_of(place).is_materialized(place.env, seq)]

    def present() -> int:
        return engine_of(place).present(place.env).seq

    def again(name: str, count: int) -> None:
        for number in range(count):
            place.add(Thing(thing_id=f"{name}{number}", text="long " * 2000))

    again("T", 60)
    before = remembered()
    assert before == list(range(before[0], 61))
    assert 2 < len(before) < 30
    for turn in range(20):
        again(f"U{turn}-", 3)
        place.engine.rewind(place.env, present() - 2)
    again("V", 60)
    assert abs(len(remembered()) - len(before)) <= 2


@pytest.mark.parametrize("at", [0, 2, 5])
def test_a_forks_clock_stands_after_a_restart_where_it_stood_before(world: World, at: int):
    place = world.environment()
    written(place, 5)
    place.engine.fork(place.env, at, "child")
    before = engine_of(place).present("child")
    world.reopen()
    world.engine.load("child", place.origin)
    assert world.engine.present("child") == before
    assert before.clock == NOON + at * SECOND


@pytest.mark.parametrize("at", [0, 3])
def test_a_moving_clock_of_a_fork_goes_on_over_a_restart_from_when_it_was_made(
    world: World, at: int, monkeypatch: pytest.MonkeyPatch
):
    """A parent that is a day old has a fork whose clock stands where the parent's stood at the point."""
    wall = NOON
    monkeypatch.setattr("twindiff.storage.sqlite.engine._wall", lambda: wall)
    place = world.environment(clock=ClockMode("offset", NOON))
    for name in named(5):
        wall += 10 * SECOND
        place.add(Thing(thing_id=name))
    wall += 86_400 * SECOND
    place.engine.fork(place.env, at, "child")
    wall += 5 * SECOND
    before = engine_of(place).present("child").clock
    world.reopen()
    world.engine.load("child", place.origin)
    assert world.engine.present("child").clock == before == NOON + (10 * at + 5) * SECOND

"""Operations that are kept at once: each has its record and its point, and all of them are there or none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.storage.conformance.worlds import NOON, Place, Thing, World
from twindiff.kit.errors import AlreadyExists
from twindiff.kit.store import Store
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite import engine as engine_module

Work = Callable[[Store], object]


@pytest.fixture
def world(tmp_path: Path):
    world = World(lambda: SqliteEngine(str(tmp_path)))
    yield world
    world.engine.close()


@pytest.fixture
def place(world: World) -> Place:
    place = world.environment(Thing(thing_id="T0", slug="t0"))
    place.add(Thing(thing_id="T1", slug="t1", number=0))
    return place


def add(number: int) -> Work:
    return lambda db: db.add(Thing(thing_id=f"T{number}", slug=f"t{number}", number=db.next("things")))


def raise_number(db: Store) -> None:
    """Change what may be remembered."""
    thing = db.get(Thing, "T1")
    db.change(thing, number=(thing.number or 0) + 1)


def look(db: Store) -> int:
    """Ask for what is remembered from then on."""
    return (db.get(Thing, "T1").number or 0) + db.count(Thing)


def test_each_has_the_record_that_it_has_by_itself(place: Place):
    alone = place.fork(1)
    works = [add(2), raise_number, look, add(3), raise_number]
    assert place.do_all(*works) == [2, 3, None, 4, 5]
    for work in works:
        alone.do_all(work)
    assert [(each.seq, each.changes, each.ids, each.clock) for each in place.records()] == [
        (each.seq, each.changes, each.ids, each.clock) for each in alone.records()
    ]
    assert place.state() == alone.state()


def test_one_that_fails_leaves_none_of_them(place: Place):
    place.read(look)
    before, present = place.state(), place.engine.present(place.env)
    with pytest.raises(AlreadyExists):
        place.do_all(raise_number, add(2), add(2))
    assert (place.state(), place.engine.seq(place.env)) == (before, 1)
    assert place.engine.present(place.env)._replace(clock=0) == present._replace(clock=0)
    assert place.read(look) == 2
    assert place.do_all(add(2)) == [2]
    assert place.last().ids == {"things": 1}


def test_every_point_between_them_can_be_returned_to(world: World, place: Place):
    place.do_all(add(2), raise_number, add(3))
    states = [place.fork(seq).state() for seq in range(5)]
    assert len({str(state) for state in states}) == 5
    place.engine.rewind(place.env, 3)
    assert place.state() == states[3]
    place.engine.rewind(place.env, 4)
    assert place.state() == states[4]
    world.reopen()
    place.wake()
    assert [place.fork(seq).state() for seq in range(5)] == states


def test_no_more_are_asked_for_than_an_image_is_ahead_of_the_next(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine_module, "IMAGE_EVERY", 3)
    assert place.do_all(*map(add, range(2, 10))) == [2, 3]
    assert place.do_all(*map(add, range(4, 10))) == [4, 5, 6]


def test_what_changes_nothing_leaves_no_record(place: Place):
    before = place.state()
    assert place.do_all(look, look) == [None, None]
    assert (place.state(), place.engine.seq(place.env)) == (before, 1)


def test_they_are_done_at_the_time_that_was_planned(world: World):
    place = world.environment()
    place.do_all(add(2), add(3), at=NOON + 5_000_000)
    assert [record.clock for record in place.records()] == [NOON + 5_000_000] * 2

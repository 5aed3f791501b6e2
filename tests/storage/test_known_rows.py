"""Rows that are remembered between operations are never told otherwise than a query tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from tests.storage.conformance.worlds import TABLES, Folder, Link, Page, Place, Thing, World, key_of
from twindiff.kit.errors import TooSlow
from twindiff.kit.rows import Row
from twindiff.kit.store import Store
from twindiff.storage import deadline
from twindiff.storage.sqlite import SqliteEngine

STEPS = 300
NAMES = ("a", "b", "c")


class Mistake(Exception):
    """What a handler raises."""


@pytest.fixture
def world() -> Iterator[World]:
    world = World(lambda: SqliteEngine(":memory:"))
    yield world
    world.engine.close()


def told(db: Store, twin: str) -> list[tuple[Any, ...]]:
    """What is told of each row that a query finds, by its key and by conditions, and of how many there are."""
    answers: list[tuple[Any, ...]] = []
    for table in TABLES[twin]:
        rows = db.rows(table)
        answers.append((table, len(rows), db.count(table)))
        answers += [(row, row, db.get(table, *key_of(row))) for row in rows]
    answers += [
        (row, row, db.find(Link, Link.thing_id == row.thing_id, Link.rank == row.rank)) for row in links(db, twin)
    ]
    return answers


def links(db: Store, twin: str) -> list[Link]:
    return db.rows(Link) if twin == "alpha" else []


def check(db: Store, twin: str) -> None:
    assert [each[1] for each in told(db, twin)] == [each[2] for each in told(db, twin)]


def put(db: Store, dice: Random) -> None:
    name, number = dice.choice(NAMES), dice.randrange(3)
    row: Row = dice.choice((Thing(thing_id=name, number=number, amount=1.0), Link(thing_id=name, rank=number)))
    if present := [each for each in db.rows(type(row)) if key_of(each) == key_of(row)]:
        db.remove(present[0])
    db.add(row)


def alter(db: Store, dice: Random) -> None:
    for link in db.rows(Link)[:1]:
        changed = db.change(link, note=dice.choice((None, "old", "new")))
        assert changed == db.rows(Link)[0]
    for thing in db.rows(Thing)[-1:]:
        assert db.change(thing, amount=dice.random(), data={"k": dice.randrange(9)}) == db.rows(Thing)[-1]


def drop(db: Store, dice: Random) -> None:
    for row in dice.sample(db.rows(Link), k=min(1, db.count(Link))):
        db.remove(row)


def take_part_back(db: Store, dice: Random) -> None:
    with suppress(Mistake), db.savepoint():
        put(db, dice)
        raise Mistake


def fail(db: Store, dice: Random) -> None:
    put(db, dice)
    alter(db, dice)
    raise Mistake


def operate(place: Place, dice: Random) -> None:
    parts: list[Callable[[Store, Random], None]] = dice.choices((put, put, alter, drop, take_part_back, fail), k=2)

    def work(db: Store) -> None:
        for part in parts:
            check(db, "alpha")
            part(db, dice)
        check(db, "alpha")

    with suppress(Mistake):
        place.write(work)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_rows_are_told_as_a_query_tells_them(world: World, seed: int):
    dice, places = Random(seed), [world.environment()]
    for _ in range(STEPS):
        place = dice.choice(places)
        seq = place.engine.seq(place.env)
        match dice.randrange(12):
            case 0:
                place.engine.rewind(place.env, dice.randint(0, seq))
            case 1 if len(places) < 6:
                places.append(place.fork(dice.randint(0, seq)))
            case 2:
                place.engine.evict(place.env)
                place.wake()
            case _:
                operate(place, dice)
        place.read(lambda db: check(db, "alpha"))


def test_a_row_that_goes_with_another_is_not_remembered(world: World):
    place = world.environment()
    place.add(Folder(folder_id="F"), Page(folder_id="F", number=1), twin="beta")
    assert place.read(lambda db: db.get(Page, "F", 1), "beta").number == 1
    place.write(lambda db: db.remove(db.get(Folder, "F")), "beta")
    place.read(lambda db: check(db, "beta"), "beta")
    assert place.read(lambda db: db.find(Page, Page.folder_id == "F", Page.number == 1), "beta") is None


def test_a_row_that_nobody_could_be_told_of_is_asked_for_again(world: World):
    place = world.environment()
    assert place.read(lambda db: db.find(Link, Link.thing_id == "a", Link.rank == 1)) is None
    place.add(Link(thing_id="a", rank=1))
    assert place.read(lambda db: db.get(Link, "a", 1)).rank == 1


def test_a_handler_that_goes_on_asking_for_a_known_row_is_stopped(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(deadline, "WHOLE_SECONDS", 0.01)
    place = world.environment()
    place.add(Link(thing_id="a", rank=1))

    def ask_for_ever(db: Store) -> None:
        while True:
            db.get(Link, "a", 1)

    with pytest.raises(TooSlow):
        place.read(ask_for_ever)

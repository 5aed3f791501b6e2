"""A Store that writes each row once looks like any other from within, and leaves the same rows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.kit.errors import AlreadyExists, ApiError
from twindiff.kit.store import Store
from twindiff.kit.write_buffer import WrittenOnce

from .worlds import Folder, Link, Page, Thing, World

__all__ = [
    "test_a_change_of_nothing_writes_nothing",
    "test_a_key_that_is_taken_is_told_as_soon_as_it_is_known",
    "test_a_row_that_was_changed_often_is_written_once",
    "test_what_was_asked_for_is_not_asked_again",
    "test_what_was_written_once_is_the_same",
]

Step = tuple[str, str, int]
IDS = st.sampled_from(["F1", "F2", "F3", "F4"])
NAMES = [
    "add",
    "page",
    "move",
    "number",
    "nothing",
    "remove",
    "find",
    "among",
    "rows",
    "equal",
    "ordered",
    "count",
    "fail",
]
STEPS = st.lists(st.tuples(st.sampled_from(NAMES), IDS, st.integers(0, 2)), max_size=12)


class Failed(ApiError):
    """It has failed."""


def _page(db: Store, id: str, number: int) -> Any:
    return db.find(Page, Page.folder_id == id, Page.number == number)


def _fail(db: Store, id: str, number: int) -> Any:
    with suppress(Failed), db.savepoint():
        _DOES["page"](db, id, number)
        _DOES["remove"](db, id, number)
        raise Failed


def _change(db: Store, row: Any, **fields: Any) -> Any:
    return db.change(row, **fields) if row else None


_DOES: dict[str, Callable[[Store, str, int], Any]] = {
    "add": lambda db, id, number: db.find(Folder, Folder.folder_id == id) or db.add(Folder(folder_id=id)),
    "page": lambda db, id, number: _page(db, id, number) or db.add(Page(folder_id=id, number=number)),
    "move": lambda db, id, number: _change(db, db.find(Folder, Folder.folder_id == id), parent_id=f"F{number}"),
    "number": lambda db, id, number: _change(db, _page(db, id, number), copied_from=f"F{number}"),
    "nothing": lambda db, id, number: _change(db, _page(db, id, number)),
    "remove": lambda db, id, number: [db.remove(row) for row in db.rows(Folder, Folder.folder_id == id)],
    "find": lambda db, id, number: db.find(Page, Page.copied_from == id),
    "among": lambda db, id, number: db.rows(Folder, Folder.folder_id.in_([f"F{number}", id])),
    "rows": lambda db, id, number: db.rows(Page, Page.folder_id.to(Folder.parent_id) == id, order=-Page.number),
    "equal": lambda db, id, number: db.rows(Page, Page.copied_from.in_([id])),
    "ordered": lambda db, id, number: db.rows(Page, Page.folder_id == id, order=-Page.number),
    "count": lambda db, id, number: db.count(Folder, Folder.parent_id == id),
    "fail": _fail,
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=STEPS, steps=STEPS)
def test_what_was_written_once_is_the_same(world: World, before: list[Step], steps: list[Step]) -> None:
    def work(db: Store, done: list[Step]) -> list[Any]:
        return [_DOES[name](db, id, number) for name, id, number in done]

    def once(db: Store) -> list[Any]:
        rows = WrittenOnce(db)
        answers = work(rows, steps)
        rows.flush()
        return answers

    plain, other = world.environment(), world.environment()
    for place in (plain, other):
        place.write(lambda db: work(db, before), "beta")
    assert other.write(once, "beta") == plain.write(lambda db: work(db, steps), "beta")
    assert other.state() == plain.state()


def test_a_change_of_nothing_writes_nothing(world: World) -> None:
    place = world.environment()
    place.add(Folder(folder_id="F1"), twin="beta")

    def work(db: Store) -> bool:
        rows = WrittenOnce(db)
        row = rows.get(Folder, "F1")
        is_same = rows.change(row) == row
        rows.flush()
        return is_same

    assert place.write(work, "beta")
    assert len(place.records()) == 1


def test_a_row_that_was_changed_often_is_written_once(world: World) -> None:
    class Counted(WrittenOnce):
        writes = 0

        def _write(self, kept: Any) -> None:
            self.writes += len(kept.unwritten)
            super()._write(kept)

    def work(db: Store) -> int:
        rows = Counted(db)
        thing = rows.add(Thing(thing_id="T1"))
        for number in range(3):
            thing = rows.change(thing, number=number)
        rows.remove(rows.add(Thing(thing_id="T2")))
        rows.flush()
        return rows.writes

    place = world.environment()
    assert place.write(work) == 1
    assert place.read(lambda db: [(each.thing_id, each.number) for each in db.rows(Thing)]) == [("T1", 2)]


def test_what_was_asked_for_is_not_asked_again(world: World) -> None:
    class Counted(WrittenOnce):
        asked = 0

        def _write(self, kept: Any) -> None:
            self.asked += 1
            super()._write(kept)

    def work(db: Store) -> tuple[list[list[int]], int]:
        rows, ranks = Counted(db), list[list[int]]()
        steps: list[Callable[[list[Link]], Any]] = [
            lambda links: None,
            lambda links: rows.add(Link(thing_id="T1", rank=0)),
            lambda links: rows.change(links[0], note="first"),
            lambda links: rows.remove(links[1]),
        ]
        for step in steps:
            step(rows.rows(Link, Link.thing_id.in_(["T1"])))
            ranks.append([link.rank for link in rows.rows(Link, Link.thing_id == "T1")])
        return ranks, rows.asked

    place = world.environment(Link(thing_id="T1", rank=1))
    assert place.write(work) == ([[1], [0, 1], [0, 1], [0]], 1)


def test_a_key_that_is_taken_is_told_as_soon_as_it_is_known(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))

    def work(db: Store) -> list[str]:
        rows, told = WrittenOnce(db), list[str]()
        for add in (lambda: rows.add(Thing(thing_id="T1"), taken=Failed), lambda: rows.add(rows.get(Thing, "T1"))):
            try:
                add()
            except (Failed, AlreadyExists) as error:
                told.append(type(error).__name__)
        return told

    assert place.write(work) == ["Failed", "AlreadyExists"]

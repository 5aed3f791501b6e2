"""Rows that go with the rows that they refer to."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from twindiff.kit.rows import Row
from twindiff.kit.store import Store

from .worlds import Folder, Page, Place, World

__all__ = [
    "test_a_deep_tree_goes_at_once",
    "test_a_ring_of_rows_goes_once",
    "test_a_row_takes_along_what_refers_to_it",
    "test_rows_that_went_along_come_back_with_a_rewind",
    "test_what_a_cascade_removes_is_in_the_journal",
    "test_what_a_part_took_along_comes_back_when_it_fails",
]


def cabinet(world: World, *rows: Row) -> Place:
    place = world.environment()
    place.add(Folder(folder_id="F1"), Folder(folder_id="F2", parent_id="F1"), Folder(folder_id="F3"), twin="beta")
    pages = [Page(folder_id=f"F{n}", number=number, copied_from="F1") for n in (1, 2, 3) for number in (1, 2)]
    place.add(*pages, *rows, twin="beta")
    return place


def remove(place: Place, folder_id: str) -> None:
    place.write(lambda db: db.remove(db.get(Folder, folder_id)), "beta")


def remaining_pages(place: Place) -> list[str]:
    def look(db: Store) -> list[str]:
        folders = [row.folder_id for row in db.rows(Folder)]
        return [*folders, *(f"{row.folder_id}/{row.number}" for row in db.rows(Page))]

    return place.read(look, "beta")


def test_a_row_takes_along_what_refers_to_it(world: World) -> None:
    place = cabinet(world)
    remove(place, "F1")
    assert remaining_pages(place) == ["F3", "F3/1", "F3/2"]


def test_what_a_cascade_removes_is_in_the_journal(world: World) -> None:
    place = cabinet(world)
    remove(place, "F1")
    changes = place.last().changes
    assert Counter((each.table, each.after) for each in changes) == {("folders", None): 2, ("pages", None): 4}
    assert [each.key for each in changes] == [("F1",), ("F2",), ("F1", 1), ("F1", 2), ("F2", 1), ("F2", 2)]


def test_rows_that_went_along_come_back_with_a_rewind(world: World) -> None:
    place = cabinet(world)
    before = place.state()
    remove(place, "F1")
    assert place.fork(2).state() == before


def test_a_ring_of_rows_goes_once(world: World) -> None:
    place = cabinet(world)
    place.write(lambda db: db.change(db.get(Folder, "F1"), parent_id="F2"), "beta")
    remove(place, "F2")
    assert remaining_pages(place) == ["F3", "F3/1", "F3/2"]


def test_a_deep_tree_goes_at_once(world: World) -> None:
    depth = 1_200
    place = cabinet(world, *(Folder(folder_id=f"D{n}", parent_id=f"D{n - 1}" if n else "F3") for n in range(depth)))
    remove(place, "F3")
    assert remaining_pages(place) == ["F1", "F2", "F1/1", "F1/2", "F2/1", "F2/2"]
    assert len(place.last().changes) == depth + 3


def test_what_a_part_took_along_comes_back_when_it_fails(world: World) -> None:
    def work(db: Store) -> None:
        with suppress(ZeroDivisionError), db.savepoint():
            db.remove(db.get(Folder, "F1"))
            raise ZeroDivisionError

    place = cabinet(world)
    before = place.state()
    assert place.do(lambda moment: work(moment.db), "beta")[1] is None
    assert place.state() == before

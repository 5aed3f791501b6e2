"""Templates are named by what they hold, and never change."""

from __future__ import annotations

from typing import Any

import pytest

from twindiff.kit.clock import Clock
from twindiff.kit.errors import AlreadyExists
from twindiff.kit.ids import Ids
from twindiff.kit.store import Store
from twindiff.storage import StorageEngine
from twindiff.storage.cooperative import run_to_end

from .worlds import CATALOG, Item, Link, Note, Thing, World, full

__all__ = [
    "test_a_copied_template_is_what_the_environment_was",
    "test_a_copy_of_an_untouched_environment_is_its_template",
    "test_a_template_cannot_be_written",
    "test_a_template_outlives_the_process",
    "test_an_empty_table_may_be_left_out",
    "test_columns_and_keys_in_another_order_have_the_same_hash",
    "test_environments_of_one_template_start_alike_and_leave_it_alone",
    "test_ids_never_meet_those_of_a_copied_template",
    "test_of_many_rows_one_whose_key_is_in_use_keeps_out_all",
    "test_other_content_has_another_hash",
    "test_rows_in_another_order_have_the_same_hash",
    "test_the_catalog_keeps_rows_and_joins_writes",
    "test_the_catalog_takes_and_drops_many_rows_at_once",
]

ROWS = (
    Thing(thing_id="T1", text="x", data={"a": 1, "bb": [True, None]}, amount=1.0),
    Thing(thing_id="T2", flag=True),
    Link(thing_id="T1", rank=2),
    Link(thing_id="T1", rank=1),
)


def test_rows_in_another_order_have_the_same_hash(world: World) -> None:
    assert world.template("alpha", *ROWS).hash == world.template("alpha", *reversed(ROWS)).hash


def test_columns_and_keys_in_another_order_have_the_same_hash(world: World) -> None:
    rows = full(ROWS)
    turned = {table: [dict(reversed(row.items())) for row in rows[table]] for table in reversed(rows)}
    turned["things"][0]["data"] = {"bb": [True, None], "a": 1}
    assert world.engine.add_template("alpha", turned) == world.engine.add_template("alpha", rows)


def test_an_empty_table_may_be_left_out(world: World) -> None:
    rows = full(ROWS)
    assert world.engine.add_template("alpha", {**rows, "echoes": []}) == world.engine.add_template("alpha", rows)


def test_other_content_has_another_hash(world: World) -> None:
    values: list[Any] = [None, 1, True, 1.0, "1", []]
    hashes = {world.template("alpha", Thing(thing_id="T1", data=value)).hash for value in values}
    assert len(hashes) == 6


def test_a_template_cannot_be_written(world: World) -> None:
    rows = world.engine.template("alpha", world.template("alpha", *ROWS).hash)
    with pytest.raises(TypeError, match="declared to read"):
        rows.add(Thing(thing_id="T3"))
    assert rows.count(Thing) == 2


def test_a_template_outlives_the_process(world: World) -> None:
    template = world.template("alpha", *ROWS)
    world.reopen()
    assert world.engine.template("alpha", template.hash).get(Thing, "T1").data == {"a": 1, "bb": [True, None]}
    assert world.template("alpha", *ROWS) == template


def test_environments_of_one_template_start_alike_and_leave_it_alone(world: World) -> None:
    one, other = world.environment(*ROWS), world.environment(*ROWS)
    before = other.state()
    one.write(lambda db: db.remove(db.get(Thing, "T1")))
    assert other.state() == before == world.environment(*ROWS).state()


def test_a_copied_template_is_what_the_environment_was(world: World) -> None:
    place = world.environment(*ROWS)
    place.write(lambda db: [db.add(Thing(thing_id=f"T{db.next('id')}0")), db.remove(db.get(Thing, "T2"))])
    template = run_to_end(world.engine.copy_template(place.env, place.origin, "alpha"))
    place.add(Thing(thing_id="later"))
    copy = world.of({"alpha": template, "beta": world.template("beta")})
    assert [row.thing_id for row in copy.read(lambda db: db.rows(Thing))] == ["T1", "T10"]
    assert template.counters == {"id": 1}


def test_a_copy_of_an_untouched_environment_is_its_template(world: World) -> None:
    template = world.template("alpha", *ROWS)
    place = world.of({"alpha": template, "beta": world.template("beta")})
    assert run_to_end(world.engine.copy_template(place.env, place.origin, "alpha")) == template


def test_ids_never_meet_those_of_a_copied_template(world: World) -> None:
    def work(db: Store) -> str:
        return db.add(Thing(thing_id=Ids(db.next, Clock(0)).new("T"))).thing_id

    place = world.environment()
    made = [place.write(work) for _ in range(5)]
    alpha = run_to_end(world.engine.copy_template(place.env, place.origin, "alpha"))
    place.write(lambda db: db.add(Item(item_id=Ids(db.next, Clock(0)).new("T"))), "beta")
    beta = run_to_end(world.engine.copy_template(place.env, place.origin, "beta"))
    copy = world.of({"alpha": alpha, "beta": beta})
    made += [copy.write(work) for _ in range(5)]
    items = copy.read(lambda db: db.rows(Item), "beta")
    assert len({*made, *(item.item_id for item in items)}) == 11


def test_the_catalog_takes_and_drops_many_rows_at_once(world: World) -> None:
    store = world.engine.catalog(CATALOG)
    store.remove_all(Note)
    store.add_all([Note(note_id=f"M{n}", text=text) for n, text in enumerate(["a\0b", None, "c", "c"])])
    store.remove_all(Note, Note.text == "c")
    assert [(row.note_id, row.text) for row in store.rows(Note)] == [("M0", "a\0b"), ("M1", None)]
    store.remove_all(Note)
    assert store.count(Note) == 0


def test_of_many_rows_one_whose_key_is_in_use_keeps_out_all(world: World) -> None:
    store = world.engine.catalog(CATALOG)
    store.remove_all(Note)
    with pytest.raises(AlreadyExists), world.engine.transaction():
        store.add_all([Note(note_id="N1"), Note(note_id="N2"), Note(note_id="N1")])
    assert store.count(Note) == 0


def test_the_catalog_keeps_rows_and_joins_writes(world: World) -> None:
    def catalog(engine: StorageEngine) -> Store:
        return engine.catalog(CATALOG)

    store = catalog(world.engine)
    store.add(Note(note_id="R1", text="É"))
    with pytest.raises(ZeroDivisionError), world.engine.transaction():  # noqa: PT012 - what is tested
        store.add(Note(note_id="R2"))
        with world.engine.transaction():
            store.add(Note(note_id="R3"))
        raise ZeroDivisionError
    world.reopen()
    store = catalog(world.engine)
    assert [row.note_id for row in store.rows(Note, Note.text.contains("é", fold=True))] == ["R1"]
    assert store.count(Note) == 1

"""What a handler may do with rows, and what it is told when it cannot."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings

from twindiff.kit.errors import AlreadyExists, ApiError, NotFound
from twindiff.kit.store import Store

from .expressions import things
from .worlds import Item, Link, Receipt, Thing, World

__all__ = [
    "test_a_changed_row_comes_back_as_it_is_now",
    "test_a_counter_goes_up_by_one_or_to_what_it_must_reach",
    "test_a_json_column_that_may_be_null_has_no_null_beside_it",
    "test_a_key_of_two_columns_finds_its_row",
    "test_a_missing_row_is_not_found",
    "test_a_missing_row_raises_the_vendors_error",
    "test_a_removed_row_is_gone",
    "test_a_row_of_another_twin_is_refused_by_name",
    "test_a_row_that_is_gone_cannot_be_changed_or_removed",
    "test_a_taken_key_is_refused",
    "test_a_taken_key_raises_the_vendors_error",
    "test_a_taken_unique_value_is_refused_on_the_way_in_and_on_a_change",
    "test_an_unknown_column_is_named",
    "test_any_row_comes_back_as_it_went_in",
    "test_control_characters_and_backslashes_in_json_come_back",
    "test_deep_json_is_refused_and_nothing_else_is_lost",
    "test_json_null_is_a_value_where_null_is_not_allowed",
    "test_keys_in_json_come_by_length_and_then_by_code_point",
    "test_many_rows_without_a_unique_value_live_together",
    "test_numbers_beyond_64_bits_in_json_become_floats",
    "test_only_the_columns_that_are_named_are_set_to_what_a_row_says",
    "test_reads_cannot_write",
]


class Gone(ApiError):
    """It is gone."""


def test_a_missing_row_is_not_found(world: World) -> None:
    with pytest.raises(NotFound, match="No such thing: 'T9'"):
        world.environment().read(lambda db: db.get(Thing, "T9"))


def test_a_missing_row_raises_the_vendors_error(world: World) -> None:
    with pytest.raises(Gone):
        world.environment().read(lambda db: db.get(Thing, "T9", missing=Gone))


def test_a_key_of_two_columns_finds_its_row(world: World) -> None:
    place = world.environment(Link(thing_id="T1", rank=1), Link(thing_id="T1", rank=2, note="x"))
    assert place.read(lambda db: db.get(Link, "T1", 2).note) == "x"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rows=things())
def test_any_row_comes_back_as_it_went_in(world: World, rows: list[Thing]) -> None:
    place = world.environment()
    place.add(*rows)
    for row in rows:
        read_back = place.read(lambda db, key=row.thing_id: db.get(Thing, key))
        assert read_back == row
        assert [type(getattr(read_back, name)) for name in row.__struct_fields__] == [
            type(getattr(row, name)) for name in row.__struct_fields__
        ]


def test_a_taken_key_is_refused(world: World) -> None:
    with pytest.raises(AlreadyExists):
        world.environment(Thing(thing_id="T1")).add(Thing(thing_id="T1"))


def test_a_taken_key_raises_the_vendors_error(world: World) -> None:
    with pytest.raises(Gone):
        world.environment(Thing(thing_id="T1")).write(lambda db: db.add(Thing(thing_id="T1"), taken=Gone))


def test_a_taken_unique_value_is_refused_on_the_way_in_and_on_a_change(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", slug="a"), Thing(thing_id="T2", slug="b"))
    with pytest.raises(AlreadyExists):
        place.add(Thing(thing_id="T3", slug="a"))
    with pytest.raises(AlreadyExists):
        place.write(lambda db: db.change(db.get(Thing, "T2"), slug="a"))


def test_many_rows_without_a_unique_value_live_together(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"), Thing(thing_id="T2"))
    assert place.read(lambda db: db.count(Thing, Thing.slug.is_null())) == 2


def test_a_changed_row_comes_back_as_it_is_now(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", text="old", data={"b": 1, "a": 2}))

    def work(db: Store) -> Thing:
        stale = db.get(Thing, "T1")
        db.change(stale, text="new")
        return db.change(stale, flag=True)

    changed = place.write(work)
    assert (changed.text, changed.flag, changed.data) == ("new", True, {"a": 2, "b": 1})
    assert place.read(lambda db: db.get(Thing, "T1")) == changed


def test_only_the_columns_that_are_named_are_set_to_what_a_row_says(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", text="old", number=1, data={"a": 1}))
    place.write(lambda db: db.update(Thing(thing_id="T1", text="new", number=2, data={"b": 2}), ["data", "text"]))
    row = place.read(lambda db: db.get(Thing, "T1"))
    assert (row.text, row.number, row.data) == ("new", 1, {"b": 2})
    with pytest.raises(NotFound):
        place.write(lambda db: db.update(Thing(thing_id="T2"), ["text"]))


def test_a_removed_row_is_gone(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"), Thing(thing_id="T2"))
    place.write(lambda db: db.remove(db.get(Thing, "T1")))
    assert [row.thing_id for row in place.read(lambda db: db.rows(Thing))] == ["T2"]


def test_a_row_that_is_gone_cannot_be_changed_or_removed(world: World) -> None:
    place = world.environment()
    for change in ({"text": "x"}, {}):
        with pytest.raises(NotFound, match="T1"):
            place.write(lambda db, change=change: db.change(Thing(thing_id="T1"), **change))
    with pytest.raises(NotFound, match="T1"):
        place.write(lambda db: db.remove(Thing(thing_id="T1")))


def test_an_unknown_column_is_named(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))
    with pytest.raises(TypeError, match="colour"):
        place.write(lambda db: db.change(db.get(Thing, "T1"), colour="red"))


def test_a_row_of_another_twin_is_refused_by_name(world: World) -> None:
    with pytest.raises(LookupError, match="'items' is not one of alpha's"):
        world.environment().read(lambda db: db.rows(Item))


def test_reads_cannot_write(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))
    row = Thing(thing_id="T1")
    with pytest.raises(TypeError, match="declared to read"):
        place.read(lambda db: db.add(Thing(thing_id="T2")))
    with pytest.raises(TypeError, match="declared to read"):
        place.read(lambda db: db.change(row, text="x"))
    with pytest.raises(TypeError, match="declared to read"):
        place.read(lambda db: db.remove(row))
    with pytest.raises(TypeError, match="declared to read"):
        place.read(lambda db: db.next("id"))
    assert place.records() == []


def test_a_counter_goes_up_by_one_or_to_what_it_must_reach(world: World) -> None:
    def work(db: Store) -> list[int]:
        db.add(Thing(thing_id="T1"))
        return [db.next("id"), db.next("id"), db.next("ts", at_least=50), db.next("ts", at_least=50), db.next("ts")]

    assert world.environment().write(work) == [1, 2, 50, 51, 52]


def test_json_null_is_a_value_where_null_is_not_allowed(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", payload=None))
    place.add(Thing(thing_id="T2", payload={"a": None}))
    assert [row.payload for row in place.read(lambda db: db.rows(Thing))] == [None, {"a": None}]


def test_a_json_column_that_may_be_null_has_no_null_beside_it(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))
    place.add(Thing(thing_id="T2"), Thing(thing_id="T3", data={}))
    place.write(lambda db: db.change(db.get(Thing, "T3"), data=None))
    assert place.read(lambda db: (db.count(Thing, Thing.data.is_null()), db.count(Thing, Thing.data == None))) == (3, 3)  # noqa: E711


@pytest.mark.parametrize(
    "text", ["\0", "\\", "\0\\", "\\\0\\\\\1", "\1\2\2\\\3", "\\u0000\0", "\\u0001\\u0002\\u0003\1\2\3"]
)
def test_control_characters_and_backslashes_in_json_come_back(world: World, text: str) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1", text=text, data={text: [text]}))
    assert place.read(lambda db: db.get(Thing, "T1").data) == {text: [text]}
    assert place.read(lambda db: db.count(Thing, Thing.text == text)) == 1


@pytest.mark.parametrize("length", [1, 1_000])
def test_keys_in_json_come_by_length_and_then_by_code_point(world: World, length: int) -> None:
    place = world.environment()
    ordered = ["z", "a" * length + "zz", "a" * length + "é", "b" * length + "zz"]
    place.add(Thing(thing_id="T1", data={"in": dict.fromkeys(reversed(ordered))}))
    data = place.read(lambda db: cast(dict[str, Any], db.get(Thing, "T1").data))
    assert [*data["in"]] == ordered


def test_numbers_beyond_64_bits_in_json_become_floats(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1", data=[2**63 - 1, 2**64, -(2**70)]))
    assert place.read(lambda db: db.get(Thing, "T1").data) == [2**63 - 1, float(2**64), float(-(2**70))]
    assert place.last().changes[0].after is not None


def test_deep_json_is_refused_and_nothing_else_is_lost(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ApiError):
        place.write(lambda db: db.change(db.get(Thing, "T1"), data=deep))
    place.add(Receipt(receipt_id=1, token="t"))
    assert len(place.records()) == 1

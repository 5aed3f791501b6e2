"""Rows beside the rows that were asked for: lookups through a key, pages per parent, and texts compared loosely."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.kit.computed_values import count
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import Order, Row, any_of, exists, not_
from twindiff.kit.store import Store

from .worlds import Link, Thing, World

__all__ = [
    "test_a_column_of_the_row_pointed_to_can_be_compared_and_ordered_by",
    "test_a_page_may_go_through_a_table_between",
    "test_a_page_of_rows_with_several_columns_in_their_key_ends_at_its_limit",
    "test_each_parent_has_a_page_of_its_own",
    "test_nulls_stand_where_an_order_says",
    "test_parents_without_rows_are_left_out",
    "test_text_can_be_compared_without_case_and_accents",
    "test_the_same_shape_with_other_values_finds_other_rows",
]


def family(size: int) -> list[Row]:
    """Things in a tree, each with a parent or none; links from each to the ranks below its own."""
    things: list[Row] = [
        Thing(thing_id=f"T{n}", text=["a", None, "b"][n % 3], number=n % 4, parent_id=f"T{n // 3}" if n else None)
        for n in range(size)
    ]
    return [*things, *(Link(thing_id=f"T{n}", rank=m) for n in range(size) for m in range(n % 3))]


def test_a_column_of_the_row_pointed_to_can_be_compared_and_ordered_by(world: World) -> None:
    place = world.environment(*family(9))
    text = Thing.parent_id.to(Thing.text)

    def ids(db: Store, *where: Any, **order: Any) -> list[str]:
        return [each for (each,) in db.rows(Thing, *where, columns=(Thing.thing_id,), **order)]

    assert place.read(lambda db: ids(db, text == "b")) == ["T6", "T7", "T8"]
    assert place.read(lambda db: ids(db, order=(Order(text, True, "last"), -Thing.thing_id)))[:4] == [
        "T8",
        "T7",
        "T6",
        "T2",
    ]
    assert place.read(lambda db: db.rows(Thing, Thing.thing_id == "T6", columns=(text,))) == [("b",)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.integers(0, 12), unique=True), st.none() | st.integers(1, 4), st.booleans())
def test_each_parent_has_a_page_of_its_own(world: World, parents: list[int], limit: int | None, few: bool) -> None:
    place = world.environment(*family(13))
    where = (Thing.number > 1,) if few else ()
    pages = place.read(
        lambda db: db.pages(
            Thing,
            Thing.parent_id,
            [f"T{n}" for n in parents],
            *where,
            order=-Thing.thing_id,
            limit=limit,
            columns=(Thing.thing_id,),
        )
    )
    for parent in parents:
        children = [n for n in range(1, 13) if n // 3 == parent and (not few or n % 4 > 1)]
        expected = sorted((f"T{n}" for n in children), reverse=True)[:limit]
        assert [each for (each,) in pages.get(f"T{parent}", [])] == expected


def test_parents_without_rows_are_left_out(world: World) -> None:
    place = world.environment(*family(4))
    columns = (Thing.thing_id, Thing.is_open)
    pages = place.read(lambda db: db.pages(Thing, Thing.parent_id, ["T1", "T3", "none"], columns=columns))
    assert pages == {"T1": [("T3", True)]}


def test_a_page_may_go_through_a_table_between(world: World) -> None:
    joins = [Link(thing_id=f"T{n}", rank=n, note=f"T{2 * n}") for n in range(4)]
    place = world.environment(*[Thing(thing_id=f"T{n}", text=str(n)) for n in range(7)], *joins)

    def pages(db: Store) -> Any:
        return db.pages(
            Thing,
            Link.thing_id,
            ["T1", "T2", "T3"],
            Thing.text != "4",
            join=Link.note,
            between=(Link.rank > 0,),
            limit=5,
            columns=(Thing.text,),
        )

    assert place.read(pages) == {"T1": [("2",)], "T3": [("6",)]}


def test_a_page_of_rows_with_several_columns_in_their_key_ends_at_its_limit(world: World) -> None:
    place = world.environment(*[Link(thing_id=f"T{n}", rank=m) for n in range(3) for m in range(4)])
    newest = (-Link.thing_id, -Link.rank)

    def pages(db: Store) -> Any:
        parents = ["T0", "T2", "T9"]
        return db.pages(Link, Link.thing_id, parents, Link.rank != 2, order=newest, limit=2, columns=(Link.rank,))

    assert place.read(pages) == {"T0": [(3,), (1,)], "T2": [(3,), (1,)]}


@pytest.mark.parametrize(("nulls", "first"), [("first", None), ("last", "b")])
def test_nulls_stand_where_an_order_says(world: World, nulls: Any, first: str | None) -> None:
    place = world.environment(*family(6))
    order = Order(Thing.text, True, nulls)
    assert place.read(lambda db: db.rows(Thing, order=order, limit=1, columns=(Thing.text,))) == [(first,)]


def test_text_can_be_compared_without_case_and_accents(world: World) -> None:
    place = world.environment(*[Thing(thing_id=text, text=text) for text in ("Zoë", "ZOE", "straße", "STRASSE")])

    def ids(where: Any) -> list[str]:
        return place.read(lambda db: [each.thing_id for each in db.rows(Thing, where)])

    assert ids(Thing.text.equals("zoË")) == ["Zoë"]
    assert ids(Thing.text.equals("Strasse")) == ["STRASSE", "straße"]
    assert ids(Thing.text.resembles("oE")) == ["ZOE", "Zoë"]
    assert ids(Thing.text.has_word(SearchTerm(("nobody", "zoë")))) == ["ZOE", "Zoë"]
    assert ids(Thing.text.has_word(SearchTerm(("zo",)))) == []
    assert ids(Thing.text.has_word(SearchTerm(("stra",), is_start=True))) == ["STRASSE", "straße"]


def test_text_inside_json_can_be_compared_without_case(world: World) -> None:
    place = world.environment(*[Thing(thing_id=text, data={"said": {"by": text}}) for text in ("Zoë", "ZOE")])
    by = Thing.data.json("said", "by")
    assert place.read(lambda db: [each.thing_id for each in db.rows(Thing, by.equals("zoË"))]) == ["Zoë"]
    assert place.read(lambda db: db.count(Thing, by.has_word(SearchTerm(("zoe",))))) == 2


def test_the_same_shape_with_other_values_finds_other_rows(world: World) -> None:
    place = world.environment(*family(9))

    def find_ids(number: int, texts: list[str | None], links: int) -> list[str]:
        below = exists(Link, Link.thing_id == Thing.thing_id, Link.rank >= links)
        many = count(Link, Link.thing_id == Thing.thing_id) > links
        where = (any_of(Thing.number == number, Thing.text.in_(texts)), not_(below), not_(many))
        return place.read(lambda db: [each.thing_id for each in db.rows(Thing, *where)])

    def expect_ids(number: int, texts: list[str | None], links: int) -> list[str]:
        fits = [n for n in range(9) if (n % 4 == number or ["a", None, "b"][n % 3] in texts) and n % 3 <= links]
        return [f"T{n}" for n in fits]

    cases: list[tuple[int, list[str | None], int]] = [
        (0, ["a"], 1),
        (2, ["b"], 2),
        (3, ["x"], 0),
        (1, [None, "a"], 2),
        (1, ["b", "a"], 1),
        (0, [], 2),
    ]
    for asked in cases:
        assert find_ids(*asked) == expect_ids(*asked)
    letters: list[str | None] = list("cdefgh")
    assert find_ids(0, [*letters, "a"], 2) == expect_ids(0, ["a"], 2)
    assert find_ids(0, [*letters, None], 2) == expect_ids(0, [None], 2)

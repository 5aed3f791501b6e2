"""Values that no column holds are compared, ordered by and loaded as columns are."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.computed_values import (
    Item,
    case,
    coalesce,
    count,
    elapsed_micros,
    greatest,
    join_texts,
    least,
    only,
    reachable_rows,
    total,
)
from twindiff.kit.rows import Column, Expression, Items, Order, Row, Source, Step, all_of, any_of, exists, not_

from . import model
from .expressions import IDS, QUICK, TEXTS, TIMES, atoms, build_comparison, links, text_atoms, things, with_rows
from .worlds import Link, Thing, World

__all__ = [
    "test_a_circle_is_gone_round_once",
    "test_a_length_of_time_is_exact_to_the_microsecond",
    "test_a_value_is_compared_as_a_column_is",
    "test_a_value_stands_in_pages_of_each_parent",
    "test_items_of_what_is_no_list_are_none",
    "test_rows_are_found_by_what_steps_lead_to",
    "test_rows_are_found_by_what_their_lists_hold",
    "test_rows_come_in_the_order_of_values",
]

Valued = tuple[Column[Any], st.SearchStrategy[Any]]

ABOVE = reachable_rows(Thing.thing_id, Step(Thing.thing_id, Thing.parent_id))
LINKED = reachable_rows(
    Thing.thing_id, Step(Thing.thing_id, Thing.parent_id), Step(Link.thing_id, Link.note, (Link.rank > 0,))
)
NAMES: Step = Step(Thing.parent_id, Thing.thing_id)
SMALL = st.integers(-3, 6)
LENGTHS = st.sampled_from([0, 1, -1, 1_000_000, 822_304_201_000_000, 822_304_201_000_001])


def sources() -> st.SearchStrategy[tuple[Source, tuple[Expression, ...]]]:
    """Things that belong to the thing outside."""
    child, parent = (Thing.parent_id == Thing.thing_id,), (Thing.thing_id == Thing.parent_id,)
    below: Source = reachable_rows(Thing.thing_id, NAMES)
    plain: list[tuple[Source, tuple[Expression, ...]]] = [(Thing, child), (Thing, parent), (Thing, ())]
    led: list[tuple[Source, tuple[Expression, ...]]] = [(ABOVE, ()), (below, ()), (LINKED, ())]
    return st.sampled_from([*plain, *led])


@st.composite
def aggregates(draw: st.DrawFn) -> Valued:
    """Related rows brought to one value."""
    source, where = draw(sources())
    where = (*where, *draw(st.lists(atoms() | text_atoms(), max_size=1)))
    linked = (Link.thing_id == Thing.thing_id, Link.rank != draw(st.integers(0, 2)))
    choices: list[Valued] = [
        (count(source, *where), SMALL),
        (total(Link.rank, Link, *linked), SMALL),
        (join_texts(Thing.text, source, *where), TEXTS),
        (least(Thing.text, source, *where), TEXTS),
        (greatest(Thing.at, source, *where), TIMES),
        (greatest(count(Link, Link.thing_id == Thing.thing_id), source, *where), SMALL),
        (Thing.parent_id.to(Thing.text), TEXTS),
        (only(coalesce(Thing.at, Thing.touched_at), Thing, Thing.thing_id == Thing.parent_id), TIMES),
    ]
    return draw(st.sampled_from(choices))


@st.composite
def formulas(draw: st.DrawFn) -> Valued:
    """Values made of others of the same row."""
    condition, other = draw(atoms()), draw(atoms())
    linked = count(Link, Link.thing_id == Thing.thing_id)
    choices: list[Valued] = [
        (elapsed_micros(Thing.at, draw(TIMES)), LENGTHS),
        (elapsed_micros(draw(TIMES), coalesce(Thing.at, Thing.touched_at, draw(TIMES))), LENGTHS),
        (coalesce(Thing.text, Thing.parent_id), TEXTS | IDS),
        (coalesce(Thing.text, draw(TEXTS)), TEXTS),
        (linked + Thing.count + 2, SMALL),
        (linked + case("integer", (condition, 1)), SMALL),
        (case("text", (condition, Thing.text), (other, "other"), otherwise=Thing.parent_id), TEXTS),
        (case("boolean", (condition, True), otherwise=False), st.booleans()),
        (case("integer", otherwise=draw(SMALL)), SMALL),
    ]
    return draw(st.sampled_from(choices))


VALUES = aggregates() | formulas()


@st.composite
def comparisons(draw: st.DrawFn) -> Expression:
    """A value that is worked out, compared."""
    value, operands = draw(VALUES)
    op = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "null"]))
    if op == "in":
        return value.in_(draw(st.lists(operands | st.none(), max_size=6)))
    return build_comparison(value, op, draw(operands | st.none() if op in ("==", "!=") else operands))


@QUICK
@given(rows=things(), more=links(), where=comparisons())
def test_a_value_is_compared_as_a_column_is(
    world: World, rows: list[Thing], more: list[Link], where: Expression
) -> None:
    everything: list[Row] = [*rows, *more]
    place = with_rows(world, everything)
    for part in (where, not_(where), any_of(where, Thing.number == 1), all_of(where, not_(where))):
        wanted = model.sort_rows([row for row in rows if model.holds(part, row, everything)], ())
        assert place.read(lambda db, part=part: db.rows(Thing, part)) == wanted


@QUICK
@given(rows=things(), more=links(), values=st.lists(VALUES, min_size=1, max_size=2), down=st.booleans(), at=SMALL)
def test_rows_come_in_the_order_of_values(
    world: World, rows: list[Thing], more: list[Link], values: list[Valued], down: bool, at: int
) -> None:
    everything: list[Row] = [*rows, *more]
    place = with_rows(world, everything)
    columns = tuple(value for value, _ in values)
    order = tuple(Order(column, down, "last") for column in columns)
    wanted = [cast(Thing, row) for row in model.sort_rows(rows, order, everything)[max(at, 0) :]]
    answered = place.read(lambda db: db.rows(Thing, order=order, offset=max(at, 0), columns=(Thing.thing_id, *columns)))
    assert [row[0] for row in answered] == [row.thing_id for row in wanted]
    assert [row[1:] for row in answered] == [
        tuple(model.value_of(column, row, everything) for column in columns) for row in wanted
    ]


@QUICK
@given(
    rows=things(),
    more=links(),
    source=st.sampled_from([ABOVE, LINKED]),
    inner=atoms() | text_atoms(),
    own=st.booleans(),
)
def test_rows_are_found_by_what_steps_lead_to(
    world: World, rows: list[Thing], more: list[Link], source: Source, inner: Expression, own: bool
) -> None:
    everything: list[Row] = [*rows, *more]
    place = with_rows(world, everything)
    others = () if own else (Thing.thing_id != Thing.thing_id,)
    for where in (exists(source, inner, *others), not_(exists(source, not_(inner), *others))):
        wanted = model.sort_rows([row for row in rows if model.holds(where, row, everything)], ())
        assert place.read(lambda db, where=where: db.rows(Thing, where)) == wanted


LISTS = (
    st.none()
    | st.just("a")
    | st.dictionaries(TEXTS, TEXTS, max_size=1)
    | st.lists(TEXTS | st.none() | st.booleans() | st.integers(0, 2) | st.lists(TEXTS, max_size=1), max_size=3)
)


@QUICK
@given(lists=st.lists(LISTS, max_size=4), inner=text_atoms(Item.value), size=st.integers(0, 3), inside=st.booleans())
def test_rows_are_found_by_what_their_lists_hold(
    world: World, lists: list[Any], inner: Expression, size: int, inside: bool
) -> None:
    held = [{"a": each} if inside else each for each in lists]
    rows = [Thing(thing_id=f"T{n}", data=each, payload=each) for n, each in enumerate(held)]
    place = with_rows(world, rows)
    items = Items(Thing.payload.json("a") if inside else Thing.data)
    for where in (exists(items, inner), not_(exists(items, not_(inner))), count(items) >= size):
        wanted = [row for row in rows if model.holds(where, row, rows)]
        assert place.read(lambda db, where=where: db.rows(Thing, where)) == wanted


def test_items_of_what_is_no_list_are_none(world: World) -> None:
    held: list[Any] = [None, "a", {"a": "a"}, 1, ["a"]]
    place = with_rows(world, [Thing(thing_id=f"T{n}", payload=each) for n, each in enumerate(held)])
    having = place.read(lambda db: db.rows(Thing, exists(Items(Thing.payload)), columns=(Thing.thing_id,)))
    assert having == [("T4",)]


@pytest.mark.parametrize(("key", "names"), [("T1", "T1 T2 T3"), ("T4", "T4"), ("T5", "T1 T2 T3 T5"), ("T6", "T6")])
def test_a_circle_is_gone_round_once(world: World, key: str, names: str) -> None:
    parents = {"T1": "T2", "T2": "T3", "T3": "T1", "T4": "T4", "T5": "T1", "T6": "none"}
    place = with_rows(world, [Thing(thing_id=each, parent_id=parent) for each, parent in parents.items()])
    answered = place.read(
        lambda db: db.rows(Thing, Thing.thing_id == key, columns=(join_texts(Thing.thing_id, ABOVE),))
    )
    assert answered[0][0].split("\x1f") == names.split()


@pytest.mark.parametrize(
    ("earlier", "later", "microseconds"),
    [
        ("2026-01-31T09:30:00", "2026-01-31T09:30:00.000001", 1),
        ("2026-01-31T09:30:00.999999", "2026-01-31T09:30:01", 1),
        ("2024-02-28T23:59:59.5", "2024-03-01T00:00:00", 86_400_500_000),
        ("1969-12-31T23:59:59.750000", "1970-01-01T00:00:00.250000", 500_000),
        ("0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", 315_537_897_599_999_999),
        ("2026-01-02T00:00:00", "2026-01-01T00:00:00", -86_400_000_000),
    ],
)
def test_a_length_of_time_is_exact_to_the_microsecond(
    world: World, earlier: str, later: str, microseconds: int
) -> None:
    earlier = earlier.ljust(26, "0") if "." in earlier else earlier
    place = with_rows(world, [Thing(thing_id="T1", at=earlier, touched_at=later)])
    columns = (
        elapsed_micros(Thing.at, Thing.touched_at),
        elapsed_micros(earlier, Thing.touched_at),
        elapsed_micros(Thing.at, later),
    )
    assert place.read(lambda db: db.rows(Thing, columns=columns)) == [(microseconds,) * 3]


def test_a_value_stands_in_pages_of_each_parent(world: World) -> None:
    rows = [Thing(thing_id=f"T{n}", parent_id="P" if n % 2 else "Q") for n in range(6)]
    rated = [Link(thing_id=f"T{n}", rank=rank) for n in range(6) for rank in range((7 * n) % 4)]
    place = with_rows(world, [*rows, *rated])
    value = coalesce(total(Link.rank, Link, Link.thing_id == Thing.thing_id, Link.rank >= 1), 0)
    asked: dict[str, Any] = {"order": -(value + 1), "limit": 2, "columns": (Thing.thing_id, value + 1)}
    pages = place.read(lambda db: db.pages(Thing, Thing.parent_id, ["Q", "P"], value >= 0, **asked))
    assert pages == {"P": [("T5", 4), ("T1", 4)], "Q": [("T2", 2), ("T4", 1)]}

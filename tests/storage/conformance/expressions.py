"""Every expression that the kit can write finds the rows that it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.kit.computed_values import count
from twindiff.kit.full_text import SearchTerm
from twindiff.kit.rows import Column, Expression, Order, Row, all_of, any_of, exists, not_
from twindiff.kit.store import Ordering

from . import model
from .worlds import Link, Place, Thing, World

__all__ = [
    "test_a_chain_of_two_thousand_parts_is_one_statement",
    "test_a_page_is_a_slice_of_all",
    "test_a_path_may_hold_any_key",
    "test_a_table_relates_to_itself_at_any_depth",
    "test_a_text_in_json_is_found_as_it_is_now",
    "test_a_text_in_json_that_very_many_rows_have_is_found",
    "test_a_value_in_json_is_compared_with_a_column_of_its_kind",
    "test_an_expression_finds_the_rows_that_it_says",
    "test_any_text_is_found_again",
    "test_columns_come_in_their_types",
    "test_five_thousand_values_are_one_statement",
    "test_it_is_looked_into_texts_in_json_as_into_those_of_columns",
    "test_json_keeps_true_one_and_text_apart",
    "test_numbers_beyond_64_bits_compare",
]

QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TEXTS = st.sampled_from(
    [
        "",
        "a",
        "A",
        "ab",
        "%",
        "_",
        "\\",
        "'",
        '"',
        "ß",
        "SS",
        "İ",
        "i\u0307",
        "\u0131",
        "é",
        "e\u0301",
        "😀",
        "a😀b",
        "ﬁ",
        "Σ",
        "ς",
    ]
) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
NUMBERS = st.sampled_from([0, 1, -1, 2, 2**53 + 1, 2**63 - 1, -(2**63)])
AMOUNTS = st.sampled_from([0.0, 1.0, -1.5, 0.25, 1e300, -1e-300])
FLAGS = st.booleans()
TIMES = st.sampled_from(["2026-01-31T09:30:00", "2026-01-31T09:30:00.000001", "1999-12-31T23:59:59"])
DAYS = st.sampled_from(["2026-01-31", "1999-12-31"])
KEYS = st.sampled_from(["a", "b", "a.b", "é", "", "x'y", "[0]"])
SCALARS = st.none() | FLAGS | st.sampled_from([0, 1, -5, 2**40]) | AMOUNTS.filter(lambda n: abs(n) < 10) | TEXTS
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2), max_leaves=4
)
DATA = st.dictionaries(KEYS, JSON, max_size=3)
IDS = st.sampled_from(["T1", "T2", "T3", "T4", "T5"])


def things() -> st.SearchStrategy[list[Thing]]:
    """Some rows, each with a key of its own."""
    thing = st.builds(
        Thing,
        thing_id=IDS,
        text=st.none() | TEXTS,
        number=st.none() | NUMBERS,
        amount=st.none() | AMOUNTS,
        flag=st.none() | FLAGS,
        at=st.none() | TIMES,
        day=st.none() | DAYS,
        data=st.none() | DATA,
        parent_id=st.none() | IDS,
    )
    return st.lists(thing, max_size=5, unique_by=lambda each: each.thing_id)


def links() -> st.SearchStrategy[list[Link]]:
    """Some rows with a key of two columns."""
    link = st.builds(Link, thing_id=IDS, rank=st.integers(0, 2), note=st.none() | TEXTS)
    return st.lists(link, max_size=4, unique_by=lambda each: (each.thing_id, each.rank))


VALUES: list[tuple[Column[Any], st.SearchStrategy[Any]]] = [
    (Thing.thing_id, IDS),
    (Thing.text, TEXTS),
    (Thing.number, NUMBERS),
    (Thing.amount, AMOUNTS),
    (Thing.flag, FLAGS),
    (Thing.at, TIMES),
    (Thing.day, DAYS),
    (Thing.parent_id, IDS),
]


@st.composite
def atoms(draw: st.DrawFn) -> Expression:
    """A comparison of a column with a value."""
    column, values = draw(st.sampled_from(VALUES))
    op = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "null"]))
    value = draw(values | st.none() if op in ("==", "!=") else values)
    return build_comparison(column, op, draw(st.lists(values | st.none(), max_size=3)) if op == "in" else value)


def build_comparison(column: Column[Any], op: str, value: Any) -> Expression:
    """A comparison by the name of its operator."""
    plain: dict[str, Any] = {"==": column.__eq__, "!=": column.__ne__, "<": column.__lt__, "<=": column.__le__}
    plain |= {">": column.__gt__, ">=": column.__ge__, "in": column.in_}
    return column.is_null() if op == "null" else plain[op](value)


@st.composite
def text_atoms(draw: st.DrawFn, column: Column[Any] = Thing.text) -> Expression:
    """A comparison that looks into a text."""
    if draw(st.integers(0, 3)) == 0:
        forms = draw(st.lists(TEXTS, min_size=1, max_size=3))
        return column.has_word(SearchTerm(tuple(forms), is_start=draw(FLAGS)))
    if draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from([column.equals, column.resembles]))(draw(TEXTS))
    look = draw(st.sampled_from([column.contains, column.starts, column.ends]))
    return look(draw(TEXTS), fold=draw(FLAGS))


@st.composite
def json_atoms(draw: st.DrawFn) -> Expression:
    """A comparison of what is at a path."""
    column = Thing.data.json(*draw(st.lists(KEYS, min_size=1, max_size=2)))
    form = draw(st.sampled_from(["equal", "compared", "in", "text", "whole"]))
    if form == "whole":
        return Thing.data == draw(DATA)
    if form == "text":
        return draw(text_atoms(column))
    if form == "in":
        return column.in_(draw(st.lists(SCALARS, max_size=3)))
    value = draw(JSON if form == "equal" else SCALARS.filter(lambda each: not isinstance(each, bool | None)))
    return build_comparison(
        column, draw(st.sampled_from(["==", "!="] if form == "equal" else ["<", "<=", ">", ">="])), value
    )


@st.composite
def relations(draw: st.DrawFn) -> Expression:
    """A condition on related rows: links, parents, children."""
    atom = st.sampled_from([Link.note == "a", Link.rank >= 1, Link.note.is_null(), Link.rank < Thing.number])
    column_pairs = [Thing.thing_id == Thing.parent_id, Thing.parent_id == Thing.thing_id, Thing.text == Thing.text]
    if draw(st.booleans()):
        return exists(Thing, draw(st.sampled_from(column_pairs)), *draw(few(atoms())))
    linked = (Link.thing_id == Thing.thing_id, *draw(few(atom)))
    if draw(st.booleans()):
        return build_comparison(
            count(Link, *linked), draw(st.sampled_from(["==", "!=", "<", ">="])), draw(st.integers(0, 2))
        )
    return exists(Link, *linked)


def few(strategy: st.SearchStrategy[Expression]) -> st.SearchStrategy[list[Expression]]:
    """None, one or two of a kind."""
    return st.lists(strategy, max_size=2)


BOOLEANS: st.SearchStrategy[Expression] = st.sampled_from([Thing.flag, Thing.is_open, ~Thing.flag, ~Thing.is_open])
EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    BOOLEANS | atoms() | text_atoms() | json_atoms() | relations(),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: any_of(*parts))
        | st.lists(inner, max_size=3).map(lambda parts: all_of(*parts))
        | inner.map(not_)
    ),
    max_leaves=4,
)

TERMS = st.sampled_from([column for column, _ in VALUES]).flatmap(
    lambda column: st.builds(Order, st.just(column), FLAGS, st.sampled_from([None, "first", "last"])) | st.just(column)
)
ORDERS: st.SearchStrategy[Ordering] = st.lists(TERMS, max_size=2).map(tuple)


def with_rows(world: World, rows: Sequence[Row]) -> Place:
    """An environment that holds nothing but these rows."""
    place = world.environment()
    if rows:
        place.add(*rows)
    return place


@QUICK
@given(rows=things(), more=links(), where=EXPRESSIONS)
def test_an_expression_finds_the_rows_that_it_says(
    world: World, rows: list[Thing], more: list[Link], where: Expression
) -> None:
    everything = [*rows, *more]
    place = with_rows(world, everything)
    wanted = model.sort_rows([row for row in rows if model.holds(where, row, everything)], ())
    assert place.read(lambda db: db.rows(Thing, where)) == wanted
    assert place.read(lambda db: db.count(Thing, where)) == len(wanted)
    assert place.read(lambda db: db.find(Thing, where)) == (wanted[0] if wanted else None)


@QUICK
@given(rows=things(), order=ORDERS, limit=st.none() | st.integers(0, 6), offset=st.integers(0, 6))
def test_a_page_is_a_slice_of_all(
    world: World, rows: list[Thing], order: Ordering, limit: int | None, offset: int
) -> None:
    place = with_rows(world, rows)
    wanted = model.sort_rows(rows, order)[offset:][:limit]
    assert place.read(lambda db: db.rows(Thing, order=order, limit=limit, offset=offset)) == wanted


@QUICK
@given(text=TEXTS, other=TEXTS)
def test_any_text_is_found_again(world: World, text: str, other: str) -> None:
    place = with_rows(world, [Thing(thing_id="T1", text=text)])
    text_read = place.read(lambda db: db.get(Thing, "T1").text)
    assert text_read == text
    for where in (Thing.text == text, Thing.text.contains(text), Thing.text.in_([other, text])):
        assert place.read(lambda db, where=where: db.count(Thing, where)) == 1
    assert place.read(lambda db: db.count(Thing, Thing.text.contains(other))) == (other in text)


def test_a_table_relates_to_itself_at_any_depth(world: World) -> None:
    parents = {"T1": None, "T2": "T1", "T3": "T2", "T4": "T4"}
    place = with_rows(world, [Thing(thing_id=key, parent_id=parent) for key, parent in parents.items()])
    has_parent = exists(Thing, Thing.thing_id == Thing.parent_id)
    is_parent = exists(Thing, Thing.parent_id == Thing.thing_id)
    has_grandparent = exists(Thing, Thing.thing_id == Thing.parent_id, has_parent)
    keys = [
        [row.thing_id for row in place.read(lambda db, where=where: db.rows(Thing, where))]
        for where in (has_parent, is_parent, has_grandparent, Thing.thing_id == Thing.parent_id)
    ]
    assert keys == [["T2", "T3", "T4"], ["T1", "T2", "T4"], ["T3", "T4"], ["T4"]]


def test_json_keeps_true_one_and_text_apart(world: World) -> None:
    values = [True, False, 1, 0, "1", "true", [1], {"a": 1}, None, 2.5]
    place = with_rows(world, [Thing(thing_id=f"T{n}", data={"at": value}) for n, value in enumerate(values)])
    for n, value in enumerate(values):
        matches = place.read(lambda db, value=value: db.rows(Thing, Thing.data.json("at") == value))
        assert [row.thing_id for row in matches] == [f"T{n}"]


def test_a_value_in_json_is_compared_with_a_column_of_its_kind(world: World) -> None:
    values = ["1", 1, True, "2", 2, None, [1]]
    place = with_rows(
        world, [Thing(thing_id=f"T{n}", text="1", number=1, data={"at": v}) for n, v in enumerate(values)]
    )
    at = Thing.data.json("at")
    pairs = (Thing.text == at, at == Thing.text, Thing.number == at, at == Thing.number, Thing.number < at)
    matches = [[row.thing_id for row in place.read(lambda db, pair=pair: db.rows(Thing, pair))] for pair in pairs]
    assert matches == [["T0"], ["T0"], ["T1"], ["T1"], ["T4"]]


def test_it_is_looked_into_texts_in_json_as_into_those_of_columns(world: World) -> None:
    texts = ["Zoë sails", "zoe", "SAILS Zoë", "Zoë", "4"]
    place = with_rows(world, [Thing(thing_id=f"T{n}", text=text, data={"at": text}) for n, text in enumerate(texts)])
    place.add(Thing(thing_id="T9", data={"at": 4}))
    for text in ("Zoë", "zoË", "sails", "4"):
        for plain, within in zip(looks(Thing.text, text), looks(Thing.data.json("at"), text), strict=True):
            rows = place.read(lambda db, where=plain: db.rows(Thing, where))
            assert place.read(lambda db, where=within: db.rows(Thing, where)) == rows


def looks(column: Column[Any], text: str) -> list[Expression]:
    """Every way to look into a text for another."""
    ways = (column.contains, column.starts, column.ends)
    return [
        *(way(text, fold=fold) for way in ways for fold in (False, True)),
        column.equals(text),
        column.resembles(text),
    ]


ANY_KEY = pytest.mark.parametrize("key", ["a", "", "a.b", "[0]", "'", '"', "\\", "\n", "é", "😀", "$", "a b"])


@ANY_KEY
def test_a_text_in_json_is_found_as_it_is_now(world: World, key: str) -> None:
    """The column has an index of its entries, where an engine has those."""
    data: list[Any] = [{key: "x"}, {key: "y", "b": "x"}, {key: 1}, [key, "x"], "x", None, {key: "x"}, {key: "x"}]
    place = with_rows(world, [Thing(thing_id=f"T{n}", data=value) for n, value in enumerate(data)])
    for n, value in ((0, {key: "z"}), (1, {key: "x"}), (5, {key: "x"}), (6, {})):
        place.write(lambda db, n=n, value=value: db.change(db.get(Thing, f"T{n}"), data=value))
    place.write(lambda db: db.remove(db.get(Thing, "T7")))
    has = Thing.data.json(key) == "x"
    answered = place.read(lambda db: (db.rows(Thing, has), db.count(Thing, not_(has))))
    assert ([row.thing_id for row in answered[0]], answered[1]) == (["T1", "T5"], 5)


def test_a_text_in_json_that_very_many_rows_have_is_found(world: World) -> None:
    things = [Thing(thing_id=f"T{n:04}", data={"drink": "milk" if n % 3 else "tea"}) for n in range(2_000)]
    place = world.environment()
    for at in range(0, len(things), 100):
        place.add(*things[at : at + 100])
    has = Thing.data.json("drink") == "milk"
    last, count = place.read(lambda db: (db.rows(Thing, has, order=-Thing.thing_id, limit=2), db.count(Thing, has)))
    assert ([row.thing_id for row in last], count) == (["T1999", "T1997"], 1_333)


@ANY_KEY
def test_a_path_may_hold_any_key(world: World, key: str) -> None:
    place = with_rows(world, [Thing(thing_id="T1", data={key: {key: "x"}}), Thing(thing_id="T2", data={})])
    matches = place.read(lambda db: db.rows(Thing, Thing.data.json(key, key) == "x"))
    assert [row.thing_id for row in matches] == ["T1"]


def test_numbers_beyond_64_bits_compare(world: World) -> None:
    place = with_rows(world, [Thing(thing_id="T1", number=2**63 - 1), Thing(thing_id="T2", number=-(2**63))])
    assert place.read(lambda db: db.count(Thing, Thing.number < 2**70)) == 2
    assert place.read(lambda db: db.count(Thing, Thing.number >= -(2**63) - 1)) == 2
    assert place.read(lambda db: db.count(Thing, Thing.number.in_([2**63, -(2**63)]))) == 1
    place.add(Thing(thing_id="T3", amount=1e300, data={"at": 1e300}))
    for column in (Thing.amount, Thing.data.json("at")):
        assert place.read(lambda db, column=column: db.count(Thing, column > 2**70)) == 1
    assert place.read(lambda db: db.rows(Thing, limit=2**64)) != []


def test_columns_come_in_their_types(world: World) -> None:
    place = with_rows(world, [Thing(thing_id="T1", flag=True, data={"a": [1]}, amount=2.0)])
    columns = (Thing.flag, Thing.data, Thing.amount, Thing.text, Thing.data.json("a"))
    assert place.read(lambda db: db.rows(Thing, columns=columns)) == [(True, {"a": [1]}, 2.0, None, [1])]


def test_five_thousand_values_are_one_statement(world: World) -> None:
    place = with_rows(world, [Thing(thing_id="T1", number=7, text="'"), Thing(thing_id="T2", number=-1)])
    numbers = place.read(lambda db: db.rows(Thing, Thing.number.in_([*range(5000), None])))
    texts = place.read(lambda db: db.rows(Thing, Thing.text.in_(["'", *map(str, range(5000))])))
    assert [row.thing_id for row in (*numbers, *texts)] == ["T1", "T1"]


def test_a_chain_of_two_thousand_parts_is_one_statement(world: World) -> None:
    place = with_rows(world, [Thing(thing_id="T1", number=7)])
    either = any_of(*(Thing.number == number for number in range(2000)))
    neither = all_of(*(Thing.number != number for number in range(2000)))
    assert place.read(lambda db: [db.count(Thing, either), db.count(Thing, neither)]) == [1, 0]

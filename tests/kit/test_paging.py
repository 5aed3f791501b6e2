"""A cursor names the row at which the next page begins."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage.conformance.worlds import Link, Place, Thing, World
from twindiff.kit.errors import ApiError
from twindiff.kit.paging import InvalidCursor, decode_cursor, encode_cursor, page, page_at, page_beside
from twindiff.kit.rows import Column, Order
from twindiff.kit.store import Store
from twindiff.storage.sqlite import SqliteEngine


class BadCursor(ApiError):
    """It is bad."""


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    world = World(lambda: SqliteEngine(":memory:"))
    yield world.environment(*(Thing(thing_id=f"T{n}", text="even" if n % 2 == 0 else None) for n in range(7)))
    world.engine.close()


def pages(place: Place, limit: int, *, descending: bool = False) -> list[list[str]]:
    """All pages, by their cursors."""
    by = -Thing.thing_id if descending else Thing.thing_id
    ids, cursor = [], ""
    while True:
        given = place.read(lambda db, cursor=cursor: page(db, Thing, by=by, limit=limit, cursor=cursor))
        ids.append([row.thing_id for row in given.rows])
        cursor = given.next_cursor
        if not cursor:
            return ids


def test_pages_together_are_the_list(place: Place):
    assert pages(place, 3) == [["T0", "T1", "T2"], ["T3", "T4", "T5"], ["T6"]]
    assert pages(place, 3, descending=True) == [["T6", "T5", "T4"], ["T3", "T2", "T1"], ["T0"]]


@pytest.mark.parametrize("limit", [7, 8, 2**63 - 1])
def test_a_full_last_page_has_no_cursor(place: Place, limit: int):
    assert len(pages(place, limit)) == 1


def test_a_page_keeps_its_condition(place: Place):
    given = place.read(lambda db: page(db, Thing, Thing.text == "even", by=Thing.thing_id, limit=2))
    more = place.read(
        lambda db: page(db, Thing, Thing.text == "even", by=Thing.thing_id, limit=9, cursor=given.next_cursor)
    )
    assert [row.thing_id for row in (*given.rows, *more.rows)] == ["T0", "T2", "T4", "T6"]


def test_a_row_that_is_gone_does_not_break_its_cursor(place: Place):
    given = place.read(lambda db: page(db, Thing, by=Thing.thing_id, limit=2))
    other = place.fork(0)
    other.write(lambda db: db.remove(db.get(Thing, "T2")))
    more = other.read(lambda db: page(db, Thing, by=Thing.thing_id, limit=2, cursor=given.next_cursor))
    assert [row.thing_id for row in more.rows] == ["T3", "T4"]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_value_comes_back_from_its_cursor(value: str):
    assert decode_cursor("name", encode_cursor("name", value)) == value


@pytest.mark.parametrize(
    "cursor",
    [
        encode_cursor("other", "T1"),
        "x",
        "====",
        "é",
        "\ud800",
        "T1",
        urlsafe_b64encode(b"\xff:").decode(),
        " ",
        "a" * 5,
    ],
)
def test_a_cursor_that_this_list_never_gave_is_refused(cursor: str):
    with pytest.raises(InvalidCursor):
        decode_cursor("thing_id", cursor)
    with pytest.raises(BadCursor):
        decode_cursor("thing_id", cursor, BadCursor)


def test_a_cursor_with_letters_that_do_not_belong_is_refused():
    cursor = encode_cursor("thing_id", "T1")
    with pytest.raises(InvalidCursor):
        decode_cursor("thing_id", f"{cursor[:4]}*{cursor[4:]}")


MIXED = [
    Thing(
        thing_id=f"M{n:02}",
        number=[1, None, 2, 1, 3][n % 5],
        text=["a", "b", None][n % 3],
        amount=n % 4 / 2,
        flag=[True, None, False][n % 3],
        is_open=n % 2 == 0,
        count=n // 6,
    )
    for n in range(20)
]
SORTED: list[Column] = [Thing.number, Thing.text, Thing.amount, Thing.flag, Thing.is_open, Thing.count]
TERMS = st.builds(Order, st.sampled_from(SORTED), st.booleans(), st.sampled_from([None, "first", "last"]))
ORDERS: st.SearchStrategy[tuple[Order, ...]] = st.lists(
    TERMS | st.sampled_from([Order(Thing.thing_id, descending=False), -Thing.thing_id]), min_size=1, max_size=3
).map(tuple)


@pytest.fixture(scope="module")
def mixed() -> Iterator[Place]:
    world = World(lambda: SqliteEngine(":memory:"))
    yield world.environment(*MIXED, *(Link(thing_id=f"M{n % 3}", rank=n) for n in range(9)))
    world.engine.close()


def by_cursors(db: Store, by: tuple[Order, ...], limit: int) -> list[Thing]:
    first = part = page(db, Thing, by=by, limit=limit)
    rows = [*first.rows]
    while part.next_cursor:
        part = page(db, Thing, by=by, limit=limit, cursor=part.next_cursor)
        rows += part.rows
    return rows


@settings(max_examples=40, deadline=None)
@given(ORDERS, st.integers(1, 9))
def test_pages_by_cursor_are_the_list_whatever_its_order(mixed: Place, by: tuple[Order, ...], limit: int):
    assert mixed.read(lambda db: by_cursors(db, by, limit)) == mixed.read(
        lambda db: db.rows(Thing, order=(*by, Thing.thing_id))
    )


@settings(max_examples=40, deadline=None)
@given(ORDERS, st.integers(1, 9), st.integers(0, 19))
def test_rows_beside_a_row_are_those_right_behind_and_right_before_it(
    mixed: Place, by: tuple[Order, ...], limit: int, at: int
):
    def look(db: Store):
        rows = db.rows(Thing, order=(*by, Thing.thing_id))
        behind = page_beside(db, Thing, by=by, limit=limit, after=rows[at])
        before = page_beside(db, Thing, by=by, limit=limit, before=rows[at])
        assert behind == (rows[at + 1 : at + 1 + limit], len(rows) - at - 1 > limit)
        assert before == (rows[max(0, at - limit) : at], at > limit)

    mixed.read(look)


@settings(max_examples=40, deadline=None)
@given(ORDERS, st.integers(0, 19), st.integers(0, 19), st.integers(1, 9))
def test_rows_between_two_rows_begin_behind_the_first(
    mixed: Place, by: tuple[Order, ...], start: int, end: int, limit: int
):
    def look(db: Store):
        rows = db.rows(Thing, order=(*by, Thing.thing_id))
        between = page_beside(db, Thing, by=by, limit=limit, after=rows[start], before=rows[end])
        assert between.rows == rows[start + 1 : end][:limit]

    mixed.read(look)


@settings(max_examples=40, deadline=None)
@given(ORDERS, st.integers(1, 9), st.integers(0, 25))
def test_a_page_at_an_offset_is_a_slice_and_knows_the_total(
    mixed: Place, by: tuple[Order, ...], limit: int, offset: int
):
    def look(db: Store):
        rows = db.rows(Thing, order=(*by, Thing.thing_id))
        assert page_at(db, Thing, by=by, limit=limit, offset=offset) == (rows[offset : offset + limit], 20)

    mixed.read(look)


def test_a_key_of_two_columns_pages_without_loss(mixed: Place):
    def ids(db: Store) -> list[tuple[str, int]]:
        rows, cursor, more = [], "", True
        while more:
            part = page(db, Link, by=-Link.rank, limit=2, cursor=cursor)
            rows += part.rows
            cursor, more = part.next_cursor, bool(part.next_cursor)
        return [(row.thing_id, row.rank) for row in rows]

    assert mixed.read(ids) == [(f"M{n % 3}", n) for n in reversed(range(9))]


def test_a_row_that_left_the_list_still_marks_its_place(mixed: Place):
    gone = Thing(thing_id="M05x", number=1)
    part = mixed.read(lambda db: page_beside(db, Thing, by=Thing.thing_id, limit=1, after=gone))
    assert part.rows[0].thing_id == "M06"


@pytest.mark.parametrize("place_", ["[]", "[1]", '["a","M01"]', "[1,2]", "{}", "[1,", '[1.5,"M01"]'])
def test_a_cursor_with_another_place_than_the_list_has_is_refused(mixed: Place, place_: str):
    cursor = encode_cursor("things.number,thing_id", place_)
    with pytest.raises(BadCursor):
        mixed.read(lambda db: page(db, Thing, by=Thing.number, limit=1, cursor=cursor, invalid=BadCursor))


def test_a_list_is_not_paged_by_what_has_no_place(mixed: Place):
    with pytest.raises(TypeError, match="ordered by plain columns"):
        mixed.read(lambda db: page(db, Thing, by=Thing.data, limit=1))

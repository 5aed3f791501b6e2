"""A cursor names the row at which the next page begins."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.errors import ApiError
from twindiff.kit.paging import InvalidCursor, decode_cursor, encode_cursor, page
from twindiff.storage.conformance.worlds import Place, Thing, World
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
    found, cursor = [], ""
    while True:
        given = place.read(lambda db, cursor=cursor: page(db, Thing, by=by, limit=limit, cursor=cursor))
        found.append([row.thing_id for row in given.rows])
        cursor = given.next_cursor
        if not cursor:
            return found


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

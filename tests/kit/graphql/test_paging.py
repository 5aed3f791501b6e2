"""Pages come in order, in both directions, without gaps or repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.graphql.conftest import Library, seed

Json = dict[str, Any]
PAGE = """
query($first: Int, $after: String, $last: Int, $before: String, $sort: [BookSortInput!], $by: PaginationOrderBy) {
  books(first: $first, after: $after, last: $last, before: $before, sort: $sort, orderBy: $by) {
    nodes { id pages title createdAt owner { name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}
"""


@pytest.fixture(scope="module")
def forty() -> Library:
    return Library(seed(40))


def page(library: Library, **arguments: Any) -> tuple[list[str], Json]:
    books = library.data(PAGE, arguments)["books"]
    return [node["id"] for node in books["nodes"]], books["pageInfo"]


def forward(library: Library, size: int, **arguments: Any) -> list[str]:
    ids, info = page(library, first=size, **arguments)
    while info["hasNextPage"]:
        more, info = page(library, first=size, after=info["endCursor"], **arguments)
        assert info["hasPreviousPage"]
        ids += more
    return ids


def backward(library: Library, size: int, **arguments: Any) -> list[str]:
    ids, info = page(library, last=size, **arguments)
    while info["hasPreviousPage"]:
        more, info = page(library, last=size, before=info["startCursor"], **arguments)
        assert info["hasNextPage"]
        ids = more + ids
    return ids


def test_the_newest_come_first_and_ties_are_broken_by_id(forty: Library):
    books = sorted(seed(40)["books"], key=lambda book: (book["createdAt"], book["id"]), reverse=True)
    assert page(forty, first=40)[0] == [book["id"] for book in books]


terms = st.sampled_from(["title", "pages", "owner", "shelf", "lent"])
orders = st.fixed_dictionaries(
    {"order": st.sampled_from(["Ascending", "Descending"])}, optional={"nulls": st.sampled_from(["first", "last"])}
)


@given(st.lists(st.tuples(terms, orders), max_size=3), st.integers(1, 17))
@settings(max_examples=60)
def test_both_directions_give_every_row_once_in_one_order(forty: Library, sort: list[tuple[str, Json]], size: int):
    asked = [{name: options} for name, options in sort] or None
    whole, _ = page(forty, first=250, sort=asked)
    assert len(set(whole)) == 40
    assert forward(forty, size, sort=asked) == whole
    assert backward(forty, size, sort=asked) == whole


def test_nulls_stand_where_they_are_asked_to(forty: Library):
    ask = lambda nulls: [  # noqa: E731
        node["pages"]
        for node in forty.data(PAGE, {"first": 40, "sort": [{"pages": {"order": "Descending", "nulls": nulls}}]})[
            "books"
        ]["nodes"]
    ]
    assert ask("first")[:10] == [None] * 10
    assert ask("last")[:2] == [138, 137]
    assert ask("last")[-10:] == [None] * 10


LENT = "query($s: [BookSortInput!]) { books(first: 40, sort: $s) { nodes { id } } }"


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ({"order": "Ascending"}, ["b0002", "b0003", "b0001"]),
        ({"order": "Descending"}, ["b0003", "b0001", "b0002"]),
    ],
)
def test_an_order_that_no_column_holds(forty: Library, options: Json, first: list[str]):
    nodes = forty.data(LENT, {"s": [{"lent": options}, {"title": {"order": "Descending"}}]})["books"]["nodes"]
    assert [node["id"] for node in nodes[:3]] == first
    nodes = forty.data(LENT, {"s": [{"lent": {**options, "nulls": "first"}}]})["books"]["nodes"]
    assert {node["id"] for node in nodes[-3:]} == set(first)


@given(st.lists(st.tuples(terms, orders), min_size=1, max_size=3), st.integers(1, 5), st.booleans())
@settings(max_examples=40)
def test_pages_inside_another_entity_come_in_the_order_asked_for(
    forty: Library, sort: list[tuple[str, Json]], size: int, backward: bool
):
    ask = (
        "query($s: [BookSortInput!], $f: Int, $l: Int) { members { nodes { id books(first: $f, last: $l, sort: $s)"
        " { nodes { id } pageInfo { hasNextPage hasPreviousPage } } } } }"
    )
    variables = {"s": [{name: options} for name, options in sort], "l" if backward else "f": size}
    assert forty.data(ask, variables) == forty.slowly(ask, variables)


def test_a_page_says_whether_there_is_more_on_either_side(forty: Library):
    ids, info = page(forty, first=5)
    assert info == {"hasNextPage": True, "hasPreviousPage": False, "startCursor": ids[0], "endCursor": ids[-1]}
    _, info = page(forty, last=5)
    assert (info["hasNextPage"], info["hasPreviousPage"]) == (False, True)
    _, info = page(forty, first=1, after=page(forty, first=40)[0][-2])
    assert (info["hasNextPage"], info["hasPreviousPage"]) == (False, True)


def test_an_empty_page_has_no_cursors(forty: Library):
    ask = (
        '{ books(filter: {title: {eq: "none"}}) { nodes { id } edges { cursor } pageInfo { hasNextPage endCursor } } }'
    )
    assert forty.data(ask)["books"] == {
        "nodes": [],
        "edges": [],
        "pageInfo": {"hasNextPage": False, "endCursor": None},
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("first: 0", "first must not be less than 1."),
        ("first: 251", "first must not be greater than 250."),
        ("last: -1", "last must not be less than 1."),
        ("first: 1, last: 1", "either first or last"),
        ('after: "nowhere"', "after is not a valid pagination cursor identifier."),
    ],
)
def test_a_page_that_cannot_be_is_refused(forty: Library, arguments: str, says: str):
    assert says in forty.problem(f"{{ books({arguments}) {{ nodes {{ id }} }} }}")


def test_pages_survive_writes_between_them(shelf: Library):
    first, info = page(shelf, first=5)
    shelf.data('mutation { bookCreate(input: {title: "New", ownerId: "m0"}) { success } }')
    shelf.data(f'mutation {{ bookArchive(id: "{first[1]}") {{ success }} }}')
    rest, _ = page(shelf, first=50, after=info["endCursor"])
    assert not set(first) & set(rest)
    assert len(first) + len(rest) == 12


def test_archived_rows_are_shown_when_asked_for(shelf: Library):
    shelf.data('mutation { bookArchive(id: "b0003") { success } }')
    ask = "query($a: Boolean) { books(first: 50, includeArchived: $a) { nodes { id } } }"
    assert len(shelf.data(ask)["books"]["nodes"]) == 11
    assert len(shelf.data(ask, {"a": True})["books"]["nodes"]) == 12


def test_each_parent_has_its_own_page(forty: Library):
    ask = "{ members { nodes { id books(first: 3) { nodes { id ownerId } pageInfo { hasNextPage } } } } }"
    members = forty.data(ask)["members"]["nodes"]
    assert len(members) == 3
    for member in members:
        assert [book["ownerId"] for book in member["books"]["nodes"]] == [member["id"]] * 3
        assert member["books"]["pageInfo"]["hasNextPage"]


def test_a_total_counts_beyond_the_page(forty: Library):
    ask = '{ searchBooks(term: "book 1", first: 2) { totalCount nodes { title } } }'
    assert forty.data(ask)["searchBooks"]["totalCount"] == 11


def test_a_total_is_the_same_on_every_page(forty: Library):
    ask = 'query($a: String) { searchBooks(term: "book 1", first: 2, after: $a) { totalCount pageInfo { endCursor } } }'
    first = forty.data(ask)["searchBooks"]
    assert forty.data(ask, {"a": first["pageInfo"]["endCursor"]})["searchBooks"]["totalCount"] == 11


@pytest.mark.parametrize("size", [12, 300])
def test_the_number_of_statements_does_not_depend_on_the_number_of_rows(
    library_of: Callable[[int], Library], size: int
):
    library = library_of(size)
    library.data(
        "{ books(first: 10) { nodes { title owner { name books(first: 2) { nodes { title } } } editor { name }"
        " tags { nodes { name parent { name } } } scores { points } sequelTo { title } } } }"
    )
    assert len([name for name in library.statements if name in ("rows", "pages", "count", "find", "get")]) == 8

"""A filter finds what a loop over the rows would find."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.graphql.conftest import Library, seed

Json = dict[str, Any]
SEED = seed(40)
BOOKS = SEED["books"]
FOUND = "query($f: BookFilter) { books(first: 250, filter: $f) { nodes { id } } }"


def found(library: Library, given: Json, **options: Any) -> set[str]:
    return {node["id"] for node in library.data(FOUND, {"f": given}, **options)["books"]["nodes"]}


def those(test: Callable[[Json], bool]) -> set[str]:
    return {book["id"] for book in BOOKS if test(book)}


@pytest.fixture(scope="module")
def forty() -> Library:
    return Library(SEED)


def fold(text: str) -> str:
    return text.casefold()


TEXT: dict[str, Callable[[str, Any], bool]] = {
    "eq": operator.eq,
    "neq": operator.ne,
    "in": lambda a, b: a in b,
    "nin": lambda a, b: a not in b,
    "eqIgnoreCase": lambda a, b: fold(a) == fold(b),
    "neqIgnoreCase": lambda a, b: fold(a) != fold(b),
    "startsWith": str.startswith,
    "startsWithIgnoreCase": lambda a, b: fold(a).startswith(fold(b)),
    "notStartsWith": lambda a, b: not a.startswith(b),
    "endsWith": str.endswith,
    "notEndsWith": lambda a, b: not a.endswith(b),
    "contains": lambda a, b: b in a,
    "containsIgnoreCase": lambda a, b: fold(b) in fold(a),
    "notContains": lambda a, b: b not in a,
    "notContainsIgnoreCase": lambda a, b: fold(b) not in fold(a),
    "containsIgnoreCaseAndAccent": lambda a, b: fold(b) in fold(a),
}
NUMBER: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "neq": lambda a, b: a is not None and a != b,
    "lt": lambda a, b: a is not None and a < b,
    "lte": lambda a, b: a is not None and a <= b,
    "gt": lambda a, b: a is not None and a > b,
    "gte": lambda a, b: a is not None and a >= b,
    "in": lambda a, b: a in b,
    "nin": lambda a, b: a not in b,
    "null": lambda a, b: (a is None) is b,
}
texts = st.sampled_from(["Book 1", "book 1", "1", "Index", "BOOK", "x", "Book 22", "2", ""])


def operand(name: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    if name == "null":
        return st.booleans()
    return st.lists(values, max_size=7) if name in ("in", "nin") else values


@given(st.data(), st.sampled_from(sorted(TEXT)))
@settings(max_examples=150)
def test_a_text_comparator_is_what_it_says(forty: Library, data: st.DataObject, name: str):
    value = data.draw(operand(name, texts))
    assert found(forty, {"title": {name: value}}) == those(lambda book: TEXT[name](book["title"], value))


@given(st.data(), st.sampled_from(sorted(NUMBER)))
@settings(max_examples=100)
def test_a_number_comparator_is_what_it_says(forty: Library, data: st.DataObject, name: str):
    value = data.draw(operand(name, st.integers(95, 145)))
    assert found(forty, {"pages": {name: value}}) == those(lambda book: NUMBER[name](book["pages"], value))


MEMBERS = {each["id"]: each for each in SEED["members"]}
LOANS = SEED["loans"]


def tagged(book: Json) -> set[str]:
    return {row["tag_id"] for row in SEED["book_tags"] if row["book_id"] == book["id"]}


def editor(book: Json) -> Json | None:
    return MEMBERS.get(book["editorId"])


def borrowed(book: Json) -> set[str]:
    return {loan["memberId"] for loan in LOANS if loan["bookId"] == book["id"]}


ATOMS: list[tuple[Json, Callable[[Json], bool]]] = [
    ({"owner": {"name": {"eq": "Ada"}}}, lambda b: MEMBERS[b["ownerId"]]["name"] == "Ada"),
    ({"owner": {"id": {"in": ["m0", "m2"]}}}, lambda b: b["ownerId"] in ("m0", "m2")),
    ({"editor": {"null": True}}, lambda b: b["editorId"] is None),
    ({"editor": {"null": False, "name": {"neq": "Bob"}}},
     lambda b: editor(b) is not None and MEMBERS[b["editorId"]]["name"] != "Bob"),
    ({"editor": {"null": True, "name": {"eq": "Bob"}}}, lambda b: editor(b) is None),
    ({"editor": {"or": [{"name": {"eq": "Bob"}, "email": {"startsWith": "ada"}}]}},
     lambda b: editor(b) is not None and MEMBERS[b["editorId"]]["name"] in ("Ada", "Bob")),
    ({"editor": {"or": [{}, {"name": {"eq": "Bob"}}]}},
     lambda b: editor(b) is None or MEMBERS[b["editorId"]]["name"] == "Bob"),
    ({"editor": {"or": []}}, lambda b: editor(b) is not None),
    ({"or": [{"title": {"eq": "Index"}, "price": {"gt": 3}}, {}]}, lambda b: b["title"] == "Index" or b["price"] > 3),
    ({"or": [{"title": {}}, {"price": {"gt": 3}}]}, lambda b: True),
    ({"editor": {"or": [{"null": True}, {"name": {"eq": "Bob"}}]}},
     lambda b: editor(b) is None or MEMBERS[b["editorId"]]["name"] == "Bob"),
    ({"editor": {"name": {"neq": "Bob"}}},
     lambda b: editor(b) is None or MEMBERS[b["editorId"]]["name"] != "Bob"),
    ({"tags": {"some": {"name": {"eq": "green"}}}}, lambda b: "t1" in tagged(b)),
    ({"tags": {"name": {"eq": "green"}}}, lambda b: "t1" in tagged(b)),
    ({"tags": {"every": {"name": {"eq": "red"}}}}, lambda b: tagged(b) == {"t0"}),
    ({"tags": {"every": {"name": {"neq": "red"}}}}, lambda b: "t0" not in tagged(b)),
    ({"tags": {"every": {"or": [{"name": {"eq": "red"}, "and": None}], "and": None}}}, lambda b: tagged(b) == {"t0"}),
    ({"tags": {"some": {"name": {"nin": ["red"]}}}}, lambda b: tagged(b) != {"t0"}),
    ({"tags": {"some": {"or": [{"name": {"eq": "red"}}, {}]}}}, lambda b: not tagged(b) or "t0" in tagged(b)),
    ({"tags": {"some": {}}}, lambda b: True),
    ({"tags": {"some": {"or": []}}}, lambda b: bool(tagged(b))),
    ({"tags": {"length": {"eq": 1}, "some": {"name": {"eq": "red"}}}}, lambda b: len(tagged(b)) == 1),
    ({"tags": {"and": [{}], "length": {"eq": 1}}}, lambda b: True),
    ({"tags": {"or": [{"length": {"eq": 0}}], "length": {"eq": 1}}}, lambda b: not tagged(b)),
    ({"tags": {"or": [{"length": {"eq": 0}}, {}]}}, lambda b: True),
    ({"tags": {"length": {"gte": 2}}}, lambda b: len(tagged(b)) >= 2),
    ({"tags": {"length": {"in": [0, 2]}}}, lambda b: len(tagged(b)) in (0, 2)),
    ({"tags": {"or": [{"length": {"eq": 0}}, {"some": {"parent": {"name": {"eq": "red"}}}}]}},
     lambda b: not tagged(b) or "t1" in tagged(b)),
    ({"sequels": {"some": {"title": {"endsWith": "7"}}}},
     lambda b: any(o["sequelToId"] == b["id"] and o["title"].endswith("7") for o in BOOKS)),
    ({"sequelTo": {"title": {"contains": "1"}}},
     lambda b: any(o["id"] == b["sequelToId"] and "1" in o["title"] for o in BOOKS)),
    ({"loans": {"some": {"member": {"email": {"startsWith": "bob"}}}}},
     lambda b: any(o["bookId"] == b["id"] and o["memberId"] == "m1" for o in LOANS)),
    ({"borrowers": {"some": {"name": {"eq": "Bob"}}}},
     lambda b: any(o["bookId"] == b["id"] and o["memberId"] == "m1" for o in LOANS)),
    ({"isLent": {"eq": True}},
     lambda b: any(o["bookId"] == b["id"] and not o["returned"] for o in LOANS)),
    ({"shelf": {"in": ["fiction"]}}, lambda b: b["shelf"] == "fiction"),
    ({"price": {"gt": 3, "lte": 9}}, lambda b: 3 < b["price"] <= 9),
    ({"createdAt": {"gt": "-P59D"}}, lambda b: b["createdAt"] > "2026-01-01T09:00:00"),
    ({"createdAt": {"lte": "2026-01-01T00:20:00.000Z"}}, lambda b: b["createdAt"] <= "2026-01-01T00:20:00"),
    ({"published": {"lt": "2020-01-15"}}, lambda b: b["published"] < "2020-01-15"),
    ({"readers": {"some": {"name": {"eq": "Bob"}}}}, lambda b: "m1" in borrowed(b)),
    ({"readers": {"every": {"name": {"eq": "Bob"}}}}, lambda b: borrowed(b) == {"m1"}),
    ({"readers": {"length": {"lt": 1}}}, lambda b: not borrowed(b)),
    ({"readers": {"or": [{"name": {"eq": "Ada"}}, {"length": {"eq": 0}}]}}, lambda b: borrowed(b) in ({"m0"}, set())),
    ({"keywords": {"some": {"eq": "b"}, "length": {"lte": 2}}},
     lambda b: "b" in b["keywords"] and len(b["keywords"]) <= 2),
    ({"sheets": {"gt": 240}}, lambda b: (b["pages"] or 0) > 120),
    ({"thickness": {"nin": ["thin"]}}, lambda b: b["pages"] is None or b["pages"] >= 120),
]  # fmt: skip
atoms = st.sampled_from(ATOMS)


@given(st.data(), st.sampled_from(sorted(TEXT)), st.sampled_from(["some", "every"]))
@settings(max_examples=100)
def test_a_list_of_texts_is_asked_for_some_and_for_every(forty: Library, data: st.DataObject, name: str, word: str):
    value = data.draw(operand(name, st.sampled_from(["a", "b", "A", "á", "", "ab"])))
    negative = name.startswith("n")
    plain = {"containsIgnoreCaseAndAccent": lambda a, b: b.replace("á", "a").lower() in a}
    test = {**TEXT, **plain}[name]
    hits = {book["id"]: [test(each, value) for each in book["keywords"]] for book in BOOKS}
    is_found: dict[str, Callable[[list[bool]], bool]] = {
        "some": lambda each: any(each) or (negative and not each),
        "every": lambda each: all(each) and (negative or bool(each)),
    }
    wanted = those(lambda book: is_found[word](hits[book["id"]]))
    assert found(forty, {"keywords": {word: {name: value}}}) == wanted


@given(st.data(), st.sampled_from(sorted(set(NUMBER) - {"null"})))
@settings(max_examples=60)
def test_a_list_is_asked_for_its_length(forty: Library, data: st.DataObject, name: str):
    value = data.draw(operand(name, st.integers(0, 3)))
    assert found(forty, {"keywords": {"length": {name: value}}}) == those(
        lambda book: NUMBER[name](len(book["keywords"]), value)
    )


@given(st.data(), st.sampled_from(sorted(NUMBER)))
@settings(max_examples=100)
def test_a_value_that_is_worked_out_is_compared_like_a_column(forty: Library, data: st.DataObject, name: str):
    value = data.draw(operand(name, st.integers(192, 288)))
    twice = lambda book: None if book["pages"] is None else book["pages"] * 2  # noqa: E731
    assert found(forty, {"sheets": {name: value}}) == those(lambda book: NUMBER[name](twice(book), value))


@given(st.data(), st.sampled_from(["eq", "neq", "in", "nin", "null"]))
@settings(max_examples=60)
def test_a_case_is_compared_like_a_column(forty: Library, data: st.DataObject, name: str):
    value = data.draw(operand(name, st.sampled_from(["thin", "thick", "other"])))
    case = lambda pages: None if pages is None else "thin" if pages < 120 else "thick"  # noqa: E731
    assert found(forty, {"thickness": {name: value}}) == those(lambda b: NUMBER[name](case(b["pages"]), value))


def combined(parts: list[tuple[Json, Callable[[Json], bool]]], word: str) -> tuple[Json, Callable[[Json], bool]]:
    tests = [test for _, test in parts]
    whole = all if word == "and" else any
    return {word: [given for given, _ in parts]}, lambda book: whole(test(book) for test in tests)


conditions = st.recursive(
    atoms,
    lambda inner: st.builds(combined, st.lists(inner, min_size=1, max_size=3), st.sampled_from(["and", "or"])),
    max_leaves=6,
)


@given(conditions)
@settings(max_examples=200)
def test_any_combination_of_relations_is_what_it_says(forty: Library, condition: tuple[Json, Callable[[Json], bool]]):
    given_filter, test = condition
    assert found(forty, given_filter) == those(test)


def test_a_filter_of_any_depth_is_one_statement(forty: Library):
    deep = {"tags": {"some": {"parent": {"books": {"some": {"owner": {"books": {"length": {"gt": 2}}}}}}}}}
    assert found(forty, deep)
    assert forty.statements.count("rows") == 1


def test_accents_and_case_can_be_ignored(forty: Library):
    ask = "query($t: String!) { members(filter: {name: {containsIgnoreCaseAndAccent: $t}}) { nodes { name } } }"
    assert forty.data(ask, {"t": "OE"})["members"]["nodes"] == [{"name": "Zoë"}]


def test_an_archived_row_counts_in_no_collection(shelf: Library):
    ask = '{ tags(filter: {books: {some: {title: {eq: "Book 5"}}}}) { nodes { name } } }'
    assert len(shelf.data(ask)["tags"]["nodes"]) == 1
    shelf.data('mutation { bookArchive(id: "b0005") { success } }')
    assert shelf.data(ask)["tags"]["nodes"] == []


def test_a_filter_that_is_declared_and_not_made_says_so(forty: Library):
    assert forty.problem('{ books(filter: {mystery: {eq: "x"}}) { nodes { id } } }') == (
        "The filter Book.mystery is not implemented in this twin"
    )


def test_what_an_actor_may_not_see_is_found_by_no_relation(forty: Library):
    ask = '{ members(filter: {books: {some: {title: {eq: "Index"}}}}) { nodes { id } } }'
    assert len(forty.data(ask)["members"]["nodes"]) == 1
    assert forty.data(ask, actor="guest")["members"]["nodes"] == []

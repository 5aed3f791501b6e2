"""What is accepted is valid; what is not is told in the library's words; what is too large is refused at once."""

from __future__ import annotations

import time
from typing import Any

import pytest
from graphql import parse, print_ast, specified_rules, validate
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.graphql.conftest import Library
from tests.kit.graphql.test_plans import QUERIES
from twindiff.kit.errors import ApiError
from twindiff.kit.graphql import InvalidDocument, TooComplex
from twindiff.kit.graphql.document_parser import read
from twindiff.kit.graphql.limits import depth_of


def refusal(library: Library, text: str, variables: Any = None) -> str:
    with pytest.raises(InvalidDocument) as caught:
        library.ask(text, variables)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{ boks { nodes { id } } }", "Cannot query field 'boks' on type 'Query'. Did you mean 'books'"),
        ("{ books { nodes { titel } } }", "Cannot query field 'titel' on type 'Book'. Did you mean 'title'?"),
        ("{ books }", "Field 'books' of type 'BookConnection!' must have a selection of subfields."),
        ("{ me { name { x } } }", "Field 'name' must not have a selection since type 'String!'"),
        ("{ book { id } }", "Field 'book' argument 'id' of type 'String!' is required"),
        ('{ books(first: "a") { nodes { id } } }', 'Int cannot represent non-integer value: "a"'),
        ("{ books(frist: 1) { nodes { id } } }", "Unknown argument 'frist' on field 'Query.books'. Did you mean"),
        ("query($a: Int) { me { id } }", "Variable '$a' is never used."),
        ("{ book(id: $a) { id } }", "Variable '$a' is not defined."),
        ("query($a: Int) { book(id: $a) { id } }", "Variable '$a' of type 'Int' used in position expecting"),
        ("{ me { ...F } }", "Unknown fragment 'F'."),
        ("{ me { id } } fragment F on Member { id }", "Fragment 'F' is never used."),
        ("{ me { ...F } } fragment F on Member { ...F }", "Cannot spread fragment 'F' within itself."),
        ("{ me { ... on Book { id } } }", "Fragment cannot be spread here as objects of type"),
        ("{ me { id @what } }", "Unknown directive '@what'."),
        ("{ me { x: name x: email } }", "Fields 'x' conflict because they are different fields"),
        ("{ me { id }", "Syntax Error: Expected Name, found <EOF>."),
        ("subscription { me { id } }", "There are no subscriptions here"),
        ("fragment F on Member { id }", "The document has no operation."),
        ('{ books(filter: {titel: {eq: "x"}}) { nodes { id } } }', "Field 'titel' is not defined by type"),
    ],
)  # fmt: skip
def test_a_document_that_is_not_valid_is_told_why(reading: Library, text: str, says: str):
    assert refusal(reading, text).startswith(says)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("{ me { name\n titel } }", [(2, 2)]),
        ("{ me { id ...F } } fragment F on Member {\n  name\n  titel\n  email\n  titel }", [(3, 3), (5, 3)]),
        ("{ titel }", [(1, 3)]),
    ],
)
def test_a_mistake_is_told_with_its_place(reading: Library, text: str, places: list[tuple[int, int]]):
    with pytest.raises(InvalidDocument) as caught:
        reading.ask(text)
    told = [(place.line, place.column) for error in caught.value.errors for place in error.locations]
    assert told == places


names = st.sampled_from(["id", "name", "type", "query", "on", "fragment", "true", "Int", "_x"])
plain = st.recursive(
    st.one_of(names, st.sampled_from(["a: id", "id(n: 1)", "id @skip(if: true)", "...F", "... on T { id }"])),
    lambda inner: st.builds(
        lambda name, parts, gap: f"{name} {{ {gap.join(parts)} }}",
        names,
        st.lists(inner, min_size=1, max_size=5),
        st.sampled_from([" ", "\n", ",", " # x { \n"]),
    ),
    max_leaves=12,
)


@given(st.lists(plain, min_size=1, max_size=4))
@settings(max_examples=200)
def test_a_document_is_read_as_the_library_reads_it(parts: list[str]):
    text = f"query Q($n: Int) {{ {' '.join(parts)} }} fragment F on T {{ id name }}"
    assert print_ast(read(text, 5_000)) == print_ast(parse(text))


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"f": {"titel": {}}}, "Variable '$f' got invalid value"),
        ({"f": {"createdAt": {"gt": "soon"}}}, "Unable to parse value 'soon' into a valid date"),
        ({"f": 3}, "Expected type 'BookFilter' to be a mapping."),
    ],
)
def test_a_variable_of_the_wrong_type_is_told_why(reading: Library, variables: Any, says: str):
    assert says in refusal(reading, "query($f: BookFilter) { books(filter: $f) { nodes { id } } }", variables)


def test_an_operation_is_chosen_by_name(reading: Library):
    text = "query A { me { name } } query B { me { email } }"
    assert reading.ask(text, operation="B")["data"] == {"me": {"email": "ada@x.org"}}
    assert refusal(reading, text) == "Must provide operation name if query contains multiple operations."
    with pytest.raises(InvalidDocument, match="Unknown operation named 'C'"):
        reading.ask(text, operation="C")


TOKENS = [
    "{",
    "}",
    "(",
    ")",
    ":",
    "...",
    "on",
    "Book",
    "Member",
    "id",
    "title",
    "nodes",
    "books",
    "me",
    "$x",
    "@skip",
    "F",
    "null",
    "{}",
    "[]",
    "or",
    "eq",
    '"a"',
    "1",
    "first",
]


def test_a_selection_in_the_place_of_a_name_is_no_document(reading: Library):
    with pytest.raises(ApiError, match=r"Expected Name, found '\{'"):
        reading.twin.api.plan("{ books { nodes { borrowers { { { id } } } } } }", None, {})


@given(st.sampled_from(QUERIES), st.data())
@settings(max_examples=300)
def test_whatever_is_accepted_is_valid(reading: Library, query: str, data: st.DataObject):
    words = (
        query.replace("{", " { ")
        .replace("}", " } ")
        .replace("(", " ( ")
        .replace(")", " ) ")
        .replace(":", " : ")
        .split()
    )
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(words) - 1))
        how = data.draw(st.sampled_from(["drop", "swap", "put", "copy"]))
        if how == "drop":
            words.pop(at)
        elif how == "swap":
            words[at] = data.draw(st.sampled_from(TOKENS))
        elif how == "put":
            words.insert(at, data.draw(st.sampled_from(TOKENS)))
        else:
            words.insert(at, words[data.draw(st.integers(0, len(words) - 1))])
    text = " ".join(words)
    api = reading.twin.api
    try:
        api.plan(text, None, {})
    except ApiError:
        return
    assert validate(api.schema, parse(text), specified_rules) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{ me { " + "id " * 60_000 + "} }", "too long"),
        ("{ me { " + "a: id " * 2_500 + "} }", "tokens"),
        ("{ a" * 100 + "}" * 100, "nested more than 64 levels"),
        ("{ books(filter: " + "{and: [" * 40 + "]}" * 40 + ") { nodes { id } } }", "nested more than 64 levels"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_read(reading: Library, text: str, says: str):
    with pytest.raises(TooComplex, match=says):
        reading.ask(text)


def test_many_aliases_of_large_pages_are_too_complex(reading: Library):
    text = "{ " + " ".join(f"a{n}: books(first: 250) {{ nodes {{ title }} }}" for n in range(60)) + " }"
    with pytest.raises(TooComplex, match=r"too complex\. Complexity: "):
        reading.ask(text)


def test_pages_within_pages_multiply(reading: Library):
    text = "{ members(first: 50) { nodes { books(first: 50) { nodes { tags(first: 50) { nodes { id } } } } } } }"
    with pytest.raises(TooComplex, match=r"too complex\. Complexity: "):
        reading.ask(text)
    assert reading.data(text.replace("50", "5"))


def test_a_page_size_in_a_variable_counts_as_well(reading: Library):
    text = (
        "query($n: Int) { members(first: $n) { nodes { books(first: $n)"
        " { nodes { loans(first: $n) { nodes { id } } } } } } }"
    )
    with pytest.raises(TooComplex):
        reading.ask(text, {"n": 200})
    assert reading.data(text, {"n": 4})


def test_a_filter_goes_through_a_bounded_number_of_relations(reading: Library):
    condition: Any = {"title": {"neq": "x"}}
    for level in range(8):
        condition = {"books": {"some": condition}} if level % 2 == 0 else {"tags": {"every": condition}}
    text = "query($f: BookFilter) { books(filter: $f) { nodes { id } } }"
    assert "errors" not in reading.ask(text, {"f": condition})
    with pytest.raises(TooComplex, match="The filter goes through more than 8 relations"):
        reading.ask(text, {"f": {"tags": {"some": {"books": {"some": condition}}}}})


def test_a_thousand_equal_fields_are_read_in_linear_time(reading: Library):
    text = "{ me { " + "name " * 4_900 + "} }"
    started = time.process_time()
    assert reading.data(text) == {"me": {"name": "Ada"}}
    assert time.process_time() - started < 5, "a quadratic rule takes minutes"


def test_fragments_that_double_each_other_are_refused(reading: Library):
    parts = [f"fragment F{n} on Member {{ ...F{n + 1} ...F{n + 1} }}" for n in range(30)]
    with pytest.raises(TooComplex, match="more than"):
        reading.ask("{ me { ...F0 } } " + " ".join(parts) + " fragment F30 on Member { id }")


def test_introspection_within_introspection_is_refused(reading: Library):
    deep = "{ __schema { types { " + "fields { type { " * 5 + "name" + " } }" * 5 + " } } }"
    assert refusal(reading, deep) == "Maximum introspection depth exceeded"


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("{ a { b } }", 2),
        ('{ a(x: "{{{{") }', 2),
        ("{ a # {{{{\n }", 1),
        ('{ a(x: """{{ " {{""") { b } }', 2),
        ("}}}{", 0),
    ],
)
def test_brackets_in_texts_and_comments_do_not_count(text: str, depth: int):
    assert depth_of(text) == depth


def test_a_plan_is_compiled_once(reading: Library):
    plan = reading.twin.api.plan
    assert plan("{ me { id } }", None, {}) is plan("{ me { id } }", None, {})

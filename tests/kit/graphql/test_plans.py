"""A compiled plan answers what graphql-core's executor with naive resolvers answers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from graphql import (
    execute_sync,
    get_named_type,
    is_abstract_type,
    is_leaf_type,
    is_required_argument,
    parse,
    validate,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.kit.graphql.conftest import Library, seed

Json = dict[str, Any]


@pytest.fixture(scope="module")
def forty() -> Library:
    return Library(seed(40))


QUERIES = """
{ me { name books { nodes { title } } } }

{ b: books(first: 2) { n: nodes { t: title i: id o: owner { x: name } } __typename } }

{ books(first: 3) { edges { cursor node { code } __typename } nodes { code shelf } pageInfo {
  __typename endCursor } } }

{ books { nodes { ...A owner { ...M } } nodes { owner { email } } } } fragment A on Book { id ...B }
  fragment B on Book { title tags { nodes { id } } } fragment M on Member { name }

{ books { nodes { ... on Node { id __typename } ... on Book { title } ... { pages } } } }

{ notices { nodes { __typename text ... on LateNotice { daysLate book { title } } ... on NewsNotice {
  headline } } } }

{ notices { edges { node { ... on Node { id } member { name } } } } }

{ find(text: "a b c", limit: 9) { __typename ... on FoundWord { word } ... on FoundNumber { number }
  } }

{ find(text: "a b c") { ... on FoundWord { word } } }

{ members { nodes { name address { street town __typename } books(first: 1) { nodes { similar(first:
  2) { nodes { title } } } } } } }

{ book(id: "M0-2") { id publisher { name books { nodes { title } pageInfo { hasNextPage } } }
  sequelTo { id } scores { points } } }

{ books(first: 4) { nodes { borrowers { nodes { name } } loans { nodes { member { id } returned } }
  sequels { nodes { id } } } } }

{ searchBooks(term: "1", first: 3) { totalCount nodes { title metadata } edges { node { id metadata }
  } } }

{ booksOf(email: "ada@x.org", last: 2) { nodes { title } pageInfo { hasPreviousPage hasNextPage
  startCursor } } }

{ tags(orderBy: updatedAt) { nodes { name parent { id parent { id parent { id } } } } } }

{ books(filter: {title: {contains: "1"}, or: [{owner: {name: {eq: "Ada"}}}, {pages: {null: true}}]})
  { nodes { id } } }

{ books(sort: [{owner: {order: Descending}}, {pages: {nulls: first}}], first: 9) { nodes { id pages }
  } }

{ __typename a: __typename me { __typename id createdAt archivedAt } }
""".strip().split("\n\n")


# What a guest may not see cannot be null everywhere.
GUESTS = [query for query in QUERIES if "me {" not in query and "LateNotice" not in query]


@pytest.mark.parametrize(
    ("query", "actor"), [*((query, "m0") for query in QUERIES), *((query, "guest") for query in GUESTS)]
)
def test_a_plan_answers_as_the_executor_does(forty: Library, query: str, actor: str):
    assert forty.data(query, actor=actor) == forty.slowly(query, actor=actor)


class Writer:
    """Writes random valid queries."""

    def __init__(self, library: Library, data: st.DataObject) -> None:
        self.schema = library.twin.api.schema
        self.draw = data.draw

    def selection(self, kind: Any, depth: int) -> str:
        kind = get_named_type(kind)
        if is_leaf_type(kind):
            return ""
        parts = [self.draw(st.sampled_from(["__typename", "t: __typename"]))]
        fields = getattr(kind, "fields", {})
        names = [name for name in fields if depth > 0 or is_leaf_type(get_named_type(fields[name].type))]
        if names:
            parts += [
                self.field(name, fields[name], depth)
                for name in self.draw(st.lists(st.sampled_from(names), max_size=4))
            ]
        if is_abstract_type(kind):
            some = self.draw(st.sampled_from(list(self.schema.get_possible_types(kind))))
            parts.append(f"... on {some} {self.selection(some, depth - 1)}")
        return "{ " + " ".join(parts) + " }"

    def field(self, name: str, field: Any, depth: int) -> str:
        arguments = "(first: 2)" if "first" in field.args else ""
        return f"{name}{arguments} {self.selection(field.type, depth - 1)}"


@given(st.data())
@settings(max_examples=150)
def test_any_valid_query_is_answered_as_the_executor_does(forty: Library, data: st.DataObject):
    writer = Writer(forty, data)
    roots: Any = forty.twin.api.schema.query_type.fields  # pyright: ignore[reportOptionalMemberAccess]
    free = [name for name, field in roots.items() if not any(map(is_required_argument, field.args.values()))]
    asked = data.draw(st.lists(st.sampled_from(free), min_size=1, max_size=2, unique=True))
    query = "{ " + " ".join(writer.field(name, roots[name], 4) for name in asked) + " }"
    assert forty.data(query) == forty.slowly(query)


@given(st.data())
@settings(max_examples=30)
def test_any_question_about_the_schema_is_answered_as_the_executor_does(forty: Library, data: st.DataObject):
    schema = forty.twin.api.schema
    writer = Writer(forty, data)
    about, kind = (writer.selection(schema.type_map[name], 4) for name in ("__Schema", "__Type"))
    roots = f'a: __schema {about} k: __type(name: "Book") {kind} l: __type(name: "Book") {kind} b: __schema {about}'
    query = f"{{ {roots} c: __schema {{ types {kind} }} d: __schema {{ types {kind} }} }}"
    assume(not validate(schema, parse(query)))
    expected: Any = execute_sync(schema, parse(query)).data
    assert msgspec.json.decode(forty.outcome(query).data) == expected


def test_a_question_about_the_schema_may_be_put_in_other_words_for_the_same_type(forty: Library):
    query = """query($no: Boolean!) {
        a: __type(name: "Book") { x: name ...kind @skip(if: $no) }
        b: __type(name: "Book") { x: kind ...kind @include(if: $no) }
        c: __type(name: "Book") { fields { name } fields(includeDeprecated: true) { type { kind } } }
    } fragment kind on __Type { kind fields { type { name } } }"""
    variables = {"no": False}
    expected: Any = execute_sync(forty.twin.api.schema, parse(query), variable_values=variables).data
    assert msgspec.json.decode(forty.outcome(query, variables).data) == expected


def test_a_key_alone_needs_no_look_at_the_row(forty: Library):
    forty.data("{ books { nodes { owner { id } editor { id __typename } } } }")
    assert forty.statements.count("rows") == 1


def test_a_key_alone_is_looked_up_where_the_row_may_be_hidden(forty: Library):
    ask = '{ book(id: "b0001") { sequelTo { id } } }'
    assert forty.data(ask) == {"book": {"sequelTo": {"id": "b0000"}}}
    assert forty.data(ask, actor="guest") == {"book": {"sequelTo": None}}


def test_directives_are_decided_by_their_variables(forty: Library):
    ask = "query($a: Boolean!) { me { name @include(if: $a) email @skip(if: $a) } }"
    assert forty.data(ask, {"a": True}) == {"me": {"name": "Ada"}}
    assert forty.data(ask, {"a": False}) == {"me": {"email": "ada@x.org"}}


def test_variables_may_stand_anywhere_in_an_argument(forty: Library):
    ask = (
        'query($n: [String!], $t: String = "Book 2") {'
        " books(first: 50, filter: {or: [{owner: {name: {in: $n}}}, {title: {eq: $t}}]}) { nodes { id } } }"
    )
    assert len(forty.data(ask, {"n": []})["books"]["nodes"]) == 1
    assert len(forty.data(ask, {"n": ["Ada"]})["books"]["nodes"]) == 15
    assert len(forty.data(ask, {"n": ["Ada"], "t": None})["books"]["nodes"]) == 14


def test_what_fails_inside_a_query_is_null_with_its_path(shelf: Library):
    shelf.engine.write("e", _intent(), lambda moment: _empty_notice(moment.db))
    answer = shelf.ask("{ notices { nodes { text ... on NewsNotice { headline } } } }")
    (problem,) = answer["errors"]
    assert problem["path"] == ["notices", "nodes", 1, "headline"]
    assert problem["message"] == "A notice without text has no headline"
    assert answer["data"] is None


def _intent() -> Any:
    from twindiff.storage import OperationInfo

    return OperationInfo("library", "test", "m0")


def _empty_notice(db: Any) -> None:
    from tests.kit.graphql.library import Notice

    db.change(db.get(Notice.row, "n1"), text="")


def test_a_root_that_is_not_found_leaves_the_others_of_a_nullable_kind(forty: Library):
    answer = forty.ask('{ book(id: "none") { id } }')
    assert answer["data"] is None
    assert answer["errors"][0]["path"] == ["book"]
    assert answer["errors"][0]["locations"] == [{"line": 1, "column": 3}]


def test_introspection_is_answered_and_remembered(forty: Library):
    from graphql import build_client_schema, get_introspection_query, print_schema

    text = get_introspection_query(descriptions=False)
    first, again = (forty.outcome(text) for _ in range(2))
    assert first.data is again.data
    schema = build_client_schema(msgspec.json.decode(first.data))
    assert "type Book implements Node" in print_schema(schema)


def test_introspection_beside_other_fields_is_answered(forty: Library):
    data = forty.data('{ me { name } __type(name: "Shelfmark") { enumValues { name } } }')
    assert data["me"] == {"name": "Ada"}
    assert [each["name"] for each in data["__type"]["enumValues"]] == ["fiction", "science", "history"]

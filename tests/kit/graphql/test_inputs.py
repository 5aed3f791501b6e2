"""No input that fits the schema is answered by a mistake of ours, however odd its values."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLList, GraphQLNonNull
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kit.graphql.conftest import Library, seed
from twindiff.kit.graphql import InvalidDocument, TooComplex
from twindiff.kit.graphql.errors import NullOperand

DOCUMENTS = {
    "BookFilter": "query($x: BookFilter) { books(filter: $x) { nodes { id tags { nodes { id } } } } }",
    "[BookSortInput!]": "query($x: [BookSortInput!]) { books(first: 3, sort: $x) { nodes { id } } }",
    "BookCreateInput!": "mutation($x: BookCreateInput!) { bookCreate(input: $x) { book { id title owner { name } } } }",
    "BookUpdateInput!": 'mutation($x: BookUpdateInput!) { bookUpdate(id: "b0001", input: $x) { book { id title } } }',
    "LendInput!": "mutation($x: LendInput!) { lend(input: $x) { success loan { book { title } } } }",
}
texts = st.one_of(
    st.sampled_from(
        [
            "",
            "m0",
            "b0001",
            "t0",
            "M0-2",
            "2026-01-01T00:00:00Z",
            "-P1Y2M",
            "P1000000D",
            "-P99999999D",
            "P9999999999999W",
            "%_\\'\"",
            "\0",
            "ß",
        ]
    ),
    st.text(max_size=5),
)
numbers = st.one_of(st.integers(-(2**31), 2**31 - 1), st.sampled_from([0, 1, 2]))
SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "String": texts,
    "ID": texts,
    "Int": numbers,
    "Float": st.one_of(numbers, st.floats(allow_nan=False, allow_infinity=False)),
    "Boolean": st.booleans(),
    "DateTime": st.sampled_from(
        ["2026-01-01T00:00:00.000Z", "2026-02-30T00:00:00Z", "2026-01-01", "0001-01-01T00:00:00+14:00"]
    ),
    "TimelessDate": st.sampled_from(["2026-01-01", "9999-12-31"]),
    "DateTimeOrDuration": texts,
    "TimelessDateOrDuration": texts,
    "JSON": st.recursive(st.none() | st.booleans() | texts, lambda inner: st.lists(inner, max_size=2)),
}


@cache
def value(kind: Any, depth: int) -> st.SearchStrategy[Any]:
    if isinstance(kind, GraphQLNonNull):
        return value(kind.of_type, depth).filter(lambda given: given is not None)
    if isinstance(kind, GraphQLList):
        return st.lists(value(kind.of_type, depth), max_size=6 if depth else 0) | st.none()
    if isinstance(kind, GraphQLEnumType):
        return st.sampled_from([*kind.values, None])
    if isinstance(kind, GraphQLInputObjectType):
        return st.deferred(lambda: fields(kind, depth - 1)) if depth else st.just({})
    return SCALARS[kind.name] | st.none()


def fields(kind: GraphQLInputObjectType, depth: int) -> st.SearchStrategy[Any]:
    strategies = {name: value(field.type, depth) for name, field in kind.fields.items()}
    needed = {name for name, field in kind.fields.items() if isinstance(field.type, GraphQLNonNull)}
    chosen = st.sets(st.sampled_from(sorted(strategies)), max_size=3)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({n: strategies[n] for n in sorted(names | needed)}))


@pytest.fixture(scope="module")
def forty() -> Library:
    return Library(seed(40))


@pytest.mark.parametrize("name", DOCUMENTS)
@given(data=st.data())
@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_an_input_that_fits_is_answered_or_refused_on_purpose(forty: Library, name: str, data: st.DataObject):
    given_value = data.draw(value(forty.twin.api.builder.type(name), 4))
    try:
        answer = forty.ask(DOCUMENTS[name], {"x": given_value})
    except (InvalidDocument, NullOperand, TooComplex):
        return
    codes = [problem["extensions"]["code"] for problem in answer.get("errors", [])]
    assert "INTERNAL_ERROR" not in codes, answer

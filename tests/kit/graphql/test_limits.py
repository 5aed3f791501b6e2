"""What one request may ask for: answers, filters, variables and what is kept of them are bounded by their size."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit.graphql.conftest import Library
from twindiff.kit.call import Call
from twindiff.kit.errors import TooSlow
from twindiff.kit.graphql import TooComplex
from twindiff.kit.graphql.cache import SizedCache
from twindiff.kit.graphql.filter_expressions import conditions_in
from twindiff.storage import StorageUnavailable

SCHEMA = "__schema { types { name fields { name type { name } } } }"


@pytest.fixture
def limited() -> Callable[..., Library]:
    """Make a library with other limits: `limited(answer=1000)`."""

    def make(**limits: int) -> Library:
        library = Library()
        library.twin.api.limits = library.twin.api.limits._replace(**limits)
        return library

    return make


def test_introspection_under_many_aliases_is_refused(limited: Callable[..., Library]):
    text = "{ " + " ".join(f"a{n}: {SCHEMA}" for n in range(190)) + " }"
    with pytest.raises(TooComplex, match="about the schema has more than 5,000 values"):
        limited(introspection=5_000).ask(text)


def test_introspection_beside_other_fields_is_bounded_as_well(limited: Callable[..., Library]):
    with pytest.raises(TooComplex, match="about the schema has more than 100 values"):
        limited(introspection=100).ask(f"{{ me {{ id }} {SCHEMA} }}")


def test_what_tools_ask_of_a_schema_is_answered(reading: Library):
    from graphql import get_introspection_query

    text = get_introspection_query(specified_by_url=True, directive_is_repeatable=True, input_value_deprecation=True)
    assert reading.data(text)


def test_answers_about_the_schema_are_kept_by_their_bytes(limited: Callable[..., Library]):
    library = limited()
    kept: SizedCache[Any] = library.twin.api.introspections._answers  # pyright: ignore[reportPrivateUsage]
    kept.most = 50_000
    for n in range(40):
        library.ask(f"{{ a{n}: {SCHEMA} }}")
    assert 0 < kept.size <= kept.most


def test_plans_are_kept_by_the_size_of_their_texts(limited: Callable[..., Library]):
    api = limited().twin.api
    api.plans.most = 50_000
    for n in range(60):
        api.plan("{ " + " ".join(f"a{n}_{m}: me {{ id name email }}" for m in range(40)) + " }", None, {})
    assert 0 < api.plans.size <= api.plans.most
    assert len(api.plans) < 60


def test_the_same_long_text_in_many_rows_is_too_large_an_answer(limited: Callable[..., Library]):
    library = limited(answer=100_000)
    library.data('mutation($n: String) { memberUpdate(id: "m0", input: {name: $n}) { success } }', {"n": "x" * 30_000})
    text = "{ books(first: %d) { nodes { id owner { name } } } }"
    with pytest.raises(TooComplex, match="larger than 100,000 bytes"):
        library.ask(text % 12)
    assert library.data(text % 3)


def test_a_write_whose_answer_is_too_large_is_undone(limited: Callable[..., Library]):
    library = limited(answer=1_000)
    text = 'mutation($t: String) { bookUpdate(id: "b0001", input: {title: $t}) { book { title } } }'
    with pytest.raises(TooComplex):
        library.ask(text, {"t": "x" * 2_000})
    assert library.changes() == []


@pytest.mark.parametrize(
    "condition",
    [
        {"or": [{"title": {"eq": "x"}}] * 501},
        {"and": [{"or": [{"title": {"eq": "x", "neq": "y"}}] * 126}] * 2},
        {"tags": {"some": {"and": [{"name": {"eq": "x"}}] * 501}}},
        {"tags": {"or": [{"length": {"eq": 1}}] * 501}},
    ],
)
def test_a_filter_has_a_bounded_number_of_conditions(reading: Library, condition: Any):
    with pytest.raises(TooComplex, match="more than 500 conditions"):
        reading.ask("query($f: BookFilter) { books(filter: $f) { nodes { id } } }", {"f": condition})


def test_a_filter_of_five_hundred_conditions_is_answered(reading: Library):
    condition = {"or": [{"title": {"eq": f"Book {n}"}} for n in range(500)]}
    data = reading.data("query($f: BookFilter) { books(filter: $f) { nodes { id } } }", {"f": condition})
    assert len(data["books"]["nodes"]) == 11


def test_filters_of_one_document_count_together(reading: Library):
    condition = {"or": [{"title": {"eq": "x"}}] * 300}
    text = "query($f: BookFilter) { a: books(filter: $f) { nodes { id } } b: books(filter: $f) { nodes { id } } }"
    with pytest.raises(TooComplex, match="more than 500 conditions"):
        reading.ask(text, {"f": condition})


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ({"title": {"eq": "x"}}, 1),
        ({"title": {"in": ["a", "b"]}}, 1),
        ({"or": [{"title": {"eq": "x"}}, {"owner": {"name": {"eq": "y", "neq": "z"}}}]}, 3),
        ({"owner": {"null": True}}, 1),
    ],
)
def test_an_operator_counts_as_a_condition(condition: Any, count: int):
    assert conditions_in(condition) == count


def test_variables_hold_a_bounded_number_of_values(reading: Library):
    body = msgspec.json.encode({"query": "{ me { id } }", "variables": {"x": list(range(10_001))}})
    with pytest.raises(TooComplex, match="The variables hold more than 10,000 values"):
        reading.request(body)


# What fails


class Failing:
    """A store whose every read fails, as one does when the database is away."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def rows(self, *where: Any, **options: Any) -> Any:
        raise self.error

    get = find = pages = count = next = rows


def outcome_with(library: Library, error: Exception, query: str) -> Any:
    api = library.twin.api
    store: Any = Failing(error)

    def work(moment: Any) -> Any:
        return api.execute(api.plan(query, None, {}), Call("m0", store, moment.clock), {})

    return library.engine.read("e", "library", work)


@pytest.mark.parametrize("query", ["{ me { id } }", "{ books { nodes { id owner { name } } } }"])
def test_what_the_storage_refuses_is_no_answer_of_the_vendor(reading: Library, query: str):
    with pytest.raises(StorageUnavailable):
        outcome_with(reading, StorageUnavailable(), query)


def test_a_query_that_takes_too_long_is_too_complex(reading: Library):
    with pytest.raises(TooComplex, match="longer than two seconds"):
        outcome_with(reading, TooSlow(), "{ books { nodes { id } } }")


def test_a_mistake_of_ours_is_logged_and_told_where_it_befell(reading: Library, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.ERROR, "twindiff"):
        outcome = outcome_with(reading, RuntimeError("no such thing"), "{ books { nodes { id } } }")
    assert [problem.error.code for problem in outcome.problems] == ["internal_error"]
    assert outcome.problems[0].path == ("books",)
    assert "query books failed" in caplog.text
    assert "no such thing" in caplog.text


# The cache


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=50))
def test_a_cache_never_holds_more_than_it_may(puts: list[tuple[int, int]]):
    cache: SizedCache[int] = SizedCache(100)
    sizes: dict[int, int] = {}
    for key, size in puts:
        cache.put(key, size, size)
        sizes[key] = size
        assert cache.get(key) == size, "what was put last is there"
        assert cache.size == sum(sizes[each] for each in sizes if each in cache) <= 100


def test_a_value_larger_than_the_cache_is_not_kept():
    cache: SizedCache[str] = SizedCache(10)
    cache.put("a", "small", 5)
    cache.put("b", "large", 11)
    assert (cache.get("a"), cache.get("b")) == ("small", None)


def test_the_value_used_longest_ago_goes_first():
    cache: SizedCache[str] = SizedCache(10)
    for key in "ab":
        cache.put(key, key, 5)
    cache.get("a")
    cache.put("c", "c", 5)
    assert (cache.get("a"), cache.get("b")) == ("a", None)

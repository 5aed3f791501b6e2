"""What a spec, a diff or a history may not be, and what is said of it."""

from typing import Any

import pytest

from twindiff.checks import DiffError, HistoryError, SpecError, evaluate, parse

Json = Any

ADDED = {"diff_type": "added", "entity": "notes"}


def refusal(*assertions: Json, version: str = "1", **top: Json) -> str:
    with pytest.raises(SpecError) as refused:
        parse({"version": version, "assertions": list(assertions), **top})
    return str(refused.value)


@pytest.mark.parametrize(
    "assertion",
    [
        {**ADDED, "where": {1: None}},
        {**ADDED, "where": {"a": {1: None}}},
        {**ADDED, "where": {"a": {"eq": [{"b": {None: 1}}]}}},
        {**ADDED, "where": {"a": {"eq": ({(1, 2): 1},)}}},
        {**ADDED, "diff_type": "changed", "expected_changes": {1: {}}},
        {**ADDED, 1: 2},
    ],
)
def test_a_key_that_is_not_a_text_is_refused(assertion: Json) -> None:
    assert "has a key that is not a text" in refusal(assertion, version="0.1")


@pytest.mark.parametrize("count", [10**5000, {"min": 10**5000}, {"max": 10**5000}], ids=["exact", "min", "max"])
def test_a_count_that_cannot_be_written_is_refused(count: Json) -> None:
    assert "is too large: it has more than 4300 digits" in refusal({**ADDED, "expected_count": count}, version="0.1")


def test_a_count_of_many_digits_is_still_judged() -> None:
    count = 10**4300 - 1
    (failure,) = evaluate({"assertions": [{**ADDED, "expected_count": count}]}, {"inserts": []}).failures
    assert failure == f"assertion#1 notes expected count {count} but got 0"


def test_a_number_in_place_of_a_word_is_refused_however_long_it_is() -> None:
    assert "unknown diff_type" in refusal({**ADDED, "diff_type": 10**5000})


def test_tuples_are_no_deeper_than_lists() -> None:
    value: Json = 1
    for _ in range(5000):
        value = (value,)
    assert "is nested deeper than 64 levels" in refusal({**ADDED, "where": {"a": {"eq": value}}}, version="0.1")


def test_a_column_of_a_diff_has_a_text_for_a_name() -> None:
    with pytest.raises(DiffError, match=r"inserts\[0\] has a column whose name is not a text"):
        evaluate({"assertions": [{**ADDED, "expected_count": 0}]}, {"inserts": [{"__table__": "notes", 1: 2}]})


@pytest.mark.parametrize("pattern", ["(", "*", "(?<=a+)b", "[b-a]", "a\\"])
def test_version_1_refuses_what_is_no_regular_expression(pattern: str) -> None:
    said = refusal({**ADDED, "where": {"a": {"not": {"regex": pattern}}}})
    assert said.startswith("assertions[0].where.a.not.regex: is no regular expression that Python takes. Given: ")


@pytest.mark.parametrize("pattern", [r"(?i)(a+)+[b-z]*\1", "[" * 300])
def test_a_pattern_that_may_take_long_to_compile_is_left_to_the_evaluation(pattern: str) -> None:
    assert parse({"version": "1", "assertions": [{**ADDED, "where": {"a": {"regex": pattern}}}]})


def test_the_public_language_takes_what_is_no_regular_expression() -> None:
    assert not evaluate({"assertions": [{**ADDED, "where": {"a": {"regex": "("}}}]}, {"inserts": []}).passed


def test_an_order_after_what_is_not_to_be_is_refused() -> None:
    said = refusal({**ADDED, "id": "none", "expected_count": 0}, {**ADDED, "after": ["none"]})
    assert said.startswith('assertions[1].after: can never fail where assertion 1 expects nothing. Given: "none".')


def test_a_ring_is_refused_by_the_names_in_it() -> None:
    chain = [("a", ["b"]), ("b", ["c"]), ("c", ["a"]), ("d", ["a"])]
    said = refusal({**ADDED, "after": ["d"]}, *({**ADDED, "id": name, "after": after} for name, after in chain))
    assert said.startswith(
        "assertions[1].after: goes in a ring, 'a' after 'b' after 'c' after 'a', and can never hold."
    )


def test_many_paths_to_one_assertion_are_no_ring() -> None:
    after: list[tuple[str, list[str]]] = [("a", []), ("b", ["a"]), ("c", ["a"]), ("d", ["b", "c", "a"])]
    assert parse({"version": "1", "assertions": [{**ADDED, "id": name, "after": names} for name, names in after]})


def test_an_id_is_asked_for_where_no_other_assertion_has_one() -> None:
    said = refusal(ADDED, {**ADDED, "id": "x", "after": ["y"]})
    assert said.endswith('Given: "y". No other assertion has an id; give it one.')


@pytest.mark.parametrize(
    ("field", "predicate"),
    [
        ("status", "200"),
        ("status", {"not": {"in": [200, "404"]}}),
        ("status", {"contains": "20"}),
        ("status", {"has_any": [200]}),
        ("status", True),
        ("seq", {"eq": [1]}),
        ("operation", 5),
        ("error", {"or": [{"gt": 1}, "not_found"]}),
    ],
)
def test_a_field_of_a_call_is_compared_to_its_own_kind(field: str, predicate: Json) -> None:
    kind = "a text" if field in {"operation", "error"} else "a number"
    said = refusal({"response": {field: predicate}, "expected_count": 0})
    assert said.startswith(f"assertions[0].response.{field}: '{field}' is {kind}.")


@pytest.mark.parametrize(
    "response",
    [{}, {"status": {"in": [200, 404.0]}}, {"error": None}, {"seq": {"ne": None}}, {"error": {"is_null": False}}],
)
def test_a_field_of_a_call_may_be_compared_to_its_own_kind_and_to_null(response: Json) -> None:
    assert parse({"version": "1", "assertions": [{"response": response}]})


@pytest.mark.parametrize("diff_type", ["added", "removed"])
def test_version_1_takes_expected_changes_for_changed_rows_only(diff_type: str) -> None:
    said = refusal({**ADDED, "diff_type": diff_type, "expected_changes": {"a": {"to": 1}}})
    assert said.startswith(f"assertions[0].expected_changes: says nothing about {diff_type} rows.")


@pytest.mark.parametrize(
    ("where", "place"),
    [
        ({"not": {"contains": "x"}}, "not.contains"),
        ({"or": [{"a": 1}, {"contains": "x"}]}, "or[1].contains"),
        ({"and": [{"not": {"contains": "x"}}]}, "and[0].not.contains"),
    ],
)
def test_an_operator_in_place_of_a_column_is_refused_with_what_to_write(where: Json, place: str) -> None:
    assert refusal({**ADDED, "where": where}) == (
        f'assertions[0].where.{place}: an operator where a column is named. Given: {{"contains": "x"}}. '
        'Write {"<column>": {"contains": "x"}}, or {"contains": {"eq": …}} for a column of that name.'
    )


def test_a_list_after_an_operator_in_place_of_a_column_is_refused_as_well() -> None:
    assert "an operator where a column is named" in refusal({**ADDED, "where": {"not": {"in": ["x"]}}})


def test_a_column_with_the_name_of_an_operator_may_be_asked_for() -> None:
    where = {"exists": "x", "not": {"contains": {"eq": "y"}}}
    row = {"__table__": "notes", "exists": "x", "contains": "z"}
    assert evaluate({"version": "1", "assertions": [{**ADDED, "where": where}]}, {"inserts": [row]}).passed


def test_a_column_that_is_no_json_is_shown_as_such() -> None:
    changes = {"__table__": "notes", "before": {"id": 1, "a": {(1, 2): 3}}, "after": {"id": 1, "a": 2}}
    verdict = evaluate({"assertions": [{**ADDED, "diff_type": "changed"}]}, {"updates": [changes]})
    assert verdict.explanations[0].nearest[0].differs[0].path == "a"


@pytest.mark.parametrize("value", [{(1, 2): 3}, [10**5000]], ids=["key", "number"])
def test_a_value_that_is_no_json_cannot_be_looked_into(value: Json) -> None:
    asked = {**ADDED, "where": {"a": {"contains": "x"}}, "expected_count": 0}
    verdict = evaluate({"assertions": [asked]}, {"inserts": [{"__table__": "notes", "a": value}]})
    assert verdict.failures == ["assertion#1 notes cannot be judged: a value cannot be written as JSON"]


NO_KEY = [{"table": "notes", "diff_type": "added", "key": "\ud800"}]


@pytest.mark.parametrize("part", [{"seq": 10**5000}, {"changes": NO_KEY}], ids=["seq", "surrogate"])
def test_a_history_with_what_json_cannot_carry_is_refused(part: Json) -> None:
    record: Json = {"seq": 1, "twin": "box", "operation": "post", "actor": "U1", "changes": [], **part}
    with pytest.raises(HistoryError, match="The history has not its shape"):
        evaluate({"assertions": [ADDED]}, {"inserts": []}, {"records": [record]})


def test_a_history_without_calls_is_not_said_to_be_none() -> None:
    spec = {"version": "1", "assertions": [{"response": {"operation": "notes.list"}}]}
    with pytest.raises(HistoryError) as refused:
        evaluate(spec, {"inserts": []}, {"records": []})
    assert str(refused.value) == (
        "The spec uses response, which needs the history of the run with its calls; that given has none."
    )

"""What holds of every spec of the extended language, every diff and every history, tried on many."""

import re
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checks.test_check_properties import columns, diffs, predicates, tables, values
from tests.checks.test_check_properties import specs as public_specs
from twindiff.checks import evaluate

Json = Any

numbers = st.integers(1, 6)
operations = st.sampled_from(["notes.create", "notes.edit"])
actors = st.sampled_from(["U1", "U2"])
names = st.lists(columns, max_size=2, unique=True)
touches = st.fixed_dictionaries(
    {
        "table": st.sampled_from(["notes", "rooms"]),
        "key": st.fixed_dictionaries({"a": st.integers(-3, 3)}),
        "diff_type": st.sampled_from(["added", "removed", "changed"]),
        "changed": names,
        "derived": names,
        "visibility": st.sampled_from(["plain", "derived", "bookkeeping"]),
    }
)
records = st.fixed_dictionaries(
    {
        "seq": numbers,
        "twin": st.sampled_from(["box", "slack"]),
        "operation": operations,
        "actor": actors,
        "changes": st.lists(touches, max_size=3),
    }
)
calls = st.fixed_dictionaries(
    {
        "number": numbers,
        "twin": st.just("box"),
        "operation": operations,
        "actor": actors,
        "status": st.sampled_from([200, 404]),
        "error": st.none() | st.just("not_found"),
        "seq": st.none() | numbers,
    }
)
histories = st.fixed_dictionaries(
    {
        "records": st.lists(records, max_size=5),
        "calls": st.lists(calls, max_size=5, unique_by=lambda call: call["number"]),
    }
)


def is_sound(value: Json) -> bool:
    """Whether nothing in it is refused by version 1 alone: a bad regex, changes of rows that came or went."""
    if isinstance(value, list):
        return all(is_sound(item) for item in value)
    if not isinstance(value, dict):
        return True
    if value.get("diff_type", "changed") != "changed" and "expected_changes" in value:
        return False
    try:
        re.compile(value.get("regex", ""))
    except re.error:
        return False
    return all(is_sound(item) for item in value.values())


specs = public_specs.filter(is_sound)
joined: st.SearchStrategy[Json] = st.recursive(
    predicates.filter(is_sound),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"or": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"and": st.lists(inner, min_size=1, max_size=2)}),
        st.just({"gte": -1, "lt": 2}),
    ),
    max_leaves=4,
)
conditions = st.dictionaries(columns, joined, min_size=1, max_size=2)
wheres = conditions | st.fixed_dictionaries({"or": st.lists(conditions, min_size=1, max_size=2), "not": conditions})
rows_asked = st.fixed_dictionaries(
    {"diff_type": st.sampled_from(["added", "removed", "changed"]), "entity": tables, "where": wheres},
    optional={"by": st.fixed_dictionaries({"actor": actors}), "after": st.just(["first"])},
)
unchanged = st.fixed_dictionaries({"diff_type": st.just("unchanged"), "entity": tables}, optional={"where": wheres})
responses = st.fixed_dictionaries(
    {"response": st.fixed_dictionaries({}, optional={"operation": operations, "error": st.none()})},
    optional={"expected_count": st.integers(0, 2)},
)
FIRST = {"id": "first", "diff_type": "added", "entity": "notes"}
extended = st.fixed_dictionaries(
    {
        "version": st.just("1"),
        "assertions": st.lists(rows_asked | unchanged | responses, max_size=3).map(lambda asked: [FIRST, *asked]),
    },
    optional={
        "closed_world": st.booleans()
        | st.fixed_dictionaries({"except": st.lists(st.fixed_dictionaries({"entity": tables}), max_size=1)}),
        "strict": st.booleans(),
    },
)


def outcome(spec: Json, diff: Json, history: Json = None) -> tuple[Json, ...]:
    judged = evaluate(spec, diff, history)
    return judged.passed, judged.score, judged.failures


def holds(predicate: Json, value: Json) -> bool:
    asked = {"diff_type": "added", "entity": "t", "where": {"value": predicate}}
    diff = {"inserts": [{"__table__": "t", "value": value}]}
    return evaluate({"version": "1", "assertions": [asked]}, diff).passed


@settings(max_examples=100)
@given(extended, diffs, histories)
def test_every_extended_spec_judges_every_diff_with_every_history(spec: Json, diff: Json, history: Json) -> None:
    judged = evaluate(spec, diff, history)
    assert judged.passed == (not judged.failures) == (judged.score.percent == 100)
    assert len(judged.explanations) == judged.score.total - judged.score.passed
    assert msgspec.json.decode(msgspec.json.encode(judged), type=type(judged)) == judged


@settings(max_examples=75)
@given(specs, diffs, histories)
def test_a_public_spec_means_the_same_in_version_1_and_with_a_history(spec: Json, diff: Json, history: Json) -> None:
    assert outcome({**spec, "version": "1"}, diff, history) == outcome(spec, diff)


@settings(max_examples=75)
@given(joined, values)
def test_not_is_the_opposite(predicate: Json, value: Json) -> None:
    assert holds({"not": predicate}, value) != holds(predicate, value)


@settings(max_examples=75)
@given(joined, joined, values)
def test_and_and_or_mirror_each_other(left: Json, right: Json, value: Json) -> None:
    neither = {"and": [{"not": left}, {"not": right}]}
    assert holds({"or": [left, right]}, value) == (holds(left, value) or holds(right, value))
    assert holds(neither, value) == holds({"not": {"or": [left, right]}}, value)


@settings(max_examples=75)
@given(specs, diffs)
def test_a_stray_row_fails_a_closed_world_and_nothing_else(spec: Json, diff: Json) -> None:
    closed = {**spec, "version": "1", "closed_world": True}
    wider = {**diff, "deletes": [*diff["deletes"], {"__table__": "pins", "a": 1}]}
    before, after = evaluate(closed, diff).failures, evaluate(closed, wider).failures
    number = len(spec["assertions"]) + 1
    assert sorted(after) == sorted([*before, f"assertion#{number} closed_world pins removed"])


@settings(max_examples=75)
@given(specs, diffs)
def test_a_world_closed_but_for_every_table_is_open(spec: Json, diff: Json) -> None:
    exempt = [{"entity": name} for name in ("notes", "rooms", "box.notes")]
    closed = {**spec, "version": "1", "closed_world": {"except": exempt}}
    assert evaluate(closed, diff).failures == evaluate(spec, diff).failures


@settings(max_examples=75)
@given(diffs)
def test_unchanged_and_a_closed_world_agree_on_a_table(diff: Json) -> None:
    """But for derived rows, which a closed world does not look at."""
    plain = {side: [row for row in rows if "__derived__" not in row] for side, rows in diff.items()}
    nothing = {"diff_type": "added", "entity": "none", "expected_count": 0}
    closed = {"version": "1", "closed_world": True, "assertions": [nothing]}
    still = {"version": "1", "assertions": [{"diff_type": "unchanged", "entity": "notes"}]}
    mine = {side: [row for row in rows if row["__table__"] == "notes"] for side, rows in plain.items()}
    assert evaluate(closed, mine).passed == evaluate(still, mine).passed

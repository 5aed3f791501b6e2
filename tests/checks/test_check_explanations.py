"""An explanation names the rows that come nearest and what differs in them."""

from typing import Any

import pytest

from twindiff.checks import DiffError, Explanation, Nearest, ValueDifference, evaluate

Row = dict[str, Any]

HELLO: Row = {"__table__": "messages", "message_id": "1.1", "channel_id": "C1", "message_text": "hello"}
BYE: Row = {"__table__": "messages", "message_id": "1.2", "channel_id": "C2", "message_text": "bye"}


def explain(
    assertion: Row, *inserts: Row, updates: tuple[Row, ...] = (), deletes: tuple[Row, ...] = (), **top: Any
) -> Explanation:
    diff = {"inserts": list(inserts), "updates": list(updates), "deletes": list(deletes)}
    verdict = evaluate({"assertions": [assertion], **top}, diff)
    assert len(verdict.explanations) == 1
    return verdict.explanations[0]


def added(**where: Any) -> Row:
    return {"diff_type": "added", "entity": "messages", "where": where}


def changed(**expected: Any) -> Row:
    return {"diff_type": "changed", "entity": "rooms", "where": {"id": "R1"}, "expected_changes": expected}


def update(before: Row, after: Row) -> Row:
    room = {"id": "R1", "name": "alpha", "topic": "old"}
    return {"__table__": "rooms", "before": {**room, **before}, "after": {**room, **after}}


def test_the_row_with_the_fewest_differences_comes_first() -> None:
    explanation = explain(added(channel_id="C1", message_text={"contains": "ship"}), BYE, HELLO)
    assert explanation.nearest[0] == Nearest(
        {"channel_id": "C1", "message_text": "hello", "message_id": "1.1"},
        [ValueDifference("message_text", {"contains": "ship"}, "hello")],
    )
    assert explanation.text == (
        "Expected at least 1 row of messages to be added, got 0. "
        'In the nearest row message_text should contain "ship" but is "hello".'
    )


def test_no_more_than_three_rows_are_shown() -> None:
    assert len(explain(added(message_text="x"), *[HELLO] * 5).nearest) == 3


def test_surplus_matches_are_shown() -> None:
    explanation = explain({**added(), "expected_count": 1}, HELLO, BYE)
    assert [nearest.row["message_id"] for nearest in explanation.nearest] == ["1.1", "1.2"]
    assert (explanation.expected, explanation.got) == (1, 2)
    assert explanation.text.startswith("Expected exactly 1 row of messages to be added, got 2. More rows match")


def test_a_row_that_breaks_the_strict_rule_is_named_with_its_columns() -> None:
    explanation = explain(changed(name={"to": "beta"}), updates=(update({}, {"name": "beta", "topic": "new"}),))
    assert explanation.nearest == [
        Nearest({"id": "R1", "name": "beta"}, [ValueDifference("topic", "unchanged", {"from": "old", "to": "new"})])
    ]
    assert "1 row also changed topic, which expected_changes does not name" in explanation.text


def test_a_row_that_was_added_instead_of_changed_is_found() -> None:
    explanation = explain(changed(name={}), {"__table__": "rooms", "id": "R1"})
    assert explanation.nearest == [Nearest({"id": "R1"}, [])]
    assert explanation.text.endswith("A row of rooms fits, but it was added, not changed.")


def test_an_entity_with_a_slip_is_recognised() -> None:
    assert explain({**added(), "entity": "mesages"}, HELLO).text.endswith("Did you mean 'messages'?")


def test_an_entity_with_another_case_is_recognised() -> None:
    assert explain({**added(), "entity": "MESSAGES"}, HELLO).text.endswith("Did you mean 'messages'?")


def test_the_tables_of_the_diff_are_listed_where_nothing_is_near() -> None:
    assert explain({**added(), "entity": "pins"}, HELLO).text.endswith("The diff has: messages.")


def test_an_empty_diff_is_said_to_be_empty() -> None:
    assert explain(added()).text.endswith("The diff is empty: nothing was changed.")


@pytest.mark.parametrize(
    ("expected", "after", "words"),
    [
        ({"name": {"to": "gamma"}}, {"name": "beta"}, 'name went from "alpha" to "beta", but to should be "gamma"'),
        ({"name": {"from": "zeta"}}, {"name": "beta"}, 'name went from "alpha" to "beta", but from should be "zeta"'),
        ({"name": {"to": "alpha"}}, {}, 'name should change but stayed "alpha"'),
        ({"name.first": {"to": "a"}}, {}, "name.first is a path, where expected_changes knows whole columns only"),
    ],
)
def test_a_change_that_is_not_as_expected_is_said(expected: Row, after: Row, words: str) -> None:
    assert words in explain(changed(**expected), updates=(update({}, after),)).text


def test_an_ignored_column_is_said_to_satisfy_nothing() -> None:
    explanation = explain({**changed(name={"to": "beta"}), "ignore": ["name"]}, updates=(update({}, {"name": "beta"}),))
    assert "name is ignored and so can satisfy nothing" in explanation.text
    assert explanation.nearest[0].differs[0].expected == "not ignored"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "no rows"),
        (3, "exactly 3 rows"),
        ({"min": 3}, "at least 3 rows"),
        ({"min": 3, "max": 4}, "3 to 4 rows"),
        ({"max": 1}, "0 to 1 rows"),
    ],
)
def test_a_count_is_said_in_words(count: Any, words: str) -> None:
    assert explain({**added(), "expected_count": count}, HELLO, BYE).text.startswith(f"Expected {words} of messages")


def test_a_long_text_is_cut() -> None:
    explanation = explain(added(message_text="x"), {**HELLO, "message_text": "word " * 100})
    assert len(explanation.nearest[0].differs[0].actual) == 80


def test_a_difference_behind_the_cut_is_shown_whole() -> None:
    long = "word " * 30
    explanation = explain(changed(topic={"to": "x"}), updates=(update({"topic": long}, {"topic": f"{long}!"}),))
    assert explanation.nearest[0].differs[0].actual == {"from": long, "to": f"{long}!"}


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"topic": {"is_null": True}}, 'topic should be null but is "old"'),
        ({"topic": {"is_null": True, "not": "x"}}, 'topic should be null and not be "x" but is "old"'),
        ({"topic": {"or": ["x", {"contains": "y"}]}}, 'topic should be "x" or contain "y" but is "old"'),
        ({"and": [{"topic": "x"}, {"name": "alpha"}]}, 'In the nearest row topic should be "x" but is "old".'),
        (
            {"or": [{"topic": "x"}, {"name": "y"}]},
            'or [{"topic": {"eq": "x"}}, {"name": {"eq": "y"}}] does not hold of {"topic": "old", "name": "alpha"}',
        ),
        ({"not": {"topic": "old"}}, 'not [{"topic": {"eq": "old"}}] does not hold of {"topic": "old"}'),
    ],
)
def test_conditions_that_are_joined_are_said(where: Row, words: str) -> None:
    room = {"__table__": "rooms", "id": "R1", "name": "alpha", "topic": "old"}
    assert words in explain({"diff_type": "added", "entity": "rooms", "where": where}, room, version="1").text


def test_a_row_that_was_to_stay_as_it_is_is_shown_with_what_changed_in_it() -> None:
    explanation = explain(
        {"diff_type": "unchanged", "entity": "rooms"}, updates=(update({}, {"topic": "new"}),), version="1"
    )
    assert explanation.nearest == [
        Nearest(
            {"id": "R1", "name": "alpha"},
            [ValueDifference("topic", "unchanged", {"from": "old", "to": "new"})],
            entity="rooms",
            diff_type="changed",
        )
    ]
    assert explanation.text == "Expected rooms to be unchanged, got 1. There were: rooms changed."


def test_stray_rows_are_shown_up_to_twenty() -> None:
    nothing = {"diff_type": "added", "entity": "none", "expected_count": 0}
    explanation = explain(nothing, *[HELLO] * 30, version="1", closed_world=True)
    assert (explanation.assertion, explanation.diff_type, explanation.got) == (2, "closed_world", 30)
    assert (len(explanation.nearest), explanation.nearest[0].entity) == (20, "messages")
    assert explanation.text.endswith("There were: " + "messages added; " * 3 + "and 27 more.")


def test_a_call_is_shown_whole() -> None:
    call = {"number": 1, "twin": "box", "operation": "notes.list", "actor": "U1", "status": 200}
    spec = {"version": "1", "assertions": [{"response": {"operation": "notes.search"}}]}
    (explanation,) = evaluate(spec, {"inserts": []}, {"records": [], "calls": [call]}).explanations
    assert explanation.nearest[0].row == {**call, "error": None, "seq": None}
    assert explanation.text == (
        'Expected at least 1 call like {"operation": {"eq": "notes.search"}}, got 0. '
        'In the nearest call operation should be "notes.search" but is "notes.list".'
    )


def test_rules_about_the_history_are_said_with_the_operations() -> None:
    def record(seq: int, operation: str, id: str) -> Row:
        change = {"table": "messages", "key": {"message_id": id}, "diff_type": "added"}
        return {"seq": seq, "twin": "box", "operation": operation, "actor": "U1", "changes": [change]}

    hello = {**added(message_id="1.1"), "id": "hello", "by": {"actor": "U2"}}
    bye = {**added(message_id="1.2"), "after": ["hello"]}
    spec, diff = {"version": "1", "assertions": [hello, bye]}, {"inserts": [HELLO, BYE]}
    made = {"records": [record(1, "say.bye", "1.2"), record(2, "say.hello", "1.1")]}
    said = [why.text.partition("got 1. ")[2] for why in evaluate(spec, diff, made).explanations]
    assert said == [
        'It should be by {"actor": {"eq": "U2"}} alone, not say.hello (seq 2, actor U1).',
        "It should come after say.hello (seq 2, actor U1), not say.bye (seq 1, actor U1).",
    ]


@pytest.mark.parametrize(
    ("diff", "words"),
    [
        (None, "The diff is null or missing."),
        ([], "The diff is a list."),
        ({"rows": []}, "none of inserts, updates and deletes"),
        ({"inserts": {}}, "inserts is an object."),
        ({"inserts": [1]}, "inserts[0] is a number."),
        ({"deletes": [{"id": 1}]}, "deletes[0].__table__ is null or missing."),
        ({"updates": [{"__table__": "t", "before": {}}]}, "updates[0].after is null or missing."),
        (
            {"updates": [{"__table__": "t", "before": {}, "after": {}, "derived": "a"}]},
            "updates[0].derived is not a list",
        ),
    ],
)
def test_a_diff_of_another_shape_is_refused_at_its_mistake(diff: object, words: str) -> None:
    with pytest.raises(DiffError) as refusal:
        evaluate({"assertions": [added()]}, diff)
    assert words in str(refusal.value)

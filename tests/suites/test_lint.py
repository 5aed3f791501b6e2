"""What is found wrong with checks by themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cli.test_suites import SEED
from twindiff.checks import parse
from twindiff.cli import app
from twindiff.environments.registry import Registry
from twindiff.suites.lint import lint
from twindiff.suites.lint_context import LintContext

Json = dict[str, Any]

TABLES = Registry.load_installed().schemas["slack"].tables
CHANNELS: list[Json] = [
    {"channel_id": "C1", "channel_name": "orders", "is_archived": False, "topic_text": None},
    {"channel_id": "C2", "channel_name": "general", "is_archived": False, "topic_text": "roses"},
]
HELLO: Json = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}}


def said(*assertions: Json, **top: Any) -> list[tuple[str, str]]:
    world = LintContext(TABLES, {"channels": CHANNELS})
    return [(each.kind, each.text) for each in lint(parse({"assertions": list(assertions), **top}), world)]


def changed(where: Json, **expected: Any) -> Json:
    return {"diff_type": "changed", "entity": "channels", "where": where, "expected_changes": expected}


def test_of_right_checks_nothing_is_said() -> None:
    archive = changed({"channel_name": "orders"}, is_archived={"from": False, "to": True})
    assert said(HELLO, archive, {"diff_type": "removed", "entity": "channels", "where": {"channel_id": "C2"}}) == []


def test_a_misspelt_column_is_said() -> None:
    spec = {**HELLO, "where": {"message_txt": "hello"}}
    problem = "assertions[0].where.message_txt: messages has no column 'message_txt'. Did you mean 'message_text'?"
    assert said(spec) == [("misspelt", problem)]


ASKED: Json = {**HELLO, "id": "asked", "expected_count": 1}


def test_of_checks_that_refer_to_others_nothing_is_said() -> None:
    answer = {**HELLO, "where": {"parent_id": {"ref": "asked.message_id"}}}
    topic = {"from": {"ref": "asked.message_text"}, "to": {"contains": {"ref": "asked.message_text"}}}
    named = changed({"channel_id": {"ref": "asked.channel_id"}}, topic_text=topic)
    assert said(ASKED, answer, named, version="1") == []


def test_a_reference_to_a_column_of_another_kind_never_holds() -> None:
    asked = {"id": "made", "diff_type": "added", "entity": "channels"}
    answer = {**HELLO, "where": {"message_text": {"ref": "made.is_archived"}}}
    why = "message_text is of the kind text and is_archived of 'made' of the kind boolean"
    assert said(asked, answer, version="1") == [("never holds", f"assertion 2: {why}")]


def test_a_misspelt_column_that_is_referred_to_is_said() -> None:
    answer = {**HELLO, "where": {"parent_id": {"ref": "asked.mesage_id"}}}
    problem = "assertions[1].where.parent_id: messages has no column 'mesage_id'. Did you mean 'message_id'?"
    assert said(ASKED, answer, version="1") == [("misspelt", problem)]


def test_a_test_that_is_passed_by_doing_nothing_is_said() -> None:
    assert said({**HELLO, "expected_count": 0}) == [("no-op passes", "An agent that does nothing passes.")]


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ({**HELLO, "expected_count": {"min": 3, "max": 2}}, "no number is at least 3 and at most 2"),
        ({**HELLO, "where": {"message_text": 7}}, "message_text is of the kind text and can never be 7"),
        ({**HELLO, "where": {"message_text": {"gt": 7}}}, "message_text is a text, which is neither greater nor less"),
        ({**HELLO, "where": {"message_text": {"regex": "("}}}, "message_text: '(' is no regular expression"),
        (
            {"diff_type": "added", "entity": "channels", "where": {"is_private": {"contains": "t"}}},
            "is_private is no text to look into",
        ),
        (changed({"channel_name": "x"}, topic_text={"to": "y"}), "the template has no row of channels like that"),
        (changed({}, topic_text={"from": "x", "to": "y"}), "the template has no row of channels like that"),
        (
            changed({"channel_id": "C2"}, topic_text={"to": "roses"}),
            "the channels of the template are like that",
        ),
        (changed({}, channel_id={"to": "C9"}), "channel_id is of the key"),
        (changed({}, topic_text={"from": "x", "to": "x"}), "topic_text does not change from 'x' to the same"),
        ({**changed({}, topic_text={"to": "y"}), "ignore": ["topic_text"]}, "topic_text is ignored"),
        ({"diff_type": "removed", "entity": "channels", "where": {"channel_id": "C9"}}, "the template has no row of"),
        (
            {"diff_type": "removed", "entity": "channels", "expected_count": 3},
            "the template has only 2 rows",
        ),
    ],
)
def test_a_check_that_can_never_hold_is_said(assertion: Json, why: str) -> None:
    (finding,) = [text for kind, text in said(HELLO, assertion) if kind == "never holds"]
    assert finding.startswith(f"assertion 2: {why}")


def test_a_where_may_name_what_a_row_comes_to_be() -> None:
    assert said(changed({"topic_text": "new"}, topic_text={"to": "new"})) == []


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ({**HELLO, "expected_count": {"min": 0}}, "any number of rows will do"),
        (
            {**HELLO, "where": {"message_text": 7}, "expected_count": 0},
            "it expects nothing of what can never be: message_text is of the kind text and can never be 7",
        ),
    ],
)
def test_a_check_that_can_never_fail_is_said(assertion: Json, why: str) -> None:
    assert said(HELLO, assertion) == [("never fails", f"assertion 2: {why}")]


def test_two_strict_checks_of_one_row_that_allow_different_columns_contradict_each_other() -> None:
    rename, topic = changed({"channel_id": "C1"}, channel_name={}), changed({"channel_id": "C1"}, topic_text={})
    why = "assertions 1 and 2: 1 wants ['channel_name'] of one row to change, which 2 does not allow"
    assert said(rename, topic) == [("contradiction", why)]
    assert said(rename, topic, strict=False) == []


def test_a_check_that_forbids_what_another_wants_contradicts_it() -> None:
    none = {"diff_type": "added", "entity": "messages", "expected_count": 0}
    assert said(HELLO, none) == [
        ("contradiction", "assertions 1 and 2: 2 allows 0 of the rows of which 1 wants more"),
    ]


@pytest.mark.parametrize(
    ("to", "is_said"),
    [
        ({"contains": "rose"}, True),
        ({"in": ["roses", "lilies"]}, True),
        ({"contains": "lily"}, False),
        ({"ne": ""}, False),
    ],
)
def test_a_check_that_wants_a_value_changed_to_what_it_is_is_said(to: Json, is_said: bool) -> None:
    archived = {"is_archived": {"to": True}}
    found = said(changed({"channel_name": "general"}, topic_text={"to": to}, **archived))
    assert [kind for kind, _ in found] == ["already so"] * is_said
    assert all("topic_text" in text and "holds in the template" in text for _, text in found)


def test_a_test_whose_template_is_as_it_wants_it_is_said() -> None:
    assert said({"diff_type": "added", "entity": "channels", "where": {"channel_name": "general"}}) == [
        ("already so", "All that is asked for is in the template already.")
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    test = {"id": "a", "name": "Weak", "prompt": "p", "type": "actionEval", "seed_template": "slack_stalls"}
    suite = {"name": "Stalls", "service": "slack", "tests": [{**test, "impersonate_user_id": "U1"}]}
    suite["tests"][0]["assertions"] = [{**HELLO, "expected_count": 0}]
    for name, content in (("seeds/slack_stalls.json", SEED), ("suites/stalls.json", suite)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(content))
    return tmp_path


def test_the_command_says_it_in_a_table_in_markdown_and_in_json(folder: Path) -> None:
    plain, markdown, as_json = (
        CliRunner().invoke(app, ["suites", "lint", "Stalls", "--files", str(folder), *form], env={"COLUMNS": None})
        for form in ((), ("--markdown",), ("--json",))
    )
    assert (plain.exit_code, markdown.exit_code, as_json.exit_code) == (1, 1, 1)
    assert "Weak  no-op passes  An agent that does nothing passes." in plain.stdout
    assert "| Weak | no-op passes | An agent that does nothing passes. |" in markdown.stdout
    assert json.loads(as_json.stdout)["tests"][0]["findings"][0]["kind"] == "no-op passes"

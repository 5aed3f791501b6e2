"""Whether an audit tells checks that let wrong solutions through from those that do not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.cli.test_suites import SEED
from twindiff.checks import parse
from twindiff.cli import app
from twindiff.environments.registry import Registry
from twindiff.suites.audit import Audited, audit
from twindiff.suites.lint_context import LintContext

Json = dict[str, Any]

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[3] / "shared") / "agent-diff"
WORLD = LintContext(
    Registry.load_installed().schemas["slack"].tables,
    {"users": [{"user_id": "U1"}, {"user_id": "U2"}], "channels": [{"channel_id": "C1"}, {"channel_id": "C2"}]},
    actors=["U1"],
)
HELLO: Json = {
    "__table__": "messages",
    "message_id": "1.1",
    "ts": "1.1",
    "channel_id": "C1",
    "user_id": "U1",
    "message_text": "hello all",
    "type": "message",
    "parent_id": None,
    "created_at": "2026-01-01T00:00:00",
}
RENAMED: Json = {
    "__table__": "channels",
    "before": {"channel_id": "C1", "channel_name": "a"},
    "after": {"channel_id": "C1", "channel_name": "b"},
    "changed": ["channel_name"],
    "derived": [],
}
DIFF: Json = {"inserts": [HELLO], "updates": [RENAMED], "deletes": []}
POSTED: Json = {
    "diff_type": "added",
    "entity": "messages",
    "where": {"message_text": {"i_contains": "hello"}, "channel_id": "C1", "user_id": "U1", "type": "message"},
    "expected_count": 1,
}
CHANGED: Json = {"diff_type": "changed", "entity": "channels", "expected_changes": {"channel_name": {"to": "b"}}}


def audited(*assertions: Json, **top: Any) -> Audited:
    return audit(parse({"assertions": list(assertions), **top}), DIFF, WORLD)


CHANNEL: Json = {"__table__": "channels", "channel_id": "C8", "channel_name": "news", "created": 1_760_000_000}
THERE: Json = {**HELLO, "channel_id": "C8"}
MADE: Json = {"id": "made", "diff_type": "added", "entity": "channels", "where": {"channel_name": "news"}}


def audited_in_new_channels(channel: Json | str) -> Audited:
    """Two new channels, and a message in the first of them."""
    other = {**CHANNEL, "channel_id": "C9", "channel_name": "olds"}
    second = {**MADE, "id": "second", "where": {"channel_name": "olds"}}
    posted = {**POSTED, "where": {**POSTED["where"], "channel_id": channel}}
    spec = {"version": "1", "closed_world": True, "assertions": [MADE, second, posted]}
    return audit(parse(spec), {"inserts": [CHANNEL, other, THERE], "updates": [], "deletes": []}, WORLD)


def test_a_check_that_refers_to_the_new_row_tells_it_from_others_and_knows_no_id() -> None:
    result = audited_in_new_channels({"ref": "made.channel_id"})
    assert "wrong new row: messages.channel_id" not in result.let_through
    assert not [what for what in result.refused if what.startswith("other id")]


def test_rows_that_a_closed_world_excepts_may_be_missing_or_different() -> None:
    excepted = {"closed_world": {"except": [{"entity": "channels"}]}, "version": "1"}
    assert audited({**POSTED, "where": {**POSTED["where"], "parent_id": None}}, **excepted).is_sound
    other = {"closed_world": {"except": [{"entity": "channels", "diff_type": "added"}]}, "version": "1"}
    assert audited(POSTED, **other).failures != []


def test_a_check_that_refers_to_no_row_lets_another_new_one_through() -> None:
    result = audited_in_new_channels({"starts_with": "C"})
    assert result.let_through["wrong new row: messages.channel_id"] == 1


def test_a_check_of_an_id_refuses_another_id() -> None:
    assert "other id: channels.channel_id" in audited_in_new_channels("C8").refused


def test_checks_that_see_every_mistake_and_nothing_else_are_sound() -> None:
    result = audited(POSTED, CHANGED)
    assert (result.is_sound, result.tried) == (True, 13)


@pytest.mark.parametrize(
    ("weaker", "let_through"),
    [
        ({"expected_count": {"min": 1}}, ["extra row: messages"]),
        ({"where": {"message_text": {"i_contains": "hello"}, "channel_id": "C1", "type": "message"}}, ["wrong author"]),
        ({"where": {"channel_id": "C1", "user_id": "U1", "type": "message"}}, ["wrong value: messages.message_text"]),
        ({"expected_count": {"min": 0, "max": 1}}, ["missing row: messages"]),
    ],
)
def test_what_a_weak_check_lets_through_is_said(weaker: Json, let_through: list[str]) -> None:
    result = audited({**POSTED, **weaker}, CHANGED)
    assert not result.is_sound
    assert any(each.startswith(let_through[0]) for each in result.let_through)


def test_what_a_check_of_the_very_letters_refuses_is_said() -> None:
    result = audited({**POSTED, "where": {**POSTED["where"], "message_text": "hello all"}}, CHANGED)
    assert result.refused == {"a full stop more: messages.message_text": 1, "capital letters: messages.message_text": 1}


def test_a_check_of_a_made_up_id_refuses_another() -> None:
    result = audited({**POSTED, "where": {**POSTED["where"], "message_id": "1.1"}}, CHANGED)
    assert result.refused == {"other id: messages.message_id": 1}


def test_a_reference_that_fails_is_said_with_its_failures() -> None:
    result = audited({**POSTED, "expected_count": 2}, CHANGED)
    assert (result.failures, result.tried) == (["assertion#1 messages expected count 2 but got 1"], 0)


def test_checks_that_are_passed_by_doing_nothing_are_not_sound() -> None:
    assert audited({"diff_type": "removed", "entity": "channels", "expected_count": 0}).noop_passes


@pytest.mark.soak
@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the public benchmark's files are not at {SHARED}")
@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("Slack Bench v2", "Slack Bench v2 (Combined): of 47 tests 44 are passed by a reference solution"),
        ("Linear Bench", "Linear Bench: of 46 tests 44 are passed by a reference solution"),
        ("Box Bench", "Box Bench v2: of 38 tests 35 are passed by a reference solution"),
        ("Calendar Bench", "Calendar Bench: of 48 tests 41 are passed by a reference solution"),
    ],
)
def test_the_written_solutions_of_public_tasks_are_audited(suite: str, said: str) -> None:
    solutions = f"tests.contract.public_solutions:{suite.partition(' ')[0].upper()}"
    arguments = ["suites", "audit", suite, "--files", str(SHARED), "--solutions", solutions, "--markdown"]
    assert CliRunner().invoke(app, arguments).stdout.startswith(said)


SOLVER = """
import httpx

def tulips(task):
    headers = {"Authorization": f"Bearer {task.token}"}
    body = {"channel": "C1", "text": "tulips"}
    httpx.post(f"{task.url}/chat.postMessage", headers=headers, json=body, trust_env=False)

def stumble(task):
    raise ValueError("no idea")

SOLUTIONS = {"by_id": tulips, "By name": stumble}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four tests: with solutions by id and by name, one of its own, and none."""
    check = {"diff_type": "added", "entity": "messages", "where": {"message_text": "tulips"}}
    test = {"prompt": "p", "type": "actionEval", "seed_template": "slack_stalls", "impersonate_user_id": "U1"}
    tests = [
        {**test, "id": id, "name": name, "assertions": [check], **own}
        for id, name, own in (
            ("by_id", "First", {}),
            ("second", "By name", {}),
            ("own", "Own", {"solution": "stall_solver:tulips"}),
            ("none", "None", {}),
        )
    ]
    suite = {"name": "Stalls", "service": "slack", "tests": tests}
    for name, content in (("seeds/slack_stalls.json", SEED), ("suites/stalls.json", suite)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(content))
    (tmp_path / "stall_solver.py").write_text(SOLVER)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_the_command_finds_solutions_by_id_by_name_and_in_the_file(folder: Path) -> None:
    arguments = ["suites", "audit", "Stalls", "--files", str(folder), "--solutions", "stall_solver:SOLUTIONS"]
    plain, as_json = (
        CliRunner().invoke(app, [*arguments, form], env={"COLUMNS": None}) for form in ("--markdown", "--json")
    )
    lines = [line for line in plain.stdout.splitlines() if line.startswith("| ")]
    assert plain.stdout.startswith("Stalls: of 4 tests 2 are passed by a reference solution and 0 are sound.")
    assert lines[1].startswith("| First | fails | passes | 9 | extra row: messages; wrong value: messages.channel_id;")
    assert lines[2:] == [
        "| By name |  | the solution raised ValueError: no idea |  |  |  |",
        lines[1].replace("First", "Own"),
        "| None |  | no reference solution |  |  |  |",
    ]
    tests = json.loads(as_json.stdout)["tests"]
    assert [each["isSound"] for each in tests] == [False] * 4
    assert tests[0]["let_through"]["wrong author: messages.user_id"] == 1


def test_a_column_that_holds_a_list_is_no_author() -> None:
    row = {**HELLO, "blocks": [{"type": "divider"}]}
    result = audit(parse({"assertions": [POSTED]}), {"inserts": [row], "updates": [], "deletes": []}, WORLD)
    assert "wrong value: messages.blocks" in result.let_through

"""`twindiff explain`: why a run failed, for a person with a terminal of 80 columns."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.harness import AGENT, GENERAL, RANDOM, Environment, Platform
from twindiff.cli import app

Json = dict[str, Any]
Explain = Callable[..., Result]

HELLO = {"diff_type": "added", "entity": "messages", "where": {"channel_id": GENERAL, "message_text": "hello"}}
COLOUR = re.compile(r"\x1b\[(?:\d+;)*3\d")
CLOSED = {"version": "1", "closed_world": True, "assertions": [{**HELLO, "expected_count": 1}]}


@pytest.fixture
def env(environment: Callable[..., Environment]) -> Environment:
    return environment()


@pytest.fixture
def explain(server: str) -> Explain:
    def run(*arguments: str, **environment: str) -> Result:
        given = {"AGENT_DIFF_BASE_URL": server, "COLUMNS": "80", "FORCE_COLOR": None, "NO_COLOR": None, **environment}
        return CliRunner().invoke(app, ["explain", *arguments], env=given)

    return run


def judged(platform: Platform, run: str, spec: Json = CLOSED) -> str:
    platform.post("evaluateRun", {"runId": run, "expectedOutput": spec})
    return run


def test_a_run_that_passed_ends_with_0(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.post("hello")
    result = explain(judged(platform, run))
    assert (result.exit_code, result.stdout) == (0, "passed  1 of 1 assertions hold\n")


def test_only_the_columns_that_differ_are_shown_with_their_operation(
    platform: Platform, env: Environment, explain: Explain
) -> None:
    run = platform.start(env)
    env.post("hello", RANDOM)
    result = explain(judged(platform, run, {"assertions": [HELLO]}))
    assert result.exit_code == 1
    *_, differing, made = result.stdout.splitlines()
    assert differing == f'      channel_id  should be "{GENERAL}" but is "{RANDOM}"'
    assert made == f"    made so by chat.postMessage (seq 1, actor {AGENT})"


def test_a_stray_change_is_shown_with_its_operation(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.slack("reactions.add", channel=GENERAL, timestamp=env.post("hello"), name="eyes")
    shown = explain(judged(platform, run)).stdout
    assert "+ message_reactions  " in shown
    assert f"made so by reactions.add (seq 2, actor {AGENT})" in shown


def test_a_row_that_is_nearest_and_stray_is_shown_once(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.post("helo")
    shown = explain(judged(platform, run)).stdout
    assert shown.count(f"made so by chat.postMessage (seq 1, actor {AGENT})") == 1
    assert "+ messages  the row that is shown under 1" in shown


def test_two_rows_alike_are_shown_each(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.post("helo")
    env.post("helo")
    shown = explain(judged(platform, run)).stdout
    assert (shown.count("(seq 1, "), shown.count("(seq 2, ")) == (1, 1)


def test_what_is_least_wrong_comes_first(platform: Platform, env: Environment, explain: Explain) -> None:
    far = {**HELLO, "where": {**HELLO["where"], "user_id": "U1", "message_text": "bye"}}
    run = platform.start(env)
    env.post("helo")
    shown = explain(judged(platform, run, {"assertions": [far, HELLO]})).stdout
    assert [line[:3] for line in shown.splitlines() if line.startswith("✗")] == ["✗ 2", "✗ 1"]


def test_a_run_in_which_nothing_happened_is_said_shortly(
    platform: Platform, env: Environment, explain: Explain
) -> None:
    lines = explain(judged(platform, platform.start(env))).stdout.splitlines()
    assert lines == [
        "failed  0 of 1 assertions hold",
        "Nothing happened: the run changed no row.",
        "",
        "✗ 1  Expected exactly 1 row of messages to be added, got 0.",
    ]


def test_operations_that_do_not_exist_are_named_with_how_often(
    platform: Platform, env: Environment, explain: Explain
) -> None:
    run = platform.start(env)
    for _ in range(2):
        env.ask("chat.sendMessage", twin="slack")
    shown = explain(judged(platform, run)).stdout
    assert "Tried, though no twin has it: POST /chat.sendMessage (2 times)" in shown


def test_what_the_twin_lacks_is_told_apart_from_what_nobody_has(
    platform: Platform, env: Environment, explain: Explain
) -> None:
    run = platform.start(env)
    env.ask("users.setPhoto", twin="slack")
    shown = explain(judged(platform, run)).stdout
    assert "Tried, though the twin lacks it: POST /users.setPhoto" in shown
    assert "Tried, though no twin has it" not in shown


def test_lines_fit_into_80_columns(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.post("word " * 200)
    env.slack("conversations.setTopic", channel=GENERAL, topic="topic " * 30)
    lines = explain(judged(platform, run)).stdout.splitlines()
    assert max(len(line) for line in lines) <= 80


def test_colours_are_for_terminals_that_want_them(platform: Platform, env: Environment, explain: Explain) -> None:
    run = judged(platform, platform.start(env))
    assert COLOUR.search(explain(run, FORCE_COLOR="1").stdout)
    assert not COLOUR.search(explain(run, FORCE_COLOR="1", NO_COLOR="1").stdout)
    assert "\x1b[" not in explain(run).stdout


def test_a_result_outlives_its_environment(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.post("helo")
    judged(platform, run)
    platform.delete(f"env/{env.id}")
    result = explain(run)
    assert (result.exit_code, "made so by chat.postMessage" in result.stdout) == (1, True)


def test_the_answer_is_json_on_request(platform: Platform, env: Environment, explain: Explain) -> None:
    run = platform.start(env)
    env.post("helo")
    answer = json.loads(explain(judged(platform, run), "--json").stdout)
    assert (answer["runId"], answer["passed"], answer["unknownOperations"]) == (run, False, {})
    assert answer["explanations"][0]["nearest"][0]["blame"]["operation"] == "chat.postMessage"


def test_a_run_that_there_is_not_ends_with_2_and_one_line(explain: Explain) -> None:
    result = explain("4711")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", "run not found: '4711'.\n")


def test_a_run_that_was_not_judged_ends_with_2_and_says_how(
    platform: Platform, env: Environment, explain: Explain
) -> None:
    result = explain(platform.start(env))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has not been judged yet; evaluateRun does that." in result.stderr

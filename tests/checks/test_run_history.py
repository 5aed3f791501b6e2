"""The history that a server judges runs by, and gives away."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.checks.mistakes import EXTENDED
from tests.harness import AGENT, GENERAL, JOHN, Environment, LiveServer, Platform
from twindiff.checks import HistoryError, RunHistory, evaluate
from twindiff.checks.history import Called

Json = dict[str, Any]

POSTED = {"diff_type": "added", "entity": "messages", "expected_count": 1}


@pytest.fixture
def env(environment: Callable[..., Environment]) -> Environment:
    return environment(tokens={"xoxp-john": JOHN})


def never(operation: str) -> Json:
    return {"version": "1", "assertions": [{"response": {"operation": operation}, "expected_count": 0}]}


def judge(platform: Platform, run: str, spec: Json, **options: Any) -> Json:
    return platform.post("evaluateRun", {"runId": run, "expectedOutput": spec, **options})


def test_a_record_names_rows_by_their_keys_and_what_changed_in_them(platform: Platform, env: Environment) -> None:
    ts = env.post("draft")
    run = platform.start(env)
    env.slack("chat.update", channel=GENERAL, ts=ts, text="final")
    (record,) = platform.get(f"runs/{run}/history")["records"]
    assert (record["operation"], record["actor"], record["twin"]) == ("chat.update", AGENT, "slack")
    changes = {change["table"]: change for change in record["changes"]}
    assert changes["messages"] == {
        "table": "messages",
        "key": {"message_id": ts},
        "diff_type": "changed",
        "changed": ["message_text", "edited_at"],
        "derived": ["edited_at"],
    }
    assert changes["message_edits"]["visibility"] == "derived"


def test_calls_before_the_start_belong_to_no_run(platform: Platform, env: Environment) -> None:
    env.slack("users.list")
    run = platform.start(env)
    env.slack("auth.test")
    assert [call["operation"] for call in platform.get(f"runs/{run}/history")["calls"]] == ["auth.test"]
    assert judge(platform, run, never("users.list"))["passed"]


def test_a_long_run_has_each_of_its_calls_once(platform: Platform, env: Environment) -> None:
    env.slack("users.list")
    run = platform.start(env)
    for number in range(250):
        env.slack("users.list" if number == 137 else "auth.test")
    calls = platform.get(f"runs/{run}/history")["calls"]
    assert [call["number"] for call in calls] == list(range(2, 252))
    assert [call["number"] for call in calls if call["operation"] == "users.list"] == [139]
    assert judge(platform, run, never("users.list"))["failures"] == ["assertion#1 calls expected count 0 but got 1"]


def test_reads_and_refusals_are_judged(platform: Platform, env: Environment) -> None:
    run = platform.start(env)
    env.slack("users.list")
    env.slack("chat.delete", channel=GENERAL, ts="1.000000")
    assert not judge(platform, run, never("users.list"))["passed"]
    refused = {"response": {"error": "message_not_found"}, "expected_count": 1}
    assert judge(platform, run, {"version": "1", "assertions": [refused]})["passed"]


def test_a_rewind_takes_records_back_and_no_calls(platform: Platform, env: Environment) -> None:
    run = platform.start(env)
    env.post("gone")
    platform.post(f"env/{env.id}/rewind", {"to": 0})
    env.post("stays")
    history = platform.get(f"runs/{run}/history")
    assert [record["seq"] for record in history["records"]] == [3]
    assert [call["seq"] for call in history["calls"]] == [1, 3]


def test_what_comes_after_a_closed_run_is_not_of_its_history(platform: Platform, env: Environment) -> None:
    run = platform.start(env, once=True)
    env.post("in it")
    platform.evaluate(run, POSTED)
    env.post("after it")
    history = platform.get(f"runs/{run}/history")
    assert [len(history["records"]), len(history["calls"])] == [1, 1]


def test_a_run_of_an_earlier_release_has_the_calls_since_its_time(live: LiveServer, platform: Platform) -> None:
    env = platform.environment()
    env.slack("users.list")
    run = platform.start(env)
    env.slack("auth.test")
    runs = live.service.runs
    live.on_loop(lambda: runs._catalog.change(runs.get(run), start_call=None))
    assert [call["operation"] for call in platform.get(f"runs/{run}/history")["calls"]] == ["auth.test"]


def test_a_deleted_environment_has_no_history(platform: Platform, env: Environment) -> None:
    run = platform.start(env)
    platform.delete(f"env/{env.id}")
    assert platform.refusal("GET", f"runs/{run}/history")[1] == "environment_deleted"


def test_a_public_verdict_says_who_made_the_nearest_row(platform: Platform, env: Environment) -> None:
    run = platform.start(env)
    env.slack("chat.postMessage", token="xoxp-john", channel=GENERAL, text="helo")
    verdict = platform.evaluate(run, {**POSTED, "where": {"message_text": "hello"}})
    nearest = verdict["explanations"][0]["nearest"][0]
    assert nearest["blame"] == {"operation": "chat.postMessage", "seq": 1, "actor": JOHN}


def test_a_file_of_the_history_gives_the_verdict_of_the_server(platform: Platform, env: Environment) -> None:
    run = platform.start(env)
    env.slack("conversations.leave", channel=GENERAL)
    env.slack("nothing.like.this")
    judged = judge(platform, run, EXTENDED)
    again = evaluate(EXTENDED, platform.diff(run), platform.get(f"runs/{run}/history"))
    assert msgspec.to_builtins(again).items() <= judged.items()


def test_a_closed_world_is_not_disturbed_by_bookkeeping(platform: Platform, env: Environment) -> None:
    run = platform.start(env)
    env.slack("conversations.mark", channel=GENERAL, ts=env.post("read"))
    closed = {"version": "1", "closed_world": True, "assertions": [POSTED]}
    assert judge(platform, run, closed, include="all")["failures"] == []
    tables = {row["__table__"] for row in platform.diff(run, include="all")["inserts"]}
    assert "conversation_states" in tables


def test_a_test_of_a_suite_may_be_in_the_extended_language(platform: Platform, env: Environment) -> None:
    checks = {"version": "1", "closed_world": True, "assertions": [POSTED]}
    test = {"name": "Post", "prompt": "Post once.", "type": "actionEval", "expected_output": checks}
    suite = {"name": "Extended", "description": "", "tests": [{**test, "environmentTemplate": "slack:slack_default"}]}
    made = platform.post("testSuites", suite)
    (shown,) = platform.get(f"testSuites/{made['id']}", expand="tests")["tests"]
    run = platform.start(env, testId=shown["id"])
    env.post("once")
    assert platform.evaluate(run)["passed"]


def test_a_history_that_was_read_is_taken_as_it_is() -> None:
    call = Called(1, "box", "notes.delete", "U1", 200)
    assert not evaluate(never("notes.delete"), {"inserts": []}, RunHistory([], [call])).passed


@pytest.mark.parametrize(
    ("assertion", "history", "words"),
    [
        ({"response": {"operation": "x"}}, None, "uses response, which needs the history of the run"),
        ({"response": {"operation": "x"}}, {"records": []}, "the history of the run with its calls"),
        ({**POSTED, "by": {"actor": "U1"}}, None, "uses by or after, which needs the history"),
        (POSTED, {"records": 5}, "Expected `array`, got `int` - at `$.records`"),
        (POSTED, [], "has not its shape"),
    ],
)
def test_without_the_history_it_takes_nothing_is_judged(assertion: Json, history: Any, words: str) -> None:
    with pytest.raises(HistoryError) as refusal:
        evaluate({"version": "1", "assertions": [assertion]}, {"inserts": []}, history)
    assert words in str(refusal.value)

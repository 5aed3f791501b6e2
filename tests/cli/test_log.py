"""`twindiff env log` and `twindiff explain` tell what was said, while an environment lasts and after."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Run
from tests.harness import Environment, Platform

Make = Callable[..., Environment]
NOBODY = {"diff_type": "added", "entity": "messages", "where": {"message_text": "bye"}, "expected_count": 1}


@pytest.fixture
def gone(environment: Make, platform: Platform) -> tuple[str, str]:
    """An environment with a run that failed; both by their ids, and the environment is deleted."""
    mine = environment()
    run = platform.start(mine)
    mine.post("hello \x1b[31m")
    platform.evaluate(run, NOBODY)
    platform.delete(f"env/{mine.id}")
    return mine.id, run


def test_the_log_tells_what_was_said_where_it_is_asked_for(twindiff: Run, environment: Make) -> None:
    mine = environment()
    mine.ask("chat.postMessage", data={"channel": "C01ABCD1234", "text": "hello"})
    head, asked, body, answered, answer = twindiff("env", "log", mine.id, "-v").stdout.splitlines()
    assert "chat.postMessage  200" in head
    assert "+1 messages" in head
    assert asked.strip() == "→ POST /chat.postMessage"
    assert json.loads(body) == {"channel": "C01ABCD1234", "text": "hello"}
    assert answered.strip() == "← 200"
    assert json.loads(answer)["ok"]


def test_the_log_of_a_deleted_environment_is_what_its_runs_keep(twindiff: Run, gone: tuple[str, str]) -> None:
    result = twindiff("env", "log", gone[0], "-v")
    assert "hello \\\\u001b[31m" in result.stdout or "hello \\u001b[31m" in result.stdout
    assert "has been deleted" in result.stderr


def test_the_log_of_an_environment_of_which_nothing_is_kept_says_that_it_is_gone(
    twindiff: Run, environment: Make, platform: Platform
) -> None:
    mine = environment()
    platform.delete(f"env/{mine.id}")
    result = twindiff("env", "log", mine.id)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "has been deleted" in result.stderr


def test_a_log_is_followed_until_its_environment_ends(
    twindiff: Run, environment: Make, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = environment()
    platform.start(mine)
    to_do = [lambda: mine.post("one"), lambda: mine.post("two"), lambda: platform.delete(f"env/{mine.id}")]
    monkeypatch.setattr("twindiff.cli.commands.log.time", SimpleNamespace(sleep=lambda _: to_do.pop(0)()))
    result = twindiff("env", "log", mine.id, "--follow", "--json")
    assert [json.loads(line)["number"] for line in result.stdout.splitlines()] == [1, 2]


def test_a_failed_run_is_explained_with_its_calls_after_its_environment_is_gone(
    twindiff: Run, gone: tuple[str, str]
) -> None:
    result = twindiff("explain", gone[1], "--verbose")
    assert result.exit_code == 1
    assert "→ POST /chat.postMessage" in result.stdout
    (call,) = json.loads(twindiff("explain", gone[1], "--json").stdout)["calls"]
    assert "hello" in call["transcript"]["request"]["body"]["text"]

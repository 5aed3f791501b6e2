"""Judging a run takes a bounded time, and ends when its client leaves."""

from __future__ import annotations

import json
import socket
import sys
import time

import pytest

from tests.harness import Environment, Json, LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS
from twindiff.server.use_cases import runs


@pytest.fixture(scope="module")
def judged(platform: Platform) -> tuple[Environment, str]:
    """An environment in whose run there are 300 messages."""
    env = platform.environment()
    run = platform.start(env)
    for _ in range(300):
        env.post("a" * 150)
    return env, run


def regexes(count: int) -> Json:
    """Assertions that look at each message, by patterns that are cheap by their looks."""
    return {
        "assertions": [
            {
                "diff_type": "added",
                "entity": "messages",
                "where": {"message_text": {"regex": f"a.*b{number}"}},
                "expected_count": 0,
            }
            for number in range(count)
        ]
    }


def test_judging_that_takes_too_long_is_refused_in_words(platform, judged, monkeypatch):
    monkeypatch.setattr(runs, "MAX_JUDGING_SECONDS", 0.0)
    _, run = judged
    answer = platform.ask("POST", "evaluateRun", {"runId": run, "expectedOutput": regexes(20)})
    assert (answer.status_code, answer.json()["error"]) == (400, "evaluation_too_long")
    assert "Judging by 20 assertions takes more than 0 s of processor" in answer.json()["detail"]


def test_judging_within_the_bound_comes_to_a_verdict(platform, judged):
    _, run = judged
    assert platform.post("evaluateRun", {"runId": run, "expectedOutput": regexes(20)})["passed"]


def judging_threads() -> int:
    """How many threads are at checks now."""
    count = 0
    for frame in sys._current_frames().values():
        files = []
        at = frame
        while at:
            files.append(at.f_code.co_filename)
            at = at.f_back
        count += any("twindiff/checks/verdict" in each for each in files)
    return count


def until(is_so: bool) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while bool(judging_threads()) is not is_so:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_judging_ends_when_its_client_leaves(live: LiveServer, judged):
    _, run = judged
    body = json.dumps({"runId": run, "expectedOutput": regexes(3_000)}).encode()
    head = f"POST /api/platform/evaluateRun HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", live.port)) as client:
        client.sendall(head.encode() + body)
        until(is_so=True)
    until(is_so=False)

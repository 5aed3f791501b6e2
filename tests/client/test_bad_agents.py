"""Agents that misbehave: each fails its own trial, for its own reason, and the others go on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.harness import GENERAL, Json, Platform
from twindiff.client import Client, Suite, Task, Trial, trials

HELLO: Json = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}
FLOOD = 60


class Unspeakable(Exception):
    """An error that fails at saying what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def post(task: Task, body: Json) -> httpx.Response:
    headers = {"Authorization": f"Bearer {task.token}"}
    return httpx.post(f"{task.url}/chat.postMessage", json=body, headers=headers, trust_env=False)


def say(task: Task, text: str = "hello") -> None:
    post(task, {"channel": GENERAL, "text": text}).raise_for_status()


def raise_unspeakable(task: Task) -> None:
    raise Unspeakable


def raise_megabytes(task: Task) -> None:
    raise ValueError("\0\x1b[31m" + "x" * 5_000_000)


def flood(task: Task) -> None:
    headers = {"Authorization": f"Bearer {task.token}"}
    with httpx.Client(base_url=task.url, headers=headers, trust_env=False) as slack:
        for number in range(FLOOD):
            slack.post("/chat.postMessage", json={"channel": GENERAL, "text": f"hello {number}"})


def print_binary(task: Task) -> None:
    print("\udcff\0\x1b]0;title\x07")
    say(task, "\x00\x1b[31m")


def post_binary(task: Task) -> None:
    headers = {"Authorization": f"Bearer {task.token}", "Content-Type": "application/json"}
    httpx.post(f"{task.url}/chat.postMessage", content=b"\xff\xfe\0" * 1000, headers=headers, trust_env=False)


def post_megabytes(task: Task) -> None:
    post(task, {"channel": GENERAL, "text": "x" * 900_000})


def ask_for_its_verdict(task: Task) -> None:
    say(task)
    headers = {"Authorization": f"Bearer {task.token}"}
    platform = task.url.partition("/api/env/")[0] + "/api/platform/runs"
    httpx.get(platform, headers=headers, trust_env=False).raise_for_status()


def swallow_a_refusal(task: Task) -> None:
    say(task)
    headers = {"X-API-Key": task.token}
    platform = task.url.partition("/api/env/")[0] + "/api/platform"
    httpx.get(f"{platform}/results/1?calls=true", headers=headers, trust_env=False)


def leave(task: Task) -> None:
    sys.exit(3)


AGENTS: dict[str, tuple[Callable[[Task], None], str]] = {
    "unspeakable": (raise_unspeakable, "The agent raised Unspeakable: (no message: RuntimeError while it was made)"),
    "megabytes": (raise_megabytes, "The agent raised ValueError: \0\x1b[31mxxx"),
    "flood": (flood, "Expected exactly 1 row of messages to be added, got 0."),
    "print binary": (print_binary, "Expected exactly 1 row of messages to be added, got 0."),
    "post binary": (post_binary, "Expected exactly 1 row of messages to be added, got 0."),
    "post megabytes": (post_megabytes, "Expected exactly 1 row of messages to be added, got 0."),
    "control plane": (ask_for_its_verdict, "The agent raised HTTPStatusError: Client error '403 Forbidden'"),
    "swallowed": (
        swallow_a_refusal,
        "The agent asked the control plane, with its token: GET /api/platform/results/1",
    ),
    "leave": (leave, "The agent raised SystemExit: 3"),
    "good": (say, ""),
}


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[Client]:
    with Client(server) as client:
        yield client


@pytest.fixture(scope="module")
def suite(client: Client, platform: Platform) -> Suite:
    """A test for each agent, named as it is."""
    items = [
        {
            "name": name,
            "prompt": name,
            "type": "actionEval",
            "expected_output": {"assertions": [HELLO]},
            "environmentTemplate": "slack_default",
            "impersonateUserId": "U01AGENBOT9",
        }
        for name in AGENTS
    ]
    made = platform.post("testSuites", {"name": "Agents that misbehave", "description": "", "tests": items})
    return client.suite(made["id"])


@pytest.fixture(scope="module")
def tried(client: Client, suite: Suite) -> dict[str, Trial]:
    """What came of every agent, three at a time."""

    def work(task: Task) -> None:
        AGENTS[task.prompt][0](task)

    done = trials(client, suite.tests, work, parallel=3)
    return {trial.test.name: trial for trial in done}


@pytest.mark.parametrize("name", AGENTS)
def test_a_trial_ends_for_its_own_reason_and_the_others_go_on(name: str, tried: dict[str, Trial]) -> None:
    trial, reason = tried[name], AGENTS[name][1]
    assert trial.passed == (name == "good")
    assert trial.reason.startswith(reason)
    assert len(trial.reason) < 3_000


def test_what_an_agent_asked_of_the_control_plane_is_in_its_log(tried: dict[str, Trial], client: Client) -> None:
    for name in ("swallowed", "control plane"):
        said, refused = client.result(tried[name].run_id, calls=True).calls
        assert (said.twin, refused.twin, refused.status, refused.error) == ("slack", "", 403, "agent_refused")


def test_a_flood_is_in_the_log_call_by_call(tried: dict[str, Trial], client: Client) -> None:
    calls = client.result(tried["flood"].run_id, calls=True).calls
    assert [call.number for call in calls] == list(range(1, FLOOD + 1))


def test_bodies_that_are_large_or_no_text_are_cut_and_marked(tried: dict[str, Trial], client: Client) -> None:
    large, binary = (
        client.result(tried[name].run_id, calls=True).calls[0].transcript for name in ("post megabytes", "post binary")
    )
    assert large
    assert binary
    assert (large.request.body.is_cut, large.request.body.bytes > 900_000) == (True, True)
    assert len(large.request.body.text or "") <= 64_000
    assert (binary.request.body.text, len(binary.request.body.sha256 or "")) == (None, 64)


def test_environments_of_all_of_them_are_gone(tried: dict[str, Trial], client: Client) -> None:
    assert {client.environment(each.environment_id).show().status for each in tried.values()} == {"deleted"}


def test_an_agent_that_hangs_keeps_nobody_waiting(client: Client, suite: Suite) -> None:
    released = threading.Event()

    def work(task: Task) -> None:
        if task.prompt == "leave":
            leave(task)
        released.wait(120)

    wanted = [test for test in suite.tests if test.name in ("good", "leave")]
    reasons = {trial.test.name: trial.reason for trial in trials(client, wanted, work, parallel=2, seconds=3)}
    released.set()
    assert reasons == {"good": "The agent was not done after 3 s", "leave": "The agent raised SystemExit: 3"}

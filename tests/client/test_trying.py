"""Agents that try tests: each in an environment of its own, judged by the test's checks, whatever they do."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.harness import GENERAL, Json, Platform
from twindiff.client import Client, RequestRefused, Suite, Task, Test, Trial, trials
from twindiff.local import Twindiff

HELLO: Json = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}


def item(name: str, template: str = "slack:slack_default") -> Json:
    return {
        "name": name,
        "prompt": f"Say hello, {name}.",
        "type": "actionEval",
        "expected_output": {"assertions": [HELLO]},
        "environmentTemplate": template,
        "impersonateUserId": "U01AGENBOT9",
    }


@pytest.fixture(scope="module")
def suite(platform: Platform, client: Client) -> Suite:
    tests = [item("one"), item("two"), item("three")]
    made = platform.post("testSuites", {"name": "Greetings to try", "description": "", "tests": tests})
    return client.suite(made["id"])


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[Client]:
    with Client(server) as client:
        yield client


def say(task: Task, text: str = "hello") -> None:
    headers = {"Authorization": f"Bearer {task.token}"}
    body = {"channel": GENERAL, "text": text}
    httpx.post(f"{task.url}/chat.postMessage", json=body, headers=headers, trust_env=False).raise_for_status()


def tried(client: Client, tests: list[Test], agent: Callable[[Task], Any], **options: Any) -> list[Trial]:
    return list(trials(client, tests, agent, **options))


def test_closing_the_trials_deletes_what_is_still_worked_in(client: Client, suite: Suite, platform: Platform) -> None:
    closed, made = threading.Event(), list[str]()
    both = threading.Barrier(2)

    def work(task: Task) -> None:
        made.append(task.environment_id)
        both.wait()
        if "one" not in task.prompt:
            closed.wait()

    going = trials(client, suite.tests[:2], work, parallel=2)
    next(going)
    going.close()
    assert [platform.get(f"env/{each}")["status"] for each in made] == ["deleted", "deleted"]
    closed.set()


def test_what_an_agent_did_is_judged_by_the_tests_checks(client: Client, suite: Suite) -> None:
    done = tried(client, suite.tests, lambda task: say(task, "hello" if "two" in task.prompt else "good-bye"))
    assert [(trial.test.name, trial.passed) for trial in done] == [("one", False), ("two", True), ("three", False)]
    assert 'message_text should be "hello" but is "good-bye"' in done[0].reason


def test_an_agent_that_yields_has_not_worked(client: Client, suite: Suite) -> None:
    def steps(task: Task) -> Iterator[None]:
        yield say(task)

    async def awaited_steps(task: Task) -> AsyncIterator[None]:
        yield await asyncio.to_thread(say, task)

    for agent in (steps, awaited_steps):
        (trial,) = tried(client, suite.tests[:1], agent)
        assert "one that yields has done nothing so far" in trial.error


def test_an_agent_with_async_is_awaited(client: Client, suite: Suite) -> None:
    async def agent(task: Task) -> None:
        await asyncio.to_thread(say, task)

    assert [trial.passed for trial in tried(client, suite.tests[:1], agent)] == [True]


def test_each_test_has_an_environment_that_is_gone_afterwards(client: Client, suite: Suite) -> None:
    done = tried(client, suite.tests * 2, say, parallel=3)
    ids = {trial.environment_id for trial in done}
    assert (len(ids), [trial.passed for trial in done]) == (6, [True] * 6)
    assert {client.environment(id).show().status for id in ids} == {"deleted"}


def test_tests_go_on_at_once(client: Client, suite: Suite) -> None:
    meeting = threading.Barrier(3)
    done = tried(client, suite.tests, lambda task: meeting.wait(120), parallel=3)
    assert [trial.error for trial in done] == [""] * 3


def stumble(task: Task) -> None:
    say(task)
    raise ValueError("no idea")


def test_an_agent_that_raises_has_failed_whatever_it_did_before(client: Client, suite: Suite) -> None:
    (trial,) = tried(client, suite.tests[:1], stumble)
    assert (trial.passed, trial.reason) == (False, "The agent raised ValueError: no idea")
    diff = client.result(trial.run_id).diff
    assert diff is not None
    assert [row["message_text"] for row in diff["inserts"]] == ["hello"]


def test_what_an_agent_raises_is_told_even_when_its_environment_is_gone(client: Client, suite: Suite) -> None:
    def lose(task: Task) -> None:
        client.environment(task.environment_id).delete()
        raise ValueError("lost it")

    (trial,) = trials(client, suite.tests[:1], lose)
    assert trial.reason == "The agent raised ValueError: lost it"


def test_an_agent_that_wants_to_end_the_program_ends_its_test(client: Client, suite: Suite) -> None:
    done = tried(client, suite.tests[:2], lambda task: sys.exit("enough"))
    assert [trial.reason for trial in done] == ["The agent raised SystemExit: enough"] * 2


def test_an_agent_that_is_not_done_in_time_has_failed(client: Client, suite: Suite) -> None:
    released = threading.Event()
    (trial,) = tried(client, suite.tests[:1], lambda task: released.wait(120), seconds=0.1)
    released.set()
    assert (trial.passed, trial.reason) == (False, "The agent was not done after 0.1 s")


def test_an_agent_with_async_is_cancelled_when_its_time_is_over(client: Client, suite: Suite) -> None:
    cancelled = threading.Event()

    async def agent(task: Task) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()

    (trial,) = tried(client, suite.tests[:1], agent, seconds=0.1)
    assert trial.reason == "The agent was not done after 0.1 s"
    assert cancelled.wait(120)


def test_a_timeout_of_the_agents_own_is_told_as_its_own(client: Client, suite: Suite) -> None:
    async def agent(task: Task) -> None:
        raise TimeoutError("the model did not answer")

    (trial,) = tried(client, suite.tests[:1], agent)
    assert trial.reason == "The agent raised TimeoutError: the model did not answer"


def test_a_test_that_cannot_begin_has_failed_with_the_servers_words(client: Client, suite: Suite) -> None:
    gone = Test("00000000-0000-4000-8000-000000000000", "gone", "", "actionEval", "", {})
    (trial,) = tried(client, [gone], say)
    assert (trial.passed, trial.error) == (False, "test not found (400 test_not_found)")


def test_checks_that_cannot_be_judged_are_an_error_and_no_failure(client: Client, platform: Platform) -> None:
    slow = {"message_text": {"regex": "(a+)+$"}}
    test = {**item("slow"), "expected_output": {"assertions": [{**HELLO, "where": slow}]}}
    made = platform.post("testSuites", {"name": "Slow", "description": "", "tests": [test]})
    (trial,) = tried(client, client.suite(made["id"]).tests, lambda task: say(task, "a" * 40 + "!"))
    assert (trial.status, trial.reason[:28]) == ("error", "The checks cannot be judged:")


def test_an_unknown_suite_is_refused(client: Client) -> None:
    with pytest.raises(RequestRefused, match="test suite not found"):
        client.suite("nowhere")


def test_suites_are_tried_without_a_server_too() -> None:
    seed = {"users": [{"user_id": "U1", "username": "rosa", "email": "r@example.com"}]}
    checks = {"assertions": [{"diff_type": "added", "entity": "channels", "expected_count": 1}]}
    test = {"id": "1", "name": "Begin", "prompt": "", "type": "actionEval", "seed_template": "slack_tiny", **checks}
    suite = {"name": "Tiny", "service": "slack", "tests": [{**test, "impersonate_user_id": "U1"}]}
    with Twindiff() as td:
        td.import_files({"seeds/slack_tiny.json": seed, "suites/tiny.json": suite})
        tests = td.suite(td.suites("tiny")[0].id).tests
        (trial,) = trials(td, tests, lambda task: begin(task, "orders"))
    assert trial.passed, trial.reason


def begin(task: Task, name: str) -> None:
    headers = {"Authorization": f"Bearer {task.token}"}
    url = f"{task.urls['slack']}/conversations.create"
    answer = httpx.post(url, json={"name": name}, headers=headers, trust_env=False).json()
    assert answer["ok"], answer

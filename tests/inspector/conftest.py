"""A world to look at, and a browser to look with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.harness import GENERAL, Environment, LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server import Settings
from twindiff.twins.stripe.account.accounts import OWN

SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
KEY = "a-key"
ADA = "22010040001"
AGENDA = "calendars/agent@example.com"
ISSUE = """mutation { issueCreate(input: {teamId: "%s", title: "A <b>bold</b> plan"}) { issue { identifier } } }"""


class World(NamedTuple):
    """An environment of both twins in which something has happened, and a run of it that failed."""

    server: LiveServer
    platform: Platform
    environment: Environment
    run: str
    thread: str
    issue: str

    @property
    def path(self) -> str:
        return f"/inspect/environments/{self.environment.id}"

    def page(self, path: str, **query: str) -> str:
        """The text of a page of the inspector, by the end of its address."""
        answer = self.server.in_process.get(f"/inspect/{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.text


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    server = LiveServer(Settings())
    platform = Platform(server.in_process)
    made = platform.post(
        "initEnv",
        {
            "templates": ["slack:slack_default", "linear:linear_default"],
            "users": {"slack": "U01AGENBOT9", "linear": "john@example.com"},
            "name": "Both twins",
        },
    )
    environment = Environment(platform, made)
    run = platform.start(environment)
    environment.post(SCRIPT)
    thread = environment.post("Shall we ship?")
    environment.post("Yes, on Friday", thread_ts=thread)
    environment.slack("reactions.add", channel=GENERAL, name="eyes", timestamp=thread)
    environment.slack("chat.postMessage", channel="C0", text="nowhere")
    teams = graphql(environment, "{ teams { nodes { id } } }")["teams"]["nodes"]
    issue = graphql(environment, ISSUE % teams[0]["id"])["issueCreate"]["issue"]["identifier"]
    platform.post(f"env/{environment.id}/checkpoints", {"name": "shipped"})
    expected = {"diff_type": "added", "entity": "slack.messages", "where": {"message_text": "No"}, "expected_count": 1}
    platform.evaluate(run, expected)
    yield World(server, platform, environment, run, thread, issue)
    server.close()


@pytest.fixture(scope="session")
def shop(world: World) -> Environment:
    """A shop after six months, before anything more falls due."""
    clock = {"mode": "steps", "start": "2026-07-04T12:00:00"}
    return world.platform.environment("stripe:stripe_default", user=OWN, clock=clock)


@pytest.fixture(scope="session")
def bikes(world: World) -> Environment:
    """The files of a bike shop."""
    return world.platform.environment("box:box_default", user=ADA)


@pytest.fixture(scope="session")
def company(world: World) -> Environment:
    """A calendar in Los Angeles, on Sunday 17 June 2018."""
    clock = {"mode": "steps", "start": "2018-06-17T07:00:00"}
    return world.platform.environment("calendar:calendar_base", user="user_agent", clock=clock)


class Trials(NamedTuple):
    """A suite of two tests, and two sets of trials: of an agent that fails one of them, and of its next version."""

    suite: str
    before: str
    after: str


@pytest.fixture(scope="session")
def trials(world: World) -> Trials:
    platform = world.platform
    about = {"type": "actionEval", "environmentTemplate": "slack:slack_default", "impersonateUserId": "U01AGENBOT9"}
    tests = [
        {**about, "name": f"Say {text}", "prompt": "<b>Speak</b>", "expected_output": {"assertions": [said(text)]}}
        for text in ("hello", SCRIPT)
    ]
    suite = platform.post("testSuites", {"name": "Manners", "description": "", "tests": tests})["id"]
    hello, script = (each["id"] for each in platform.get(f"testSuites/{suite}")["tests"])

    def tried(test: str, number: int, text: str) -> dict[str, Any]:
        environment = platform.environment(testId=test)
        run = platform.start(environment, testId=test)
        environment.post(text)
        platform.evaluate(run)
        return {"testId": test, "number": number, "runId": run, "seconds": 0.5, "isKept": True}

    def kept(agent: str, *trials: dict[str, Any]) -> str:
        wanted = {"testSuiteId": suite, "agent": agent, "planned": 3, "trials": trials}
        return platform.post("trial-sets", wanted)["trialSetId"]

    failing = [tried(script, number, "good-bye") for number in (1, 2)]
    failing += [tried(hello, 2, "good-bye"), {"testId": hello, "number": 1, "error": "<i>it hung</i>"}]
    return Trials(suite, kept("agent:first", *failing), kept("agent:next", *failing[:1], tried(hello, 1, "hello")))


def said(text: str) -> dict[str, Any]:
    """An assertion that somebody said a text."""
    return {"diff_type": "added", "entity": "messages", "where": {"message_text": text}, "expected_count": 1}


def graphql(environment: Environment, query: str) -> Any:
    """The data of a document sent to the Linear twin."""
    answer = environment.ask("graphql", twin="linear", json={"query": query}).json()
    assert "errors" not in answer, answer
    return answer["data"]


@pytest.fixture(scope="session")
def locked() -> Iterator[LiveServer]:
    """A server with a key."""
    server = LiveServer(Settings(api_key=KEY))
    yield server
    server.close()


@pytest.fixture(scope="module")  # an event loop runs as long as Playwright does, and tests of others begin their own
def browser() -> Iterator[Browser]:
    try:
        path = chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    assert shutil.which(path)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    expect.set_options(timeout=1000 * PATIENCE_SECONDS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=[*flags, "--disable-component-update"])
        yield opened
        opened.close()

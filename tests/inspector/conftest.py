"""A world to look at, and a browser to look with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.harness import GENERAL, Environment, LiveServer, Platform
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server import Settings

SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
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


def graphql(environment: Environment, query: str) -> Any:
    """The data of a document sent to the Linear twin."""
    answer = environment.ask("graphql", twin="linear", json={"query": query}).json()
    assert "errors" not in answer, answer
    return answer["data"]


@pytest.fixture(scope="module")  # an event loop runs as long as Playwright does, and tests of others begin their own
def browser() -> Iterator[Browser]:
    try:
        path = chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    assert shutil.which(path)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=[*flags, "--disable-component-update"])
        yield opened
        opened.close()

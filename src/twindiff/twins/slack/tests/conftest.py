"""A fresh workspace for every test, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.harness import AGENT, JOHN, ROBERT, Environment, LiveServer, Platform
from twindiff.server import Settings
from twindiff.twins.slack.tests.calls import WORLD
from twindiff.twins.slack.wire_style import FORM_ONLY_METHODS

TOKENS = {f"xoxp-{user}": user for user in (AGENT, JOHN, ROBERT)}
SEED = Path(__file__).parents[1] / "seeds" / "slack_default.json"

Rows = dict[str, list[dict[str, Any]]]


class Slack:
    """One user of one workspace: `slack("chat.postMessage", channel=…, text=…)` gives the answer."""

    def __init__(self, environment: Environment, user: str = AGENT) -> None:
        self.environment = environment
        self.token = f"xoxp-{user}"

    @property
    def url(self) -> str:
        """The base URL for an SDK: `WebClient(token=slack.token, base_url=slack.url)`."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrl"])) + "/"

    def __call__(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a request, as a form where Slack takes no JSON, whether it went well or not."""
        if method in FORM_ONLY_METHODS:
            return self.http("POST", method, data=_as_form(parameters)).json()
        return self.environment.slack(method, token=self.token, **parameters)

    def http(self, verb: str, method: str, *, token: str | None = None, **options: Any) -> httpx.Response:
        """The raw answer; `options` are httpx's (`data=`, `params=`, `files=`, `content=`, `headers=`)."""
        given = self.token if token is None else token
        return self.environment.ask(method, verb=verb, twin="slack", token=given, **options)

    def as_user(self, user: str) -> Slack:
        """The same workspace for another user."""
        return Slack(self.environment, user)

    def diff(self, include: str = "plain") -> dict[str, list[dict[str, Any]]]:
        """What has changed since the environment was made."""
        return self.environment.platform.diff(self.environment.made["runId"], include=include)

    def events(self) -> list[dict[str, Any]]:
        """Name and payload of every event so far."""
        journal = self.environment.platform.get(f"env/{self.environment.id}/journal?limit=1000")
        return [event for record in journal["records"] for event in record.get("events", [])]


def _as_form(parameters: dict[str, Any]) -> dict[str, str]:
    given = {name: value for name, value in parameters.items() if value is not None}
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process; SDKs reach it by its address, all else without a socket."""
    server = LiveServer(Settings())
    yield Platform(server.in_process)
    server.close()


@pytest.fixture
def make_server_with_key() -> Iterator[Callable[..., Environment]]:
    """Make an environment on a server of its own that has a platform key."""
    started: list[LiveServer] = []

    def make(template: str) -> Environment:
        started.append(LiveServer(Settings(api_key="key")))
        return Platform(started[-1].client, "key").environment(template)

    yield make
    for server in started:
        server.close()


@pytest.fixture
def workspace(platform: Platform) -> Callable[..., Slack]:
    """Make a workspace of a template: `workspace("slack_default", clock={"mode": "steps"})`."""

    def make(template: str = "slack_default", tokens: dict[str, str] = TOKENS, **options: Any) -> Slack:
        environment = platform.environment(f"slack:{template}", tokens=tokens, **options)
        environment.made["runId"] = platform.start(environment)
        return Slack(environment)

    return make


@pytest.fixture
def workspace_with(platform: Platform, workspace: Callable[..., Slack]) -> Callable[..., Slack]:
    """Make a workspace of slack_default and further rows: `workspace_with(messages=[{…}])`."""

    def make(_options: dict[str, Any] | None = None, **rows: list[dict[str, Any]]) -> Slack:
        seed: Rows = json.loads(SEED.read_text())
        name = f"slack_{uuid4().hex}"
        more = {table: [*seed.get(table, []), *added] for table, added in rows.items()}
        platform.post("import", {"files": {f"{name}.json": {**seed, **more}}})
        return workspace(name, **(_options or {}))

    return make


@pytest.fixture
def world(workspace_with: Callable[..., Slack]) -> Slack:
    """The agent in a fresh workspace in which every method has something to do."""
    return workspace_with(**WORLD)


@pytest.fixture
def slack(workspace: Callable[..., Slack]) -> Slack:
    """The agent (U01AGENBOT9) in a fresh workspace of slack_default."""
    return workspace()


@pytest.fixture
def slack_as(slack: Slack) -> Callable[[str], Slack]:
    """Another user in the same workspace: `slack_as("U02JOHNDOE1")("chat.postMessage", …)`."""
    return slack.as_user


@pytest.fixture
def diff(slack: Slack) -> Callable[..., dict[str, list[dict[str, Any]]]]:
    """What the test has changed so far: `diff()["inserts"]`, `diff(include="all")`."""
    return slack.diff


@pytest.fixture
def upload(slack: Slack) -> Callable[..., dict[str, Any]]:
    """Upload bytes and share them: `upload(b"…", "a.txt", channel_id=…)` gives the file."""

    def upload(
        data: bytes, name: str = "a.txt", *, as_form: bool = False, asked: dict[str, Any] | None = None, **options: Any
    ) -> dict[str, Any]:
        ticket = slack("files.getUploadURLExternal", filename=name, length=len(data), **(asked or {}))
        sent: dict[str, Any] = {"files": {"file": (name, data)}} if as_form else {"content": data}
        assert httpx.post(ticket["upload_url"], **sent).text == f"OK - {len(data)}"
        answer = slack("files.completeUploadExternal", files=[{"id": ticket["file_id"], "title": "T"}], **options)
        assert answer["ok"], answer
        return answer["files"][0]

    return upload

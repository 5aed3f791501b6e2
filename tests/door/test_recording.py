"""A session is recorded of a real vendor, which another environment plays here, and held against a twin."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.door.conftest import make_world
from tests.harness import LiveServer, Platform
from twindiff.cli import app

runner = CliRunner()
SCRIPT = """
import os, slack_sdk
slack = slack_sdk.WebClient("xoxp-real-and-secret")
made = slack.chat_postMessage(channel="C02EFGH5678", text="hello")
slack.chat_update(channel=made["channel"], ts=made["ts"], text="hello again")
print(slack.conversations_history(channel="C02EFGH5678", limit=1)["messages"][0]["text"])
"""


@pytest.fixture(scope="module")
def vendor(door_server: LiveServer) -> str:
    return make_world(Platform(door_server.client), "slack:slack_default").url


@pytest.fixture
def session(vendor, tmp_path) -> Path:
    """A session of a script that posts a message and changes it."""
    file = tmp_path / "session.jsonl"
    upstream = f"slack.com={vendor}"
    options = ["--twin", "slack", "--upstream", upstream, "-o", str(file), "--network", "shared"]
    said = runner.invoke(app, ["record", *options, "--", sys.executable, "-c", SCRIPT])
    assert said.exit_code == 0, said.output
    return file


def replay(file: Path, environment: str, server: LiveServer, *options: str) -> tuple[int, list[dict]]:
    said = runner.invoke(app, ["replay", str(file), environment, "--json", "--base-url", server.url, *options])
    assert said.exit_code in (0, 1), said.output
    return said.exit_code, json.loads(said.stdout)


def test_a_session_has_the_calls_and_no_secrets(session: Path):
    head, *steps = map(json.loads, session.read_text().splitlines())
    assert head == {"kind": "session", "version": 1}
    paths = ["/api/chat.postMessage", "/api/chat.update", "/api/conversations.history"]
    assert [each["request"]["path"] for each in steps] == paths
    assert "real-and-secret" not in session.read_text()
    assert stat.S_IMODE(session.stat().st_mode) == 0o600


def test_a_twin_that_answers_alike_has_no_differences(session: Path, door_server: LiveServer):
    environment = make_world(Platform(door_server.client), "slack:slack_default")
    code, results = replay(session, environment.id, door_server)
    assert (code, [each["differences"] for each in results]) == (0, [[], [], []])
    assert environment.slack("conversations.history", channel="C02EFGH5678")["messages"][0]["text"] == "hello again"


def test_what_a_twin_answers_otherwise_is_said_by_step(session: Path, door_server: LiveServer):
    environment = make_world(Platform(door_server.client), "slack:slack_default")
    environment.slack("conversations.archive", channel="C02EFGH5678")
    code, results = replay(session, environment.id, door_server)
    assert code == 1
    assert ".ts is missing" in results[0]["differences"]
    assert ".error is not the vendor's" in results[0]["differences"]


def test_values_are_compared_if_asked(session: Path, door_server: LiveServer):
    environment = make_world(Platform(door_server.client), "slack:slack_default")
    edited = session.read_text().replace('\\"team_id\\":\\"T01WORKSPACE\\"', '\\"team_id\\":\\"T0\\"')
    session.write_text(edited.replace("hello again", "hello twice", 1))
    code, _ = replay(session, environment.id, door_server, "--values")
    assert code == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"", "is no session"),
        (b'{"kind": "session", "version": 9}\n', "version 9"),
        (b'{"kind": "session", "version": 1}\n{"number": 1}\n', "is no session"),
        (b"\xff\xfe\x00", "is no session"),
    ],
)
def test_a_file_that_is_no_session_is_refused(tmp_path, content, said):
    file = tmp_path / "f.jsonl"
    if content is not None:
        file.write_bytes(content)
    ended = runner.invoke(app, ["replay", str(file), "0" * 32])
    assert ended.exit_code == 1
    assert said in ended.output + str(ended.exception)


def test_hosts_of_no_twin_are_not_recorded_and_not_reached(tmp_path):
    options = ["--twin", "slack", "-o", str(tmp_path / "s"), "--network", "shared"]
    said = runner.invoke(app, ["record", *options, "--", "curl", "-s", "https://evil.com"])
    assert said.exit_code == 56
    assert "CONNECT evil.com:443 (1)" in said.output


@pytest.mark.parametrize("given", ["slack.com", "=http://a", "slack.com="])
def test_an_upstream_without_an_address_is_refused(given):
    ended = runner.invoke(app, ["record", "--upstream", given, "--", "true"])
    assert ended.exit_code == 2
    assert f"--upstream {given}: give a host" in ended.output + str(ended.exception)

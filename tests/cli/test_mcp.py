"""`twindiff env mcp`."""

import json

import pytest
from typer.testing import CliRunner

from tests.harness import AGENT, GENERAL
from twindiff.cli import app
from twindiff.client import Client

MESSAGE = {"name": "chat_postMessage", "arguments": {"channel": GENERAL, "text": "Hi"}}


@pytest.fixture
def env(server):
    with Client(server) as client, client.create("slack:slack_default", user=AGENT) as made:
        yield made


def said(env, server, *messages, options=("--twin", "slack", "--profile", "operations")):
    """What the command answers to messages, each a method with its parameters, or a line."""
    lines = [
        each if isinstance(each, str) else json.dumps({"jsonrpc": "2.0", "id": 7, "method": each[0], "params": each[1]})
        for each in messages
    ]
    given = {"AGENT_DIFF_BASE_URL": server, "TWINDIFF_AGENT_TOKEN": env.token}
    done = CliRunner().invoke(app, ["env", "mcp", env.id, *options], input="\n".join(lines), env=given)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_messages_go_to_the_environment_and_their_responses_come_back(env, server):
    note = '{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    begun, listed, called = said(
        env,
        server,
        ("initialize", {"protocolVersion": "2025-06-18"}),
        note,
        ("tools/list", {}),
        ("tools/call", MESSAGE),
    )
    assert begun["result"]["protocolVersion"] == "2025-06-18"
    assert "chat_postMessage" in {each["name"] for each in listed["result"]["tools"]}
    assert '"ok":true' in called["result"]["content"][0]["text"]


def test_what_is_no_message_is_refused_by_the_server_and_nothing_ends(env, server):
    assert [each["error"]["code"] for each in said(env, server, "{", ("no/such", {}))] == [-32700, -32601]


def test_a_twin_that_the_environment_lacks_is_named_in_the_response(env, server):
    (answer,) = said(env, server, ("tools/list", {}), options=("--twin", "box"))
    assert "has no twin 'box'" in answer["error"]["message"]


def test_an_unknown_environment_ends_the_command_in_one_line(twindiff):
    refused = twindiff("env", "mcp", "zzz")
    assert refused.exit_code == 1
    assert "zzz" in refused.output

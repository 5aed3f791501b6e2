"""An agent that is configured with the address of a vendor's MCP server reaches the twin's through the TLS door."""

from __future__ import annotations

import pytest

from tests.door.conftest import Entry
from tests.harness import GENERAL


@pytest.mark.parametrize(
    ("url", "tool"),
    [
        ("https://mcp.slack.com/mcp", "slack_send_message"),
        ("https://mcp.stripe.com", "create_customer"),
        ("https://mcp.box.com", "who_am_i"),
    ],
)
def test_a_vendors_mcp_server_is_answered_by_its_twin(entry: Entry, url: str, tool: str):
    with entry.client() as client:
        listed = client.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert tool in {each["name"] for each in listed.json()["result"]["tools"]}


def test_a_tool_reads_a_file_from_the_vendors_host_for_downloads(entry: Entry):
    with entry.client() as client:
        found = client.get("https://api.box.com/2.0/search", params={"query": "invoices", "type": "file"}).json()
        given = {"name": "get_file_content", "arguments": {"file_id": found["entries"][0]["id"]}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
        answer = client.post("https://mcp.box.com", json=message).json()
    assert answer["result"]["content"][0]["text"].startswith("invoice,customer,amount,status")


def test_a_call_of_a_tool_is_logged_with_its_host(entry: Entry):
    before = len(entry.calls())
    given = {"name": "slack_post_message", "arguments": {"channel_id": GENERAL, "text": "Hi"}}
    with entry.client() as client:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
        answer = client.post("https://mcp.slack.com/mcp", json=message)
    assert not answer.json()["result"]["isError"]
    assert [(each["operation"], each["host"]) for each in entry.calls(before)] == [
        ("chat.postMessage", "mcp.slack.com")
    ]

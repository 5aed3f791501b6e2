"""MCP of twins: which tools there are, and that a call of one is a call like any other."""

from __future__ import annotations

import json
from typing import Any

import httpx
import jsonschema
import pytest

from tests.harness import AGENT, GENERAL, Environment, LiveServer, Platform
from tests.mcp_messages import ask, call_tool, list_tools, refusal, send_message
from twindiff.environments.registry import Registry
from twindiff.kit.agent_tools import AgentTool
from twindiff.kit.http import Request, Response
from twindiff.kit.twin import Twin

TWINS = [
    twin
    for name, twin in sorted(Registry.load_installed().twins.items())
    if name in ("box", "calendar", "linear", "slack", "stripe")
]
WORLD = [f"{twin.name}:{twin.name}_default" for twin in TWINS]
OPERATIONS = "profile=operations"
CALLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "box": ("get_folder", {"folder_id": "0"}, '"type":"folder"'),
    "calendar": ("list_events", {"calendarId": "primary", "maxResults": 1}, '"kind":"calendar#events"'),
    "linear": ("issues", {"first": 1}, '"nodes":[{"id":'),
    "slack": ("users_info", {"user": AGENT}, f'"id":"{AGENT}"'),
    "stripe": ("list_customers", {"limit": 1}, '"url":"/v1/customers"'),
}
"""A call for each twin, and a part of its result."""
PART = {"upload_session_id": "1", "digest": "d", "content_range": "r"}


def make_world(platform: Platform) -> Environment:
    """An environment with all twins, whose clock runs in steps."""
    templates = {each["name"]: each["id"] for each in platform.get("templates")["templates"]}
    people = {name: platform.get(f"templates/{templates[f'{name}_default']}")["users"][0]["id"] for name in CALLS}
    options = {"users": people | {"slack": AGENT}, "clock": {"mode": "steps"}}
    return Environment(platform, platform.post("initEnv", {"templates": WORLD, **options}))


@pytest.fixture(scope="module")
def world(platform: Platform) -> Environment:
    """An environment with all twins."""
    return make_world(platform)


async def keep(sent: list[Request], request: Request) -> Response:
    sent.append(request)
    return Response(b"{}")


def send_once(tool: AgentTool, arguments: dict[str, Any]) -> Request:
    """The request that a tool sends."""
    sent: list[Request] = []
    work = tool.run(lambda request: keep(sent, request), arguments)
    with pytest.raises(StopIteration):
        work.__await__().__next__()
    return sent[0]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_each_tool_of_an_operation_calls_that_operation(twin: Twin):
    wrong: list[str] = []
    for tool in twin.operation_tools:
        places = {name: "x" for name in tool.schema.get("required", []) if f"{{{name}" in tool.operation}
        exchange = twin.exchange(send_once(tool, places), "")
        if exchange is None or (" /" in tool.operation and exchange.operation.name != tool.operation):
            wrong.append(tool.name)
    assert wrong == []


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_tools_have_names_and_schemas_that_models_take(twin: Twin):
    for tool in twin.operation_tools[::4]:  # to check a schema takes long
        jsonschema.Draft202012Validator.check_schema(tool.schema)
    for tool in twin.operation_tools:
        assert tool.schema["type"] == "object"
        assert tool.name.replace("_", "").replace("-", "").isalnum()
        assert len(tool.name) + len(twin.name) < 64
        assert tool.description
    assert len({tool.name for tool in twin.operation_tools}) == len(twin.operation_tools)


@pytest.mark.parametrize("name", CALLS)
def test_a_tool_answers_what_the_twin_answers(world: Environment, name: str):
    tool, arguments, part = CALLS[name]
    text, is_error = call_tool(world, tool, arguments, twin=name, query=OPERATIONS)
    assert part in text
    assert not is_error


def test_the_tools_of_a_whole_environment_have_their_twins_in_their_names(world: Environment):
    tools = list_tools(world, query=f"{OPERATIONS}&tools=all")
    assert {"slack_chat_postMessage", "stripe_create_customer", "linear_issueCreate", "search_tools"} <= tools.keys()
    assert f'"id":"{AGENT}"' in call_tool(world, "slack_users_info", {"user": AGENT}, query=OPERATIONS)[0]


@pytest.mark.parametrize(
    ("query", "fewest", "most"), [("tools=core", 10, 60), ("tools=all", 200, 300), ("tools=read", 100, 200)]
)
def test_a_client_chooses_how_many_tools_it_gets(world: Environment, query: str, fewest: int, most: int):
    assert fewest < len(list_tools(world, "slack", f"{OPERATIONS}&{query}")) < most


def test_reading_tools_are_all_that_a_reader_gets(world: Environment):
    query = f"{OPERATIONS}&tools=read"
    tools = list_tools(world, "slack", query)
    assert {each["annotations"]["readOnlyHint"] for each in tools.values()} == {True}
    assert refusal(world, "chat_postMessage", twin="slack", query=query).startswith("There is no tool")


def test_tools_say_whether_they_read_or_destroy(world: Environment):
    tools = list_tools(world, "slack", f"{OPERATIONS}&tools=all")
    hints = {
        name: (*tools[name]["annotations"].values(),) for name in ("users_info", "chat_delete", "chat_postMessage")
    }
    assert hints == {"users_info": (True, False), "chat_delete": (False, True), "chat_postMessage": (False, False)}


def test_tools_are_found_by_words_and_called_though_they_are_not_listed(world: Environment):
    found = json.loads(call_tool(world, "search_tools", {"query": "pin message"}, twin="slack", query=OPERATIONS)[0])
    assert "pins_add" in [each["name"] for each in found]
    arguments = {"name": "emoji_list", "arguments": {}}
    assert '"ok":true' in call_tool(world, "call_tool", arguments, twin="slack", query=OPERATIONS)[0]


@pytest.mark.parametrize(
    ("twin", "tool", "arguments", "part"),
    [
        ("slack", "chat_postMessage", {"channel": "C0", "text": "Hi"}, '{"ok":false,"error":"channel_not_found"}'),
        ("stripe", "create_customer", {"emial": "a@b.c"}, "Did you mean email?"),
        ("stripe", "retrieve_customer", {"id": "a/sources"}, "must not contain '/'"),
        ("box", "get_folder", {}, '"name":"folder_id","message":"\'folder_id\' is required"'),
        ("stripe", "list_customer_payment_methods", {"customer": "cus_x", "params": ".."}, "Expected `object`"),
        (
            "box",
            "upload_part",
            {"upload_session_id": "1", "digest": "d", "content_range": "r", "data": "é"},
            "not_found",
        ),
        ("linear", "issueCreate", {"input": {"title": "x"}}, "GRAPHQL_VALIDATION_FAILED"),
        ("calendar", "get_event", {"calendarId": "primary", "eventId": "none"}, '"reason":"notFound"'),
    ],
)
def test_an_error_of_the_vendor_is_a_result(
    world: Environment, twin: str, tool: str, arguments: dict[str, Any], part: str
):
    text, is_error = call_tool(world, tool, arguments, twin=twin, query=OPERATIONS)
    assert part in text
    assert is_error


def test_an_unknown_tool_is_refused_in_one_sentence_with_the_nearest(world: Environment):
    said = refusal(world, "chat_postMesage", twin="slack", query=OPERATIONS)
    assert said == "There is no tool 'chat_postMesage'. Did you mean 'chat_postMessage'?"


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("tools=reed", "tools is one of core, all, read, not 'reed'. Did you mean 'read'?"),
        ("profile=mine", "profile is one of vendor, operations, not 'mine'."),
    ],
)
def test_a_choice_that_there_is_not_is_refused(world: Environment, query: str, detail: str):
    answer = send_message(world, {}, twin="slack", query=query)
    assert (answer.status_code, answer.json()["detail"]) == (400, detail)


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        (b"{", 400, -32700),
        ([], 400, -32600),
        ({"jsonrpc": "2.0", "id": 1}, 400, -32600),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, 400, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, 200, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}, 200, -32602),
        (
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "users_info", "arguments": []}},
            200,
            -32602,
        ),
    ],
)
def test_a_malformed_message_is_refused(world: Environment, message: Any, status: int, code: int):
    answer = send_message(world, message, twin="slack", query=OPERATIONS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_revisions_are_negotiated(world: Environment):
    versions = ("2024-11-05", "2025-11-25", "2030-01-01")
    agreed = [ask(world, "initialize", protocolVersion=each)["result"]["protocolVersion"] for each in versions]
    assert agreed == ["2024-11-05", "2025-11-25", "2025-11-25"]


def test_a_revision_without_a_handshake_is_spoken_and_an_unknown_one_refused(world: Environment):
    message = {"jsonrpc": "2.0", "id": 1, "method": "server/discover"}
    modern = send_message(world, message, **{"MCP-Protocol-Version": "2026-07-28"}).json()["result"]
    assert (modern["resultType"], modern["supportedVersions"][-1]) == ("complete", "2026-07-28")
    refused = send_message(world, message, **{"MCP-Protocol-Version": "2030-01-01"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32022)


def test_notifications_are_accepted_and_other_verbs_are_not(world: Environment):
    noted = send_message(world, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    stream = world.platform.client.get(f"/api/env/{world.id}/mcp")
    assert (noted.status_code, stream.status_code, stream.headers["allow"]) == (202, 405, "POST")


def test_arguments_above_the_limits_are_refused(world: Environment):
    huge = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "x", "arguments": {"a": "x" * 4_000_000}},
    }
    assert send_message(world, huge, twin="slack").status_code == 413
    long = {"name": "x" * 1_100_000, "parent": {"id": "0"}}
    text, is_error = call_tool(world, "create_folder", long, twin="box", query=OPERATIONS)
    assert "larger than 1,000,000 bytes" in text
    assert is_error


def test_a_token_of_another_environment_opens_nothing(world: Environment, platform: Platform):
    other = platform.environment()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    for twin in ("slack", ""):
        answer = send_message(world, message, twin=twin, Authorization=f"Bearer {other.token}")
        assert answer.status_code == 403
        assert "another environment" in answer.text


def test_a_server_with_a_key_wants_it_or_the_agents_token(make_server: Any):
    live: LiveServer = make_server(api_key="k")
    environment = Platform(live.client, "k").environment()
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    url = f"/api/env/{environment.id}/mcp"
    given = ({}, {"X-API-Key": "no"}, {"X-API-Key": "k"}, {"Authorization": f"Bearer {environment.token}"})
    codes = [live.client.post(url, json=message, headers=headers).status_code for headers in given]
    assert codes == [401, 401, 200, 200]


def test_an_unknown_environment_is_refused_in_one_sentence(platform: Platform):
    answer: httpx.Response = platform.client.post(f"/api/env/{'0' * 32}/mcp", json={})
    assert (answer.status_code, answer.json()["error"]) == (404, "environment_not_found")


def test_a_call_by_mcp_is_in_the_call_log_and_subject_to_faults(platform: Platform):
    environment = platform.environment()
    call_tool(environment, "chat_postMessage", {"channel": GENERAL, "text": "Hi"}, twin="slack", query=OPERATIONS)
    fault = {"kind": "rate_limit", "operation": "chat.postMessage"}
    platform.ask("PUT", f"env/{environment.id}/faults", {"faults": [fault]})
    text, is_error = call_tool(
        environment, "chat_postMessage", {"channel": GENERAL, "text": "Hi"}, twin="slack", query=OPERATIONS
    )
    calls = platform.get(f"env/{environment.id}/calls")["calls"]
    assert (text, is_error) == ('{"ok":false,"error":"ratelimited"}', True)
    assert [(each["operation"], each["actor"], each["error"]) for each in calls] == [
        ("chat.postMessage", AGENT, None),
        ("chat.postMessage", "", "fault_rate_limit"),
    ]


def test_checks_on_calls_and_transcripts_know_of_calls_by_mcp(platform: Platform):
    environment = platform.environment()
    run = platform.start(environment)
    call_tool(environment, "slack_search_channels", {"query": "general"}, twin="slack")
    call_tool(environment, "slack_post_message", {"channel_id": GENERAL, "text": "Hi"}, twin="slack")
    listed = {"response": {"operation": "conversations.list"}, "expected_count": 1}
    posted = {"response": {"operation": "chat.postMessage", "actor": AGENT, "status": 200}, "expected_count": 1}
    spec = {"version": "1", "assertions": [listed, posted]}
    assert platform.post("evaluateRun", {"runId": run, "expectedOutput": spec})["passed"]
    (*_, last) = platform.get(f"env/{environment.id}/calls", transcripts=True)["calls"]
    request = last["transcript"]["request"]
    assert (request["path"], json.loads(request["body"]["text"])) == (
        "/api/chat.postMessage",
        {"channel": GENERAL, "text": "Hi"},
    )

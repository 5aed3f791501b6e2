"""MCP for operators: runs of all kinds at /mcp, environments at /api/platform/mcp, and neither for agents."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema
import pytest

from tests.harness import AGENT, GENERAL, Environment, LiveServer, Platform
from twindiff.server.mcp.control_door import ENVIRONMENTS_PATH, RUNS_PATH

Json = dict[str, Any]
ADDED = {"diff_type": "added", "entity": "messages", "where": {"message_text": {"eq": "Hi"}}, "expected_count": 1}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def call(platform: Platform, path: str, name: str, **arguments: Any) -> Json:
    """The result of a tool, which must be a success."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    result = platform.client.post(path, json=message).json()["result"]
    assert not result["isError"], result
    told = json.loads(result["content"][0]["text"])
    assert told == result["structuredContent"]
    jsonschema.validate(told, schemas_of(platform, path)[name] or {})
    return told


@cache
def schemas_of(platform: Platform, path: str) -> dict[str, Json | None]:
    """The schemas of the tools' results."""
    tools = platform.client.post(path, json=LIST).json()["result"]["tools"]
    return {each["name"]: each.get("outputSchema") for each in tools}


def test_a_coding_agent_builds_an_environment_and_judges_a_run(platform: Platform):
    def use(name: str, **arguments: Any) -> Json:
        return call(platform, ENVIRONMENTS_PATH, name, **arguments)

    environment = Environment(
        platform, use("create_environment", templates=["slack:slack_default"], impersonateUserId=AGENT)
    )
    run = use("start_run", envId=environment.id)["runId"]
    environment.post("Hi")
    assert [row["message_text"] for row in use("diff_run", runId=run)["diff"]["inserts"]] == ["Hi"]
    assert use("judge_run", runId=run, expectedOutput={"assertions": [ADDED]})["passed"]
    assert use("explain_run", runId=run)["passed"]
    where = {"envId": environment.id, "table": "messages", "where": json.dumps({"channel_id": GENERAL})}
    assert "Hi" in [row["message_text"] for row in use("list_rows", **where)["rows"]]
    assert len(use("fork_environment", envId=environment.id, count=2)["environments"]) == 2
    assert use("rewind_environment", envId=environment.id, to=0)["to"] == 0


def test_a_run_made_by_argas_tools_names_the_mcp_servers_of_its_twins(platform: Platform):
    run = call(platform, RUNS_PATH, "create_twin_run", twins=["slack"], public=False)
    run = call(platform, RUNS_PATH, "get_twin_run", run_id=run["run_id"])
    twin = run["twins"]["slack"]
    assert (twin["mcp_url"], twin["mcp"]["url"]) == (f"{twin['base_url']}/mcp",) * 2
    assert platform.client.post(twin["mcp_url"], json=LIST).status_code == 401
    for given in ({"x-proxy-token": run["proxy_token"]}, {"Authorization": f"Bearer {run['proxy_token']}"}):
        assert "slack_post_message" in platform.client.post(twin["mcp_url"], json=LIST, headers=given).text


def test_tools_for_operators_describe_their_results(platform: Platform):
    known = schemas_of(platform, ENVIRONMENTS_PATH)
    assert {name for name, schema in known.items() if not schema} == set()
    for schema in known.values():
        jsonschema.Draft202012Validator.check_schema(schema or {})


@pytest.mark.parametrize("path", [RUNS_PATH, ENVIRONMENTS_PATH])
def test_an_agent_gets_no_tool_of_its_operators(platform: Platform, path: str):
    environment = platform.environment()
    answer = platform.client.post(path, json=LIST, headers={"Authorization": f"Bearer {environment.token}"})
    assert answer.status_code in (401, 403)
    assert answer.json()["error"] == "unauthorized"
    assert platform.get(f"env/{environment.id}/calls")["calls"][-1]["operation"] == f"POST {path}"


def test_a_server_with_a_key_wants_it_for_its_tools(make_server: Any):
    live: LiveServer = make_server(api_key="k")
    given: tuple[dict[str, str], ...] = ({}, {"X-API-Key": "k"}, {"Authorization": "Bearer k"})
    for path in (RUNS_PATH, ENVIRONMENTS_PATH):
        assert [live.client.post(path, json=LIST, headers=each).status_code for each in given] == [401, 200, 200]


def test_a_mistake_is_a_result_in_the_words_of_the_api(platform: Platform):
    given = {"name": "create_environment", "arguments": {"template": "x"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": given}
    result = platform.client.post(ENVIRONMENTS_PATH, json=message).json()["result"]
    assert "Did you mean 'templates'?" in result["content"][0]["text"]
    assert result["isError"]

"""Agents, sessions, threads and agents of other systems, over HTTP. What agents say is in the template."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .conftest import Notion, rewrite_rows

NOTES, ARCHIVIST, SLOW, BROKEN, OUTSIDE = (f"00000000-0000-4000-8000-00000000ca{number:02d}" for number in range(1, 6))
GHOST = "11111111-1111-4111-8111-111111111111"
HERS = "00000000-0000-4000-8000-000000005e01"
EXTERNAL = f"external_agent_stub/{OUTSIDE}"


@pytest.fixture
def notion(workspace: Any) -> Notion:
    """A workspace with agents whose clock stands still."""
    return workspace("notion_agents", clock={"mode": "frozen", "start": "2026-03-02T08:00:00"})


@pytest.fixture(scope="module")
def shared(workspace: Any) -> Notion:
    """A workspace with agents in which nothing may change."""
    return workspace("notion_agents")


def start(notion: Notion, agent: str, message: str = "Write notes", **body: Any) -> str:
    return notion("POST", "sessions", {"agent_id": agent, "message": message, **body})["id"]


def said(notion: Notion, session: str, **query: Any) -> list[tuple[str, str]]:
    """The types and texts of the events of a session."""
    events = notion("POST", f"sessions/{session}/events/query", query)["results"]
    return [(each["type"], each.get("status") or each["content"][0]["text"]) for each in events]


def names(notion: Notion, **query: Any) -> list[str]:
    return [each["name"] for each in notion("POST", "agents/query", query)["results"]]


def test_an_agent_answers_in_a_session_what_its_row_says(notion: Notion):
    session = start(notion, NOTES)
    answered = [
        ("user.message", "Write notes"),
        ("agent.message", "Notes are written."),
        ("session.status", "completed"),
    ]
    assert said(notion, session) == answered
    shown = notion("GET", f"sessions/{session}")
    assert (shown["status"], shown["title"], shown["message_count"]) == ("completed", "Write notes", 2)
    notion("POST", "sessions", {"session_id": session, "message": "More"})
    only = {"and": [{"property": "type", "event_type": {"in": ["user.message"]}},
                    {"property": "sequence", "number": {"greater_than": 1}}]}  # fmt: skip
    assert said(notion, session, filter=only) == [("user.message", "More")]
    added = {each["__table__"] for each in notion.diff()["inserts"]}
    assert added == {"notion_agent_sessions", "notion_agent_events"}


def test_an_agent_without_an_answer_repeats_the_message_behind_a_mark(notion: Notion):
    session = start(notion, "notion_ai", "Hello")
    assert said(notion, session)[1] == ("agent.message", "[twin] Notion Agent was told: Hello")


@pytest.mark.parametrize(
    ("option", "answer"),
    [
        ("approve", "The pages are in the trash."),
        ("reject", "[twin] Archivist was not allowed to: Move 3 pages to the trash"),
    ],
)
def test_an_agent_that_asks_for_approval_waits_for_a_decision(notion: Notion, option: str, answer: str):
    session = start(notion, ARCHIVIST)
    [action] = notion("GET", f"sessions/{session}")["required_actions"]
    assert action["title"] == "Move 3 pages to the trash"
    assert notion.refused("POST", "sessions", {"session_id": session, "message": "And?"})[:2] == (409, "conflict_error")
    wrong = {"session_id": session, "actions": [{"action_id": GHOST, "option_id": option}]}
    assert notion.refused("POST", "sessions", wrong)[0] == 400
    decision = {"action_id": action["action_id"], "option_id": option}
    assert notion("POST", "sessions", {"session_id": session, "actions": [decision]})["status"] == "completed"
    assert said(notion, session)[-2] == ("agent.message", answer)


def test_an_agent_that_takes_its_time_answers_when_the_clock_is_there_unless_it_is_canceled(notion: Notion):
    first, second = start(notion, SLOW, "one"), start(notion, SLOW, "two")
    assert notion("GET", f"sessions/{first}")["status"] == "in_progress"
    assert notion("POST", f"sessions/{second}/cancel", {})["status"] == "canceled"
    notion.environment.platform.post(f"env/{notion.environment.made['environmentId']}/clock", {"advance": 61})
    wanted = {"property": "status", "status": {"equals": "completed"}}
    assert [each["id"] for each in notion("POST", "sessions/query", {"filter": wanted})["results"]] == [first]
    assert notion.refused("POST", f"sessions/{second}/cancel", {})[0] == 409
    assert said(notion, second)[-1] == ("session.status", "canceled")


def test_a_run_that_fails_says_why_to_sessions_and_threads(notion: Notion):
    thread = notion("POST", f"agents/{BROKEN}/chat", {"message": "Hi"})["thread_id"]
    assert notion("GET", f"sessions/{thread}")["error"]["message"] == "The model is not available."
    [shown] = notion("GET", f"agents/{BROKEN}/threads?id={thread}")["results"]
    assert (shown["status"], shown["error"]) == ("failed", "The model is not available.")


def test_a_thread_is_begun_continued_and_listed(notion: Notion):
    begun = notion("POST", f"agents/{NOTES}/chat", {"message": "Hi"})
    thread = begun["thread_id"]
    assert (begun["object"], begun["status"]) == ("chat.invocation", "pending")
    notion("POST", f"agents/{NOTES}/chat", {"message": "Again", "thread_id": thread})
    notion("POST", f"threads/{thread}/messages", {"message": "Third"})
    told = notion("GET", f"threads/{thread}/messages?role=user&page_size=2&verbose=false")
    assert ([each["content"] for each in told["results"]], told["has_more"]) == (["Hi", "Again"], True)
    [_, answer, *_] = notion("POST", f"threads/{thread}/messages/query", {})["results"]
    assert (answer["role"], answer["content_parts"]) == ("agent", [{"type": "text", "text": "Notes are written."}])
    found = notion("POST", f"agents/{NOTES}/threads/query", {"filter": {"status": ["success"], "created_by": ["me"]}})
    assert [(each["id"], each["status"]) for each in found["results"]] == [(thread, "completed")]
    assert notion("GET", f"agents/{NOTES}/threads?activity=failed")["results"] == []


def test_a_thread_goes_on_after_a_decision(notion: Notion):
    thread = notion("POST", f"agents/{ARCHIVIST}/chat", {"message": "Tidy"})["thread_id"]
    [shown] = notion("GET", f"agents/{ARCHIVIST}/threads?status=requires_action")["results"]
    [action] = shown["pending_user_actions"]
    notion("POST", f"threads/{thread}/continue", {"action_id": action["id"], "option_id": "approve"})
    assert notion("GET", f"threads/{thread}/messages")["results"][-1]["content"] == "The pages are in the trash."


def test_a_session_streams_its_events_and_replays_them(notion: Notion):
    accept = {"Accept": "text/event-stream"}
    body = {"agent_id": NOTES, "message": "Hi"}
    answer = notion.http("POST", "sessions", json=body, headers=accept)
    frames = [json.loads(each) for each in re.findall(r"data: (.*)\n\n", answer.text)]
    kinds = ["session.snapshot", *["event.committed"] * 3, "stream.end"]
    assert (answer.headers["content-type"], [each["type"] for each in frames]) == (accept["Accept"], kinds)
    after = {"session_id": frames[0]["session"]["id"], "continue_from": frames[2]["event"]["id"]}
    assert notion.http("POST", "sessions", json=after, headers=accept).text.count("event.committed") == 2
    assert notion.refused("POST", "sessions", after)[0] == 400


def test_a_chat_streams_lines_of_json(notion: Notion):
    body = {"message": "Hi", "metadata": {"user_id": "u1"}}
    for path, headers in (
        (f"agents/{NOTES}/chat", {"Accept": "application/x-ndjson"}),
        (f"agents/{NOTES}/chatStream", {}),
    ):
        lines = [json.loads(each) for each in notion.http("POST", path, json=body, headers=headers).text.splitlines()]
        assert [each["type"] for each in lines] == ["started", "message", "message", "done"]
        assert (lines[2]["content"], lines[3]["metadata"]) == ("Notes are written.", {"user_id": "u1"})


def test_agents_are_found_by_text_filter_and_sort(shared: Notion):
    assert names(shared) == ["Notion Agent", "Release notes", "Archivist", "Researcher", "Broken"]
    assert names(shared, query="old") == ["Archivist"]
    custom = {"property": "agent_type", "string": {"equals": "custom_agent"}}
    newest = [{"property": "created_time", "direction": "descending"}]
    assert names(shared, filter=custom, sorts=newest, page_size=1) == ["Broken"]
    either = [{"property": "id", "id": {"equals": NOTES}}, {"property": "id", "id": {"equals": SLOW}}]
    late = {"property": "created_time", "date": {"after": "2026-01-07T00:00:00.000Z"}}
    assert names(shared, filter={"and": [{"or": either}, late]}) == ["Researcher"]
    assert names(shared, filter={"property": "id", "id": {"equals": NOTES.replace("-", "")}}) == ["Release notes"]
    listed = shared("GET", f"agents?agent_type=external&agent_type=custom_agent&agent_ids={OUTSIDE}&agent_ids={NOTES}")
    assert [each["name"] for each in listed["results"]] == ["Release notes", "Outside"]
    shown = (shared("GET", f"agents/{NOTES}{query}") for query in ("", "?verbose=true"))
    assert [each.get("instructions") for each in shown] == [None, "Write short notes."]


def test_agents_are_disabled_limited_counted_and_deleted(notion: Notion):
    start(notion, NOTES)
    assert notion("PATCH", f"agents/{NOTES}/status", {"status": "disabled"})["pause_reason"] == "disabled_from_api"
    assert notion.refused("POST", f"agents/{NOTES}/chat", {"message": "Hi"})[0] == 400
    assert notion("PATCH", f"agents/{NOTES}/credit_limit", {"credit_limit": 5})["credit_limit"] == 5
    shown = notion("GET", f"agents/{NOTES}/insights")
    assert (shown["runs_completed"], shown["total_credits_used"], shown["credit_limit"]) == (2, 2, 5)
    assert notion("GET", f"agents/{NOTES}/insights?start_time=1800000000000")["runs_completed"] == 0
    assert notion("DELETE", f"agents/{NOTES}")["status"] == "deleted"
    assert ("Release notes" in names(notion), "Release notes" in names(notion, include_deleted=True)) == (False, True)
    assert notion.refused("PATCH", f"agents/{NOTES}/status", {"status": "active"})[0] == 400


def test_a_batch_applies_each_operation_by_itself(notion: Notion):
    operations = [{"action": "update_status", "agent_id": NOTES, "fields": {"status": "disabled"}},
                  {"action": "delete", "agent_id": GHOST}, {"action": "delete", "agent_id": SLOW}]  # fmt: skip
    task = notion("POST", "agents/batch", {"operations": operations})
    results = notion("GET", f"async_tasks/{task['id']}")["result"]["results"]
    assert [(each["index"], each["outcome"]) for each in results] == [(0, "success"), (1, "error"), (2, "success")]
    assert (results[1]["error"]["code"], notion("GET", f"agents/{SLOW}")["status"]) == ("object_not_found", "deleted")


def test_an_agent_of_another_system_has_vaults_and_sessions(notion: Notion):
    target = {"type": "mcp_server", "server_url": "https://mcp.test", "authorization": {"type": "bearer"}}
    credential = {"value": "s3cret", "expires_at": "2026-04-01T00:00:00Z"}
    vault = notion("POST", f"{EXTERNAL}/vaults", {"name": "Mail", "credential": credential, "target": target})
    assert (vault["status"], "value" in vault["credential"]) == ("active", False)
    path = f"{EXTERNAL}/vaults/{vault['id']}"
    renewed = {"expected_version": 1, "credential": {**credential, "expires_at": "2026-01-01T00:00:00Z"}}
    assert (notion("PATCH", path, renewed)["status"], notion.refused("PATCH", path, renewed)[0]) == ("expired", 409)
    server = {"name": "m", "server_url": "https://mcp.test", "credential": {"type": "vault", "vault_id": vault["id"]}}
    session = notion("POST", f"{EXTERNAL}/sessions", {"model": "m1", "configs": {"mcp_servers": [server]}})
    messages = f"{EXTERNAL}/sessions/{session['session_id']}/messages"
    runs = {notion("POST", messages, {"message": "Hi", "client_message_id": "1"})["run_id"] for _ in range(2)}
    events = notion("GET", f"{EXTERNAL}/sessions/{session['session_id']}/events")
    assert (len(runs), events["events"]) == (1, [{"type": "assistant.message", "text": "Hello from outside."}])
    assert (events["is_running"], notion.http("DELETE", path).status_code) == (False, 200)


BAD: list[tuple[str, str, Any, str]] = [
    ("POST", "sessions", {}, "body.message should be defined"),
    ("POST", "sessions", {"message": " "}, "body.message should be defined"),
    ("POST", "sessions", {"message": "x", "actions": []}, "body.actions should be not present"),
    ("POST", "sessions", {"actions": [{"action_id": GHOST, "option_id": "maybe"}]}, "option_id should be"),
    ("POST", "sessions", {"message": "x" * 10_001}, "body.message.length should be ≤ `10000`"),
    (
        "POST",
        "sessions/query",
        {"filter": {"property": "name", "string": {"equals": "x"}}},
        "body.filter.property should be",
    ),
    ("POST", "sessions/query", {"filter": {"and": [{"or": [{"and": []}]}]}}, "should be not present"),
    (
        "POST",
        "sessions/query",
        {"sorts": [{"property": "title", "direction": "ascending"}]},
        "body.sorts[0].property should be",
    ),
    ("POST", "agents/query", {"filter": {"property": ["id"]}}, "body.filter.property should be"),
    ("POST", "agents/query", {"filter": {"property": "id", "id": {}}}, "body.filter.id.equals should be defined"),
    ("POST", "agents/batch", {"operations": [{"action": ["delete"]}]}, "body.operations[0].action should be"),
    ("GET", "agents?agent_ids=zz", None, "query.agent_ids should be a valid uuid"),
    ("GET", "agents?created_by=zz", None, "query.created_by should be a valid uuid"),
    ("GET", f"agents/{NOTES}/insights?start_time=1e30", None, "query.start_time should be"),
    ("GET", f"agents/{NOTES}/insights?end_time=nan", None, "query failed validation: query.end_time"),
    ("POST", "sessions", {"message": "x", "agent_id": "zz"}, "body.agent_id should be a valid uuid"),
    ("POST", "agents/query", {"page_size": 0}, "body.page_size should be ≥ `1`"),
    (
        "POST",
        "agents/query",
        {"filter": {"property": "status", "status": {"equals": "active"}}},
        "body.filter.status.equals should be not present",
    ),
    ("GET", "agents?page_size=101", None, "query.page_size should be ≤ `100`"),
    ("GET", "agents?agent_type=robot", None, "query.agent_type[0] should be"),
    ("GET", "agents/zz9", None, "path.agent_id should be a valid uuid"),
    ("PATCH", f"agents/{NOTES}/status", {"status": "deleted"}, "body.status should be"),
    ("PATCH", f"agents/{NOTES}/credit_limit", {"credit_limit": -1}, "body.credit_limit should be a number ≥ `0`"),
    ("PATCH", "agents/notion_ai/status", {"status": "disabled"}, "not a custom agent"),
    ("POST", "agents/batch", {"operations": []}, "body.operations.length should be ≥ `1`"),
    ("POST", "agents/batch", {"operations": [{"action": "copy"}]}, "body.operations[0].action should be"),
    ("POST", f"agents/{NOTES}/chat", {}, "body.message should be defined"),
    ("POST", f"agents/{NOTES}/chat", {"attachments": [{"file_upload": {"id": GHOST}}]}, "Could not find file_upload"),
    ("POST", f"agents/{NOTES}/threads/query", {"filter": {"status": ["done"]}}, "body.filter.status[0] should be"),
    ("POST", f"external_agent_stub/{NOTES}/sessions", {}, "is no external agent"),
    ("POST", f"{EXTERNAL}/vaults", {"name": "x"}, "body.credential should be defined"),
]


@pytest.mark.parametrize(("verb", "path", "body", "message"), BAD, ids=[f"{each[1]} {each[3]}"[:60] for each in BAD])
def test_bad_requests_of_agents_are_refused_and_nothing_is_made(
    shared: Notion, verb: str, path: str, body: Any, message: str
):
    status, code, told = shared.refused(verb, path, body)
    assert (status, code, message in told) == (400, "validation_error", True), told
    assert [*shared.diff().values()] == [[], [], []]


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("GET", f"agents/{GHOST}", None),
        ("GET", f"sessions/{GHOST}", None),
        ("GET", f"threads/{GHOST}/messages", None),
        ("POST", "sessions", {"session_id": GHOST, "message": "x"}),
        ("POST", f"agents/{NOTES}/chat", {"thread_id": GHOST, "message": "x"}),
        ("DELETE", f"{EXTERNAL}/vaults/{GHOST}", None),
    ],
)
def test_agents_sessions_threads_and_vaults_that_are_not_there_are_not_found(
    shared: Notion, verb: str, path: str, body: Any
):
    assert shared.refused(verb, path, body)[:2] == (404, "object_not_found")


def test_an_integration_sees_the_agents_that_are_shared_with_it(notion: Notion):
    narrow = rewrite_rows(notion, "notion_users", shared_with=[NOTES])
    assert names(narrow) == ["Notion Agent", "Release notes"]
    assert narrow.refused("POST", f"agents/{SLOW}/chat", {"message": "Hi"})[0] == 404


def test_an_integration_does_not_see_the_sessions_of_others(shared: Notion):
    assert [shared(*each)["results"] for each in (("POST", "sessions/query"), ("GET", f"agents/{NOTES}/threads"))] == [
        [],
        [],
    ]
    assert shared.refused("GET", f"sessions/{HERS}")[:2] == (404, "object_not_found")
    assert shared.refused("POST", f"threads/{HERS}/messages", {"message": "x"})[:2] == (404, "object_not_found")

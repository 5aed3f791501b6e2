"""Sessions: talking to an agent and reading what happened. https://developers.notion.com/reference/notion-agent-apis/update-session"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from twindiff.kit import Body, Call, Operations
from twindiff.kit.http import Response

from ..core.body_rules import (
    Rules,
    allow_one,
    array,
    check_body,
    choice,
    invalid_body,
    nullable,
    number,
    obj,
    text,
    uuid,
)
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..tables.agent_tables import AgentEvent, AgentSession
from ..wire_style import ValidationError
from .agent_filters import TIMES, FilterField, filter_rule, is_match, sort_rows, sorts_rule
from .agent_objects import (
    agent_of,
    event_object,
    find_agent,
    find_session,
    full_session,
    instant,
    is_own,
    list_events,
    session_object,
)
from .agent_runs import DECISION, MESSAGE, OPEN, cancel_run, decide, send_message, start_session

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
STATUSES = ("queued", "in_progress", "requires_action", "completed", "failed", "canceled", "terminated")
EVENT_TYPES = (
    "user.message",
    "agent.message",
    "agent.thinking",
    "agent.tool_use",
    "agent.tool_result",
    "session.status",
)
SIZES = ("less_than", "greater_than", "less_than_or_equal_to", "greater_than_or_equal_to")
MEDIA = "text/event-stream"
_TURNS = ("message", "actions", "continue_from")
_update_body = allow_one(
    _TURNS,
    obj(
        None, **MESSAGE, agent_id=text(), session_id=uuid, continue_from=text(),
        actions=array(obj(DECISION), least=1),
    ),
)  # fmt: skip
_ACTION_FIELDS = ("session_id", "actions", "metadata")
_one_of_statuses: Rules = {"equals": choice(*STATUSES), "in": array(choice(*STATUSES))}
_one_of_types: Rules = {"equals": choice(*EVENT_TYPES), "in": array(choice(*EVENT_TYPES))}
_sizes: Rules = dict.fromkeys(SIZES, number)
SESSION_FIELDS = {
    "id": FilterField("string", {"equals": text()}, ("id",)),
    "agent_id": FilterField("string", {"equals": text()}, ("agent_id",)),
    "status": FilterField("status", _one_of_statuses, ("status",)),
    "created_at": FilterField("timestamp", TIMES, ("created_time",), instant),
    "updated_at": FilterField("timestamp", TIMES, ("last_edited_time", "created_time"), instant),
}
EVENT_FIELDS = {
    "id": FilterField("string", {"equals": text()}, ("id",)),
    "type": FilterField("event_type", _one_of_types, ("type",)),
    "sequence": FilterField("number", _sizes, ("sequence",)),
    "created_at": FilterField("timestamp", {"equals": text(), **TIMES}, ("created_time",), instant),
}
_query_body = obj(
    None, query=text(), filter=filter_rule(SESSION_FIELDS, 2), sorts=sorts_rule("created_at", "updated_at"),
    start_cursor=nullable(text()), page_size=number,
)  # fmt: skip
_events_body = obj(
    None, filter=filter_rule(EVENT_FIELDS, 3), sorts=sorts_rule("sequence", "created_at"),
    start_cursor=nullable(text()), page_size=number,
)  # fmt: skip


@api.post("/sessions", scope="insert_content")
def update_session(call: Call, body: JsonBody) -> Any:
    """Start a session, send a message to one, decide what it waits for, or stream its events."""
    check_body(_update_body, body)
    is_stream = MEDIA in call.memo["accept"]
    if not is_stream and "continue_from" in body:
        raise ValidationError(f"body.continue_from should be not present unless the request accepts {MEDIA}.")
    session = find_session(call, body["session_id"]) if "session_id" in body else None
    if "continue_from" in body:
        return _stream(call, _need(session), body["continue_from"])
    before = list_events(call, session.id)[-1:] if session else []
    session = _decide(call, body) if "actions" in body else _talk(call, body, session)
    if is_stream:
        return _stream(call, session, before[0].id if before else "")
    return session_object(call, session)


def _need(session: AgentSession | None) -> AgentSession:
    if session is None:
        raise invalid_body("body.session_id", "defined")
    return session


def _decide(call: Call, body: dict[str, Any]) -> AgentSession:
    for name in set(body) - set(_ACTION_FIELDS):
        raise invalid_body(f"body.{name}", "not present", body[name])
    session = find_session(call, body["session_id"]) if "session_id" in body else _need(None)
    return decide(call, agent_of(call, session), session, body["actions"])


def _talk(call: Call, body: dict[str, Any], session: AgentSession | None) -> AgentSession:
    if "message" not in body:
        raise invalid_body("body.message", "defined")
    if session is None:
        agent = find_agent(call, body.get("agent_id", "notion_ai"), "body")
        return send_message(call, agent, start_session(call, agent, body["message"]), body)
    agent = agent_of(call, session)
    if "agent_id" in body and find_agent(call, body["agent_id"], "body").id != agent.id:
        raise ValidationError(f"Session {session.id} is one of agent {agent.id}, not {body['agent_id']}.")
    return send_message(call, agent, session, body)


def _stream(call: Call, session: AgentSession, after: str) -> Response:
    """Return the events of a session after one of them, as server-sent events."""
    events = list_events(call, session.id)
    start = next((number for number, each in enumerate(events, 1) if each.id == after), 0)
    if after and not start:
        raise ValidationError(f"body.continue_from is not the id of an event of session {session.id}.")
    frames = [f"event: {each['type']}\ndata: {msgspec.json.encode(each).decode()}\n\n" for each in
              _frames(call, session, events, start)]  # fmt: skip
    return Response("".join(frames).encode(), content_type=MEDIA)


def _frames(call: Call, session: AgentSession, events: list[AgentEvent], start: int) -> Iterator[dict[str, Any]]:
    yield {"type": "session.snapshot", "session": session_object(call, session)}
    for each in events[start:]:
        shown = event_object(call, each)
        shown = {name: value for name, value in shown.items() if name != "created_by" and value is not None}
        yield {"type": "event.committed", "event": {**shown, **_file_ids(each)}}
    if session.status in OPEN and session.status != "requires_action":
        message = "The agent has not answered yet; ask again with continue_from."
        yield {"type": "stream.timeout", "session_id": session.id, "message": message}
    else:
        last = events[-1].sequence if events else 0
        yield {"type": "stream.end", "session_id": session.id, "status": session.status, "last_sequence": last}


def _file_ids(row: AgentEvent) -> dict[str, Any]:
    """Return the content of a message with files by id, as streams have them."""
    if not row.attachments:
        return {}
    files = [{"type": "file", "file_id": each["id"]} for each in row.attachments]
    return {"content": [*([{"type": "text", "text": row.text}] if row.text else []), *files]}


@api.get("/sessions/{session_id}", scope="read_content")
def get_session(call: Call, session_id: str) -> dict[str, Any]:
    """Get a session with what it waits for."""
    return full_session(call, find_session(call, session_id))


@api.post("/sessions/{session_id}/cancel", scope="update_content")
def cancel_session(call: Call, session_id: str, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """Cancel the run of a session."""
    check_body(obj(None, event_id=text()), body)
    return session_object(call, cancel_run(call, find_session(call, session_id)))


@api.post("/sessions/query", reads=True, scope="read_content")
def query_sessions(call: Call, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - as above
    """List the sessions of the integration that a filter and a text let through, the newest first."""
    check_body(_query_body, body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    rows = [
        row
        for row in call.db.rows(AgentSession, order=-AgentSession.number)
        if is_own(call, row)
        and body.get("query", "").lower() in row.title.lower()
        and is_match(SESSION_FIELDS, body.get("filter"), row)
    ]
    rows = sort_rows(rows, body.get("sorts"), lambda row, name: SESSION_FIELDS[name].value_of(row))
    rows, cursor = slice_list(rows, body.get("start_cursor"), size)
    return list_answer("session", [full_session(call, row) for row in rows], cursor)


@api.post("/sessions/{session_id}/events/query", reads=True, scope="read_content")
def query_session_events(call: Call, session_id: str, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - as above
    """List the events of a session that a filter lets through, in order."""
    session = find_session(call, session_id)
    check_body(_events_body, body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    rows = [row for row in list_events(call, session.id) if is_match(EVENT_FIELDS, body.get("filter"), row)]
    rows = sort_rows(rows, body.get("sorts"), lambda row, name: EVENT_FIELDS[name].value_of(row))
    rows, cursor = slice_list(rows, body.get("start_cursor"), size)
    return list_answer("session_event", [event_object(call, row) for row in rows], cursor)

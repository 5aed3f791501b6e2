"""Threads: chats with an agent. A thread is a session, by the names of before sessions.

https://developers.notion.com/reference/internal/chat-with-agent
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from twindiff.kit import Body, Call, Operations
from twindiff.kit.http import Response

from ..core.body_rules import array, as_uuid, boolean, check_body, choice, is_object, nullable, number, obj, text, uuid
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..core.object_lookup import parse_id
from ..tables.agent_tables import Agent, AgentEvent, AgentSession
from ..wire_style import ValidationError
from .agent_filters import sort_rows, sorts_rule
from .agent_objects import (
    agent_of,
    find_agent,
    find_session,
    instant,
    is_own,
    list_events,
    message_object,
    thread_object,
)
from .agent_runs import DECISION, MESSAGE, decide, send_message, start_session
from .agents import find_people

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MEDIA = "application/x-ndjson"
ACTIVITIES = ("all", "pending", "in_progress", "failed", "success")
_STATUS_OF_ACTIVITY = {
    "pending": "requires_action",
    "in_progress": "pending",
    "failed": "failed",
    "success": "completed",
}
_SORTS = {"created_time": "created_time", "last_used_time": "last_edited_time"}
_chat_body = obj(None, **MESSAGE, thread_id=uuid)
_send_body = obj(None, **MESSAGE)
_connection = obj({"action_id": uuid, "option_id": choice("use_connection"), "input": obj({"connection_id": uuid})})
_paging = {"start_cursor": nullable(text()), "page_size": number}
_messages_body = obj(None, verbose=boolean, **_paging)
_people = array(text())
_filter = obj(
    None, id=uuid, status=array(choice(*ACTIVITIES)), created_by=_people, last_used_by=_people,
    message_time=obj(None, start=text(), end=text()),
)  # fmt: skip
_query_body = obj(None, query=text(), filter=_filter, sorts=sorts_rule(*_SORTS, key="timestamp"), **_paging)


@api.post("/agents/{agent_id}/chat", scope="insert_content")
def chat_with_agent(call: Call, agent_id: str, body: JsonBody, verbose: bool = True) -> Any:
    """Send a message to an agent, in a new thread or one that there is; `application/x-ndjson` streams the answer."""
    agent, session = _chat(call, agent_id, body)
    if MEDIA in call.memo["accept"]:
        return _stream(call, agent, session, body.get("metadata"), is_verbose=verbose)
    return _invocation(call, session)


@api.post("/agents/{agent_id}/chatStream", scope="insert_content")
def stream_chat_with_agent(call: Call, agent_id: str, body: JsonBody, verbose: bool = True) -> Response:
    """Send a message to an agent and stream the answer."""
    agent, session = _chat(call, agent_id, body)
    return _stream(call, agent, session, body.get("metadata"), is_verbose=verbose)


def _chat(call: Call, agent_id: str, body: dict[str, Any]) -> tuple[Agent, AgentSession]:
    agent = find_agent(call, agent_id)
    check_body(_chat_body, body)
    if "thread_id" not in body:
        session = start_session(call, agent, body.get("message", ""))
    else:
        session = find_session(call, body["thread_id"], "thread")
        if session.agent_id != agent.id:
            raise ValidationError(f"Thread {session.id} is one of agent {session.agent_id}, not {agent.id}.")
    return agent, send_message(call, agent, session, body)


def _invocation(call: Call, session: AgentSession) -> dict[str, Any]:
    about = {"agent_id": session.agent_id, "thread_id": session.id, "invocation_id": call.ids.uuid()}
    return {"object": "chat.invocation", **about, "status": "pending"}


def _stream(
    call: Call, agent: Agent, session: AgentSession, metadata: dict[str, str] | None, *, is_verbose: bool
) -> Response:
    about = {} if metadata is None else {"metadata": metadata}
    lines = [msgspec.json.encode(each) for each in _chunks(call, agent, session, about, is_verbose=is_verbose)]
    return Response(b"\n".join([*lines, b""]), content_type=MEDIA)


def _chunks(
    call: Call, agent: Agent, session: AgentSession, about: dict[str, Any], *, is_verbose: bool
) -> Iterator[dict[str, Any]]:
    """Yield what a stream of the last turn of a thread has."""
    thread, model = {"thread_id": session.id}, {"model": agent.model or "auto"}
    yield {"type": "started", **thread, "agent_id": agent.id, **model, **about}
    events = list_events(call, session.id)
    start = max((number for number, each in enumerate(events) if each.type == "user.message"), default=0)
    messages = [each for each in events[start:] if each.type.endswith(".message")]
    for each in messages:
        shown = message_object(call, each, is_verbose=is_verbose)
        kept = {name: value for name, value in shown.items() if name not in ("object", "created_time", "parent")}
        yield {"type": "message", **kept, "delta": each.text}
    if session.status == "failed":
        yield {"type": "error", "code": "internal_server_error", "message": session.error}
    elif session.status == "requires_action":
        yield {"type": "waiting_for_user"}
    else:
        usage = {"total_tokens": sum(len(each.text.split()) for each in messages)}
        ran: dict[str, Any] = {"usage": usage, "duration_ms": 0, "connections_used": [], "artifacts": []}
        yield {"type": "done", **thread, **model, **ran, **about}


@api.get("/agents/{agent_id}/threads", scope="read_content")
def list_threads(
    call: Call,
    agent_id: str,
    id: str | None = None,
    title: str | None = None,
    status: Literal["pending", "requires_action", "completed", "failed"] | None = None,
    activity: Literal["all", "pending", "in_progress", "failed", "success"] = "all",
    created_by: list[str] = [],  # noqa: B006 - read by the kit
    last_used_by: list[str] = [],  # noqa: B006 - as above
    sort_by: Literal["created_time", "last_used_time"] = "created_time",
    sort_direction: Literal["ascending", "descending"] = "descending",
    start_cursor: str | None = None,
    page_size: str | int = MAX_PAGE_SIZE,
) -> dict[str, Any]:
    """List the threads of an agent that the integration began."""
    wanted = {"status": [activity], "created_by": created_by, "last_used_by": last_used_by}
    wanted |= {"id": parse_id(id, "id", "query")} if id else {}
    rows = _select(call, agent_id, title or "", wanted, "query")
    if status:
        rows = [row for row in rows if thread_object(call, row)["status"] == status]
    return _page(call, rows, [{"timestamp": sort_by, "direction": sort_direction}], start_cursor, page_size, "query")


@api.post("/agents/{agent_id}/threads/query", reads=True, scope="read_content")
def query_threads(call: Call, agent_id: str, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - as above
    """List the threads of an agent that a filter and a text let through, in order."""
    check_body(_query_body, body)
    rows = _select(call, agent_id, body.get("query", ""), body.get("filter") or {}, "body.filter")
    size = body.get("page_size", MAX_PAGE_SIZE)
    return _page(call, rows, body.get("sorts"), body.get("start_cursor"), size, "body")


def _select(call: Call, agent_id: str, title: str, wanted: dict[str, Any], place: str) -> list[AgentSession]:
    """Return the threads of an agent that a filter lets through, the newest first."""
    agent = find_agent(call, agent_id)
    people = [find_people(call, wanted.get(name) or [], name, place) for name in ("created_by", "last_used_by")]
    activities = set(wanted.get("status") or ["all"])
    statuses = None if "all" in activities else {_STATUS_OF_ACTIVITY[each] for each in activities}
    return [
        row
        for row in call.db.rows(AgentSession, AgentSession.agent_id == agent.id, order=-AgentSession.number)
        if is_own(call, row)
        and title.lower() in row.title.lower()
        and as_uuid(wanted.get("id", row.id)) == row.id
        and all(not each or row.created_by in each for each in people)
        and (statuses is None or thread_object(call, row)["status"] in statuses)
        and _was_used(call, row, wanted.get("message_time"))
    ]


def _was_used(call: Call, row: AgentSession, period: dict[str, str] | None) -> bool:
    """Return whether something was said in a thread in a period."""
    if not is_object(period):
        return True
    start, end = period.get("start", ""), period.get("end", "~")
    return any(start <= (instant(each.created_time) or "") <= end for each in _messages(call, row.id))


def _page(
    call: Call, rows: list[AgentSession], sorts: list[dict[str, str]] | None, cursor: str | None, size: Any, place: str
) -> dict[str, Any]:
    rows = sort_rows(rows, sorts, lambda row, name: (getattr(row, _SORTS[name]), row.number), key="timestamp")
    rows, following = slice_list(rows, cursor, check_page_size(size, f"{place}.page_size"))
    return list_answer("thread", [thread_object(call, row) for row in rows], following)


def _messages(call: Call, thread_id: str, role: str | None = None) -> list[AgentEvent]:
    kinds = (f"{role}.message",) if role else ("user.message", "agent.message")
    return [each for each in list_events(call, thread_id) if each.type in kinds]


@api.get("/threads/{thread_id}/messages", scope="read_content")
def list_thread_messages(
    call: Call,
    thread_id: str,
    verbose: bool = True,
    role: Literal["user", "agent"] | None = None,
    start_cursor: str | None = None,
    page_size: str | int = MAX_PAGE_SIZE,
) -> dict[str, Any]:
    """List the messages of a thread, the oldest first."""
    rows = _messages(call, find_session(call, thread_id, "thread").id, role)
    rows, cursor = slice_list(rows, start_cursor, check_page_size(page_size))
    return list_answer("thread_message", [message_object(call, row, is_verbose=verbose) for row in rows], cursor)


@api.post("/threads/{thread_id}/messages/query", reads=True, scope="read_content")
def query_thread_messages(call: Call, thread_id: str, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - as above
    """List the messages of a thread, the oldest first."""
    check_body(_messages_body, body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    rows, cursor = slice_list(
        _messages(call, find_session(call, thread_id, "thread").id), body.get("start_cursor"), size
    )
    shown = [message_object(call, row, is_verbose=body.get("verbose", True)) for row in rows]
    return list_answer("thread_message", shown, cursor)


@api.post("/threads/{thread_id}/messages", scope="insert_content")
def send_thread_message(call: Call, thread_id: str, body: JsonBody) -> dict[str, Any]:
    """Send a message in a thread."""
    session = find_session(call, thread_id, "thread")
    check_body(_send_body, body)
    return _invocation(call, send_message(call, agent_of(call, session), session, body))


@api.post("/threads/{thread_id}/continue", scope="insert_content")
def continue_thread(call: Call, thread_id: str, body: JsonBody) -> dict[str, Any]:
    """Approve or reject what a thread waits for. No agent offers a choice of connections here."""
    session = find_session(call, thread_id, "thread")
    if body.get("option_id") == "use_connection":
        check_body(_connection, body)
        raise ValidationError("body.option_id is not an option of the action: it has approve and reject.")
    check_body(obj(DECISION), body)
    return _invocation(call, decide(call, agent_of(call, session), session, [body]))

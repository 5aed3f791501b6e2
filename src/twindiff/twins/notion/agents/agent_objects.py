"""Agents and sessions as objects: sessions also as threads, events also as messages of threads."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.file_values import render_file, sign_file
from ..core.object_lookup import find_bot, find_node, is_visible, not_found, parse_id
from ..core.user_objects import find_user
from ..tables.agent_tables import Agent, AgentEvent, AgentSession
from ..tables.workspace_tables import FileUpload
from ..wire_style import ObjectNotFound

Values = dict[str, Any]
PERSONAL_ID = "33333333-3333-3333-3333-333333333333"
PERSONAL = Agent(id=PERSONAL_ID, agent_type="notion_ai", name="Notion Agent")
"""The agent of a person, which each workspace has."""
ADVICE = "Make sure the agent exists and is shared with your integration."
THREAD_STATUS = {"completed": "completed", "requires_action": "requires_action", "queued": "pending",
                 "in_progress": "pending"}  # fmt: skip
"""The status of a thread by that of its session; any other is `failed`."""
CANCELED = "The session was canceled."
DECISIONS = ({"id": "approve", "label": "Approve"}, {"id": "reject", "label": "Reject"})


def instant(at: str | None) -> str | None:
    """Render an instant to the millisecond."""
    return f"{at[:19]}.{(at[20:23] or '0'):0<3}Z" if at else None


def is_shared(call: Call, id: str) -> bool:
    """Return whether an agent is shared with the bot."""
    shared = find_bot(call).shared_with
    return shared is None or id in shared


def find_agent(call: Call, agent_id: str, place: str = "path") -> Agent:
    """Return an agent; raise ObjectNotFound. `notion_ai` is the agent of the person."""
    if agent_id == "notion_ai":
        return PERSONAL
    id = parse_id(agent_id, "agent_id", place)
    row = PERSONAL if id == PERSONAL_ID else call.db.find(Agent, Agent.id == id)
    if row is None or (row is not PERSONAL and not is_shared(call, id)):
        raise not_found(call, "agent", id, ADVICE)
    return row


def is_own(call: Call, session: AgentSession) -> bool:
    """Return whether the bot, or the person whose bot it is, began a session."""
    bot = find_bot(call)
    return session.created_by in (bot.id, bot.owner_id)


def find_session(call: Call, session_id: str, kind: str = "session") -> AgentSession:
    """Return a session that the caller began, as a session or a thread; raise ObjectNotFound."""
    id = parse_id(session_id, f"{kind}_id")
    row = call.db.find(AgentSession, AgentSession.id == id)
    if row is None or not is_own(call, row):
        raise not_found(call, kind, id, "")
    return row


def agent_of(call: Call, session: AgentSession) -> Agent:
    """Return the agent of a session."""
    return call.db.find(Agent, Agent.id == session.agent_id) or PERSONAL


def list_events(call: Call, session_id: str) -> list[AgentEvent]:
    """Return the events of a session in order."""
    return call.db.rows(AgentEvent, AgentEvent.session_id == session_id, order=AgentEvent.sequence)


def _creator(call: Call, id: str | None) -> Values | None:
    user = find_user(call, id) if id else None
    return {"id": id, "type": "bot" if user and user.type == "bot" else "user"} if id else None


def _version(agent: Agent) -> Values | None:
    if agent is PERSONAL or agent.created_time is None:
        return None
    id = f"{agent.id[:9]}{agent.version:04x}{agent.id[13:]}"
    return {"id": id, "number": agent.version, "published_at": instant(agent.created_time)}


def agent_object(call: Call, row: Agent, *, is_verbose: bool = False) -> Values:
    """Render an agent; `is_verbose` adds its instructions."""
    creator = {"object": "user", "type": "user", "id": row.created_by} if row.created_by else None
    edited = row.last_edited_time or row.created_time
    shown = {
        "object": "agent",
        "id": row.id,
        "agent_type": row.agent_type,
        "name": row.name,
        "description": row.description,
        "instructions_page_id": _find_readable(call, row.instructions_page_id),
        "icon": render_file(call, row.icon) or ({"type": "emoji", "emoji": "🤖"} if row is PERSONAL else None),
        "model": {"mode": "pinned", "id": row.model} if row.model else {"mode": "auto"},
        "connections": row.connections,
        "status": row.status,
        "pause_reason": row.pause_reason,
        "created_by": creator,
        "version": _version(row),
        "agent_version": _version(row),
        "has_unpublished_changes": False,
        "created_time": instant(row.created_time),
        "last_edited_time": instant(edited),
        "last_run_time": instant(row.last_run_time),
        "last_run_at": instant(row.last_run_time),
        "credit_limit": row.credit_limit,
        "triggers": row.triggers,
    }
    return {**shown, "instructions": row.instructions} if is_verbose and row is not PERSONAL else shown


def _find_readable(call: Call, page_id: str | None) -> str | None:
    """Return the id of a page that the bot sees."""
    try:
        return page_id if page_id and is_visible(call, find_node(call, page_id, "page")) else None
    except ObjectNotFound:
        return None


def _models(agent: Agent) -> Values:
    return {"type": "pinned", "ids": [agent.model]} if agent.model else {"type": "auto"}


def required_actions(call: Call, session: AgentSession) -> list[Values]:
    """Render what a session waits for."""
    if session.status != "requires_action":
        return []
    title = agent_of(call, session).approval or ""
    return [{"action_id": session.action_id, "title": title, "options": [*DECISIONS]}]


def session_object(call: Call, row: AgentSession) -> Values:
    """Render a session in short, as what changes one answers."""
    shown: Values = {
        "object": "session",
        "id": row.id,
        "agent_id": row.agent_id,
        "title": row.title,
        "status": row.status,
        "created_at": instant(row.created_time),
        "updated_at": instant(row.last_edited_time or row.created_time),
    }
    if actions := required_actions(call, row):
        shown["required_actions"] = actions
    if row.error:
        shown["error"] = error_object(row)
    return shown


def error_object(session: AgentSession) -> Values:
    """Render why a session failed."""
    return {"code": "internal_server_error", "message": session.error, "retryable": False}


def full_session(call: Call, row: AgentSession) -> Values:
    """Render a session with its agent's version and how much was said in it."""
    agent, events = agent_of(call, row), list_events(call, row.id)
    counts = {
        "message_count": sum(each.type.endswith(".message") for each in events),
        "runs_completed": sum(each.status == "completed" for each in events),
    }
    about = {"created_by": _creator(call, row.created_by), "agent_version": _version(agent), "models": _models(agent)}
    return {**session_object(call, row), **about, **counts}


def event_object(call: Call, row: AgentEvent) -> Values:
    """Render an event of a session."""
    shown: Values = {
        "object": "session_event",
        "id": row.id,
        "session_id": row.session_id,
        "sequence": row.sequence,
        "created_at": instant(row.created_time),
        "type": row.type,
    }
    if row.type == "session.status":
        session = call.db.get(AgentSession, row.session_id)
        actions = required_actions(call, session) if row.status == "requires_action" else []
        about = {"required_actions": actions} if actions else {}
        about |= {"error": error_object(session)} if row.status == "failed" and session.error else {}
        return {**shown, "status": row.status, **about}
    text = [{"type": "text", "text": row.text}] if row.text else []
    content = [*text, *({"type": "file", **each} for each in attachment_objects(call, row))]
    by_agent = {"created_by": None, "metadata": None}
    by_user = {"created_by": _creator(call, row.created_by), "metadata": row.metadata}
    return {**shown, "content": content, **(by_user if row.type == "user.message" else by_agent)}


def attachment_objects(call: Call, row: AgentEvent) -> list[Values]:
    """Render the files of a message."""
    shown: list[Values] = []
    attached: list[Values] = row.attachments or []
    for each in attached:
        upload = call.db.find(FileUpload, FileUpload.id == each["id"])
        kind = (upload.content_type if upload else None) or "application/octet-stream"
        name = each.get("name") or (upload.filename if upload else None) or "file"
        shown.append({"name": name, "content_type": kind, **sign_file(call, each["id"])})
    return shown


def thread_object(call: Call, row: AgentSession) -> Values:
    """Render a session as a thread."""
    agent = agent_of(call, row)
    status = THREAD_STATUS.get(row.status, "failed")
    shown: Values = {
        "object": "thread",
        "id": row.id,
        "title": row.title,
        "status": status,
        "created_time": instant(row.created_time),
        "last_edited_time": instant(row.last_edited_time or row.created_time),
        "created_by": _creator(call, row.created_by),
        "agent_version": _version(agent),
        "models": _models(agent),
    }
    if status == "failed":
        shown["error"] = row.error or CANCELED
    if actions := pending_actions(call, row):
        shown["pending_user_actions"] = actions
    return shown


def pending_actions(call: Call, session: AgentSession) -> list[Values]:
    """Render what a thread waits for."""
    return [
        {"id": each["action_id"], "type": "tool_confirmation", "title": each["title"],
         "requirements": [{"type": "general"}], "options": each["options"]}
        for each in required_actions(call, session)
    ]  # fmt: skip


def message_object(call: Call, row: AgentEvent, *, is_verbose: bool) -> Values:
    """Render a message of a thread; `is_verbose` adds the parts of an agent's."""
    is_agent = row.type == "agent.message"
    shown: Values = {
        "object": "thread_message",
        "id": row.id,
        "role": "agent" if is_agent else "user",
        "content": row.text,
        "created_time": instant(row.created_time),
        "parent": {"type": "thread", "id": row.session_id},
    }
    if row.attachments:
        shown["attachments"] = attachment_objects(call, row)
    if is_agent and is_verbose:
        shown["content_parts"] = [{"type": "text", "text": row.text}]
    return shown

"""Runs of agents: what a message to an agent, a decision and a cancellation do to a session.

What an agent says is not known, so it says what its row holds, or repeats the message behind the mark `[twin]`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from twindiff.kit import Call, Operations

from ..core.body_rules import MISSING, Rule, array, choice, invalid_body, mapping, obj, text, uuid
from ..core.file_values import attach_upload
from ..core.object_lookup import find_bot
from ..tables.agent_tables import Agent, AgentEvent, AgentSession
from ..wire_style import ConflictError, ValidationError
from .agent_objects import CANCELED, PERSONAL, agent_of

api = Operations()
MARK = "[twin]"
MAX_MESSAGE_LENGTH = 10_000
MAX_TITLE_LENGTH = 80
MAX_ATTACHMENTS = 100
OPEN = ("queued", "in_progress", "requires_action")
_attachment = obj({"file_upload": obj({"id": uuid})}, type=choice("file_upload"), name=text())
MESSAGE: dict[str, Rule] = {
    "message": text(MAX_MESSAGE_LENGTH),
    "attachments": array(_attachment, most=MAX_ATTACHMENTS),
    "metadata": mapping(text()),
    "prompt_context": text(MAX_MESSAGE_LENGTH),
}
"""What a request may say with a message."""


def start_session(call: Call, agent: Agent, title: str, options: dict[str, Any] | None = None) -> AgentSession:
    """Add a session of an agent that can be talked to."""
    check_active(agent)
    now = call.clock.iso()
    return call.db.add(
        AgentSession(
            id=call.ids.uuid(),
            agent_id=agent.id,
            title=title[:MAX_TITLE_LENGTH],
            status="completed",
            options=options,
            number=call.db.next("notion_agent_session"),
            created_by=find_bot(call).id,
            created_time=now,
            last_edited_time=now,
        )
    )


def check_active(agent: Agent) -> None:
    """Raise ValidationError for an agent that is disabled or deleted."""
    if agent.status != "active":
        raise ValidationError(f"Agent {agent.id} is {agent.status}.")


def send_message(
    call: Call, agent: Agent, session: AgentSession, body: dict[str, Any], client_message_id: str | None = None
) -> AgentSession:
    """Add a user's message to a session and let the agent run; raise ConflictError while a run is open."""
    check_active(agent)
    if not body.get("message", "").strip() and not body.get("attachments"):
        raise invalid_body("body.message", "defined", body.get("message", MISSING))
    if session.status in OPEN:
        raise ConflictError(f"Session {session.id} is {session.status}: its last message has no answer yet.")
    given: list[dict[str, Any]] = body.get("attachments") or []
    files = [_attach(call, each) for each in given]
    said: dict[str, Any] = {
        "attachments": files or None,
        "metadata": body.get("metadata"),
        "client_message_id": client_message_id,
    }
    add_event(call, session, "user.message", body.get("message", ""), created_by=find_bot(call).id, **said)
    if agent is not PERSONAL:
        call.db.change(agent, last_run_time=call.clock.iso())
    if agent.answer_seconds > 0:
        due = datetime.fromisoformat(call.clock.iso()) + timedelta(seconds=agent.answer_seconds)
        return _change(call, session, status="in_progress", error=None, answers_time=due.isoformat())
    return _run(call, agent, session)


def _attach(call: Call, given: dict[str, Any]) -> dict[str, str]:
    name = {"name": given["name"]} if "name" in given else {}
    return {"id": attach_upload(call, given["file_upload"]["id"]).id, **name}


@api.due(AgentSession.answers_time, actor=AgentSession.created_by)
def finish_run(call: Call, row: AgentSession) -> None:
    """End the run of an agent that takes its time."""
    _run(call, agent_of(call, row), call.db.change(row, answers_time=None))


def _run(call: Call, agent: Agent, session: AgentSession) -> AgentSession:
    if agent.failure:
        return set_status(call, session, "failed", error=agent.failure)
    if agent.approval and agent.agent_type != "external":
        return set_status(call, session, "requires_action", action_id=call.ids.uuid())
    return _answer(call, agent, session)


def _answer(call: Call, agent: Agent, session: AgentSession) -> AgentSession:
    asked = call.db.rows(
        AgentEvent,
        AgentEvent.session_id == session.id,
        AgentEvent.type == "user.message",
        order=-AgentEvent.sequence,
        limit=1,
    )
    message = asked[0].text if asked else ""
    add_event(call, session, "agent.message", agent.answer or f"{MARK} {agent.name} was told: {message}")
    return set_status(call, session, "completed")


def decide(call: Call, agent: Agent, session: AgentSession, decisions: list[dict[str, Any]]) -> AgentSession:
    """Approve or reject what a session waits for; raise ValidationError for any other action."""
    for each in decisions:
        if session.status != "requires_action" or each["action_id"] != session.action_id:
            raise ValidationError(f"Session {session.id} does not wait for an action with ID {each['action_id']}.")
    session = _change(call, session, action_id=None)
    if decisions[0]["option_id"] == "approve":
        return _answer(call, agent, session)
    add_event(call, session, "agent.message", f"{MARK} {agent.name} was not allowed to: {agent.approval}")
    return set_status(call, session, "completed")


def cancel_run(call: Call, session: AgentSession) -> AgentSession:
    """Cancel the open run of a session; raise ConflictError if there is none."""
    if session.status not in OPEN:
        raise ConflictError(f"Session {session.id} is {session.status}; only one in progress can be canceled.")
    return set_status(call, session, "canceled", action_id=None, answers_time=None, error=CANCELED)


def set_status(call: Call, session: AgentSession, status: str, **columns: Any) -> AgentSession:
    """Give a session a status and say so in its events."""
    session = _change(call, session, **{"status": status, "error": None, **columns})
    add_event(call, session, "session.status", status=status)
    return session


def add_event(call: Call, session: AgentSession, kind: str, said: str = "", **columns: Any) -> AgentEvent:
    """Add an event at the end of a session."""
    mine = AgentEvent.session_id == session.id
    last = call.db.rows(AgentEvent, mine, order=-AgentEvent.sequence, limit=1)
    row = AgentEvent(
        id=call.ids.uuid(),
        session_id=session.id,
        sequence=last[0].sequence + 1 if last else 1,
        type=kind,
        text=said,
        created_time=call.clock.iso(),
        **columns,
    )
    return call.db.add(row)


def _change(call: Call, session: AgentSession, **columns: Any) -> AgentSession:
    return call.db.change(session, last_edited_time=call.clock.iso(), **columns)


DECISION: dict[str, Rule] = {"action_id": uuid, "option_id": choice("approve", "reject")}

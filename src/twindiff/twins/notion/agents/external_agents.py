"""Agents of other systems: their vaults, and sessions by names of their own.

The shapes are those of the official client's types; Notion documents these operations nowhere.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..core.body_rules import (
    MAX_URL_LENGTH,
    Problems,
    array,
    check_body,
    choice,
    invalid_at,
    invalid_body,
    number,
    obj,
    text,
    uuid,
)
from ..core.object_lookup import not_found, parse_id
from ..tables.agent_tables import Agent, AgentEvent, AgentSession, AgentVault
from ..wire_style import ConflictError, ValidationError
from .agent_objects import error_object, find_agent, find_session, instant, list_events
from .agent_runs import MAX_MESSAGE_LENGTH, OPEN, send_message, start_session

api = Operations(prefix="/v1/external_agent_stub/{agent_id}")
JsonBody = Annotated[dict[str, Any], Body]


def _time(value: Any, path: str) -> Problems:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        yield invalid_at(path, "a valid ISO 8601 date string", value)


_credential = obj({"value": text(10_000, 1), "expires_at": _time})
_target = obj(
    {"type": choice("mcp_server"), "server_url": text(MAX_URL_LENGTH), "authorization": obj({"type": choice("bearer")})}
)
_vault_body = obj({"name": text(200, 1), "credential": _credential, "target": _target})
_update_body = obj({"expected_version": number, "credential": _credential})
_secret = obj({"type": choice("vault", "none")}, vault_id=uuid)
_server = obj({"name": text(), "server_url": text(MAX_URL_LENGTH), "credential": _secret})
_start_body = obj(
    None, spec_version=choice("v1"), client_reference_id=text(), configs=obj({"mcp_servers": array(_server)}),
    model=text(), cwd=text(), locale=text(), system_prompt=text(100_000),
)  # fmt: skip
_message_body = obj({"message": text(MAX_MESSAGE_LENGTH, 1)}, client_message_id=text())


def _find(call: Call, agent_id: str) -> Agent:
    agent = find_agent(call, agent_id)
    if agent.agent_type != "external":
        raise ValidationError(f"Agent {agent.id} is no external agent but a {agent.agent_type}.")
    return agent


def _find_vault(call: Call, agent: Agent, vault_id: str) -> AgentVault:
    id = parse_id(vault_id, "vault_id")
    row = call.db.find(AgentVault, AgentVault.id == id)
    if row is None or row.agent_id != agent.id:
        raise not_found(call, "vault", id, "")
    return row


def _vault_object(call: Call, row: AgentVault) -> dict[str, Any]:
    """Render a vault, without its secret."""
    expires = datetime.fromisoformat(row.expires_time)
    now = datetime.fromisoformat(call.clock.iso()).replace(tzinfo=expires.tzinfo)
    return {
        "id": row.id,
        "name": row.name,
        "credential": {"expires_at": row.expires_time},
        "target": {"type": "mcp_server", "server_url": row.server_url, "authorization": {"type": "bearer"}},
        "status": "expired" if expires <= now else "active",
        "version": row.version,
        "created_at": instant(row.created_time),
        "updated_at": instant(row.last_edited_time or row.created_time),
    }


@api.post("/vaults", scope="insert_content")
def create_vault(call: Call, agent_id: str, body: JsonBody) -> dict[str, Any]:
    """Keep a credential for an agent."""
    agent = _find(call, agent_id)
    check_body(_vault_body, body)
    now = call.clock.iso()
    row = AgentVault(
        id=call.ids.uuid(),
        agent_id=agent.id,
        name=body["name"],
        credential=body["credential"]["value"],
        expires_time=body["credential"]["expires_at"],
        server_url=body["target"]["server_url"],
        created_time=now,
        last_edited_time=now,
    )
    return _vault_object(call, call.db.add(row))


@api.patch("/vaults/{vault_id}", scope="update_content")
def update_vault(call: Call, agent_id: str, vault_id: str, body: JsonBody) -> dict[str, Any]:
    """Replace the credential of a vault whose version the client knows."""
    row = _find_vault(call, _find(call, agent_id), vault_id)
    check_body(_update_body, body)
    if body["expected_version"] != row.version:
        raise ConflictError(f"Vault {row.id} has version {row.version}, not {body['expected_version']}.")
    value, expires = body["credential"]["value"], body["credential"]["expires_at"]
    changed = {"credential": value, "expires_time": expires, "version": row.version + 1}
    return _vault_object(call, call.db.change(row, **changed, last_edited_time=call.clock.iso()))


@api.delete("/vaults/{vault_id}", scope="update_content")
def delete_vault(call: Call, agent_id: str, vault_id: str) -> dict[str, Any]:
    """Remove a vault."""
    call.db.remove(_find_vault(call, _find(call, agent_id), vault_id))
    return {}


@api.post("/sessions", scope="insert_content")
def start_external_session(call: Call, agent_id: str, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """Start a session with an agent."""
    agent = _find(call, agent_id)
    check_body(_start_body, body)
    for number_, server in enumerate(body.get("configs", {}).get("mcp_servers", [])):
        if server["credential"]["type"] == "vault":
            place = f"body.configs.mcp_servers[{number_}].credential.vault_id"
            if "vault_id" not in server["credential"]:
                raise invalid_body(place, "defined")
            _find_vault(call, agent, server["credential"]["vault_id"])
    session = start_session(call, agent, body.get("client_reference_id", ""), body)
    kept = {name: body[name] for name in ("model", "cwd") if name in body}
    return {"session_id": session.id, **kept, "last_active_at": instant(session.created_time)}


@api.post("/sessions/{session_id}/messages", scope="insert_content")
def send_external_message(call: Call, agent_id: str, session_id: str, body: JsonBody) -> dict[str, Any]:
    """Send a message to an agent; one with a `client_message_id` that was sent before changes nothing."""
    agent, session = _find_session(call, agent_id, session_id)
    check_body(_message_body, body)
    client_id = body.get("client_message_id")
    if client_id is not None:
        mine = AgentEvent.session_id == session.id, AgentEvent.client_message_id == client_id
        if sent := call.db.rows(AgentEvent, *mine, limit=1):
            return {"accepted": True, "run_id": sent[0].id}
    send_message(call, agent, session, body, client_id)
    said = [each for each in list_events(call, session.id) if each.type == "user.message"]
    return {"accepted": True, "run_id": said[-1].id}


@api.get("/sessions/{session_id}/events", scope="read_content")
def list_external_events(call: Call, agent_id: str, session_id: str, cursor: str | None = None) -> dict[str, Any]:
    """List what an agent said after a cursor, the number of an event."""
    _, session = _find_session(call, agent_id, session_id)
    if cursor is not None and not cursor.isdecimal():
        raise ValidationError(f"The cursor provided is invalid: {cursor[:100]}")
    events = [each for each in list_events(call, session.id) if each.sequence > int(cursor or 0)]
    shown = [each for event in events if (each := _external_event(session, event))]
    following = {"next_cursor": str(events[-1].sequence)} if events else {"next_cursor": cursor} if cursor else {}
    return {"events": shown, "is_running": session.status in OPEN, **following}


def _find_session(call: Call, agent_id: str, session_id: str) -> tuple[Agent, AgentSession]:
    agent = _find(call, agent_id)
    session = find_session(call, session_id)
    if session.agent_id != agent.id:
        raise not_found(call, "session", session.id, "")
    return agent, session


def _external_event(session: AgentSession, event: AgentEvent) -> dict[str, Any] | None:
    if event.type == "agent.message":
        return {"type": "assistant.message", "text": event.text}
    return {"type": "error", "error": error_object(session)} if event.status == "failed" and session.error else None

"""Agents, their sessions and threads. The workspace has none, so each id of one is unknown.

https://developers.notion.com/reference/list-agents
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer
from ..core.object_lookup import not_found, parse_id
from ..wire_style import ValidationError

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
ADVICE = "Make sure the agent exists and is shared with your integration."
BY_AGENT = (
    "DELETE /agents/{id}", "GET /agents/{id}", "POST /agents/{id}/chat", "GET /agents/{id}/insights",
    "GET /agents/{id}/threads", "POST /agents/{id}/threads/query", "PATCH /agents/{id}/credit_limit",
    "PATCH /agents/{id}/status", "POST /external_agent_stub/{id}/vaults",
    "DELETE /external_agent_stub/{id}/vaults/{vault_id}", "PATCH /external_agent_stub/{id}/vaults/{vault_id}",
    "GET /external_agent_stub/{id}/sessions/{session_id}/events",
    "POST /external_agent_stub/{id}/sessions/{session_id}/messages", "POST /external_agent_stub/{id}/sessions",
)  # fmt: skip
BY_SESSION = ("POST /sessions/{id}/cancel", "POST /sessions/{id}/events/query", "GET /sessions/{id}")
BY_THREAD = (
    "POST /threads/{id}/continue", "GET /threads/{id}/messages", "POST /threads/{id}/messages",
    "POST /threads/{id}/messages/query",
)  # fmt: skip


def _refuse(kind: str) -> Callable[..., dict[str, Any]]:
    def find_none(call: Call, id: str) -> dict[str, Any]:
        """Refuse an id that the workspace does not have."""
        raise not_found(call, kind, parse_id(id, f"{kind}_id"), ADVICE)

    return find_none


def _declare(kind: str, names: tuple[str, ...]) -> None:
    for name in names:
        verb, path = name.split(" ")
        getattr(api, verb.lower())(path)(_refuse(kind))


_declare("agent", BY_AGENT)
_declare("session", BY_SESSION)
_declare("thread", BY_THREAD)


@api.get("/agents")
def list_agents(call: Call, page_size: str | int = MAX_PAGE_SIZE) -> dict[str, Any]:
    """List the agents of the workspace, which has none."""
    check_page_size(page_size)
    return list_answer("agent", [], None)


@api.post("/agents/query", reads=True)
def query_agents(call: Call, body: JsonBody) -> dict[str, Any]:
    """List the agents that a filter lets through."""
    return list_answer("agent", [], None)


@api.post("/agents/batch", reads=True)
def batch_agents(call: Call, body: JsonBody) -> dict[str, Any]:
    """Refuse work on agents, of which there are none."""
    raise ValidationError(
        "body failed validation: body.operations should name agents of the workspace, which has none."
    )


@api.post("/sessions", reads=True)
def update_session(call: Call, body: JsonBody) -> dict[str, Any]:
    """Refuse a session of an agent, of which there are none."""
    raise ValidationError("body failed validation: body.agent_id should be an agent of the workspace, which has none.")


@api.post("/sessions/query", reads=True)
def query_sessions(call: Call, body: JsonBody) -> dict[str, Any]:
    """List the sessions that a filter lets through."""
    return list_answer("session", [], None)

"""Agents, their sessions and what was said in them as rows. A session and a thread are one row."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references

from .content_tables import User


class Agent(Row, table="notion_agents", key=("id",)):
    """An agent, and what it says: `answer` is its reply to every message; None repeats the message.

    With `approval`, the title of an action, it waits for a decision before it answers. With `failure`, a message, its
    runs fail. `answer_seconds` is how long a run takes.
    """

    id: Column[str]
    agent_type: Column[str] = column(default="custom_agent")
    name: Column[str]
    description: Column[str | None] = column(default=None)
    instructions: Column[str | None] = column(default=None)
    instructions_page_id: Column[str | None] = column(default=None)
    icon: Column[Json] = column(default=None)
    model: Column[str | None] = column(default=None)
    connections: Column[Json] = column(default=[])
    triggers: Column[Json] = column(default=[])
    status: Column[str] = column(default="active")
    pause_reason: Column[str | None] = column(default=None)
    credit_limit: Column[float | None] = column(default=None)
    is_favorite: Column[bool] = column(default=False)
    version: Column[int] = column(default=1)
    answer: Column[str | None] = column(default=None)
    approval: Column[str | None] = column(default=None)
    failure: Column[str | None] = column(default=None)
    answer_seconds: Column[int] = column(default=0)
    created_by: Column[str | None] = references(User, default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    deleted_time: Column[Timestamp | None] = column(default=None)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)
    last_run_time: Column[Timestamp | None] = column(default=None, derived=True)

    @property
    def model_mode(self) -> str:
        """Whether the agent's model is chosen for it, or the one that was `pinned`."""
        return "pinned" if self.model else "auto"


class AgentSession(Row, table="notion_agent_sessions", key=("id",), indexes=(("agent_id", "number"),)):
    """A session of an agent. `options` has `model`, `cwd` and the like of a session with another system's agent."""

    id: Column[str]
    agent_id: Column[str]
    title: Column[str] = column(default="")
    status: Column[str] = column(default="in_progress")
    error: Column[str | None] = column(default=None)
    action_id: Column[str | None] = column(default=None)
    options: Column[Json] = column(default=None)
    number: Column[int] = column(default=0, derived=True)
    created_by: Column[str | None] = references(User, default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    answers_time: Column[Timestamp | None] = column(default=None, derived=True)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class AgentEvent(Row, table="notion_agent_events", key=("id",), indexes=(("session_id", "sequence"),)):
    """Something that happened in a session: a message of the user or the agent, or a new status."""

    id: Column[str]
    session_id: Column[str] = references(AgentSession)
    sequence: Column[int]
    type: Column[str]
    text: Column[str] = column(default="")
    status: Column[str | None] = column(default=None)
    attachments: Column[Json] = column(default=None)
    metadata: Column[Json] = column(default=None)
    client_message_id: Column[str | None] = column(default=None)
    created_by: Column[str | None] = references(User, default=None)
    created_time: Column[Timestamp | None] = column(default=None)


class AgentVault(Row, table="notion_agent_vaults", key=("id",)):
    """A credential with which an agent of another system reaches an MCP server."""

    id: Column[str]
    agent_id: Column[str] = references(Agent)
    name: Column[str]
    credential: Column[str]
    expires_time: Column[str]
    server_url: Column[str]
    version: Column[int] = column(default=1)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


TABLES = (Agent, AgentSession, AgentEvent, AgentVault)

"""The tables of a Freshdesk account, and what every account has."""

from __future__ import annotations

from twindiff.kit.clock import Clock
from twindiff.kit.rows import Column, Json, Row, Timestamp, column
from twindiff.kit.twin import Rows

AGENT = 72_000_000_001
BEGIN = Clock(1_767_225_600_000_000).iso()


class FreshdeskContact(Row, table="contacts", key=("id",)):
    """A contact; a `deleted` one is hidden until it is restored."""

    id: Column[int]
    name: Column[str]
    email: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    mobile: Column[str | None] = column(default=None)
    twitter_id: Column[str | None] = column(default=None)
    unique_external_id: Column[str | None] = column(default=None)
    company_id: Column[int | None] = column(default=None)
    address: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    job_title: Column[str | None] = column(default=None)
    language: Column[str] = column(default="en")
    time_zone: Column[str] = column(default="Eastern Time (US & Canada)")
    view_all_tickets: Column[bool | None] = column(default=None)
    tags: Column[Json] = column(default=[])
    other_emails: Column[Json] = column(default=[])
    custom_fields: Column[Json] = column(default={})
    deleted: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class FreshdeskCompany(Row, table="companies", key=("id",)):
    """A company of contacts."""

    id: Column[int]
    name: Column[str]
    description: Column[str | None] = column(default=None)
    note: Column[str | None] = column(default=None)
    health_score: Column[str | None] = column(default=None)
    account_tier: Column[str | None] = column(default=None)
    renewal_date: Column[str | None] = column(default=None)
    industry: Column[str | None] = column(default=None)
    domains: Column[Json] = column(default=[])
    custom_fields: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class FreshdeskTicket(Row, table="tickets", key=("id",)):
    """A ticket; a `deleted` one is hidden until it is restored."""

    id: Column[int]
    subject: Column[str | None] = column(default=None)
    description: Column[str] = column(default="")
    status: Column[int] = column(default=2)
    priority: Column[int] = column(default=1)
    source: Column[int] = column(default=2)
    type: Column[str | None] = column(default=None)
    requester_id: Column[int]
    responder_id: Column[int | None] = column(default=None)
    group_id: Column[int | None] = column(default=None)
    company_id: Column[int | None] = column(default=None)
    cc_emails: Column[Json] = column(default=[])
    tags: Column[Json] = column(default=[])
    custom_fields: Column[Json] = column(default={})
    deleted: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class FreshdeskConversation(Row, table="conversations", key=("id",)):
    """A reply to a ticket, or a note, which is private or public."""

    id: Column[int]
    ticket_id: Column[int]
    user_id: Column[int]
    body: Column[str]
    private: Column[bool] = column(default=False)
    source: Column[int] = column(default=0)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class FreshdeskAgent(Row, table="agents", key=("id",)):
    """An agent, who answers tickets."""

    id: Column[int]
    name: Column[str]
    email: Column[str]
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]


class FreshdeskGroup(Row, table="groups", key=("id",)):
    """A group of agents."""

    id: Column[int]
    name: Column[str]
    description: Column[str | None] = column(default=None)
    agent_ids: Column[Json] = column(default=[])
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


TABLES = (
    FreshdeskContact, FreshdeskCompany, FreshdeskTicket, FreshdeskConversation, FreshdeskAgent, FreshdeskGroup,
)  # fmt: skip


def desk_rows() -> Rows:
    """Return the rows of an account: the agent who calls."""
    return {"agents": [{"id": AGENT, "name": "Agent", "email": "agent@example.com", "created_at": BEGIN}]}

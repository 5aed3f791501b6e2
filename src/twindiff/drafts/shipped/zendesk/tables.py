"""The tables of a Zendesk account, and what every account has."""

from __future__ import annotations

from twindiff.kit.clock import Clock
from twindiff.kit.rows import Column, Json, Row, Timestamp, column
from twindiff.kit.twin import Rows

AGENT = 360_000_001
GROUP = 360_100_001
BEGIN = Clock(1_767_225_600_000_000).iso()


class ZendeskUser(Row, table="users", key=("id",), indexes=(("email",), ("external_id",))):
    """An end user, an agent or an admin; `details` is what is known of it beyond its columns."""

    id: Column[int]
    name: Column[str]
    email: Column[str | None] = column(default=None)
    role: Column[str] = column(default="end-user")
    external_id: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    alias: Column[str | None] = column(default=None)
    notes: Column[str | None] = column(default=None)
    organization_id: Column[int | None] = column(default=None)
    verified: Column[bool] = column(default=False)
    active: Column[bool] = column(default=True)
    suspended: Column[bool] = column(default=False)
    tags: Column[Json] = column(default=[])
    user_fields: Column[Json] = column(default={})
    details: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ZendeskIdentity(Row, table="identities", key=("id",)):
    """An address or a number of a user."""

    id: Column[int]
    user_id: Column[int]
    type: Column[str] = column(default="email")
    value: Column[str]
    verified: Column[bool] = column(default=False)
    primary: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ZendeskOrganization(Row, table="organizations", key=("id",)):
    """An organization of users."""

    id: Column[int]
    name: Column[str]
    external_id: Column[str | None] = column(default=None)
    details: Column[str | None] = column(default=None)
    notes: Column[str | None] = column(default=None)
    group_id: Column[int | None] = column(default=None)
    domain_names: Column[Json] = column(default=[])
    tags: Column[Json] = column(default=[])
    organization_fields: Column[Json] = column(default={})
    shared_tickets: Column[bool] = column(default=False)
    shared_comments: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ZendeskGroup(Row, table="groups", key=("id",)):
    """A group of agents; a `deleted` one is not listed."""

    id: Column[int]
    name: Column[str]
    description: Column[str] = column(default="")
    is_public: Column[bool] = column(default=True)
    default: Column[bool] = column(default=False)
    deleted: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ZendeskTicket(Row, table="tickets", key=("id",)):
    """A ticket; an `is_deleted` one is not listed until it is restored."""

    id: Column[int]
    subject: Column[str | None] = column(default=None)
    description: Column[str] = column(default="")
    status: Column[str] = column(default="new")
    priority: Column[str | None] = column(default=None)
    type: Column[str | None] = column(default=None)
    requester_id: Column[int]
    submitter_id: Column[int]
    assignee_id: Column[int | None] = column(default=None)
    group_id: Column[int | None] = column(default=None)
    organization_id: Column[int | None] = column(default=None)
    external_id: Column[str | None] = column(default=None)
    due_at: Column[str | None] = column(default=None)
    tags: Column[Json] = column(default=[])
    custom_fields: Column[Json] = column(default=[])
    collaborator_ids: Column[Json] = column(default=[])
    is_deleted: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class ZendeskComment(Row, table="comments", key=("id",)):
    """A comment on a ticket, of which the first is its description."""

    id: Column[int]
    ticket_id: Column[int]
    author_id: Column[int]
    body: Column[str]
    public: Column[bool] = column(default=True)
    created_at: Column[Timestamp]


class ZendeskAudit(Row, table="audits", key=("id",), visibility="bookkeeping", indexes=(("ticket_id",),)):
    """What a change of a ticket did, by its `events`."""

    id: Column[int]
    ticket_id: Column[int]
    author_id: Column[int]
    events: Column[Json] = column(default=[])
    created_at: Column[Timestamp]


class ZendeskAccount(Row, table="accounts", key=("id",)):
    """The account, of which there is one."""

    id: Column[int]
    time_zone: Column[str]
    iana_time_zone: Column[str]


class ZendeskUserField(Row, table="user_fields", key=("key",)):
    """A field of users that the account has added."""

    key: Column[str]
    type: Column[str] = column(default="text")
    title: Column[str] = column(default="")
    position: Column[int] = column(default=0, derived=True)


class ZendeskJob(Row, table="job_statuses", key=("id",), visibility="bookkeeping"):
    """What came of several objects that were written in one call."""

    id: Column[str]
    results: Column[Json] = column(default=[])


TABLES = (
    ZendeskUser, ZendeskIdentity, ZendeskOrganization, ZendeskGroup, ZendeskTicket, ZendeskComment, ZendeskUserField,
    ZendeskAccount, ZendeskAudit, ZendeskJob,
)  # fmt: skip


def desk_rows() -> Rows:
    """Return the rows of an account: the admin who calls, and a group."""
    email = "agent@example.com"
    times = {"created_at": BEGIN, "updated_at": BEGIN}
    about = {"name": "Agent", "email": email, "role": "admin", "verified": True}
    identity = {"user_id": AGENT, "value": email, "verified": True, "primary": True}
    zone = {"time_zone": "Eastern Time (US & Canada)", "iana_time_zone": "America/New_York"}
    return {
        "accounts": [{"id": 1, **zone}],
        "users": [{"id": AGENT, **about, **times}],
        "identities": [{"id": AGENT + 1000, **identity, **times}],
        "groups": [{"id": GROUP, "name": "Support", "default": True, **times}],
    }

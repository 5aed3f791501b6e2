"""The tables of an Intercom workspace: contacts, companies, tags, notes, conversations and attributes."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class IntercomContact(Row, table="contacts", key=("id",), indexes=(("email",), ("external_id",))):
    """A user or a lead; `is_archived` ones are hidden until they are unarchived."""

    id: Column[str]
    external_id: Column[str | None] = column(default=None)
    role: Column[str] = column(default="user")
    email: Column[str | None] = column(default=None)
    phone: Column[str | None] = column(default=None)
    name: Column[str | None] = column(default=None)
    avatar: Column[str | None] = column(default=None)
    owner_id: Column[int | None] = column(default=None)
    signed_up_at: Column[int | None] = column(default=None)
    last_seen_at: Column[int | None] = column(default=None)
    unsubscribed_from_emails: Column[bool] = column(default=False)
    custom_attributes: Column[Json] = column(default={})
    is_archived: Column[bool] = column(default=False)
    is_deleted: Column[bool] = column(default=False)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class IntercomCompany(Row, table="companies", key=("id",)):
    """A company; `company_id` is the client's name of it."""

    id: Column[str]
    company_id: Column[str]
    name: Column[str | None] = column(default=None)
    plan: Column[str | None] = column(default=None)
    size: Column[int | None] = column(default=None)
    website: Column[str | None] = column(default=None)
    industry: Column[str | None] = column(default=None)
    monthly_spend: Column[float | None] = column(default=None)
    remote_created_at: Column[int | None] = column(default=None)
    custom_attributes: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class IntercomTag(Row, table="tags", key=("id",)):
    """A tag."""

    id: Column[str]
    name: Column[str]


class IntercomMembership(Row, table="memberships", key=("kind", "owner", "target")):
    """A tag of a contact, a company or a conversation, or a company of a contact, as `kind` says: `contact_tag`."""

    kind: Column[str]
    owner: Column[str]
    target: Column[str]


class IntercomNote(Row, table="notes", key=("id",)):
    """A note about a contact."""

    id: Column[str]
    contact_id: Column[str]
    body: Column[str]
    created_at: Column[Timestamp]


class IntercomConversation(Row, table="conversations", key=("id",)):
    """A conversation that a contact began; `parts` are what was said after it."""

    id: Column[str]
    contact_id: Column[str]
    body: Column[str]
    state: Column[str] = column(default="open")
    parts: Column[Json] = column(default=[])
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class IntercomAttribute(Row, table="data_attributes", key=("model", "full_name")):
    """An attribute that contacts or companies can have; `shown` is what is known of it beyond its name."""

    model: Column[str]
    full_name: Column[str]
    data_type: Column[str] = column(default="string")
    shown: Column[Json] = column(default={})
    position: Column[int] = column(default=0)


TABLES = (
    IntercomContact,
    IntercomCompany,
    IntercomTag,
    IntercomMembership,
    IntercomNote,
    IntercomConversation,
    IntercomAttribute,
)

"""The tables of a Close organization: leads with what belongs to them, custom fields, statuses and users."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class CloseLead(Row, table="leads", key=("id",)):
    """A company; `details` are its other fields, `custom` its custom ones by id."""

    id: Column[str]
    name: Column[str] = column(default="")
    status_id: Column[str]
    details: Column[Json] = column(default={})
    custom: Column[Json] = column(default={})
    created_by: Column[str]
    updated_by: Column[str]
    date_created: Column[Timestamp]
    date_updated: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class CloseContact(Row, table="contacts", key=("id",), indexes=(("lead_id",),)):
    """A person of a lead; `details` are titles, e-mail addresses, phones and URLs."""

    id: Column[str]
    lead_id: Column[str]
    name: Column[str] = column(default="")
    details: Column[Json] = column(default={})
    custom: Column[Json] = column(default={})
    created_by: Column[str]
    updated_by: Column[str]
    date_created: Column[Timestamp]
    date_updated: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class CloseOpportunity(Row, table="opportunities", key=("id",), indexes=(("lead_id",),)):
    """A deal of a lead; `details` holds value, confidence and note."""

    id: Column[str]
    lead_id: Column[str]
    status_id: Column[str]
    details: Column[Json] = column(default={})
    custom: Column[Json] = column(default={})
    created_by: Column[str]
    updated_by: Column[str]
    date_created: Column[Timestamp]
    date_updated: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class CloseTask(Row, table="tasks", key=("id",), indexes=(("lead_id",),)):
    """A task of a lead."""

    id: Column[str]
    lead_id: Column[str]
    details: Column[Json] = column(default={})
    created_by: Column[str]
    updated_by: Column[str]
    date_created: Column[Timestamp]
    date_updated: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class CloseActivity(Row, table="activities", key=("id",), indexes=(("lead_id",),)):
    """A note, call, e-mail, SMS or meeting of a lead, as `kind` says."""

    id: Column[str]
    kind: Column[str]
    lead_id: Column[str]
    details: Column[Json] = column(default={})
    created_by: Column[str]
    updated_by: Column[str]
    date_created: Column[Timestamp]
    date_updated: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class CloseCustomField(Row, table="custom_fields", key=("id",)):
    """A custom field of what `owner` says: `lead`, `contact`, `opportunity`, `activity` or `shared`."""

    id: Column[str]
    owner: Column[str]
    name: Column[str]
    type: Column[str]
    details: Column[Json] = column(default={})
    created_by: Column[str]
    updated_by: Column[str]
    date_created: Column[Timestamp]
    date_updated: Column[Timestamp] = column(derived=True)
    made_number: Column[int] = column(default=0, derived=True)


class CloseStatus(Row, table="statuses", key=("id",)):
    """A status of leads or opportunities, as `owner` says; `type` is that of an opportunity's."""

    id: Column[str]
    owner: Column[str]
    label: Column[str]
    type: Column[str] = column(default="active")
    position: Column[int] = column(default=0)


class CloseUser(Row, table="users", key=("id",)):
    """A user of the organization; the first one calls."""

    id: Column[str]
    email: Column[str] = column(default="")
    first_name: Column[str] = column(default="")
    last_name: Column[str] = column(default="")


class CloseEvent(Row, table="events", key=("id",), visibility="bookkeeping", indexes=(("made_number",),)):
    """What happened to an object; `data` is the object after it."""

    id: Column[str]
    object_type: Column[str]
    object_id: Column[str]
    action: Column[str]
    lead_id: Column[str | None] = column(default=None)
    user_id: Column[str]
    data: Column[Json] = column(default={})
    previous_data: Column[Json] = column(default={})
    changed_fields: Column[Json] = column(default=[])
    date_created: Column[Timestamp]
    made_number: Column[int]


TABLES = (
    CloseLead, CloseContact, CloseOpportunity, CloseTask, CloseActivity, CloseCustomField, CloseStatus, CloseUser,
    CloseEvent,
)  # fmt: skip

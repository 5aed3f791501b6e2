"""The tables of SendGrid: mails, and the contacts, lists and fields of marketing."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class SendGridMail(Row, table="mails", key=("id",)):
    """A mail to the recipients of one personalization."""

    id: Column[str]
    message_id: Column[str]
    from_email: Column[str]
    to: Column[Json]
    cc: Column[Json] = column(default=[])
    bcc: Column[Json] = column(default=[])
    subject: Column[str | None] = column(default=None)
    content: Column[Json] = column(default=[])
    template_id: Column[str | None] = column(default=None)
    dynamic_template_data: Column[Json | None] = column(default=None)
    categories: Column[Json] = column(default=[])
    send_at: Column[int | None] = column(default=None)
    accepted_at: Column[Timestamp]


class SendGridContact(Row, table="marketing_contacts", key=("id",), indexes=(("email",),)):
    """A contact; its address is in lower case and unique."""

    id: Column[str]
    email: Column[str]
    first_name: Column[str | None] = column(default=None)
    last_name: Column[str | None] = column(default=None)
    list_ids: Column[Json] = column(default=[])
    custom_fields: Column[Json] = column(default={})
    fields: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class SendGridList(Row, table="marketing_lists", key=("id",)):
    """A list of contacts."""

    id: Column[str]
    name: Column[str]
    created_number: Column[int] = column(default=0, derived=True)


class SendGridField(Row, table="marketing_fields", key=("id",)):
    """A field that the account has added to contacts."""

    id: Column[str]
    name: Column[str]
    field_type: Column[str] = column(default="Text")


TABLES = (SendGridMail, SendGridContact, SendGridList, SendGridField)

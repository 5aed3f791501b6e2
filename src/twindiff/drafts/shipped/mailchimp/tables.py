"""The tables of a Mailchimp account: lists (audiences), their merge fields, members and tags."""

from __future__ import annotations

from twindiff.kit.rows import Column, Json, Row, Timestamp, column


class MailchimpList(Row, table="lists", key=("id",)):
    """A list; `details` is what is known of it beyond its name."""

    id: Column[str]
    name: Column[str]
    details: Column[Json] = column(default={})
    date_created: Column[Timestamp]
    position: Column[int] = column(default=0)


class MailchimpMergeField(Row, table="merge_fields", key=("list_id", "merge_id")):
    """A field that the members of a list have."""

    list_id: Column[str]
    merge_id: Column[int]
    tag: Column[str]
    name: Column[str]
    type: Column[str] = column(default="text")
    required: Column[bool] = column(default=False)
    default_value: Column[str] = column(default="")
    public: Column[bool] = column(default=False)
    display_order: Column[int] = column(default=0)
    options: Column[Json] = column(default={})
    help_text: Column[str] = column(default="")


class MailchimpMember(Row, table="members", key=("list_id", "id")):
    """A member of a list; `id` is the MD5 of its address in lower case."""

    list_id: Column[str]
    id: Column[str]
    email_address: Column[str]
    email_type: Column[str] = column(default="html")
    status: Column[str]
    merge_fields: Column[Json] = column(default={})
    tags: Column[Json] = column(default=[])
    language: Column[str] = column(default="")
    vip: Column[bool] = column(default=False)
    details: Column[Json] = column(default={})
    web_id: Column[int] = column(default=0)
    timestamp_opt: Column[Timestamp | None] = column(default=None)
    last_changed: Column[Timestamp]


TABLES = (MailchimpList, MailchimpMergeField, MailchimpMember)

"""The tables of a Mailchimp account: lists (audiences), their merge fields, members and tags."""

from __future__ import annotations

from typing import Any

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


class MailchimpSegment(Row, table="segments", key=("id",)):
    """A static segment of a list, which is some of its members, or a saved one, which are those that meet `options`."""

    id: Column[int]
    list_id: Column[str]
    name: Column[str]
    member_ids: Column[Json] = column(default=[])
    options: Column[Json] = column(default={})
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class MailchimpInterestCategory(Row, table="interest_categories", key=("id",)):
    """A category of interests, shown to members in the form of its `type`."""

    id: Column[str]
    list_id: Column[str]
    title: Column[str]
    type: Column[str] = column(default="checkboxes")
    display_order: Column[int] = column(default=0)


class MailchimpInterest(Row, table="interests", key=("id",)):
    """An interest that members can have."""

    id: Column[str]
    list_id: Column[str]
    category_id: Column[str]
    name: Column[str]
    display_order: Column[int] = column(default=0)


class MailchimpNote(Row, table="member_notes", key=("id",)):
    """A note about a member."""

    id: Column[int]
    list_id: Column[str]
    member_id: Column[str]
    note: Column[str]
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


class MailchimpCampaign(Row, table="campaigns", key=("id",)):
    """A campaign: `save`, `schedule` or `sent`."""

    id: Column[str]
    type: Column[str] = column(default="regular")
    status: Column[str] = column(default="save")
    settings: Column[Json] = column(default={})
    recipients: Column[Json] = column(default={})
    tracking: Column[Json] = column(default={})
    content: Column[Json] = column(default={})
    emails_sent: Column[int] = column(default=0)
    create_time: Column[Timestamp]
    send_time: Column[Timestamp | None] = column(default=None)


class MailchimpTemplate(Row, table="templates", key=("id",)):
    """A template of campaigns."""

    id: Column[int]
    name: Column[str]
    html: Column[str]
    date_created: Column[Timestamp]


class MailchimpBatch(Row, table="batches", key=("id",)):
    """A batch of operations with their answers: `{"status_code", "operation_id", "response"}` each."""

    id: Column[str]
    answers: Column[Json] = column(default=[])
    submitted_at: Column[Timestamp]


OF_LISTS: tuple[Any, ...] = (
    MailchimpMember, MailchimpMergeField, MailchimpSegment, MailchimpInterestCategory, MailchimpInterest, MailchimpNote,
)  # fmt: skip
"""The tables of what is of a list."""
TABLES = (MailchimpList, *OF_LISTS, MailchimpCampaign, MailchimpTemplate, MailchimpBatch)

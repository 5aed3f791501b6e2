"""File uploads, webhooks, integrations, emojis and tasks as rows."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column


class FileUpload(Row, table="notion_file_uploads", key=("id",), indexes=(("created_time", "number"),)):
    """A file upload; `digest` names its bytes once it is complete, `parts` those of each part by number before."""

    id: Column[str]
    mode: Column[str] = column(default="single_part")
    status: Column[str] = column(default="pending")
    filename: Column[str | None] = column(default=None)
    content_type: Column[str | None] = column(default=None)
    content_length: Column[int | None] = column(default=None)
    number_of_parts: Column[int | None] = column(default=None)
    parts: Column[Json] = column(default={})
    digest: Column[str | None] = column(default=None)
    external_url: Column[str | None] = column(default=None)
    is_attached: Column[bool] = column(default=False)
    expiry_time: Column[Timestamp | None] = column(default=None)
    number: Column[int] = column(default=0, derived=True)
    created_by: Column[str | None] = column(default=None)
    created_time: Column[Timestamp | None] = column(default=None)
    last_edited_time: Column[Timestamp | None] = column(default=None, derived=True)


class WebhookSubscription(Row, table="notion_webhook_subscriptions", key=("id",)):
    """A webhook subscription of an integration; `event_types` empty means all."""

    id: Column[str]
    url: Column[str]
    integration_id: Column[str | None] = column(default=None)
    event_types: Column[Json] = column(default=[])
    verification_token: Column[str] = column(default="")
    status: Column[str] = column(default="active")


class Integration(Row, table="notion_integrations", key=("client_id",), visibility="bookkeeping"):
    """A public integration: an OAuth client and the bot that acts for it."""

    client_id: Column[str]
    client_secret: Column[str]
    bot_id: Column[str]
    redirect_uri: Column[str] = column(default="")


class CustomEmoji(Row, table="notion_custom_emojis", key=("id",)):
    """A custom emoji of the workspace."""

    id: Column[str]
    name: Column[str]
    url: Column[str] = column(default="")


class AsyncTask(Row, table="notion_async_tasks", key=("id",), visibility="bookkeeping"):
    """An operation that a client let run in the background; it is finished when it is stored."""

    id: Column[str]
    operation: Column[str]
    result: Column[Json] = column(default=None)
    created_time: Column[Timestamp | None] = column(default=None)


TABLES = (FileUpload, WebhookSubscription, Integration, CustomEmoji, AsyncTask)

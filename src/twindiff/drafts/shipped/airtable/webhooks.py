"""Webhooks of a base. https://airtable.com/developers/web/api/create-a-webhook, /list-webhooks"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.rows import Column, Json, Row, Timestamp, column
from twindiff.kit.twin import Operations

from .bases import find_base
from .wire_style import AirtableError, make_id

api = Operations(prefix="/v0/bases/{baseId}/webhooks")
Shown = dict[str, Any]
LIFE_DAYS = 7
MAX_WEBHOOKS = 10
_DATA_TYPES = ("tableData", "tableFields", "tableMetadata")


class AirtableWebhook(Row, table="webhooks", key=("id",)):
    """A webhook of a base; it ends unless it is refreshed."""

    id: Column[str]
    base_id: Column[str]
    notification_url: Column[str | None] = column(default=None)
    specification: Column[Json] = column(default={})
    is_enabled: Column[bool] = column(default=True)
    expires: Column[Timestamp]
    position: Column[int] = column(default=0, derived=True)


def _find_webhook(call: Call, base_id: str, id: str) -> AirtableWebhook:
    base = find_base(call, base_id)
    row = call.db.find(AirtableWebhook, AirtableWebhook.id == id, AirtableWebhook.base_id == base.id)
    if row is None:
        raise AirtableError(404, "NOT_FOUND", is_bare=True)
    return row


def _list_webhooks(call: Call, base_id: str) -> list[AirtableWebhook]:
    base = find_base(call, base_id)
    return call.db.rows(AirtableWebhook, AirtableWebhook.base_id == base.id, order=AirtableWebhook.position)


def _show_time(timestamp: str) -> str:
    return f"{timestamp[:19]}.000Z"


def _end_of(call: Call) -> str:
    return (datetime.fromisoformat(call.clock.iso()) + timedelta(days=LIFE_DAYS)).isoformat()


@api.get("")
def list_webhooks(call: Call, base_id: str) -> Shown:
    """List the webhooks of a base."""
    return {"webhooks": [_show(row) for row in _list_webhooks(call, base_id)]}


def _show(row: AirtableWebhook) -> Shown:
    return {
        "id": row.id, "type": "client", "areNotificationsEnabled": row.is_enabled, "cursorForNextPayload": 1,
        "isHookEnabled": True, "lastSuccessfulNotificationTime": None, "notificationUrl": row.notification_url,
        "expirationTime": _show_time(row.expires), "lastNotificationResult": None,
        "specification": row.specification,
    }  # fmt: skip


@api.post("")
def post_webhook(
    call: Call, base_id: str, specification: dict[str, Any] | None = None, notification_url: str | None = None
) -> Shown:
    """Create a webhook; its specification says what it is told of."""
    known = _list_webhooks(call, base_id)
    options: Any = (specification or {}).get("options")
    filters: Any = cast(Shown, options).get("filters") if isinstance(options, dict) else None
    kinds: Any = cast(Shown, filters).get("dataTypes") if isinstance(filters, dict) else None
    if not isinstance(kinds, list) or not kinds or any(each not in _DATA_TYPES for each in cast(list[Any], kinds)):
        raise AirtableError(422, "INVALID_REQUEST_UNKNOWN", "Invalid request: parameter validation failed.")
    if len(known) >= MAX_WEBHOOKS:
        said = f"You have exceeded the limit of {MAX_WEBHOOKS} webhooks for this base"
        raise AirtableError(422, "TOO_MANY_WEBHOOKS_IN_BASE", said)
    row = AirtableWebhook(
        id=make_id(call, "ach"), base_id=base_id, notification_url=notification_url, specification=specification or {},
        expires=_end_of(call), position=call.db.next("webhook"),
    )  # fmt: skip
    call.db.add(row)
    secret = call.ids.new("", 44)
    return {"id": row.id, "macSecretBase64": secret, "expirationTime": _show_time(row.expires)}


@api.delete("/{webhookId}", status=200)
def delete_webhook(call: Call, base_id: str, webhook_id: str) -> None:
    """Remove a webhook."""
    call.db.remove(_find_webhook(call, base_id, webhook_id))


@api.post("/{webhookId}/refresh")
def post_refresh(call: Call, base_id: str, webhook_id: str) -> Shown:
    """Have a webhook end later."""
    row = call.db.change(_find_webhook(call, base_id, webhook_id), expires=_end_of(call))
    return {"expirationTime": _show_time(row.expires)}


@api.post("/{webhookId}/enableNotifications", status=200)
def post_enabling(call: Call, base_id: str, webhook_id: str, enable: bool) -> None:
    """Switch the notifications of a webhook on or off."""
    call.db.change(_find_webhook(call, base_id, webhook_id), is_enabled=enable)

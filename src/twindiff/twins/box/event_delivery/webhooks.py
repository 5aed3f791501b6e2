"""Webhooks for events of a file or in a folder, and the signatures of their deliveries.

https://developer.box.com/guides/webhooks/v2
"""

from __future__ import annotations

import hmac
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Annotated, Any, Literal

import msgspec

from twindiff.kit import UNSET, Call, Meta, Operations, Store, Struct, UnsetType, revise
from twindiff.kit.clock import EPOCH, SECOND
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks
from twindiff.kit.links import split_url
from twindiff.twins.box.wire_style import BadRequest, errors_of, marker_page

from ..core.access import ROOT, find_item
from ..core.errors import Conflict, NotFound
from ..core.folder_listing import rows_from
from ..core.row_stamps import format_instant, new_id
from ..tables.further_tables import Application, Webhook
from ..tables.item_tables import Item
from ..views.item_views import user_mini
from .trigger_names import TRIGGERS

api = Operations(prefix="/2.0")
HTTPS_PORT = 443
PRIMARY_KEY, SECONDARY_KEY = "primary-signature-key", "secondary-signature-key"
"""The signature keys of an environment whose template lists no application with keys of its own."""
Shown = dict[str, Any]


class Target(Struct):
    """The file or folder that a webhook watches."""

    id: str | int | UnsetType = UNSET
    type: Literal["file", "folder"] | UnsetType = UNSET


def webhook_object(call: Call, webhook: Webhook, *, mini: bool = False) -> Shown:
    """Render a webhook."""
    target = {"type": webhook.target_type, "id": webhook.target_id}
    shown: Shown = {"type": "webhook", "id": webhook.id, "target": target}
    if mini:
        return shown
    by, at = user_mini(call, webhook.created_by_id), format_instant(webhook.created_at)
    return {**shown, "created_by": by, "created_at": at, "address": webhook.address, "triggers": webhook.triggers}


def _find(call: Call, webhook_id: str) -> Webhook:
    webhook = call.db.find(Webhook, Webhook.id == webhook_id)
    if webhook is None or webhook.created_by_id not in (None, call.actor):
        raise NotFound.of("webhook", webhook_id)
    return webhook


@api.get("/webhooks")
def list_webhooks(call: Call, marker: str = "", limit: int = 100) -> Shown:
    """List the caller's webhooks.

    https://developer.box.com/reference/get-webhooks
    """
    mine = Webhook.created_by_id == call.actor
    rows, more = rows_from(call, marker, limit, Webhook, mine, order=Webhook.id)
    return marker_page([webhook_object(call, row, mini=True) for row in rows], limit, more)


def _address(address: str) -> str:
    """Return an address that may be notified; raises BadRequest for others than those of HTTPS at its own port.

    Receivers on this machine may have any scheme and port. Box does not notify itself.
    https://developer.box.com/guides/webhooks/v2/limitations-v2
    """
    parts = split_url(address)
    host = (parts.hostname or "").lower()
    if host in ("localhost", "127.0.0.1", "::1") and parts.scheme in ("http", "https"):
        return address
    if parts.scheme != "https":
        raise BadRequest.of("invalid_parameter", "address", "The address must begin with https://")
    if parts.port not in (None, HTTPS_PORT):
        raise BadRequest.of("invalid_parameter", "address", f"The port of the address must be {HTTPS_PORT}.")
    if host == "box.com" or host.endswith(".box.com"):
        raise BadRequest.of("invalid_parameter", "address", "The address must not be one of box.com.")
    return address


def _find_target(call: Call, kind: str, item_id: str) -> Item:
    """Return an item whose events the caller may be notified of; raise BadRequest for the root folder.

    https://developer.box.com/guides/webhooks/v2/limitations-v2
    """
    if (kind, item_id) == ("folder", ROOT):
        raise BadRequest.of("invalid_parameter", "target", "A webhook cannot be created on the root folder.")
    return find_item(call, kind, item_id, "watch")


def _triggers(triggers: list[str], kind: str) -> list[str]:
    for trigger in triggers:
        if trigger not in TRIGGERS:
            raise BadRequest.of("invalid_parameter", "triggers", f"Invalid value '{trigger[:60]}'.")
        if kind == "file" and trigger.startswith("FOLDER."):
            raise BadRequest.of("invalid_parameter", "triggers", f"'{trigger}' is not told of files.")
    return list(dict.fromkeys(triggers))


def _check_only(call: Call, kind: str, item_id: str, *, but: str = "") -> None:
    """Raise Conflict if the caller has another webhook for an item."""
    same = (Webhook.target_id == item_id, Webhook.target_type == kind, Webhook.created_by_id == call.actor)
    if call.db.find(Webhook, *same, Webhook.id != but):
        said = f"Webhook:{item_id} already exists"
        raise Conflict(context_info=errors_of("invalid_parameter", "existing_webhook", said))


Named = Annotated[list[str], Meta(min_length=1)]


@api.post("/webhooks", status=201)
def create_webhook(call: Call, target: Target, address: str, triggers: Named) -> Shown:
    """Create a webhook that is notified of events of a file or in a folder.

    https://developer.box.com/reference/post-webhooks
    """
    if target.id is UNSET or target.type is UNSET:
        raise BadRequest.of("missing_parameter", "target", "'target' needs an id and a type")
    item = _find_target(call, target.type, str(target.id))
    address, triggers = _address(address), _triggers(triggers, item.type)
    _check_only(call, item.type, item.id)
    made = Webhook(
        id=new_id(call, 9),
        target_id=item.id,
        target_type=item.type,
        address=address,
        triggers=triggers,
        created_by_id=call.actor,
        created_at=call.clock.iso(),
    )
    return webhook_object(call, call.db.add(made))


@api.get("/webhooks/{webhook_id}")
def get_webhook(call: Call, webhook_id: str) -> Shown:
    """Get a webhook.

    https://developer.box.com/reference/get-webhooks-id
    """
    return webhook_object(call, _find(call, webhook_id))


@api.put("/webhooks/{webhook_id}")
def update_webhook(
    call: Call,
    webhook_id: str,
    target: Target | UnsetType = UNSET,
    address: str | UnsetType = UNSET,
    triggers: Named | UnsetType = UNSET,
) -> Shown:
    """Update the given fields of a webhook.

    https://developer.box.com/reference/put-webhooks-id
    """
    webhook = _find(call, webhook_id)
    changes: Shown = {}
    if isinstance(target, Target) and isinstance(target.type, str):
        item = _find_target(call, target.type, str(target.id))
        _check_only(call, item.type, item.id, but=webhook.id)
        changes |= {"target_id": item.id, "target_type": item.type}
    if address is not UNSET:
        changes["address"] = _address(address)
    if triggers is not UNSET:
        changes["triggers"] = _triggers(triggers, changes.get("target_type", webhook.target_type))
    return webhook_object(call, revise(call.db, webhook, **changes))


@api.delete("/webhooks/{webhook_id}", status=204)
def delete_webhook(call: Call, webhook_id: str) -> None:
    """Delete a webhook.

    https://developer.box.com/reference/delete-webhooks-id
    """
    call.db.remove(_find(call, webhook_id))


def subscription(webhook: Webhook, db: Store) -> Subscription:
    """Return a webhook as a subscription. Its secret is the application's two keys, separated by a newline."""
    app = db.find(Application)
    keys = [(app and app.primary_key) or PRIMARY_KEY, (app and app.secondary_key) or SECONDARY_KEY]
    created = datetime.fromisoformat(webhook.created_at) - EPOCH if webhook.created_at else timedelta()
    return Subscription(
        id=webhook.id,
        url=webhook.address,
        secret="\n".join(keys),
        events=tuple(webhook.triggers),
        actor=webhook.created_by_id or "",
        created=created // timedelta(microseconds=1),
    )


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    """Yield the notifications of an event for a webhook: events of its target, or of items in its target folder.
    A webhook of the settings is notified of all items.
    """
    payload = event.payload
    if not _concerns(event, subscription, db):
        return
    named = sha256(f"{event.environment} {event.seq} {event.number} {subscription.id}".encode()).hexdigest()
    at = datetime.fromtimestamp(event.at // SECOND, UTC).isoformat()
    body = {
        "type": "webhook_event",
        "id": f"{named[:8]}-{named[8:12]}-4{named[13:16]}-8{named[17:20]}-{named[20:32]}",
        "created_at": at,
        "trigger": event.name,
        "webhook": {"id": subscription.id, "type": "webhook"},
        "created_by": payload["by"],
        "source": payload["source"],
        "additional_info": payload["additional_info"],
    }
    yield Notification(named[:32], event.name, body)


def _concerns(event: Emitted, subscription: Subscription, db: Store) -> bool:
    """Whether an event is one of a subscription's, and about its target."""
    if subscription.of_settings:
        return event.name in TRIGGERS and (not subscription.events or event.name in subscription.events)
    webhook = db.find(Webhook, Webhook.id == subscription.id)
    if webhook is None or event.name not in subscription.events:
        return False
    about = [webhook.target_type, webhook.target_id]
    is_within = webhook.target_type == "folder" and webhook.target_id in event.payload["within"]
    return event.payload["about"] == about or is_within


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build the HTTP request of one delivery attempt, signed with each of the two keys, or twice with the only one."""
    body = msgspec.json.encode(notification.body)
    stamp = datetime.fromtimestamp(attempt.at // SECOND, UTC).isoformat()
    primary, _, secondary = subscription.secret.partition("\n")
    headers = (
        ("Content-Type", "application/json; charset=utf-8"),
        ("BOX-DELIVERY-ID", notification.id),
        ("BOX-DELIVERY-TIMESTAMP", stamp),
        ("BOX-SIGNATURE-ALGORITHM", "HmacSHA256"),
        ("BOX-SIGNATURE-VERSION", "1"),
        ("BOX-SIGNATURE-PRIMARY", signature(primary, body, stamp)),
        ("BOX-SIGNATURE-SECONDARY", signature(secondary or primary, body, stamp)),
    )
    return WebhookRequest(subscription.url, headers, body)


def signature(key: str, body: bytes, stamp: str) -> str:
    """Return the Base64 HMAC-SHA256 of a body and its delivery timestamp."""
    return b64encode(hmac.new(key.encode(), body + stamp.encode(), sha256).digest()).decode()


webhooks = Webhooks(
    notifications,
    request,
    retries=(60, 300, 1800, 7200, 21600),
    timeout_seconds=30,
    names=TRIGGERS,
    table=Webhook,
    subscription=subscription,
)

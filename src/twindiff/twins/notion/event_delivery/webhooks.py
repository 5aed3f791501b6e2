"""Webhooks: payloads, signatures and the token by which a subscriber proves itself.

https://developers.notion.com/reference/webhooks
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from hashlib import blake2b, sha256
from typing import Any
from uuid import UUID

import msgspec

from twindiff.kit import Store
from twindiff.kit.clock import Clock
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks

from ..core.api_version import LATEST, OLDEST
from ..core.edit_stamps import millis
from ..tables.content_tables import User, Workspace
from ..tables.data_source_tables import Database
from ..tables.workspace_tables import WebhookSubscription

RETRY_SECONDS = (60, 180, 600, 1800, 3600, 14400, 43200)
NAMES = frozenset(
    f"{kind}.{event}"
    for kind, events in {
        "comment": "created deleted updated",
        "data_source": "content_updated created deleted moved schema_updated undeleted",
        "database": "content_updated created deleted moved schema_updated undeleted",
        "file_upload": "completed created expired upload_failed",
        "page": "content_updated created deleted locked moved properties_updated undeleted unlocked",
        "view": "created deleted updated",
    }.items()
    for event in events.split()
)


def _notify(event: Emitted, subscription: Subscription, store: Store) -> Iterator[Notification]:
    """Yield the message of an event, and that which older versions have for it.

    Ids depend only on the event and the name that the message has for it.
    """
    if not subscription.events or event.name in subscription.events:
        yield _build_message(event, subscription, store, LATEST)
    former = _FORMER_NAMES.get(event.name)
    if former in subscription.events:
        yield _build_message(_of_database(event, former, store), subscription, store, OLDEST)


_FORMER_NAMES = {
    "data_source.content_updated": "database.content_updated",
    "data_source.schema_updated": "database.schema_updated",
}
"""Events that were those of databases before 2025-09-03; a subscription has the old ones if it names them."""


def _of_database(event: Emitted, former: str, store: Store) -> Emitted:
    """Return an event of a data source as that of its database, whose parent is told with it."""
    data = event.payload["data"]
    database = store.find(Database, Database.id == data["parent"]["id"])
    kind = {"page_id": "page", "block_id": "block"}.get(database.parent_type if database else "", "space")
    workspace = store.find(Workspace)
    above = database.parent_id if database else None
    parent = {"id": above or (workspace.id if workspace else ""), "type": kind}
    entity = {"id": data["parent"]["id"], "type": "database"}
    return event._replace(name=former, payload={"entity": entity, "data": {**data, "parent": parent}})


def _build_message(event: Emitted, subscription: Subscription, store: Store, version: str) -> Notification:
    about = f"{event.environment}.{event.seq}.{event.number}.{subscription.id}"
    about += f".{event.name}" if version != LATEST else ""
    id = str(UUID(bytes=blake2b(about.encode(), digest_size=16).digest(), version=4))
    workspace = store.find(Workspace)
    author = store.find(User, User.id == event.actor)
    bots = store.rows(User, User.type == "bot", order=User.id, limit=1)
    bot_id = subscription.actor or (bots[0].id if bots else event.actor)
    kind = author.type if author else "bot"
    return Notification(
        id,
        event.name,
        {
            "id": id,
            "timestamp": millis(Clock(event.at).iso()).replace("+00:00", "Z"),
            "workspace_id": workspace.id if workspace else "",
            "workspace_name": workspace.name if workspace else "",
            "subscription_id": subscription.id,
            "integration_id": bot_id,
            "authors": [{"id": event.actor if author else bot_id, "type": kind}],
            "accessible_by": [{"id": bot_id, "type": "bot"}],
            "api_version": version,
            "type": event.name,
            **event.payload,
        },
    )


def _sign(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest()


def _request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    body = msgspec.json.encode({**notification.body, "attempt_number": attempt.number + 1})
    headers = (("Content-Type", "application/json"), ("X-Notion-Signature", _sign(subscription.secret, body)))
    return WebhookRequest(subscription.url, headers, body)


def _challenge(subscription: Subscription, challenge: str, attempt: DeliveryAttempt) -> WebhookRequest:
    """Send the token that verifies a new subscription, which also signs its events."""
    body = msgspec.json.encode({"verification_token": subscription.secret})
    return WebhookRequest(subscription.url, (("Content-Type", "application/json"),), body)


def _subscription(row: Any, store: Store) -> Subscription | None:
    if row.status != "active":
        return None
    return Subscription(row.id, row.url, row.verification_token, tuple(row.event_types), row.integration_id or "")


webhooks = Webhooks(
    notifications=_notify,
    request=_request,
    retries=RETRY_SECONDS,
    names=NAMES,
    table=WebhookSubscription,
    subscription=_subscription,
    challenge=_challenge,
)

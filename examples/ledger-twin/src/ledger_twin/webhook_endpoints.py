"""Webhook endpoints: programs that are told of entries."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from twindiff.kit import Call, Operations, Store, View
from twindiff.kit.clock import SECOND, micros_of
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks

from .tables import WebhookEndpoint

api = Operations()

NAMES = frozenset({"entry.created"})

endpoint_object = View(
    WebhookEndpoint, id=WebhookEndpoint.endpoint_id, url=WebhookEndpoint.url, events=WebhookEndpoint.events
)


@api.post("/webhook_endpoints", status=201)
def add_webhook_endpoint(call: Call, url: str, events: list[str] | None = None) -> dict[str, Any]:
    """Tell a program of events from now on; the answer has the secret that its requests are signed with, once."""
    endpoint = WebhookEndpoint(
        endpoint_id=f"W{call.db.next('webhook_endpoint'):06d}",
        url=url,
        secret=call.ids.new("whsec_", 24),
        events=events or sorted(NAMES),
        created_at=call.clock.iso(),
    )
    return {**endpoint_object(call.db.add(endpoint)), "secret": endpoint.secret}


def subscription(row: WebhookEndpoint, db: Store) -> Subscription:
    """Who is told by an endpoint."""
    created = micros_of(datetime.fromisoformat(row.created_at))
    return Subscription(row.endpoint_id, row.url, row.secret, tuple(row.events), created=created)


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    """What a program is told of an event: all of it, if it wants that event."""
    if event.name in subscription.events:
        event_id = f"evt_{event.seq}_{event.number}"
        yield Notification(f"{event_id}-{subscription.id}", event.name, {"id": event_id, "data": event.payload})


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """One attempt: JSON, with the time and a signature of both in one header."""
    body = msgspec.json.encode({"type": notification.type, **notification.body})
    at = attempt.at // SECOND
    signature = hmac.digest(subscription.secret.encode(), b"%d.%s" % (at, body), "sha256").hex()
    headers = (("Content-Type", "application/json"), ("Ledger-Signature", f"t={at},v1={signature}"))
    return WebhookRequest(subscription.url, headers, body)


webhooks = Webhooks(
    notifications, request, retries=(60, 600, 3600), names=NAMES, table=WebhookEndpoint, subscription=subscription
)

"""Deliveries of events to webhook endpoints: signatures and retries.

https://docs.stripe.com/webhooks
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator

import msgspec

from twindiff.kit import Store
from twindiff.kit.clock import SECOND
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks

from .event_types import EVENT_TYPES
from .events import Event, event_object, fill_data
from .webhook_endpoints import EVERY, WebhookEndpoint

HOUR = 3600
RETRIES = (5 * 60, 30 * 60, 2 * HOUR, 5 * HOUR, 10 * HOUR, *(12 * HOUR,) * 4)
"""Seconds between attempts, three days in all: https://docs.stripe.com/webhooks#automatic-retries"""


def subscription(row: WebhookEndpoint, db: Store) -> Subscription | None:
    """Return the subscription of an enabled endpoint, or None."""
    if row.status != "enabled":
        return None
    return Subscription(row.id, row.url, row.secret, tuple(row.enabled_events), created=row.created * SECOND)


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    """Yield the notification of an event if the endpoint is subscribed to its type, or to all as one without types."""
    if not subscription.events or EVERY in subscription.events or event.name in subscription.events:
        row = db.find(Event, Event.id == event.payload["id"])
        if row:
            body = event_object(row)
            fill_data(db, [body])
            endpoint = db.find(WebhookEndpoint, WebhookEndpoint.id == subscription.id)
            if endpoint and endpoint.api_version:
                body["api_version"] = endpoint.api_version
            yield Notification(f"{row.id}-{subscription.id}", event.name, body)


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build the request of one attempt, with the signature that `stripe.Webhook.construct_event` verifies."""
    body = msgspec.json.format(msgspec.json.encode(notification.body), indent=2)
    at = attempt.at // SECOND
    signature = hmac.digest(subscription.secret.encode(), b"%d.%s" % (at, body), "sha256").hex()
    headers = (
        ("Content-Type", "application/json; charset=utf-8"),
        ("User-Agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)"),
        ("Stripe-Signature", f"t={at},v1={signature}"),
    )
    return WebhookRequest(subscription.url, headers, body)


webhooks = Webhooks(
    notifications,
    request,
    retries=RETRIES,
    names=EVENT_TYPES,
    table=WebhookEndpoint,
    subscription=subscription,
)

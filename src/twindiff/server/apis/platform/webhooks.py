"""Operations for webhooks: subscriptions to an environment's events, and the status of their deliveries."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

import msgspec

from twindiff.catalog import AttemptRecord, DeliveryRecord, WebhookRecord
from twindiff.kit.events import Failure
from twindiff.kit.twin import Operations
from twindiff.server.parameters import After, Limit
from twindiff.server.service import Service
from twindiff.server.use_cases import webhooks as use_cases

api = Operations()


class WebhookShown(msgspec.Struct, rename="camel"):
    """A subscription to events of a twin, or to all if `events` is empty. `secret` signs the deliveries."""

    webhook_id: str
    twin: str
    url: str
    events: list[str]
    secret: str
    created_at: str


class WebhookList(msgspec.Struct):
    webhooks: list[WebhookShown]


class AttemptShown(msgspec.Struct):
    """An attempt at a delivery, at wall-clock time; `failure` is null on success. `status` is that of the response."""

    at: str
    milliseconds: float
    status: int | None
    failure: Failure | None
    message: str | None


class DeliveryShown(msgspec.Struct, rename="camel"):
    """The delivery of an event of the journal record `seq` to a subscriber. A rewind cancels pending deliveries."""

    number: int
    webhook_id: str
    twin: str
    event: str
    seq: int
    status: Literal["pending", "delivered", "failed", "cancelled"]
    created_at: str
    attempts: list[AttemptShown]


class DeliveryList(msgspec.Struct):
    deliveries: list[DeliveryShown]


@api.post("/env/{envId}/webhooks", status=201)
async def create_webhook(
    service: Service, env_id: str, twin: str, url: str, events: list[str] | None = None, secret: str | None = None
) -> WebhookShown:
    """Deliver a twin's events to a URL from now on, as its vendor does; a secret is generated unless one is given.
    The URL must be on this machine, or its host must have been allowed when the server was started. If the vendor
    requires a URL to pass a challenge first, so does this. The URL `socket:` stands for WebSockets that the client
    opens, if the vendor supports them.
    """
    return _render_webhook(await use_cases.create_webhook(service, env_id, twin, url, events or (), secret))


@api.get("/env/{envId}/webhooks")
def list_webhooks(service: Service, env_id: str) -> WebhookList:
    """The webhooks created here; those created through a vendor's API are rows of its twin."""
    environment_id = service.environments.record(env_id).environment_id
    return WebhookList([_render_webhook(each) for each in service.webhooks.subscriptions.list(environment_id)])


@api.delete("/env/{envId}/webhooks/{webhookId}")
def delete_webhook(service: Service, env_id: str, webhook_id: str) -> WebhookShown:
    """Delete a webhook; its pending deliveries are not sent."""
    return _render_webhook(use_cases.delete_webhook(service, env_id, webhook_id))


def _render_webhook(record: WebhookRecord) -> WebhookShown:
    return WebhookShown(record.webhook_id, record.twin, record.url, record.events, record.secret, record.created_at)


@api.get("/env/{envId}/deliveries")
def list_deliveries(service: Service, env_id: str, after: After = 0, limit: Limit = 100) -> DeliveryList:
    """All deliveries, sent and pending, in order, with every attempt."""
    environment_id = service.environments.record(env_id).environment_id
    deliveries = service.webhooks.outbox.list(environment_id, after=after, limit=limit)
    return DeliveryList(_render_deliveries(service, environment_id, deliveries))


def _render_deliveries(service: Service, environment_id: str, records: list[DeliveryRecord]) -> list[DeliveryShown]:
    if not records:
        return []
    tried: dict[int, list[AttemptShown]] = {}
    for each in service.webhooks.outbox.attempts(environment_id, records[0].number, records[-1].number):
        tried.setdefault(each.number, []).append(_render_attempt(each))
    return [_delivery(each, tried.get(each.number, [])) for each in records]


def _render_attempt(record: AttemptRecord) -> AttemptShown:
    return msgspec.convert(record, AttemptShown, from_attributes=True)


def _delivery(record: DeliveryRecord, attempts: list[AttemptShown]) -> DeliveryShown:
    return DeliveryShown(
        number=record.number,
        webhook_id=record.subscription,
        twin=record.twin,
        event=record.event,
        seq=record.seq,
        status=cast(Any, record.status),
        created_at=record.created_at,
        attempts=attempts,
    )


@api.post("/env/{envId}/deliveries/{number}/redeliver", status=202)
def redeliver(service: Service, env_id: str, number: Annotated[int, msgspec.Meta(ge=1, le=2**53)]) -> DeliveryShown:
    """Send a delivery once more, whatever its status."""
    record = use_cases.redeliver(service, env_id, number)
    [shown] = _render_deliveries(service, record.environment_id, [record])
    return shown

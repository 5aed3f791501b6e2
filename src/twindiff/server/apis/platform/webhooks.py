"""Webhooks: who is told of an environment's events, and what became of telling them."""

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
    """Who is told of which events of a twin; of all of them, if none is named. `secret` signs what is sent."""

    webhook_id: str
    twin: str
    url: str
    events: list[str]
    secret: str
    created_at: str


class WebhookList(msgspec.Struct):
    webhooks: list[WebhookShown]


class AttemptShown(msgspec.Struct):
    """A try to deliver, at wall-clock time; without a `failure` it went well. `status` is what was answered."""

    at: str
    milliseconds: float
    status: int | None
    failure: Failure | None
    message: str | None


class DeliveryShown(msgspec.Struct, rename="camel"):
    """What a subscriber is told of an event of the journal record `seq`. A rewind cancels what was not sent yet."""

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
    """Tell an address of a twin's events from now on, as the twin's vendor does; a secret is made unless one is given.

    The address is on this machine, or its host was named when the server was started. Where the vendor asks an address
    to prove itself first, so does this. The URL `socket:` stands for sockets that the program opens, where the vendor
    has them.
    """
    return _render_webhook(await use_cases.create_webhook(service, env_id, twin, url, events or (), secret))


@api.get("/env/{envId}/webhooks")
def list_webhooks(service: Service, env_id: str) -> WebhookList:
    """The webhooks of an environment's settings; those that a vendor's API made are rows of its twin."""
    environment_id = service.environments.record(env_id).environment_id
    return WebhookList([_render_webhook(each) for each in service.subscriptions.list(environment_id)])


@api.delete("/env/{envId}/webhooks/{webhookId}")
def delete_webhook(service: Service, env_id: str, webhook_id: str) -> WebhookShown:
    """Tell an address no more; what was not sent yet is not sent."""
    return _render_webhook(use_cases.delete_webhook(service, env_id, webhook_id))


def _render_webhook(record: WebhookRecord) -> WebhookShown:
    return WebhookShown(record.webhook_id, record.twin, record.url, record.events, record.secret, record.created_at)


@api.get("/env/{envId}/deliveries")
def list_deliveries(service: Service, env_id: str, after: After = 0, limit: Limit = 100) -> DeliveryList:
    """What subscribers were told and are to be told, in order, with every attempt."""
    environment_id = service.environments.record(env_id).environment_id
    deliveries = service.outbox.list(environment_id, after=after, limit=limit)
    return DeliveryList(_render_deliveries(service, environment_id, deliveries))


def _render_deliveries(service: Service, environment_id: str, records: list[DeliveryRecord]) -> list[DeliveryShown]:
    if not records:
        return []
    tried: dict[int, list[AttemptShown]] = {}
    for each in service.outbox.attempts(environment_id, records[0].number, records[-1].number):
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
    """Send a delivery once more, whatever became of it."""
    record = use_cases.redeliver(service, env_id, number)
    [shown] = _render_deliveries(service, record.environment_id, [record])
    return shown

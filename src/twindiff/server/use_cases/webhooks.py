"""Webhooks: subscriptions to an environment's events, and their deliveries."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from twindiff.catalog import DeliveryRecord, WebhookRecord
from twindiff.catalog.stamps import wall
from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.subscriptions import InvalidWebhook, subscription_of
from twindiff.kit.errors import ApiError
from twindiff.kit.events import OVER_SOCKETS, DeliveryAttempt
from twindiff.kit.twin import Twin
from twindiff.server.service import Service
from twindiff.server.webhook_client import TargetRefused


class NothingDelivered(ApiError):
    """Events leave a server, and this is none: start one with `twindiff serve`."""

    status = 501


class WebhookUnproven(ApiError):
    """The address did not prove that it wants to be told."""


async def create_webhook(
    service: Service, env_id: str, twin: str, url: str, events: Sequence[str], secret: str | None
) -> WebhookRecord:
    """Deliver a twin's events to a URL from now on; raises NothingDelivered, InvalidWebhook, WebhookUnproven."""
    environment = service.environments.get(env_id)
    if not service.delivers:
        raise NothingDelivered
    vendor = service.twin_of(environment, twin)
    if url != OVER_SOCKETS:
        await service.runtime.run_on_loop(service.webhooks.client.ready())
    record = service.webhooks.subscriptions.prepare(environment, vendor, url, events, secret)
    if url != OVER_SOCKETS:
        await service.runtime.run_on_loop(_refuse_unreachable(service, url))
        await service.runtime.run_on_loop(_refuse_unproven(service, environment, vendor, record))
    service.webhooks.subscribe(record)
    return record


async def _refuse_unreachable(service: Service, url: str) -> None:
    if service.webhooks.client.allows(url):
        return
    try:
        async with asyncio.timeout(5):
            await service.webhooks.client.resolve(url)
    except TargetRefused as error:
        raise InvalidWebhook(str(error)) from None
    except (OSError, TimeoutError) as error:
        raise InvalidWebhook(f"the host of '{url}' is not known: {error or 'nobody answered in time'}") from None


async def _refuse_unproven(service: Service, environment: LoadedEnvironment, twin: Twin, record: WebhookRecord) -> None:
    webhooks = twin.webhooks
    if webhooks is None or webhooks.challenge is None:
        return
    challenge = secrets.token_hex(16)
    request = webhooks.challenge(subscription_of(record, environment), challenge, DeliveryAttempt(0, wall()))
    result, answer = await service.webhooks.client.send(request, webhooks.timeout_seconds)
    if result.failure or answer is None or not webhooks.proves(answer, challenge):
        said = result.message or f"it answered {result.status}"
        raise WebhookUnproven(f"{record.url} did not answer the challenge that {twin.name} asks first: {said}")


def delete_webhook(service: Service, env_id: str, webhook_id: str) -> WebhookRecord:
    """Remove a webhook; its pending deliveries are not sent."""
    environment_id = service.environments.get(env_id).id
    removed = service.webhooks.subscriptions.remove(environment_id, webhook_id)
    service.webhooks.dispatcher.notify(environment_id)
    return removed


def redeliver(service: Service, env_id: str, number: int) -> DeliveryRecord:
    """Send a delivery once more, whatever its status."""
    environment = service.environments.get(env_id)
    record = service.webhooks.outbox.redeliver(environment, number)
    service.webhooks.dispatcher.notify(environment.id)
    return record

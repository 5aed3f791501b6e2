"""A twin that fails over one of its events spoils nothing for others."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from tests.harness import Environment, LiveServer, Platform
from tests.receiver import Receiver
from tests.webhooks.conftest import Webhooks
from twindiff.environments.outbox import DueDelivery
from twindiff.environments.registry import Registry
from twindiff.kit import Call, Column, Operations, Row, Store, Twin
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest
from twindiff.kit.events import Webhooks as HowToTell
from twindiff.kit.styles.base import Style
from twindiff.server import Settings
from twindiff.storage import backoff


class Parcel(Row, table="parcels", key=("parcel_id",)):
    parcel_id: Column[str]


api = Operations()


@api.post("/parcels", status=201)
def send(call: Call, name: str) -> dict[str, Any]:
    """Take a parcel."""
    call.db.add(Parcel(parcel_id=name))
    call.emit("parcel.sent", {"name": name})
    return {"name": name}


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    if event.payload["name"] == "unreadable":
        raise LookupError("no words for it")
    yield Notification(str(event.seq), event.name, {"type": "parcel", **event.payload})


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    if notification.body["name"] == "unsendable":
        raise LookupError("no address for it")
    headers = (("X-Name", str(notification.body["name"])),) if "header" in notification.body["name"] else ()
    return WebhookRequest(subscription.url, headers, json.dumps(notification.body).encode())


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    twin = Twin(
        "post", Style(), api, tables=(Parcel,), templates={"empty": dict}, webhooks=HowToTell(notifications, request)
    )
    started = LiveServer(Settings(), Registry([twin]))
    yield started
    started.close()


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """What is logged of the mistakes is not for the eyes of who runs tests."""
    logging.getLogger("twindiff").setLevel(logging.CRITICAL)
    yield
    logging.getLogger("twindiff").setLevel(logging.NOTSET)


@pytest.fixture
def post(platform: Platform, receiver: Receiver) -> Webhooks:
    environment = platform.environment("post:empty", user="anybody")
    webhooks = Webhooks(environment)
    webhooks.add(receiver.url, twin="post")
    return webhooks


def parcel(webhooks: Webhooks, name: str) -> None:
    environment: Environment = webhooks.env
    assert environment.ask("parcels", json={"name": name}).status_code == 201


def test_a_request_that_cannot_be_written_is_given_up_and_recorded(post: Webhooks, receiver: Receiver):
    parcel(post, "unsendable")
    parcel(post, "sendable")
    failed, delivered = post.settled(2)
    [attempt] = failed["attempts"]
    assert (failed["status"], attempt["message"]) == ("failed", "LookupError: no address for it")
    assert delivered["status"] == "delivered"
    assert [each.json["name"] for each in receiver.received] == ["sendable"]


def test_an_environment_whose_events_cannot_be_read_holds_up_no_other(post: Webhooks, platform, receiver: Receiver):
    other = Webhooks(platform.environment("post:empty", user="anybody"))
    other.add(receiver.url, twin="post")
    parcel(post, "unreadable")
    parcel(other, "readable")
    assert [each["status"] for each in other.settled()] == ["delivered"]
    assert post.deliveries() == []


def test_a_header_that_cannot_be_sent_is_an_attempt_that_failed(post: Webhooks, receiver: Receiver):
    parcel(post, "header \u3042")
    parcel(post, "sendable")
    failed, delivered = post.settled(2)
    assert (failed["status"], failed["attempts"][0]["failure"], len(failed["attempts"])) == ("failed", "error", 1)
    assert delivered["status"] == "delivered"


def test_events_of_an_environment_go_on_after_one_that_cannot_be_read(post: Webhooks, receiver: Receiver):
    parcel(post, "unreadable")
    parcel(post, "readable")
    assert [each["status"] for each in post.settled()] == ["delivered"]


def test_a_delivery_that_cannot_be_taken_is_set_aside_with_a_reason(
    post: Webhooks, server: LiveServer, monkeypatch: pytest.MonkeyPatch
):
    """What stands in the catalog may be of a release that wrote it otherwise."""
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.01)
    take, outbox = server.service.webhooks.outbox.take, server.service.webhooks.outbox

    def take_or_fail(environment: Any, *given: Any) -> Any:
        due = take(environment, *given)
        if isinstance(due, DueDelivery) and due.notification.body["name"] == "untakeable":
            raise LookupError("no such field")
        return due

    monkeypatch.setattr(outbox, "take", take_or_fail)
    parcel(post, "untakeable")
    parcel(post, "sendable")
    failed, delivered = post.settled(2)
    assert failed["attempts"][0]["message"] == "set aside after 5 tries: LookupError: no such field"
    assert (failed["status"], delivered["status"]) == ("failed", "delivered")

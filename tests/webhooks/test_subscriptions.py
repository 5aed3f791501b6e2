"""Who is told of an event is settled when it happens, however late it is read from the journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from tests.server_mode import stored
from twindiff.environments.environments import EnvironmentRequest
from twindiff.environments.registry import Registry
from twindiff.kit import Column, Operations, Row, Store, Twin, column
from twindiff.kit.events import DeliveryAttempt, Emitted, Event, Notification, Subscription, WebhookRequest, Webhooks
from twindiff.kit.styles.base import Style
from twindiff.server import Service, Settings
from twindiff.storage import OperationInfo


class Endpoint(Row, table="endpoints", key=("endpoint_id",)):
    endpoint_id: Column[str]
    enabled: Column[bool] = column(default=True)


class Parcel(Row, table="parcels", key=("parcel_id",)):
    parcel_id: Column[str]


def subscription(row: Endpoint, db: Store) -> Subscription | None:
    return Subscription(row.endpoint_id, "http://127.0.0.1:9/", "", ()) if row.enabled else None


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    yield Notification(f"{event.seq}-{subscription.id}", event.name, event.payload)


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    return WebhookRequest(subscription.url, (), json.dumps(notification.body).encode())


class Parcels:
    """An environment whose journal becomes deliveries only when that is asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service
        made = service.environments.create(EnvironmentRequest([service.templates.find_named("post", "empty")]))
        self._environment = service.environments.get(made.environment.environment_id)
        service.webhooks.outbox.open(self._environment.id, 0)

    def write(self, work: Callable[[Store], object]) -> None:
        intent = OperationInfo("post", "act", "U1")
        self._service.engine.write(self._environment.id, intent, lambda moment: work(moment.db))

    def subscribe(self, name: str) -> None:
        self.write(lambda db: db.add(Endpoint(endpoint_id=name)))

    def enable(self, name: str, *, enabled: bool) -> None:
        self.write(lambda db: db.change(db.get(Endpoint, name), enabled=enabled))

    def remove(self, name: str) -> None:
        self.write(lambda db: db.remove(db.get(Endpoint, name)))

    def send(self, name: str) -> None:
        def work(db: Store) -> None:
            db.add(Parcel(parcel_id=name))
            db.emit(Event("parcel.sent", {"name": name}))

        self.write(work)

    def told(self) -> list[tuple[str, str]]:
        while self._service.webhooks.outbox.fill(self._environment):
            pass
        made = self._service.webhooks.outbox.list(self._environment.id, after=0, limit=1000)
        return [(each.notification["body"]["name"], each.subscription) for each in made]


@pytest.fixture
def parcels() -> Iterator[Parcels]:
    webhooks = Webhooks(notifications, request, table=Endpoint, subscription=subscription)
    twin = Twin("post", Style(), Operations(), tables=(Endpoint, Parcel), templates={"empty": dict}, webhooks=webhooks)
    registry = Registry([twin])
    with stored(Settings(), registry) as settings:
        service = Service(settings, registry)
        yield Parcels(service)
        service.close()


def test_one_that_was_disabled_when_it_happened_is_not_told(parcels: Parcels):
    parcels.subscribe("a")
    parcels.enable("a", enabled=False)
    parcels.send("untold")
    parcels.enable("a", enabled=True)
    parcels.send("told")
    assert parcels.told() == [("told", "a")]


def test_one_that_was_disabled_or_removed_later_is_told(parcels: Parcels):
    parcels.subscribe("disabled")
    parcels.subscribe("removed")
    parcels.send("told")
    parcels.enable("disabled", enabled=False)
    parcels.remove("removed")
    parcels.send("untold")
    assert sorted(parcels.told()) == [("told", "disabled"), ("told", "removed")]


def test_one_that_came_later_is_not_told(parcels: Parcels):
    parcels.send("untold")
    parcels.subscribe("a")
    parcels.send("told")
    parcels.remove("a")
    parcels.subscribe("a")
    assert parcels.told() == [("told", "a")]


def test_each_of_many_events_counts_by_itself(parcels: Parcels):
    parcels.subscribe("a")
    expected = []
    for number in range(250):
        enabled = number % 3 > 0
        parcels.enable("a", enabled=enabled)
        parcels.send(str(number))
        expected += [(str(number), "a")] if enabled else []
    assert parcels.told() == expected

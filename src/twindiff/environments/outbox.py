"""The outbox turns journal events into deliveries, one for each subscriber and message, and keeps what was sent.

The catalog stores the journal position together with the deliveries made up to it, in one transaction. No delivery is
lost or created twice when a process dies; only one in progress at that time is sent again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import msgspec

from twindiff.catalog import AttemptRecord, DeliveryRecord, OutboxRecord
from twindiff.catalog.stamps import stamp
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError, NotServed
from twindiff.kit.events import DeliveryAttempt, Emitted, Failure, Notification, Subscription, Webhooks
from twindiff.kit.rows import not_
from twindiff.kit.store import Store
from twindiff.kit.twin import Twin
from twindiff.storage import CatalogStore, OperationContext, StorageEngine
from twindiff.storage.feed import RowsWritten
from twindiff.storage.journal import JournalRecord

from .environments import Environments, LoadedEnvironment
from .subscriptions import Subscriptions

log = logging.getLogger("twindiff")

AT_ONCE = 100
"""Journal records turned into deliveries in one transaction."""


class DeliveryNotFound(ApiError):
    """The environment has no delivery of that number."""

    status = 404


class SubscriptionGone(ApiError):
    """The subscription of the delivery is gone."""

    status = 409


class DeliveryResult(NamedTuple):
    """The result of an attempt. Without a `failure` it was delivered; a `final` failure is not retried."""

    milliseconds: float
    status: int | None = None
    failure: Failure | None = None
    message: str | None = None
    final: bool = False


class DueDelivery(NamedTuple):
    """A delivery that is due, with its subscription and the attempt to make."""

    record: DeliveryRecord
    subscription: Subscription
    webhooks: Webhooks
    attempt: DeliveryAttempt

    @property
    def notification(self) -> Notification:
        return msgspec.convert(self.record.notification, Notification)


class Later(NamedTuple):
    """Nothing is due yet; the next delivery is due after `micros` microseconds of the environment's clock."""

    micros: int
    is_moving: bool
    """Whether that clock advances by itself."""


class Outbox:
    """The deliveries of all environments."""

    def __init__(
        self, engine: StorageEngine, catalog: CatalogStore, environments: Environments, subscriptions: Subscriptions
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._environments = environments
        self._subscriptions = subscriptions

    # Environments with an outbox

    def open(self, environment_id: str, seq: int) -> None:
        """Start turning events after this record into deliveries; opening an open outbox changes nothing."""
        if self._catalog.find(OutboxRecord, OutboxRecord.environment_id == environment_id) is None:
            self._catalog.add(OutboxRecord(environment_id=environment_id, seq=seq))

    def note(self, written: RowsWritten) -> bool:
        """Open the outbox if an operation wrote a twin's subscription rows; returns whether it did."""
        environment = self._environments.live(written.environment)
        twin = environment.twins.get(written.twin) if environment else None
        if twin is None or not self._subscriptions.are_among(twin, written.tables):
            return False
        self.open(written.environment, written.seq - 1)
        return True

    def environments(self) -> set[str]:
        """Return the ids of all environments with an outbox."""
        return {each for (each,) in self._catalog.rows(OutboxRecord, columns=(OutboxRecord.environment_id,))}

    def is_idle(self, environment_id: str) -> bool:
        """Return whether no records are to be read and no deliveries are pending."""
        outbox = self._of(environment_id)
        return outbox is None or (
            outbox.seq >= self._engine.seq(environment_id)
            and not self._catalog.count(DeliveryRecord, *_pending(outbox))
        )

    def _of(self, environment_id: str) -> OutboxRecord | None:
        return self._catalog.find(OutboxRecord, OutboxRecord.environment_id == environment_id)

    # From the journal

    def fill(self, environment: LoadedEnvironment) -> bool:
        """Create the deliveries of the next records of a loaded environment; returns whether there may be more."""
        outbox = self._of(environment.id)
        if outbox is None:
            return False
        upto = min(self._engine.seq(environment.id), outbox.seq + AT_ONCE)
        records = self._engine.records(environment.id, outbox.seq, upto)
        if not records:
            return False
        made = _number_deliveries(self._deliveries(environment, records), outbox.numbered)
        with self._engine.transaction():
            for record in records:
                if record.to is not None:
                    self._cancel(outbox, record.to)
                    made = [each for each in made if not record.to < each.seq < record.seq]
            if made:
                self._catalog.add_all(made)
            numbered = made[-1].number if made else outbox.numbered
            self._catalog.change(outbox, seq=records[-1].seq, numbered=numbered)
        return True

    def _cancel(self, outbox: OutboxRecord, to: int) -> None:
        """Cancel pending deliveries of events that a rewind has undone."""
        for each in self._catalog.rows(DeliveryRecord, *_pending(outbox), DeliveryRecord.seq > to):
            self._catalog.change(each, status="cancelled")

    def _deliveries(self, environment: LoadedEnvironment, records: list[JournalRecord]) -> Iterator[DeliveryRecord]:
        """Yield the deliveries in the order of events, then of subscribers."""
        told: dict[tuple[int, int], list[DeliveryRecord]] = {}
        for name in {record.twin for record in records if record.events}:
            twin = environment.twins.get(name)
            if twin is not None and twin.webhooks is not None:
                own = [record for record in records if record.twin == name and record.events]
                told |= self._deliveries_of_twin(environment, twin, twin.webhooks, own)
        for place in sorted(told):
            yield from told[place]

    def _deliveries_of_twin(
        self, environment: LoadedEnvironment, twin: Twin, webhooks: Webhooks, records: list[JournalRecord]
    ) -> dict[tuple[int, int], list[DeliveryRecord]]:
        set_up = self._subscriptions.set_up(environment, twin.name)
        rows_after = self._subscriptions.rows_during(environment, twin.name, webhooks, records)

        def work(moment: OperationContext) -> dict[tuple[int, int], list[DeliveryRecord]]:
            told: dict[tuple[int, int], list[DeliveryRecord]] = {}
            for record in records:
                in_rows = self._subscriptions.in_rows(webhooks, rows_after(record.seq), moment.db)
                subscribed = [*set_up, *((each, 0) for each in in_rows)]
                for event in emitted_events(record):
                    told[event.seq, event.number] = [
                        _delivery(event, twin.name, subscription, notification)
                        for subscription, start in subscribed
                        if event.seq > start and event.at >= subscription.created
                        for notification in _notifications_of(twin, webhooks, event, subscription, moment.db)
                    ]
            return told

        return self._engine.read(environment.id, twin.name, work, at=0)

    def waiting(self, environment_id: str) -> set[str]:
        """Return the ids of subscriptions with pending deliveries."""
        outbox = self._of(environment_id)
        if outbox is None:
            return set()
        pending = self._catalog.rows(DeliveryRecord, *_pending(outbox), columns=(DeliveryRecord.subscription,))
        return {subscription for (subscription,) in pending}

    # To subscribers

    def take(
        self, environment: LoadedEnvironment, subscription_id: str, under_way: frozenset[int] = frozenset()
    ) -> DueDelivery | Later | None:
        """Return the first due delivery to a subscriber that is not in progress; None when nothing else is pending.

        Cancels all pending deliveries if the subscription is gone.
        """
        mine = (
            DeliveryRecord.environment_id == environment.id,
            DeliveryRecord.subscription == subscription_id,
            DeliveryRecord.status == "pending",
            *([not_(DeliveryRecord.number.in_(sorted(under_way)))] if under_way else ()),
        )
        first = self._catalog.find(DeliveryRecord, *mine)
        if first is None:
            return None
        subscription = self._subscriptions.find(environment, first.twin, subscription_id)
        webhooks = environment.twins[first.twin].webhooks
        if subscription is None or webhooks is None:
            for each in self._catalog.rows(DeliveryRecord, *mine):
                self._catalog.change(each, status="cancelled")
            return None
        now = self._engine.present(environment.id).clock
        record = self._catalog.find(DeliveryRecord, *mine, DeliveryRecord.next_at <= now)
        if record is not None:
            return DueDelivery(
                record, subscription, webhooks, DeliveryAttempt(record.tries, stamp().micros, cast(Any, record.failure))
            )
        [earliest] = self._catalog.rows(DeliveryRecord, *mine, order=DeliveryRecord.next_at, limit=1)
        return Later(earliest.next_at - now, environment.origin.clock.moves)

    def settle(self, environment: LoadedEnvironment, due: DueDelivery, result: DeliveryResult) -> None:
        """Record the result of an attempt, and schedule the next one."""
        with self._engine.transaction():
            record = self._find(environment.id, due.record.number)
            if record is None:
                return
            attempt = record.attempts + 1
            self._catalog.add(
                AttemptRecord(
                    environment_id=record.environment_id,
                    number=record.number,
                    attempt=attempt,
                    at=stamp().iso,
                    milliseconds=result.milliseconds,
                    status=result.status,
                    failure=result.failure,
                    message=result.message,
                )
            )
            outcome = self._outcome(environment, due, record, result)
            failure = {"tries": record.tries + 1, "failure": result.failure}
            self._catalog.change(record, attempts=attempt, **failure, **outcome)

    def _outcome(
        self, environment: LoadedEnvironment, due: DueDelivery, record: DeliveryRecord, result: DeliveryResult
    ) -> dict[str, Any]:
        if result.failure is None:
            return {"status": "delivered"}
        if record.status != "pending":  # a rewind has cancelled it meanwhile
            return {}
        retries = due.webhooks.retries
        if result.final or record.tries >= len(retries):
            return {"status": "failed"}
        return {"next_at": self._engine.present(environment.id).clock + round(retries[record.tries] * SECOND)}

    def set_aside(self, environment_id: str, subscription_id: str, reason: str) -> None:
        """Fail the first pending delivery to a subscriber, which cannot be attempted at all."""
        mine = DeliveryRecord.environment_id == environment_id, DeliveryRecord.subscription == subscription_id
        with self._engine.transaction():
            record = self._catalog.find(DeliveryRecord, *mine, DeliveryRecord.status == "pending")
            if record is None:
                return
            attempt = record.attempts + 1
            noted = AttemptRecord(
                environment_id=environment_id,
                number=record.number,
                attempt=attempt,
                at=stamp().iso,
                milliseconds=0,
                failure="error",
                message=reason[:300],
            )
            self._catalog.add(noted)
            self._catalog.change(record, attempts=attempt, status="failed", failure="error")

    # For the API

    def list(self, environment_id: str, *, after: int, limit: int) -> list[DeliveryRecord]:
        """Return deliveries with a number above `after`, in order."""
        return self._catalog.rows(
            DeliveryRecord,
            DeliveryRecord.environment_id == environment_id,
            DeliveryRecord.number > after,
            order=DeliveryRecord.number,
            limit=limit,
        )

    def attempts(self, environment_id: str, first: int, last: int) -> list[AttemptRecord]:
        """Return the attempts of deliveries numbered `first` to `last`, in order."""
        return self._catalog.rows(
            AttemptRecord,
            AttemptRecord.environment_id == environment_id,
            AttemptRecord.number >= first,
            AttemptRecord.number <= last,
            order=(AttemptRecord.number, AttemptRecord.attempt),
        )

    def redeliver(self, environment: LoadedEnvironment, number: int) -> DeliveryRecord:
        """Queue a delivery again, whatever its status; raises DeliveryNotFound, SubscriptionGone."""
        record = self._find(environment.id, number)
        if record is None:
            raise DeliveryNotFound(f"the environment has no delivery {number}")
        if self._subscriptions.find(environment, record.twin, record.subscription) is None:
            raise SubscriptionGone(f"the subscription '{record.subscription}' is gone")
        return self._catalog.change(record, status="pending", next_at=0, tries=0, failure=None)

    def _find(self, environment_id: str, number: int) -> DeliveryRecord | None:
        return self._catalog.find(
            DeliveryRecord, DeliveryRecord.environment_id == environment_id, DeliveryRecord.number == number
        )

    def close(self, environment_id: str) -> None:
        """Cancel all pending deliveries of an environment that has ended, and remove its outbox."""
        outbox = self._of(environment_id)
        if outbox is None:
            return
        with self._engine.transaction():
            for each in self._catalog.rows(DeliveryRecord, *_pending(outbox)):
                self._catalog.change(each, status="cancelled")
            # Several processes may close it, and deleting the environment removes it.
            self._catalog.remove_all(OutboxRecord, OutboxRecord.environment_id == environment_id)


def _pending(outbox: OutboxRecord) -> tuple[Any, Any]:
    return DeliveryRecord.environment_id == outbox.environment_id, DeliveryRecord.status == "pending"


def emitted_events(record: JournalRecord) -> Iterator[Emitted]:
    """Yield the events of a record of the journal."""
    for number, event in enumerate(record.events):
        yield Emitted(record.env, record.seq, number, record.operation, record.actor, record.clock, *event)


def _notifications_of(
    twin: Twin, webhooks: Webhooks, event: Emitted, subscription: Subscription, db: Store
) -> list[Notification]:
    """Return the messages to a subscriber for an event, with the addresses by which the event's causer came.

    There are none if the twin raises, since it would raise again.
    """
    name = twin.own_addresses.name_in_json
    try:
        told = webhooks.notifications(event, subscription, db)
        return [msgspec.structs.replace(each, body=name(each.body, event.came_by)) for each in told]
    except NotServed:
        raise
    except Exception:
        log.exception("Event %s of environment %s is not delivered: it cannot be read", event.name, event.environment)
        return []


def _delivery(event: Emitted, twin: str, subscription: Subscription, notification: Notification) -> DeliveryRecord:
    return DeliveryRecord(
        environment_id=event.environment,
        number=0,
        subscription=subscription.id,
        twin=twin,
        seq=event.seq,
        event=notification.type,
        notification=msgspec.to_builtins(notification),
        created_at=stamp().iso,
    )


def _number_deliveries(records: Iterator[DeliveryRecord], last: int) -> list[DeliveryRecord]:
    return [msgspec.structs.replace(each, number=number) for number, each in enumerate(records, last + 1)]

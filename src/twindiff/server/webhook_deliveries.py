"""Webhooks of one server: subscriptions, the outbox, and the dispatcher that sends deliveries."""

from __future__ import annotations

from twindiff.catalog import WebhookRecord
from twindiff.environments.environments import Environments, LoadedEnvironment
from twindiff.environments.outbox import Outbox
from twindiff.environments.subscriptions import Subscriptions
from twindiff.kit.events import OVER_SOCKETS
from twindiff.kit.twin import Twin
from twindiff.server.dispatcher import Dispatcher
from twindiff.server.environment_loader import EnvironmentLoader
from twindiff.server.origins import HOOK_RECEIVER
from twindiff.server.ports import Ports
from twindiff.server.settings import Settings
from twindiff.server.webhook_client import WebhookClient
from twindiff.storage import CatalogStore, StorageEngine


class WebhookDeliveries:
    """Subscribers of environments' events, and the parts that deliver to them."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: CatalogStore,
        environments: Environments,
        settings: Settings,
        ports: Ports,
        loader: EnvironmentLoader,
    ) -> None:
        self._engine = engine
        self.client = WebhookClient(
            frozenset(settings.webhook_hosts),
            ports.listening,
            is_loopback_open=settings.api_key is None,
            receivers=(HOOK_RECEIVER,),
        )
        self.subscriptions = Subscriptions(engine, catalog)
        self.outbox = Outbox(engine, catalog, environments, self.subscriptions)
        self.dispatcher = Dispatcher(engine, environments, self.outbox, self.client, loader.load)

    def subscribe(self, record: WebhookRecord) -> None:
        """Add a subscription, and deliver events to it from now on."""
        with self._engine.transaction():
            self.subscriptions.add(record)
            self.outbox.open(record.environment_id, record.start_seq)
        self.dispatcher.notify(record.environment_id)

    def subscribe_over_sockets(self, environment: LoadedEnvironment, twin: Twin) -> str:
        """The id of the subscription for sockets of a twin; created, for all events, if there is none."""
        record = self.subscriptions.over_sockets(environment.id, twin.name)
        if record is None:
            record = self.subscriptions.prepare(environment, twin, OVER_SOCKETS, (), None)
            self.subscribe(record)
        return record.webhook_id

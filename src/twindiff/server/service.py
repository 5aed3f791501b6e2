"""The composition root: creates and connects every part of a server."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Coroutine
from functools import cached_property, partial
from typing import Any

from twindiff.environments.clocks import Clocks
from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.registry import Registry
from twindiff.kit.twin import Twin
from twindiff.server.auth import no_such_twin
from twindiff.server.call_log_writer import CallLogWriter
from twindiff.server.call_scheduler import CallExecution, CallScheduler, DirectCalls
from twindiff.server.door.door import Door
from twindiff.server.environment_loader import EnvironmentLoader
from twindiff.server.maintenance import Maintenance
from twindiff.server.maintenance_steps import EnvironmentCleanup, MovingClocks, StorageUpkeep
from twindiff.server.ports import Ports
from twindiff.server.runtime import Runtime, run_waiting
from twindiff.server.settings import Settings
from twindiff.server.stores import Stores
from twindiff.server.twin_loader import TwinLoader
from twindiff.server.webhook_deliveries import WebhookDeliveries
from twindiff.storage import NotServed
from twindiff.storage.sqlite.other_shards import OtherShards


class Service(Stores):
    """The stores of a server and the parts that act on them."""

    delivers = True
    """Whether events are delivered to subscribers."""

    def __init__(self, settings: Settings, registry: Registry | None = None, others: OtherShards | None = None) -> None:
        """Open the storage; `others` reads the other shards, by default from their folders on this machine."""
        super().__init__(settings, registry, others)
        engine, catalog, environments = self.engine, self.catalog, self.environments
        self.runtime = self._make_runtime()
        self.clocks = Clocks(engine, environments, self.calls.due, self.runtime.arrivals)
        self.loader = EnvironmentLoader(engine, environments, self.clocks, self.runtime)
        self.twin_loader = TwinLoader(self.registry, environments)
        self.execution = self._make_execution()
        self.ports = Ports()
        self.webhooks = WebhookDeliveries(engine, catalog, environments, settings, self.ports, self.loader)
        self.call_log = CallLogWriter(self.calls.log, self.runtime)
        self.cleanup = EnvironmentCleanup(
            engine, catalog, environments, self.ports, self.call_log, self.runtime, settings
        )
        self.upkeep = StorageUpkeep(engine, catalog, environments, self.runtime)
        self.maintenance = self._make_maintenance()
        self.background: list[Callable[[], Coroutine[Any, Any, None]]] = []
        """Further background tasks that run until the server stops, which cancels them."""
        self.started = time.time()

    def _make_runtime(self) -> Runtime:
        return Runtime(in_threads=self.engine.may_block)

    def _make_execution(self) -> CallExecution:
        embedded = self.engine.embedded
        if embedded is None:  # each call has a thread anyway
            return DirectCalls(self.calls)
        return CallScheduler(embedded, self.calls, self.loader.load, self.runtime.arrivals)

    def _make_maintenance(self) -> Maintenance:
        clocks = MovingClocks(self.webhooks.dispatcher, self.environments, self.loader)
        steps = (
            self.call_log.write,
            self.cleanup.clean_up,
            clocks.run_due_work,
            self.upkeep.sweep_unused,
            self.upkeep.maintain_engine,
        )
        return Maintenance(self.runtime, steps)

    @cached_property
    def door(self) -> Door:
        """The TLS door, which listens once it is opened."""
        run = partial(run_waiting, self.engine)
        return Door(self.settings, self.environments, self.registry, self.calls, run, self.twin_loader.wait)

    def twin_of(self, environment: LoadedEnvironment, name: str) -> Twin:
        """The twin of an environment by name or alias; raises TwinNotFound."""
        twin = environment.twin(name, self.registry)
        if twin is None:
            raise no_such_twin(environment, name, self.registry)
        return twin

    def close(self) -> None:
        """Stop listening, wait for the calls that run, write the call log and close the storage."""
        self.door.close()
        self.ports.close_all()
        self.runtime.close()
        self.execution.close()
        with contextlib.suppress(NotServed):
            self.calls.log.flush()
        self.engine.close()

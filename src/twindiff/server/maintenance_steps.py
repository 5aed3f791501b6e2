"""The steps of a server's maintenance, besides writing the call log."""

from __future__ import annotations

import time
from collections.abc import Iterator

from twindiff.catalog.stamps import wall
from twindiff.environments.environments import Environments
from twindiff.environments.retention import forget_ended
from twindiff.environments.unused_templates import UnusedTemplateSweeper
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError
from twindiff.server.call_log_writer import CallLogWriter
from twindiff.server.dispatcher import Dispatcher
from twindiff.server.environment_loader import EnvironmentLoader
from twindiff.server.ports import Ports
from twindiff.server.runtime import Runtime
from twindiff.server.settings import Settings
from twindiff.storage import CatalogStore, StorageEngine
from twindiff.storage.backoff import RecordRetries

SECONDS_UNUSED = 600
"""Seconds after which unreachable templates are deleted; it may take twice that."""
DAY = 24 * 3600 * SECOND


class EnvironmentCleanup:
    """Expires environments, evicts idle ones, and deletes data past its retention time."""

    def __init__(
        self,
        engine: StorageEngine,
        catalog: CatalogStore,
        environments: Environments,
        ports: Ports,
        call_log: CallLogWriter,
        runtime: Runtime,
        settings: Settings,
    ) -> None:
        self._engine = engine
        self._catalog = catalog
        self._environments = environments
        self._ports = ports
        self._call_log = call_log
        self._runtime = runtime
        self._settings = settings
        self._retries = RecordRetries("Maintenance: ports of environment")

    async def clean_up(self) -> None:
        """Do all of it, and yield to the event loop after each step."""
        for _ in self.steps():
            await self._runtime.yield_to_loop()

    def steps(self) -> Iterator[None]:
        """Do all of it; each step is short."""
        ended = self._environments.expire_and_evict(self._settings.idle_seconds)
        for environment_id in self._ports.environments():
            if self._retries.is_due(environment_id):
                with self._retries.attempt(environment_id):
                    self._close_ports_of_ended(environment_id)
        self._call_log.ended.update(ended)
        yield from self._call_log.forget_ended()
        before = wall() - round(self._settings.keep_days * DAY)
        yield from forget_ended(self._engine, self._catalog, self._call_log.log, before)

    def _close_ports_of_ended(self, environment_id: str) -> None:
        status = self._environments.record(environment_id).status
        if status == "deleted":
            self._ports.close(environment_id)
        elif status != "ready":
            self._ports.retire(environment_id)


class MovingClocks:
    """Runs due work in environments that have subscribers and a clock that runs by itself.

    An evicted environment is loaded only when its first job is due.
    """

    def __init__(self, dispatcher: Dispatcher, environments: Environments, loader: EnvironmentLoader) -> None:
        self._dispatcher = dispatcher
        self._environments = environments
        self._loader = loader
        self._retries = RecordRetries("Maintenance: due work of environment")

    async def run_due_work(self) -> None:
        """Run the jobs that are due by now."""
        for environment_id in self._dispatcher.moving:
            if self._retries.is_due(environment_id) and self._may_have_due_work(environment_id):
                with self._retries.attempt(environment_id):
                    await self._loader.run_due_work(environment_id)

    def _may_have_due_work(self, environment_id: str) -> bool:
        """Whether it is to be loaded for its due work; false for an ended environment."""
        try:
            return self._environments.may_have_due_work(environment_id)
        except ApiError:
            return False


class StorageUpkeep:
    """The maintenance of the storage engine, and the removal of unused templates and files."""

    def __init__(
        self, engine: StorageEngine, catalog: CatalogStore, environments: Environments, runtime: Runtime
    ) -> None:
        self._engine = engine
        self._runtime = runtime
        embedded = engine.embedded
        self.unused = UnusedTemplateSweeper(embedded, catalog, environments) if embedded else None
        """The removal of unused templates; None where an administrator of the database does it."""
        self._swept = time.monotonic()

    async def sweep_unused(self) -> None:
        """Remove unused templates and files, every ten minutes."""
        if self.unused and time.monotonic() - self._swept > SECONDS_UNUSED:
            self._swept = time.monotonic()
            for _ in self.unused.sweep():
                await self._runtime.yield_to_loop()
            if embedded := self._engine.embedded:
                await self._runtime.run_steps(embedded.unnamed_blobs.sweep())

    async def maintain_engine(self) -> None:
        """Run the engine's own maintenance, and measure its storage."""
        await self._runtime.run_steps(self._engine.maintain())
        self._engine.measure()

"""Brings environments to a state that can be read, without blocking the event loop."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from twindiff.environments.clocks import Clocks
from twindiff.environments.environments import (
    EnvironmentDeleted,
    EnvironmentExpired,
    EnvironmentNotFound,
    Environments,
    LoadedEnvironment,
)
from twindiff.kit.errors import ApiError
from twindiff.server.runtime import Runtime
from twindiff.storage import EnvironmentGone, SchemaChanged, StorageEngine

_UNUSABLE = (EnvironmentDeleted, EnvironmentExpired, EnvironmentNotFound, EnvironmentGone, SchemaChanged)


class EnvironmentLoader:
    """Loads evicted environments, runs their due work, and materializes their earlier states."""

    def __init__(self, engine: StorageEngine, environments: Environments, clocks: Clocks, runtime: Runtime) -> None:
        self._engine = engine
        self._environments = environments
        self._clocks = clocks
        self._runtime = runtime

    async def load(self, environment: LoadedEnvironment) -> None:
        """Load an environment; an evicted one is rebuilt off the event loop."""
        if not self._engine.is_loaded(environment.id):
            await self._rebuild(environment, lambda: self._engine.load(environment.id, environment.origin))
        self._environments.load(environment)

    async def run_due_work(self, environment_id: str) -> None:
        """Run the jobs that are due in an environment before its state is read; no-op if it cannot be used."""
        with contextlib.suppress(*_UNUSABLE):
            environment = self._environments.get(environment_id)
            if any(twin.jobs for twin in environment.twins.values()):
                await self.load(environment)
                await self._runtime.run_steps(self._clocks.catch_up(environment.id))

    async def materialize(self, environment: LoadedEnvironment, seq: int) -> None:
        """Materialize the state of an environment at `seq`, off the event loop if it has to be rebuilt."""
        await self.load(environment)
        if not self._engine.is_materialized(environment.id, seq):
            recall = self._engine.materialize
            await self._rebuild(environment, lambda: recall(environment.id, environment.origin, seq))

    async def _rebuild(self, environment: LoadedEnvironment, work: Callable[[], None]) -> None:
        """Rebuild an environment off the event loop; if it ends meanwhile, raise that as the error."""
        try:
            await self._runtime.run_in_thread(work)
        finally:
            self._refuse_ended(environment)

    def _refuse_ended(self, environment: LoadedEnvironment) -> None:
        try:
            self._environments.get(environment.id)
        except EnvironmentDeleted:
            self._engine.delete(environment.id)
            raise
        except ApiError:
            self._engine.evict(environment.id)
            raise

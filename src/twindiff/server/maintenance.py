"""The loop that runs a server's maintenance steps between requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from twindiff.server.runtime import Runtime
from twindiff.storage import NotServed
from twindiff.storage.backoff import Backoff

MAINTENANCE_SECONDS = 0.5

MaintenanceStep = Callable[[], Awaitable[None]]


class StepPause:
    """Until when a step that has failed is not tried again, in seconds of the monotonic clock."""

    def __init__(self) -> None:
        self.backoff = Backoff("Maintenance")
        self.until = 0.0


class Maintenance:
    """Runs steps twice a second, each too short to block the event loop."""

    def __init__(self, runtime: Runtime, steps: Sequence[MaintenanceStep]) -> None:
        self._runtime = runtime
        self._steps = steps
        self._pauses: dict[MaintenanceStep, StepPause] = {}  # of steps that have failed
        self.trouble: NotServed | None = None
        """The storage error that currently prevents maintenance, if any."""

    async def run(self) -> None:
        """Run the steps twice a second until cancelled."""
        backoff = Backoff("Maintenance")
        while True:
            await asyncio.sleep(MAINTENANCE_SECONDS)
            try:
                await self._runtime.run_request(self.run_once)
                self.trouble = None
                backoff.reset()
            except NotServed as error:
                backoff.fail(error)
                self.trouble = error

    async def run_once(self) -> None:
        """Run each step; one that fails waits longer each time and delays no other step."""
        for step in self._steps:
            await self._attempt(step)

    async def _attempt(self, step: MaintenanceStep) -> None:
        """Run a step unless its last failure was too short a time ago."""
        pause = self._pauses.get(step)
        if pause and pause.until > time.monotonic():
            return
        try:
            await step()
        except NotServed:
            raise
        except Exception as error:  # noqa: BLE001 - an internal error must not end the maintenance
            pause = self._pauses.setdefault(step, StepPause())
            pause.until = time.monotonic() + pause.backoff.fail(error)
        else:
            self._pauses.pop(step, None)

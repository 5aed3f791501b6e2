"""Writes the call log behind the requests, and deletes the calls of ended environments."""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.environments.call_log import CallLog
from twindiff.server.runtime import Runtime

CALLS_AT_ONCE = 25
"""Calls written to the log in one transaction."""


class CallLogWriter:
    """Writes and deletes logged calls in steps too short to block the event loop."""

    def __init__(self, log: CallLog, runtime: Runtime) -> None:
        self.log = log
        self._runtime = runtime
        self.ended: set[str] = set()
        """Ended environments whose logged calls are still to be deleted."""

    async def write(self) -> None:
        """Write the pending calls to the log, in batches."""
        if self.log.has_large:
            await self._runtime.run_in_thread(self.log.digest)
        left = self.log.waiting
        while left > 0:
            left -= self.log.flush(CALLS_AT_ONCE) or left
            await self._runtime.yield_to_loop()

    def forget_ended(self) -> Iterator[None]:
        """Delete the logged calls of ended environments, in steps; those whose deletion fails are retried later."""
        failing = self.log.failing
        for environment_id in filter(failing.is_due, list(self.ended)):
            with failing.attempt(environment_id):
                yield from self.log.forget(environment_id)
                self.ended.discard(environment_id)

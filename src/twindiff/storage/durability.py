"""Group commit: responses wait until the commits they depend on are synced to disk, several with one sync."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

from . import StorageUnavailable

T = TypeVar("T")


class Mark:
    """The number of the last commit that one request has made."""

    __slots__ = ("upto",)

    def __init__(self) -> None:
        self.upto = 0


class SyncFailed(StorageUnavailable):
    """The disk did not keep what was written. It is not known what of it would be left; start the server again."""

    code = "not_kept"


_answered: ContextVar[Mark | None] = ContextVar("answered", default=None)


class Durability:
    """Counts commits and syncs them in a thread, one sync at a time for all waiting requests."""

    def __init__(self, sync: Callable[[], None]) -> None:
        self.sync = sync
        """Flushes all previous commits to disk (fsync); raises OSError."""
        self._written = 0
        self._synced = 0
        self._running: asyncio.Task[None] | None = None
        self._failed = False
        self._thread = ThreadPoolExecutor(1, "twindiff sync")

    def on_commit(self) -> None:
        """Count a commit, and note it for the current request."""
        self._written += 1
        if mark := _answered.get():
            mark.upto = self._written

    async def run_and_sync(self, work: Awaitable[T]) -> T:
        """Await `work`, wait until its own commits are synced, and return its result; raises SyncFailed."""
        mark = Mark()
        token = _answered.set(mark)
        try:
            answer = await work
        finally:
            _answered.reset(token)
        await self._wait_for_sync(mark.upto)
        return answer

    async def wait_until_durable(self) -> None:
        """Wait until all commits so far are synced to disk; raises SyncFailed."""
        await self._wait_for_sync(self._written)

    def refuse_failed(self) -> None:
        """Raise SyncFailed if a sync has failed before."""
        if self._failed:
            raise SyncFailed

    async def _wait_for_sync(self, upto: int) -> None:
        while self._synced < upto:
            self.refuse_failed()
            if self._running is None:
                self._running = asyncio.create_task(self._sync_once())
            await asyncio.shield(self._running)

    async def _sync_once(self) -> None:
        """Sync once. A failed sync is not retried: the kernel may have dropped the dirty pages."""
        written = self._written
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self.sync)
            self._synced = written
        except OSError:
            self._failed = True
        finally:
            self._running = None

    def close(self) -> None:
        self._thread.shutdown()

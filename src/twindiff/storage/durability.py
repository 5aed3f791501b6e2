"""Answers wait until the disk keeps what they say was written; whatever was written meanwhile goes there with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

from . import StorageUnavailable

T = TypeVar("T")


class Mark:
    """Who is being answered, and up to which commit it has written."""

    __slots__ = ("upto",)

    def __init__(self) -> None:
        self.upto = 0


class NotKept(StorageUnavailable):
    """The disk did not keep what was written. It is not known what of it would be left; start the server again."""


_answered: ContextVar[Mark | None] = ContextVar("answered", default=None)


class Durability:
    """Counts commits and has a thread sync them, one sync at a time for all who wait."""

    def __init__(self, sync: Callable[[], None]) -> None:
        self.sync = sync
        """Has the disk keep all that was committed before; raises OSError."""
        self._written = 0
        self._kept = 0
        self._running: asyncio.Task[None] | None = None
        self._failed = False
        self._thread = ThreadPoolExecutor(1, "twindiff sync")

    def wrote(self) -> None:
        """Note a commit, and who made it."""
        self._written += 1
        if mark := _answered.get():
            mark.upto = self._written

    async def wait_for_answer(self, work: Awaitable[T]) -> T:
        """What work comes to, once the disk keeps what it wrote; raises NotKept."""
        mark = Mark()
        token = _answered.set(mark)
        try:
            answer = await work
        finally:
            _answered.reset(token)
        await self._reach(mark.upto)
        return answer

    async def wait_until_durable(self) -> None:
        """Wait until the disk keeps all that was written so far; raises NotKept."""
        await self._reach(self._written)

    def refuse_failed(self) -> None:
        """Raises NotKept once the disk has failed to keep something."""
        if self._failed:
            raise NotKept

    async def _reach(self, upto: int) -> None:
        while self._kept < upto:
            self.refuse_failed()
            if self._running is None:
                self._running = asyncio.create_task(self._keep())
            await asyncio.shield(self._running)

    async def _keep(self) -> None:
        """Sync once. What a failed sync left out is not tried again: the system may have forgotten it."""
        written = self._written
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self.sync)
            self._kept = written
        except OSError:
            self._failed = True
        finally:
            self._running = None

    def close(self) -> None:
        self._thread.shutdown()

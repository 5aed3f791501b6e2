"""The threads that run requests where these may have to wait for a database.
They are few, because they compete for one interpreter lock: with 64 threads, 32 clients took a third to a half more CPU
time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

FOR_CALLS = 4
"""Concurrent calls of twins."""
FOR_ONE = 2
"""Concurrent calls of one environment; their writes are serialized, so more of them would only block other
environments.
"""
FOR_CONTROL = 6
"""Concurrent control-plane requests, which wait for the journal as well."""
FOR_ASIDE = 4
"""Concurrent background tasks that outlive the requests that started them."""


class _Limiter:
    """A semaphore for one environment's work; removed when nothing runs or waits."""

    def __init__(self, most: int) -> None:
        self.semaphore = asyncio.Semaphore(most)
        self.waiters = 0


class SharedThreads:
    """A thread pool shared by all environments, with a limit per environment."""

    def __init__(self, name: str, count: int, for_one: int) -> None:
        self._threads = ThreadPoolExecutor(count, name)
        self._for_one = for_one
        self._limiters: dict[str, _Limiter] = {}

    async def run(self, environment: str, work: Callable[[], T]) -> T:
        """Run work of an environment in a thread, once the environment is below its limit."""
        async with self._limit(environment):
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    @asynccontextmanager
    async def _limit(self, environment: str) -> AsyncGenerator[None]:
        limiter = self._limiters.setdefault(environment, _Limiter(self._for_one))
        limiter.waiters += 1
        try:
            async with limiter.semaphore:
                yield
        finally:
            limiter.waiters -= 1
            if not limiter.waiters:
                del self._limiters[environment]

    def close(self) -> None:
        """Wait for the threads to end."""
        self._threads.shutdown()


class Threads:
    """Separate thread pools for calls of twins, other requests and background work, so that no kind waits for another.
    The coroutine of a request is created in its thread: if the client disconnects before that, nothing has to be
    undone.
    """

    def __init__(self) -> None:
        self._calls = SharedThreads("twindiff call", FOR_CALLS, FOR_ONE)
        self._control = ThreadPoolExecutor(FOR_CONTROL, "twindiff request")
        self._beside = ThreadPoolExecutor(FOR_ASIDE, "twindiff work")

    async def run_call(self, environment: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work of one call of an environment's twin."""
        return await self._calls.run(environment, partial(_finish, work))

    async def run_request(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work of any other request."""
        return await asyncio.get_running_loop().run_in_executor(self._control, _finish, work)

    async def run_aside(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run background work that outlives the request that started it."""
        return await asyncio.get_running_loop().run_in_executor(self._beside, _finish, work)

    def close(self) -> None:
        self._calls.close()
        self._control.shutdown()
        self._beside.shutdown()


def _finish(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine that blocks its thread and never suspends; raises RuntimeError if it does suspend."""
    begun = work()
    try:
        begun.send(None)
    except StopIteration as done:
        return done.value
    begun.close()
    raise RuntimeError("A request in a thread waited for the event loop; this is a mistake of twindiff itself")

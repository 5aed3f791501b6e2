"""The threads that requests are worked on in where a database may keep them waiting.

They are few: one interpreter runs them in turn, and the more of them want to go on, the more they spend on arguing
about it. With 64 of them, 32 clients took a third to a half more processor.
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
"""Calls of twins at once."""
FOR_ONE = 2
"""Of those, calls of one environment: while its writes wait for one another, others go on."""
FOR_CONTROL = 6
"""Requests of the control plane at once, which wait for the journal as well."""
FOR_ASIDE = 4
"""Works at once that go on beside the requests that began them."""


class _Limiter:
    """How much of one environment's work runs at once; it is forgotten when none runs or waits."""

    def __init__(self, most: int) -> None:
        self.semaphore = asyncio.Semaphore(most)
        self.waiters = 0


class SharedThreads:
    """Some threads that all environments share, and how many of them one environment has at most."""

    def __init__(self, name: str, count: int, for_one: int) -> None:
        self._threads = ThreadPoolExecutor(count, name)
        self._for_one = for_one
        self._limiters: dict[str, _Limiter] = {}

    async def run(self, environment: str, work: Callable[[], T]) -> T:
        """Run work of an environment in one of them when it is its turn."""
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
    """Threads for the calls of twins, and others, so that neither kind of request waits for the other's.

    Work begins in its thread: a request whose client leaves before that has begun nothing that must be ended.
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
        """Run work that goes on beside the request that began it."""
        return await asyncio.get_running_loop().run_in_executor(self._beside, _finish, work)

    def close(self) -> None:
        self._calls.close()
        self._control.shutdown()
        self._beside.shutdown()


def _finish(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine that waits by blocking its thread, never by giving up control."""
    begun = work()
    try:
        begun.send(None)
    except StopIteration as done:
        return done.value
    begun.close()
    raise RuntimeError("A request in a thread waited for the event loop; this is a mistake of twindiff itself")

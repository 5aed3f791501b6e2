"""The threads that requests are worked on in where a database may keep them waiting.

They are few: one interpreter runs them in turn, and the more of them want to go on, the more they spend on arguing
about it. With 64 of them, 32 clients took a third to a half more processor.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
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


class Limiter:
    """How many of one environment's calls run at once; it is forgotten when none runs or waits."""

    def __init__(self) -> None:
        self.semaphore = asyncio.Semaphore(FOR_ONE)
        self.waiters = 0


class Threads:
    """Threads for the calls of twins, and others, so that neither kind of request waits for the other's.

    Work begins in its thread: a request whose client leaves before that has begun nothing that must be ended.
    """

    def __init__(self) -> None:
        self._calls = ThreadPoolExecutor(FOR_CALLS, "twindiff call")
        self._control = ThreadPoolExecutor(FOR_CONTROL, "twindiff request")
        self._beside = ThreadPoolExecutor(FOR_ASIDE, "twindiff work")
        self._limiters: dict[str, Limiter] = {}

    async def run_call(self, environment: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work of one call of an environment's twin."""
        async with self._limited(environment):
            return await asyncio.get_running_loop().run_in_executor(self._calls, _finish, work)

    async def run_request(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work of any other request."""
        return await asyncio.get_running_loop().run_in_executor(self._control, _finish, work)

    async def run_aside(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run work that goes on beside the request that began it."""
        return await asyncio.get_running_loop().run_in_executor(self._beside, _finish, work)

    @asynccontextmanager
    async def _limited(self, environment: str) -> AsyncGenerator[None]:
        limiter = self._limiters.setdefault(environment, Limiter())
        limiter.waiters += 1
        try:
            async with limiter.semaphore:
                yield
        finally:
            limiter.waiters -= 1
            if not limiter.waiters:
                del self._limiters[environment]

    def close(self) -> None:
        self._calls.shutdown()
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

"""Decides where work runs, so that the event loop is never blocked for long.
With an embedded engine, requests run on the event loop and only large work goes to a thread. With one that may block,
each request runs in a thread, which may wait for the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from typing import Any, TypeVar

from twindiff.storage import StorageEngine
from twindiff.storage.cooperative import CooperativeStep, clear_in_chunks, yield_control
from twindiff.storage.journal import JournalRecord

from .loop_budget import AdmissionControl
from .threads import FOR_ASIDE, Threads

T = TypeVar("T")

LARGE_DIFF = 200
"""Number of changes to compose, or to compare with checks, above which the work leaves the event loop."""


async def run_waiting(engine: StorageEngine, work: Callable[[], T]) -> T:
    """Run work that may wait for the database: in a thread, if the engine may block."""
    return await asyncio.to_thread(work) if engine.may_block else work()


class Runtime:
    """The event loop and the threads of one server."""

    def __init__(self, *, in_threads: bool) -> None:
        """`in_threads`: whether each request runs in a thread of its own."""
        self._threads = Threads() if in_threads else None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._budget = AdmissionControl()
        self._aside: set[asyncio.Task[None]] = set()
        self._seats = asyncio.Semaphore(FOR_ASIDE)

    def bind(self) -> None:
        """Remember the running event loop; must be called on it."""
        self._loop = asyncio.get_running_loop()

    def arrivals(self) -> int:
        """The number of requests admitted to the event loop so far."""
        return self._budget.arrivals

    def wait_for_turn(self) -> Awaitable[None]:
        """Wait until the event loop has time for one more request."""
        return self._budget.wait()

    def run_call(self, environment_id: str, work: Callable[[], Coroutine[Any, Any, T]]) -> Awaitable[T]:
        """Run the work of one call of a twin: at once, or in a thread where it may wait for the database."""
        return work() if self._threads is None else self._threads.run_call(environment_id, work)

    async def run_request(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run the work of any other request in the same way."""
        return await (work() if self._threads is None else self._threads.run_request(work))

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Run work of unbounded size off the event loop."""
        return await asyncio.to_thread(work) if self._threads is None else work()

    @property
    def has_event_loop(self) -> bool:
        """Whether requests come from an event loop; a process that embeds its server has none."""
        return self._loop is not None

    async def run_on_loop(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the event loop from wherever the request runs, and return its result."""
        if self._threads is None or self._loop is None:
            return await work
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def run_aside(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float | None) -> bool:
        """Start background work once a slot is free; false if it continues after `seconds` (None: wait until done)."""
        return await self.run_on_loop(self._begin_aside(work, seconds))

    async def _begin_aside(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float | None) -> bool:
        task = asyncio.create_task(self._in_turn(work))
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)
        done, _ = await asyncio.wait({task}, timeout=seconds)
        return bool(done)

    async def _in_turn(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        async with self._seats:
            await (work() if self._threads is None else self._threads.run_aside(work))

    def run_soon(self, work: Callable[[], object]) -> None:
        """Schedule a function on the event loop, from any thread."""
        if self._threads is None or self._loop is None:
            work()
        else:
            self._loop.call_soon_threadsafe(work)

    async def run_steps(self, steps: Generator[CooperativeStep, None, T]) -> T:
        """Run a generator of steps, each off the event loop; closes the generator on any error."""
        try:
            while True:
                step = next(steps)
                await (self.yield_to_loop() if step is yield_control else self.run_in_thread(step))
        except StopIteration as done:
            return done.value
        finally:
            steps.close()

    async def collect(self, parts: Iterable[list[T]]) -> list[T]:
        """Collect the items of all lists, yielding to the event loop after each list."""
        collected: list[T] = []
        for part in parts:
            collected += part
            await self.yield_to_loop()
        return collected

    async def compose(
        self,
        records: list[JournalRecord],
        work: Callable[[], T],
        *,
        times: float = 1,
        calls: list[Any] | None = None,
    ) -> T:
        """Run work that looks at each change of `records` `times` times, off the event loop if that is much.
        Off the event loop, `records` and `calls` are emptied afterwards, in the thread: to free thousands of objects on
        the event loop would block it.
        """
        size = len(calls or ()) + sum(len(record.changes) for record in records)
        if times * (1 + size) <= LARGE_DIFF:
            return work()

        def run() -> T:
            try:
                return work()
            finally:
                clear_in_chunks(records)
                clear_in_chunks(calls or [])

        return await self.run_in_thread(run)

    async def yield_to_loop(self) -> None:
        """Yield to the event loop."""
        if self._threads is None:
            await asyncio.sleep(0)

    def close(self) -> None:
        """Wait for the threads to end."""
        if self._threads:
            self._threads.close()

"""Long calls: run in a few worker threads, on snapshots of their environments, so that the event loop stays responsive.
A call begins on the event loop, where nearly all calls finish within a millisecond. One that takes longer than
`BRIEF_SECONDS` is rolled back and started again here. Calls known to take long start here, and for `APART_SECONDS` so
do all calls to an environment that had such a call. Large bodies are read in threads of their own, so that no body
waits for another environment's long call. While requests arrive, work in these threads yields to them
(`kit/throttling.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Protocol, TypeVar

from twindiff.environments.calls import CallResult, Calls, internal_failure
from twindiff.environments.due import StillDue
from twindiff.environments.environments import LoadedEnvironment
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response
from twindiff.kit.request_context import RequestContext
from twindiff.kit.throttling import Arrivals, pace_thread
from twindiff.kit.twin import Twin
from twindiff.server.runtime.threads import SharedThreads
from twindiff.storage import StorageUnavailable
from twindiff.storage.deadline import OffloadRequired
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite.snapshots import TimeLimitedEngine, WorkingCopy

T = TypeVar("T")

MAX_LONG_CALLS = 2
"""Concurrent long calls, of different environments; one interpreter lock is shared by them and the event loop."""
MAX_READERS = 2
"""Large bodies read concurrently, of different environments."""
APART_SECONDS = 1.0
"""For this long after a long call, the calls of its environment start in a worker thread: trying each on the event loop
first would only delay others.
"""
LARGE_BODY = 20_000
"""Bytes of a body above which it is parsed off the event loop: a form of this size takes two milliseconds."""
MAX_TRIES = 3
"""Attempts at a call whose environment was changed by other calls meanwhile."""


class CallExecution(Protocol):
    """Where the work of a twin's calls runs."""

    async def read(self, environment_id: str, body: bytes, work: Callable[[], T]) -> T:
        """Run work that parses the body of a request to a twin, and return its result."""
        ...

    async def answer(
        self, environment: LoadedEnvironment, twin: Twin, exchange: RequestContext, *, trusted: bool
    ) -> Response:
        """Respond to one request to a twin of a loaded environment; raises StillDue as `Calls.answer` does."""
        ...

    def close(self) -> None:
        """Wait for the running calls."""
        ...


class DirectCalls:
    """Runs each call where it arrives: in a thread of its own already, or in a process that serves no other caller."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def read(self, environment_id: str, body: bytes, work: Callable[[], T]) -> T:
        return work()

    async def answer(
        self, environment: LoadedEnvironment, twin: Twin, exchange: RequestContext, *, trusted: bool
    ) -> Response:
        return self._calls.answer(environment, twin, exchange, trusted=trusted)

    def close(self) -> None:
        """Do nothing: no call runs elsewhere."""


class _Line:
    """The queue of one environment's long calls; one runs at a time."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.waiting = 0
        self.is_closed = False
        """Whether all calls must queue, so that a call whose snapshot became stale succeeds at last."""


class CallScheduler:
    """Runs calls on the event loop while they are brief, and in worker threads otherwise."""

    def __init__(
        self,
        engine: SqliteEngine,
        calls: Calls,
        load: Callable[[LoadedEnvironment], Awaitable[None]],
        arrivals: Arrivals,
    ) -> None:
        """`load` loads an environment that was evicted while its call waited."""
        self._engine = engine
        self._calls = calls
        self._load = load
        self._arrivals = arrivals
        self._brief = TimeLimitedEngine(engine)
        self._threads = ThreadPoolExecutor(MAX_LONG_CALLS, "twindiff long call")
        self._readers = SharedThreads("twindiff reader", MAX_READERS, for_one=1)
        self._lines: dict[str, _Line] = {}
        self._apart_until: dict[str, float] = {}

    async def read(self, environment_id: str, body: bytes, work: Callable[[], T]) -> T:
        """Run work that parses a body, in a reader thread if the body is large."""
        if len(body) <= LARGE_BODY:
            return work()
        return await self._readers.run(environment_id, self._pace_work(work))

    async def answer(
        self, environment: LoadedEnvironment, twin: Twin, exchange: RequestContext, *, trusted: bool
    ) -> Response:
        """Respond to one request to a twin of a loaded environment; raises StillDue as `Calls.answer` does."""
        if not self._begins_apart(environment.id) and not twin.takes_long(exchange):
            try:
                return self._calls.answer(environment, twin, exchange, trusted=trusted, where=self._brief)
            except OffloadRequired:
                self._keep_apart(environment.id)
        started = time.perf_counter()
        try:
            async with self._in_line(environment.id) as line:
                outcome = await self._outcome(line, environment, twin, exchange, trusted=trusted)
        except StillDue:
            raise
        except BaseException:
            self._calls.note(environment, twin, internal_failure(exchange), exchange.request, exchange.token, started)
            raise
        self._calls.note(environment, twin, outcome, exchange.request, exchange.token, started)
        return outcome.answer

    def _begins_apart(self, environment_id: str) -> bool:
        """Whether a call must start in a worker thread: its queue is closed, or a recent call took long.
        The latter only counts while none is queued, as the event loop serves brief calls beside a running long one.
        """
        line = self._lines.get(environment_id)
        return line.is_closed if line else self._apart_until.get(environment_id, 0) > time.monotonic()

    def _keep_apart(self, environment_id: str) -> None:
        now = time.monotonic()
        self._apart_until = {each: until for each, until in self._apart_until.items() if until > now}
        self._apart_until[environment_id] = now + APART_SECONDS

    async def _outcome(
        self, line: _Line, environment: LoadedEnvironment, twin: Twin, exchange: RequestContext, *, trusted: bool
    ) -> CallResult:
        writes = await self._run_in_thread(partial(_writes, twin, exchange))
        for _ in range(MAX_TRIES):
            await self._load(environment)
            take = partial(self._snapshot, environment, twin, writes=writes)
            snapshot = self._calls.due.before(environment, take)
            work = partial(self._calls.outcome, environment, twin, exchange, snapshot, trusted=trusted)
            outcome = await self._run_in_thread(work)
            if self._engine.take_over(snapshot):
                return outcome
            line.is_closed = True
        raise StorageUnavailable("The environment is busy: it was changed whenever this call was done")

    def _snapshot(self, environment: LoadedEnvironment, twin: Twin, at: int | None, *, writes: bool) -> WorkingCopy:
        return self._engine.snapshot(environment.id, twin.name, writes=writes, at=at)

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._pace_work(work))

    def _pace_work(self, work: Callable[[], T]) -> Callable[[], T]:
        def run() -> T:
            with pace_thread(self._arrivals):
                return work()

        return run

    @asynccontextmanager
    async def _in_line(self, environment_id: str) -> AsyncGenerator[_Line]:
        line = self._lines.setdefault(environment_id, _Line())
        line.waiting += 1
        try:
            async with line.lock:
                try:
                    yield line
                finally:
                    line.is_closed = False
        finally:
            line.waiting -= 1
            if not line.waiting:
                del self._lines[environment_id]

    def close(self) -> None:
        """Wait for the running calls, then end the threads."""
        self._threads.shutdown()
        self._readers.close()


def _writes(twin: Twin, exchange: RequestContext) -> bool:
    """Whether a request may write, which can take a while to find out; one that cannot be parsed does not."""
    try:
        twin.read(exchange)
    except ApiError:
        return False
    return not exchange.operation.reads

"""The commit feed: whoever watches is told that environments' journals hold more than they did."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

EVERYTHING = ""
"""The name under which watchers are told that they may have missed something, of whichever environment."""


class RowsWritten(NamedTuple):
    """An operation of this process has changed rows of these tables of a twin; the journal record is `seq`."""

    environment: str
    seq: int
    twin: str
    tables: frozenset[str]


class Commit(NamedTuple):
    """The journal of an environment holds all up to `seq`.

    After an interruption `seq` is 0, and `environment` is the one that is watched, or empty when all are: then what
    there is must be looked up.
    """

    environment: str
    seq: int


class Watch:
    """An asynchronous iterator of commits. Those of one environment that nobody has taken yet count as the latest."""

    def __init__(self, environment: str | None, wanted: Callable[[str], bool] | None) -> None:
        self._environment = environment
        self._wanted = wanted
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._guard = threading.Lock()
        self._news: dict[str, int] = {}
        self._bell = asyncio.Event()

    def tell(self, environment: str, seq: int) -> None:
        """Take note of a commit, in any thread."""
        if environment == EVERYTHING:
            environment = self._environment or EVERYTHING
        elif self._wanted is not None and not self._wanted(environment):
            return
        with self._guard:
            self._news.pop(environment, None)
            self._news[environment] = seq
        if threading.get_ident() == self._thread:
            self._bell.set()
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._bell.set)

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Commit:
        """The next commit; waits for it, however long."""
        while (commit := self._next()) is None:
            self._bell.clear()
            await self._bell.wait()
        return commit

    def _next(self) -> Commit | None:
        with self._guard:
            for environment in self._news:
                return Commit(environment, self._news.pop(environment))
        return None


class Feed:
    """An engine tells it of commits, in any thread; it tells those who watch.

    `begin` is called when somebody watches for the first time. `listener` is called in the thread of an operation that
    has written, before it is answered.
    """

    def __init__(self, begin: Callable[[], None] = lambda: None) -> None:
        self._begin = begin
        self._begun = False
        self._of: dict[str | None, set[Watch]] = {}
        self.listener: Callable[[RowsWritten], None] | None = None

    @contextmanager
    def watch(self, environment: str | None = None, *, wanted: Callable[[str], bool] | None = None) -> Generator[Watch]:
        """Watch one environment, or all for which `wanted` holds. Only for a coroutine of a running event loop."""
        if not self._begun:
            self._begun = True
            self._begin()
        watch = Watch(environment, wanted)
        self._of[environment] = {*self._of.get(environment, ()), watch}
        try:
            yield watch
        finally:
            left = self._of[environment] - {watch}
            if left:
                self._of[environment] = left
            else:
                del self._of[environment]

    def announce_commit(self, environment: str, seq: int) -> None:
        """The journal of an environment holds a record; EVERYTHING says that any may hold more."""
        if not self._of:
            return
        if environment == EVERYTHING:
            watches = [watch for each in [*self._of.values()] for watch in each]
        else:
            watches = [*self._of.get(environment, ()), *self._of.get(None, ())]
        for watch in watches:
            watch.tell(environment, seq)

    def wrote(self, written: RowsWritten) -> None:
        """An operation of this process has changed rows."""
        if self.listener:
            self.listener(written)


async def either(*waiting: Awaitable[object]) -> None:
    """Wait for the first of several."""
    tasks = [asyncio.ensure_future(each) for each in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()

"""The commit feed: notifies watchers that the journals of environments have new records."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import NamedTuple

EVERYTHING = ""
"""The environment name of a notification to all watchers that they may have missed commits of any environment."""


class RowsWritten(NamedTuple):
    """Rows changed by an operation of this process: the `seq` of its record, and the `tables` of the twin."""

    environment: str
    seq: int
    twin: str
    tables: frozenset[str]


class Commit(NamedTuple):
    """The journal of an environment holds all records up to `seq`.

    After an interruption `seq` is 0, and the watcher must read the journal. `environment` is then the watched one, or
    empty for a watcher of all environments.
    """

    environment: str
    seq: int


class Watch:
    """An asynchronous iterator of commits. Pending commits of one environment are merged to the latest."""

    def __init__(self, environment: str | None, wanted: Callable[[str], bool] | None) -> None:
        self._environment = environment
        self._wanted = wanted
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._guard = threading.Lock()
        self._news: dict[str, int] = {}
        self._bell = asyncio.Event()

    def tell(self, environment: str, seq: int) -> None:
        """Queue a commit. Safe in any thread."""
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
        """Return the next commit; waits without a time limit."""
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
    """Passes commits from an engine, in any thread, to the watchers.

    `begin` is called before the first watch. `listener` is called in the thread of each writing operation, before its
    response is sent.
    """

    def __init__(self, begin: Callable[[], None] = lambda: None) -> None:
        self._begin = begin
        self._begun = False
        self._of: dict[str | None, set[Watch]] = {}
        self.listener: Callable[[RowsWritten], None] | None = None

    @contextmanager
    def watch(self, environment: str | None = None, *, wanted: Callable[[str], bool] | None = None) -> Generator[Watch]:
        """Watch one environment, or all for which `wanted(environment)` is true. Needs a running event loop."""
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
        """Notify watchers of a new journal record; with EVERYTHING, that any environment may have new ones."""
        if not self._of:
            return
        if environment == EVERYTHING:
            watches = [watch for each in [*self._of.values()] for watch in each]
        else:
            watches = [*self._of.get(environment, ()), *self._of.get(None, ())]
        for watch in watches:
            watch.tell(environment, seq)

    def wrote(self, written: RowsWritten) -> None:
        """Pass rows changed by an operation of this process to `listener`."""
        if self.listener:
            self.listener(written)


async def either(*waiting: Awaitable[object]) -> None:
    """Wait until the first of several awaitables is done; cancels the others."""
    tasks = [asyncio.ensure_future(each) for each in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()

"""The queue: runs are done in the order they came, so many at once; the process that ends takes its runs with it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine
from typing import Any

from twindiff.catalog import TestRunRecord
from twindiff.kit.errors import ApiError
from twindiff.server.apis.test_runs.ledger import ENDED, Ledger
from twindiff.server.apis.test_runs.workers import end_and_clear
from twindiff.server.backoff import Backoff
from twindiff.server.service import Service

log = logging.getLogger("twindiff")

MAX_WAITING_RUNS = 500
HEARTBEAT_SECONDS = 1.0


class TooManyRuns(ApiError):
    """Too many runs wait to be done; try again when some have ended."""

    status = 429


class NoServer(ApiError):
    """Runs are done by a server: start one with `twindiff serve`."""

    status = 503


class Queue:
    """Does runs; each is a coroutine function that is given nothing and says by the ledger how it went."""

    def __init__(self, service: Service, ledger: Ledger) -> None:
        self._service = service
        self._ledger = ledger
        self._seats = asyncio.Semaphore(service.settings.runs_at_once or os.cpu_count() or 1)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._tell: dict[str, Callable[[str], None]] = {}
        self._is_serving = False
        self.clears_lost: list[Callable[[TestRunRecord], None]] = []
        """Each is given a run whose server has died, and tidies up after it."""

    async def serve(self) -> None:
        """Keep the runs of this process alive, and end those that nobody has; at the end they end as well."""
        self._is_serving = True
        backoff = Backoff("Looking after runs")
        try:
            while True:
                wait = HEARTBEAT_SECONDS
                try:
                    await self._ledger.do(self._look)
                    backoff.succeed()
                except Exception as error:  # noqa: BLE001 - an internal error must not end the runs
                    wait = backoff.fail(error)
                await asyncio.sleep(wait)
        finally:
            self._is_serving = False
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def check(self) -> None:
        """Raises TooManyRuns, NoServer where one more run would not be done."""
        if not self._is_serving:
            raise NoServer
        if len(self._tasks) >= MAX_WAITING_RUNS:
            raise TooManyRuns

    async def put(self, run_id: str, work: Callable[[], Coroutine[Any, Any, None]], *, seated: bool = True) -> None:
        """Do the work of a run when its turn comes; one that is not `seated` waits for no other."""

        async def start() -> None:
            self._tasks[run_id] = task = asyncio.create_task(self._work(run_id, work, seated=seated))
            task.add_done_callback(lambda _: self._tasks.pop(run_id, None))

        await self._service.runtime.run_on_loop(start())

    async def _work(self, run_id: str, work: Callable[[], Coroutine[Any, Any, None]], *, seated: bool) -> None:
        try:
            if not seated:
                await work()
                return
            async with self._seats:
                if (await self._ledger.do(lambda: self._ledger.find(run_id))).status not in ENDED:
                    await work()
        except asyncio.CancelledError:
            await self._ledger.do(lambda: self._fail(run_id, "server", "the server was stopped"))
            raise
        except Exception as error:  # an internal error must not leave a run open for ever
            log.exception("The run %s failed", run_id)
            said = f"a mistake of the server: {type(error).__name__}"
            await self._ledger.do(lambda: self._fail(run_id, "server", said))

    def _fail(self, run_id: str, category: str, said: str) -> None:
        outcome = {"failure_category": category, "failure_detail": said, "summary": said}
        self._ledger.end(run_id, "failed", **outcome)

    def _look(self) -> None:
        for run in self._ledger.keep([*self._tasks]):
            if run.status == "cancelled":
                self.end(run.run_id)
        for run in self._ledger.list_lost():
            end_and_clear(run.run_id)
            for clear in self.clears_lost:
                clear(run)
            self._fail(run.run_id, "server", "the server ended while the run was open")

    # Runs that are being done

    def listens(self, run_id: str, tell: Callable[[str], None]) -> None:
        """From now on a run that is being done is told what `tell` is given; an empty text tells it to end."""
        self._tell[run_id] = tell

    def deaf(self, run_id: str) -> None:
        """A run is not being done any more."""
        self._tell.pop(run_id, None)

    def say(self, run_id: str, message: str) -> bool:
        """Give a message to a run that is being done here; whether there is one."""
        tell = self._tell.get(run_id)
        if tell:
            self._service.runtime.run_soon(lambda: tell(message))
        return tell is not None

    def end(self, run_id: str) -> None:
        """End the work of a run that has been cancelled; one that waits does not begin."""
        self.say(run_id, "")

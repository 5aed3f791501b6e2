"""The run queue: starts runs in order with limited concurrency; they fail when this process ends."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from twindiff.catalog import TestRunRecord
from twindiff.kit.errors import ApiError
from twindiff.server.apis.test_runs.ledger import ENDED, Ledger
from twindiff.server.apis.test_runs.run_seats import RunSeats
from twindiff.server.apis.test_runs.workers import end_and_clear
from twindiff.server.service import Service
from twindiff.storage.backoff import Backoff, RecordRetries

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
    """Executes runs; each is a coroutine function without arguments that reports its result to the ledger."""

    def __init__(self, service: Service, ledger: Ledger) -> None:
        self._service = service
        self._ledger = ledger
        self._seats = RunSeats(service.settings)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._tell: dict[str, Callable[[str], None]] = {}
        self._is_serving = False
        self.clears_lost: list[Callable[[TestRunRecord], None]] = []
        """Callbacks that clean up after a run whose server has died."""
        self._failing = RecordRetries("Cleaning up after run", lambda each, why: self._fail(each, "server", why))

    async def serve(self) -> None:
        """Send heartbeats for this process's runs and end abandoned ones, until cancelled; then cancel the former."""
        self._is_serving = True
        backoff = Backoff("Looking after runs")
        try:
            while True:
                wait = HEARTBEAT_SECONDS
                try:
                    await self._ledger.do(self._look)
                    backoff.reset()
                except Exception as error:  # noqa: BLE001 - an internal error must not end the runs
                    wait = backoff.fail(error)
                await asyncio.sleep(wait)
        finally:
            self._is_serving = False
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def check(self) -> None:
        """Raise TooManyRuns or NoServer if one more run could not be executed."""
        if not self._is_serving:
            raise NoServer
        if len(self._tasks) >= MAX_WAITING_RUNS:
            raise TooManyRuns

    async def put(self, run_id: str, work: Callable[[], Coroutine[Any, Any, None]], *, seated: bool = True) -> None:
        """Queue the work of a run; if not `seated` it starts at once, outside the limit of concurrent runs."""

        async def start() -> None:
            self._tasks[run_id] = task = asyncio.create_task(self._work(run_id, work, seated=seated))
            task.add_done_callback(lambda _: self._tasks.pop(run_id, None))

        await self._service.runtime.run_on_loop(start())

    async def _work(self, run_id: str, work: Callable[[], Coroutine[Any, Any, None]], *, seated: bool) -> None:
        try:
            if not seated:
                await work()
                return
            async with self._seats.take():
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
            if self._failing.is_due(run.run_id):
                with self._failing.attempt(run.run_id):
                    self._end_lost(run)

    def _end_lost(self, run: TestRunRecord) -> None:
        end_and_clear(run.run_id)
        for clear in self.clears_lost:
            clear(run)
        self._fail(run.run_id, "server", "the server ended while the run was open")

    # Messages to active runs

    def listens(self, run_id: str, tell: Callable[[str], None]) -> None:
        """Register the callback that gets the messages to an active run; an empty message means to end."""
        self._tell[run_id] = tell

    def deaf(self, run_id: str) -> None:
        """Unregister the callback of a run."""
        self._tell.pop(run_id, None)

    def say(self, run_id: str, message: str) -> bool:
        """Send a message to a run that is active in this process; false if it is not."""
        tell = self._tell.get(run_id)
        if tell:
            self._service.runtime.run_soon(lambda: tell(message))
        return tell is not None

    def end(self, run_id: str) -> None:
        """Tell a cancelled run to end; if it is still queued, it never starts."""
        self.say(run_id, "")

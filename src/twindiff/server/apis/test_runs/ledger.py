"""The ledger of runs: their requests, status and events, and notification of those who wait for news."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from twindiff.browser.masking import TextMask
from twindiff.catalog import TestRunEventRecord, TestRunRecord
from twindiff.catalog.stamps import new_environment_id, stamp, wall
from twindiff.environments.runs import RunNotFound
from twindiff.kit.clock import SECOND
from twindiff.server.apis.test_runs.run_secrets import TYPED, find_run_secrets, mask_of
from twindiff.server.service import Service

T = TypeVar("T")

ENDED = ("completed", "failed", "cancelled")
OPEN = ("queued", "running", "provisioning", "ready")
MAX_EVENTS = 5000
"""Events stored per run; its end is stored in any case."""
SILENT_SECONDS = 60
"""Seconds without a heartbeat after which the process of a run is considered dead."""
POLL_SECONDS = 1.0
"""Seconds between polls for news of runs in other processes."""


class Ledger:
    """The runs of a server; if it has several processes, each run belongs to one of them (`owner`)."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._catalog = service.catalog
        self.owner = secrets.token_hex(8)
        self._bell: dict[str, asyncio.Event] = {}

    def add(self, kind: str, asked: Mapping[str, Any], **fields: Any) -> TestRunRecord:
        """Add a run with status `queued`."""
        now = stamp()
        return self._catalog.add(
            TestRunRecord(
                run_id=new_environment_id(),
                kind=kind,
                status="queued",
                asked=dict(asked),
                owner=self.owner,
                heard=wall(),
                created=now.micros,
                created_at=now.iso,
                updated_at=now.iso,
                view_token=secrets.token_urlsafe(16),
                **fields,
            )
        )

    def find(self, run_id: str) -> TestRunRecord:
        """Find a run by its id; raises RunNotFound."""
        run = self.find_by_id(run_id)
        if run is None:
            raise RunNotFound(f"There is no run '{run_id[:100]}'")
        return run

    def find_by_id(self, run_id: str) -> TestRunRecord | None:
        """Find a run of any shard by its id, or None."""
        return self._service.whole_catalog.find(TestRunRecord, run_id.replace("-", "").lower()[:64])

    def list(self, limit: int, *, repo: str | None = None, kinds: tuple[str, ...] = ()) -> list[TestRunRecord]:
        """List runs of all shards, newest first."""
        wanted = [TestRunRecord.repo == repo] if repo else []
        if kinds:
            wanted.append(TestRunRecord.kind.in_(kinds))
        return self._service.whole_catalog.newest(TestRunRecord, *wanted, limit=limit)

    def change(self, run: TestRunRecord, **fields: Any) -> TestRunRecord:
        """Change fields of a run's current record."""
        return self._catalog.change(self.find(run.run_id), **fields, updated_at=stamp().iso)

    def tell(self, run_id: str, type: str, message: str, data: Mapping[str, Any] | None = None) -> None:
        """Add an event to a run without the run's secrets, and wake its waiters; beyond `MAX_EVENTS` only `status` and
        `result` are stored.
        """
        with self._service.engine.transaction():
            run = self.find(run_id)
            mask = self.mask(run)
            if run.events >= MAX_EVENTS and type not in ("status", "result"):
                return
            number, now = run.events + 1, stamp()
            self._catalog.add(
                TestRunEventRecord(
                    run_id=run.run_id,
                    number=number,
                    at=now.iso,
                    type=type,
                    message=mask.text(message)[:4000],
                    data=mask.value(data or {}),
                )
            )
            self._catalog.change(run, events=number, updated_at=now.iso)
        self._ring(run_id)

    def events(self, run_id: str, after: int = 0) -> list[TestRunEventRecord]:
        """List the events of a run after a number, in order."""
        mine = TestRunEventRecord.run_id == run_id
        number = TestRunEventRecord.number
        return self._catalog.rows(TestRunEventRecord, mine, number > after, order=number, limit=MAX_EVENTS + 10)

    def end(self, run_id: str, status: str, **outcome: Any) -> TestRunRecord:
        """End a run and return it; no-op if it has ended already."""
        with self._service.engine.transaction():  # no other process may begin or end it between read and write
            run = self.find(run_id)
            if run.status in ENDED:
                return run
            told = self.mask(run).value({**run.outcome, **outcome})
            self.tell(run_id, "result", told.get("summary") or status, {"status": status, **_brief(told)})
            self.tell(run_id, "status", status, {"status": status})
            run = self.change(run, status=status, outcome=told, finished_at=stamp().iso)
        self._ring(run_id)
        return run

    def begin(self, run_id: str) -> TestRunRecord:
        """Set a run to `running`, unless it has been cancelled meanwhile; returns it."""
        with self._service.engine.transaction():
            run = self.find(run_id)
            if run.status in ENDED:
                return run
            run = self.change(run, status="running")
            self.tell(run_id, "status", "running", {"status": "running"})
        self._ring(run_id)
        return run

    async def do(self, work: Callable[[], T]) -> T:
        """Run work on the records, from the event loop, where such work belongs."""

        async def begin() -> T:
            return work()

        return await self._service.runtime.run_request(begin)

    # Secrets

    def mask(self, run: TestRunRecord) -> TextMask:
        """The mask of a run's secrets, and of those of the application in its sandbox."""
        secrets = find_run_secrets(run)
        if run.sandbox_id and (sandbox := self.find_by_id(run.sandbox_id)):
            secrets += find_run_secrets(sandbox)
        return mask_of(tuple(secrets))

    def learn_secret(self, run_id: str, secret: str) -> None:
        """Mask a secret in the events of a run that are stored already, and in all that follow."""
        with self._service.engine.transaction():
            run = self.find(run_id)
            known = run.asked.get(TYPED, [])
            if secret in known:
                return
            run = self.change(run, asked={**run.asked, TYPED: [*known, secret]})
            mask = self.mask(run)
            for event in self.events(run_id):
                self._catalog.change(event, message=mask.text(event.message), data=mask.value(event.data))

    # Ownership

    def keep(self, run_ids: list[str]) -> list[TestRunRecord]:
        """Send a heartbeat for the runs of this process; returns their current records."""
        mine = [run for each in run_ids if (run := self.find_by_id(each))]
        return [self._catalog.change(run, heard=wall()) if run.status in OPEN else run for run in mine]

    def list_lost(self) -> list[TestRunRecord]:
        """List open runs whose process is dead."""
        waiting = TestRunRecord.status.in_(OPEN)
        runs = self._catalog.rows(TestRunRecord, waiting, order=TestRunRecord.created, limit=1000)
        latest = wall() - SILENT_SECONDS * SECOND
        may_live = self._service.engine.is_shared
        return [run for run in runs if run.owner != self.owner and not (may_live and run.heard >= latest)]

    # Waiting

    def _ring(self, run_id: str) -> None:
        bell = self._bell.pop(run_id, None)
        if bell:
            self._service.runtime.run_soon(bell.set)

    async def news(self, run_id: str) -> None:
        """Wait until a run has a new event, at most `POLL_SECONDS`."""
        bell = self._bell.setdefault(run_id, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(bell.wait(), POLL_SECONDS)


def _brief(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The outcome without the rows of its diff, for an event."""
    return {name: value for name, value in outcome.items() if name != "diff"}

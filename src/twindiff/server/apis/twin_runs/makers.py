"""Tracks which process provisions which twin run; a run whose process is dead has failed."""

from __future__ import annotations

import asyncio

from twindiff.catalog import TwinRunRecord
from twindiff.catalog.shard_ids import own_shard, shard_of
from twindiff.catalog.stamps import stamp, wall
from twindiff.kit.clock import SECOND
from twindiff.server.service import Service
from twindiff.storage.backoff import Backoff, RecordRetries

BEGINNING = ("queued", "provisioning")
"""Statuses of a run that is not ready yet."""
HEARTBEAT_SECONDS = 5.0
"""Seconds between heartbeats for the runs that a process is provisioning."""
MAX_SILENT_SECONDS = 30
"""Seconds without a heartbeat after which the process of a run is considered dead."""
MAX_MAKING_SECONDS = 1800
"""Seconds after which a run of an earlier release, which sends no heartbeats, is considered lost."""
LOST = "the server ended before the run was ready"


class RunMakers:
    """The runs being provisioned, by this process and by others that share its storage or its port."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._catalog = service.catalog
        self.own: set[str] = set()
        """Ids of the runs that this process is provisioning."""
        self._failing = RecordRetries("Looking after twin run")
        if service.engine.is_shared or service.settings.shard.total > 1:
            service.background.append(self._serve)

    def is_lost(self, run: TwinRunRecord) -> bool:
        """Whether a run is not ready and its process is dead."""
        if run.status not in BEGINNING or run.run_id in self.own:
            return False
        if not self._service.engine.is_shared and shard_of(run.run_id) == own_shard():
            return True
        if run.heard is None:
            return run.created < wall() - MAX_MAKING_SECONDS * SECOND
        return run.heard < wall() - MAX_SILENT_SECONDS * SECOND

    def give_up(self, run: TwinRunRecord) -> TwinRunRecord:
        """Set a lost run to `failed`."""
        return self._catalog.change(run, status="failed", error=LOST, updated_at=stamp().iso)

    async def _serve(self) -> None:
        """Send heartbeats and fail lost runs until cancelled."""
        backoff = Backoff("Looking after twin runs")
        while True:
            wait = HEARTBEAT_SECONDS
            try:
                await self._service.runtime.run_request(self._look)
                backoff.reset()
            except Exception as error:  # noqa: BLE001 - an internal error must not end the runs of this process
                wait = backoff.fail(error)
            await asyncio.sleep(wait)

    async def _look(self) -> None:
        """Look after all runs that are not ready; one that fails holds up no other."""
        for run in self._catalog.rows(TwinRunRecord, TwinRunRecord.status.in_(BEGINNING)):
            if self._failing.is_due(run.run_id):
                with self._failing.attempt(run.run_id):
                    self._look_at(run.run_id)

    def _look_at(self, run_id: str) -> None:
        """Send a heartbeat for a run of this process, or fail one of a dead process."""
        with self._service.engine.transaction():  # no other process may end it between read and write
            run = self._catalog.find(TwinRunRecord, TwinRunRecord.run_id == run_id)
            if run and run.status in BEGINNING and run.run_id in self.own:
                self._catalog.change(run, heard=wall())
            elif run and self.is_lost(run):
                self.give_up(run)

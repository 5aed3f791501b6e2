"""Who makes which twin run: each process says so of its own, and a run of which nobody does has failed."""

from __future__ import annotations

import asyncio
import logging

from twindiff.catalog import TwinRunRecord
from twindiff.catalog.stamps import stamp, wall
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import NotServed
from twindiff.server.service import Service

log = logging.getLogger("twindiff")

BEGINNING = ("queued", "provisioning")
"""How a run stands that is not ready yet."""
HEARTBEAT_SECONDS = 5.0
"""How often a process says which runs it is making."""
MAX_SILENT_SECONDS = 30
"""After so long without a sign of the process that makes a run, that process is gone."""
MAX_MAKING_SECONDS = 1800
"""How long a process of an earlier release, which gives no sign, may make a run."""
LOST = "the server ended before the run was ready"


class RunMakers:
    """The runs that processes are making; where there is but one process, no other makes any."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._catalog = service.catalog
        self.own: set[str] = set()
        """The runs that this process is making."""
        if not service.engine.inline:
            service.background.append(self._serve)

    def is_lost(self, run: TwinRunRecord) -> bool:
        """Whether a run that is not ready is made by nobody any more."""
        if run.status not in BEGINNING or run.run_id in self.own:
            return False
        if self._service.engine.inline:
            return True
        if run.heard is None:
            return run.created < wall() - MAX_MAKING_SECONDS * SECOND
        return run.heard < wall() - MAX_SILENT_SECONDS * SECOND

    def give_up(self, run: TwinRunRecord) -> TwinRunRecord:
        """Record that a run has failed because the process that made it is gone."""
        return self._catalog.change(run, status="failed", error=LOST, updated_at=stamp().iso)

    async def _serve(self) -> None:
        """Look after runs for as long as the server runs."""
        while True:
            try:
                await self._service.runtime.run_request(self._look)
            except NotServed as error:
                log.warning("Looking after twin runs failed; it is tried again: %s", error)
            except Exception:  # an internal error must not end the runs of a server that keeps running
                log.exception("Looking after twin runs failed; it is tried again")
            await asyncio.sleep(HEARTBEAT_SECONDS)

    async def _look(self) -> None:
        """Give a sign of the runs of this process, and note that those of processes that are gone have failed."""
        for run in self._catalog.rows(TwinRunRecord, TwinRunRecord.status.in_(BEGINNING)):
            with self._service.engine.transaction():  # nobody else ends it between the look and the change
                run = self._catalog.find(TwinRunRecord, TwinRunRecord.run_id == run.run_id)
                if run and run.status in BEGINNING and run.run_id in self.own:
                    self._catalog.change(run, heard=wall())
                elif run and self.is_lost(run):
                    self.give_up(run)

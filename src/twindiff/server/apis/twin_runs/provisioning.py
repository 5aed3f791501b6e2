"""Provisions runs in the background: records them at once, and fills them when a slot is free."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

from twindiff.catalog import TwinRunRecord
from twindiff.kit.errors import ApiError
from twindiff.server.apis.twin_runs.runs import TwinRunRequest, TwinRunService

log = logging.getLogger("twindiff")


class Provisioning:
    """Provisions runs, a few at a time per server."""

    def __init__(self, runs: TwinRunService) -> None:
        self._runs = runs
        self._runtime = runs.service.runtime

    async def provide(
        self, asked: TwinRunRequest, make: Callable[[], Awaitable[TwinRunRequest]], seconds: float | None
    ) -> TwinRunRecord:
        """Provision the run of the request that `make` returns; returns its record after `seconds` at most.
        An error until then is raised, and the run is deleted; a later error is stored in the run's record.
        """
        run = self._runs.announce(asked)
        wrong: list[ApiError] = []
        is_done = await self._runtime.run_aside(partial(self._make, run.run_id, make, wrong), seconds)
        if is_done and wrong:
            self._runs.forget(run.run_id)
            raise wrong[0]
        return self._runs.find(run.run_id)

    async def _make(self, run_id: str, make: Callable[[], Awaitable[TwinRunRequest]], wrong: list[ApiError]) -> None:
        runs = self._runs
        try:
            if runs.begin(run_id):
                runs.fulfil(run_id, await make())
        except ApiError as error:
            wrong.append(error)
            runs.fail(run_id, str(error))
        except Exception as error:  # an internal error must not leave a run open for ever
            log.exception("The twin run %s could not be made", run_id)
            runs.fail(run_id, f"a mistake of the server: {type(error).__name__}")
        finally:
            runs.makers.own.discard(run_id)

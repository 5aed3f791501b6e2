"""Pages of runs: verdicts with explanations, diffs and calls, also after their environment is deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from twindiff.catalog import RunRecord, TestRecord
from twindiff.environments.stored_results import unpack_json
from twindiff.server.apis.inspector.environments import render_diff
from twindiff.server.apis.inspector.rendering import page
from twindiff.server.service import Service

LISTED = 200
CALLS = 1000
STATUSES = ("all", "running", "completed", "passed", "failed")


async def runs(service: Service, request: Request) -> Response:
    """List runs of all environments, newest first."""
    status = request.query_params.get("status", "all")
    records = service.runs.list(limit=LISTED, status="" if status == "all" else status)
    return page("runs.html", runs=records, tests=_names(service, records), status=status, statuses=STATUSES)


def _names(service: Service, runs: Iterable[RunRecord]) -> dict[str, str]:
    """The names of the runs' tests, by id."""
    wanted = {each.test_id for each in runs if each.test_id}
    columns = (TestRecord.test_id, TestRecord.name)
    return dict(cast(Any, service.whole_catalog.rows(TestRecord, TestRecord.test_id.in_(wanted), columns=columns)))


async def run(service: Service, request: Request) -> Response:
    """One run: its verdict, its calls, its diff."""
    record = service.runs.get(request.path_params["id"])
    await service.call_log.write()
    calls = await service.runtime.collect(service.calls.log.kept_of_run(record, CALLS))
    lasts = service.environments.record(record.environment_id).status != "deleted"
    test = _names(service, [record]).get(record.test_id or "", "")

    def draw() -> Response:
        verdict: dict[str, Any] = msgspec.json.decode(unpack_json(record.verdict)) if record.verdict else {}
        diff = render_diff(msgspec.json.decode(unpack_json(record.diff))) if record.diff else None
        return page("run.html", run=record, test=test, verdict=verdict, diff=diff, calls=calls, lasts=lasts)

    return await service.runtime.run_in_thread(draw)

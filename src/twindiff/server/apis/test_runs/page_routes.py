"""The page of a run, its artifacts and its rerun button; the run's token opens them if the server has a key."""

from __future__ import annotations

from twindiff.kit.http import Response
from twindiff.kit.twin import Operations
from twindiff.server.apis.test_runs.page import check_token, page
from twindiff.server.apis.test_runs.routes import LastEventId
from twindiff.server.apis.test_runs.streams import stream
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext

api = Operations()

OPEN = {
    "GET /test-runs/{run_id}/page",
    "GET /test-runs/{run_id}/page/news",
    "GET /test-runs/{run_id}/page/{name}",
    "POST /test-runs/{run_id}/page/rerun",
}


@api.get("/test-runs/{run_id}/page")
def show_page(desk: TwinRunContext, run_id: str, token: str = "") -> Response:
    """The page of a run: steps with screenshots, console and network output, and the diff of its twins."""
    run = desk.tests.ledger.find(run_id)
    check_token(desk.tests, run, token)
    return page(desk.tests, run, desk.address)


@api.get("/test-runs/{run_id}/page/news")
def stream_to_page(desk: TwinRunContext, run_id: str, token: str = "", last_event_id: LastEventId = None) -> Response:
    """Stream the events of a run to its page until it ends, as server-sent events."""
    run = desk.tests.ledger.find(run_id)
    check_token(desk.tests, run, token)
    return stream(desk.tests.ledger, run, last_event_id)


@api.get("/test-runs/{run_id}/page/{name}")
def show_page_artifact(desk: TwinRunContext, run_id: str, name: str, token: str = "") -> Response:
    """An artifact of a run, for its page."""
    run = desk.tests.ledger.find(run_id)
    check_token(desk.tests, run, token)
    return desk.tests.artifacts.read(run.run_id, name)


@api.post("/test-runs/{run_id}/page/rerun")
async def rerun_from_page(desk: TwinRunContext, run_id: str, token: str = "") -> Response:
    """Rerun a run, and redirect to the page of the new run."""
    run = desk.tests.ledger.find(run_id)
    check_token(desk.tests, run, token)
    again = await desk.tests.rerun(run_id, {}, desk.address)
    place = f"/test-runs/{again.run_id}/page?token={again.view_token}"
    return Response(b"", 303, headers=(("Location", place),))

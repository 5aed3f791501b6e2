"""Twin runs and scenarios: environments of several twins for an application under test, and their seed data."""

from twindiff.kit.twin import Dispatch
from twindiff.server.apis.pr_runs import routes as pr_routes
from twindiff.server.apis.sandbox_runs import routes as sandbox_routes
from twindiff.server.apis.test_runs import legacy_routes, page_routes, probe, saved_routes
from twindiff.server.apis.test_runs import routes as test_routes
from twindiff.server.apis.twin_runs import accounts, routes, scenario_routes
from twindiff.server.apis.twin_runs.style import RunStyle

PREFIXES = (
    "/validate",
    "/twin-runs",
    "/twins",
    "/scenarios",
    "/scenario-twin-environments",
    "/auth",
    "/client-versions",
    "/health",
    "/runs",
    *test_routes.PREFIXES,
    *saved_routes.PREFIXES,
    *sandbox_routes.PREFIXES,
    "/validation",
)
OPEN = {
    *accounts.OPEN,
    *page_routes.OPEN,
    *pr_routes.OPEN,
    "GET /scenarios/presets",
    "GET /twin-runs/{run_id}/dashboard",
    "GET /twin-runs/{run_id}/dashboard/news",
    "GET /twin-runs/{run_id}/dashboard/variables.env",
    "POST /twin-runs/{run_id}/dashboard/{action}",
}
"""Operations that need no key."""

operations = Dispatch(
    RunStyle(),
    [
        routes.api,
        scenario_routes.api,
        accounts.api,
        test_routes.api,
        saved_routes.api,
        sandbox_routes.api,
        pr_routes.api,
        legacy_routes.api,
        page_routes.api,
        probe.api,
    ],
)

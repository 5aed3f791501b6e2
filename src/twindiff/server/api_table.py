"""The table of our own APIs: their path prefixes, their operations, and who is authorized to call them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from twindiff.kit.http import Request
from twindiff.kit.twin import Dispatch
from twindiff.server.apis import platform, sandboxes, twin_runs
from twindiff.server.apis.pr_runs.hook_receiver import HookReceiver
from twindiff.server.apis.pr_runs.runs import PrRuns
from twindiff.server.apis.pr_runs.settings import CheckSettings
from twindiff.server.apis.sandbox_runs.hosted_repositories import HostedRepositories
from twindiff.server.apis.sandbox_runs.runs import SandboxRunService
from twindiff.server.apis.sandboxes.routes import SandboxContext
from twindiff.server.apis.sandboxes.sandboxes import Sandboxes
from twindiff.server.apis.test_runs.runs import TestRunService
from twindiff.server.apis.test_runs.saved import SavedTestStore
from twindiff.server.apis.test_runs.twins import RunTwins
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext as RunDesk
from twindiff.server.apis.twin_runs.logins import Logins
from twindiff.server.apis.twin_runs.runs import TwinRunService
from twindiff.server.apis.twin_runs.scenarios import ScenarioStore
from twindiff.server.auth import authorize_control
from twindiff.server.data_plane import DataPlane
from twindiff.server.mcp import RUNS_PATH
from twindiff.server.service import Service


class ApiMount(NamedTuple):
    """One of our own APIs.
    `given` builds the dependencies of its operations from the address under which the client reached the server.
    `authorize` takes the platform key, the request and the name of its operation (empty if unknown), and raises an
    ApiError if the client is not authorized. `removed` is the path prefix that the operations' own paths leave out.
    """

    prefixes: tuple[str, ...]
    operations: Dispatch
    given: Callable[[str], Any]
    authorize: Callable[[str | None, Request, str], None] = authorize_control
    removed: str = ""

    def has(self, path: str) -> bool:
        """Whether a path belongs to this API."""
        return any(path.startswith(prefix) and path[len(prefix) :][:1] in ("", "/") for prefix in self.prefixes)


def build_run_desk(service: Service) -> RunDesk:
    """Build the dependencies of the operations for runs of all kinds; `address` stays empty until a request sets it."""
    runs = TwinRunService(service)
    scenarios = ScenarioStore(runs)
    tests = TestRunService(runs, RunTwins(scenarios))
    hosted = HostedRepositories(service, DataPlane(service))
    saved, boxes = SavedTestStore(tests), SandboxRunService(tests, scenarios, hosted)
    checks = CheckSettings(service, hosted)
    pull_requests = PrRuns(saved, boxes, checks)
    hooks = HookReceiver(service, pull_requests, checks)
    return RunDesk(runs, scenarios, Logins(), tests, saved, boxes, pull_requests, checks, hooks, address="")


def build_api_mounts(service: Service, desk: RunDesk) -> tuple[ApiMount, ...]:
    """Build the table of our own APIs for a service."""
    return (
        ApiMount((platform.PREFIX,), platform.platform, partial(_any_address, service), removed=platform.PREFIX),
        ApiMount(
            (sandboxes.PREFIX,),
            sandboxes.operations,
            partial(SandboxContext, Sandboxes(service)),
            removed=sandboxes.PREFIX,
        ),
        ApiMount(
            (*twin_runs.PREFIXES, RUNS_PATH),
            twin_runs.operations,
            partial(_known_by, desk),
            partial(authorize_control, free=twin_runs.OPEN),
        ),
    )


def _known_by(desk: RunDesk, address: str) -> RunDesk:
    return desk._replace(address=address)


def _any_address(service: Service, address: str) -> Service:
    return service

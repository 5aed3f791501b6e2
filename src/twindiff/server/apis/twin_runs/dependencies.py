"""The dependencies of operations for runs and scenarios."""

from __future__ import annotations

from typing import NamedTuple

from twindiff.server.apis.pr_runs.hook_receiver import HookReceiver
from twindiff.server.apis.pr_runs.runs import PrRuns
from twindiff.server.apis.pr_runs.settings import CheckSettings
from twindiff.server.apis.sandbox_runs.runs import SandboxRunService
from twindiff.server.apis.test_runs.runs import TestRunService
from twindiff.server.apis.test_runs.saved import SavedTestStore
from twindiff.server.apis.twin_runs.logins import Logins
from twindiff.server.apis.twin_runs.runs import TwinRunService
from twindiff.server.apis.twin_runs.scenarios import ScenarioStore


class TwinRunContext(NamedTuple):
    """The dependencies of an operation; `address` is the server's URL as the client used it."""

    runs: TwinRunService
    scenarios: ScenarioStore
    logins: Logins
    tests: TestRunService
    saved: SavedTestStore
    sandboxes: SandboxRunService
    pull_requests: PrRuns
    checks: CheckSettings
    hooks: HookReceiver
    address: str

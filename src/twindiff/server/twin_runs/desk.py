"""What requests about twin runs and scenarios are answered with."""

from __future__ import annotations

from typing import NamedTuple

from twindiff.server.pr_runs.runs import PrRuns
from twindiff.server.pr_runs.settings import CheckSettings
from twindiff.server.sandbox_runs.runs import SandboxRuns
from twindiff.server.test_runs.runs import TestRuns
from twindiff.server.test_runs.saved import SavedTests
from twindiff.server.twin_runs.logins import Logins
from twindiff.server.twin_runs.runs import TwinRuns
from twindiff.server.twin_runs.scenarios import Scenarios


class Desk(NamedTuple):
    """What a request is answered with, for a caller who knows the server by an address."""

    runs: TwinRuns
    scenarios: Scenarios
    logins: Logins
    tests: TestRuns
    saved: SavedTests
    sandboxes: SandboxRuns
    pull_requests: PrRuns
    checks: CheckSettings
    address: str

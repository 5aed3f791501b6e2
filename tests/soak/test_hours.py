"""A day of twin runs, scenarios, test runs and housekeeping with a fast clock: no 5xx, nothing leaks, worlds last."""

from __future__ import annotations

import gc
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import pytest

from tests.harness import Json, LiveServer, succeeded
from tests.housekeeping.test_hours import HOUR, PROMPT, WORLD, FastClock
from tests.test_runs.site import Site
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server import Settings
from twindiff.server.apis.twin_runs.presets import PRESETS
from twindiff.server.ports import MAX_PORTS

pytestmark = pytest.mark.soak
HOURS = 24
WARM_HOURS = 4
"""Hours after which nothing is loaded, cached or opened for the first time any more."""
REAL = {"mode": "real"}
STEPS = [
    {"action": "fill", "selector": "Email", "value": "ada@example.com"},
    {"action": "click", "selector": "Pay now"},
    {"action": "expect", "expect": {"type": "text", "contains": "Paid by ada@example.com"}},
]


class Usage(NamedTuple):
    """What a server holds of the machine; `files` are all descriptors but those of listening ports."""

    threads: int
    files: int
    processes: int
    ports: int
    folders: int

    @classmethod
    def measure(cls) -> Usage:
        """Measure this process and the temporary folders of servers."""
        gc.collect()
        process = psutil.Process()
        listening = [each for each in process.net_connections() if each.status == psutil.CONN_LISTEN]
        folders = [*Path(tempfile.gettempdir()).glob("twindiff-*")]
        return cls(
            threading.active_count(),
            process.num_fds() - len(listening),
            len(process.children(True)),
            len(listening),
            len(folders),
        )

    def exceeds(self, earlier: Usage) -> list[str]:
        """What there is more of than earlier. A pool may have opened a few more files, and ports of ended runs answer
        with their end until others need the room.
        """
        room = Usage(threads=2, files=12, processes=0, ports=MAX_PORTS - earlier.ports, folders=0)
        return [
            f"{name}: {before} → {now}"
            for name, before, now, more in zip(self._fields, earlier, self, room, strict=True)
            if now > before + more
        ]


class Day:
    """A server whose clock runs fast, and every response of it that was a failure of its own."""

    def __init__(self, server: LiveServer, clock: FastClock, site: Site) -> None:
        self.server, self.clock, self.site = server, clock, site
        self.client = server.client
        self.client.event_hooks["response"].append(self._note)
        self.failures: list[str] = []
        self.scenarios: list[str] = []

    def _note(self, answer: httpx.Response) -> None:
        if answer.status_code >= 500:
            self.failures.append(f"{answer.request.method} {answer.request.url}: {answer.status_code}")

    def post(self, path: str, **asked: object) -> Json:
        return succeeded(self.client.post(path, json=asked))

    def save_scenarios(self, hour: int) -> None:
        """Save a scenario with a configuration and one with a prompt, every sixth hour."""
        if hour % 6 == 0:
            self.scenarios.append(self.post("/scenarios", name=f"world {hour}", seed_config=WORLD)["id"])
            self.scenarios.append(self.post("/scenarios", name=f"prompt {hour}", prompt=PROMPT)["id"])

    def run_twins(self, **source: object) -> Json:
        """Provision twins, use them, look at their pages, reset, extend and end them."""
        asked = {"twins": ["slack", "stripe"], "ttl_minutes": 30, "wait_seconds": 60, **source}
        run = succeeded(self.client.get(f"/twin-runs/{self.post('/twin-runs', **asked)['run_id']}"))
        assert run["status"] == "ready", run
        variables = run["twins"]["slack"]["env_vars"]
        token = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}
        with httpx.Client(trust_env=False, timeout=60, event_hooks=self.client.event_hooks) as program:
            said = program.post(f"{variables['SLACK_API_URL']}/auth.test", headers=token)
        assert succeeded(said)["ok"], said.text
        for page in (
            run["dashboard_url"],
            "/inspect/application-runs",
            f"/inspect/environments/{run['environment_id']}",
        ):
            assert self.client.get(page).status_code == 200
        for action in ("reset", "extend"):
            self.post(f"/twin-runs/{run['run_id']}/{action}")
        return run

    def run_test(self) -> None:
        """Run a browser test that passes, and one that is not understood."""
        made = self.post("/test-runs", start_url=self.site.url, test_config={"steps": STEPS}, twins=["slack"])
        with self.client.stream("GET", f"/validate/{made['id']}/results", timeout=120) as events:
            events.read()
        run = succeeded(self.client.get(f"/test-runs/{made['id']}"))
        assert run["status"] == "completed", run["failure_detail"]
        assert self.client.get(run["page_url"]).status_code == 200
        self.post("/test-runs", start_url=self.site.url, prompt="Wobble the cart")

    def pass_hour(self) -> None:
        """Let an hour pass, with its rounds of housekeeping."""
        for _ in range(HOUR):
            self.clock.ahead += 601
            self.server.maintain()


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    try:
        chromium()
    except NoBrowser as absent:
        pytest.skip(str(absent))
    with pytest.MonkeyPatch.context() as patch:
        temporary = tempfile.mkdtemp(prefix="soak-")
        patch.setattr(tempfile, "tempdir", temporary)
        server, site = LiveServer(Settings(data_dir=str(tmp_path / "data"))), Site()
        try:
            yield Day(server, FastClock(patch), site)
        finally:
            server.close()
            site.close()
            shutil.rmtree(temporary, ignore_errors=True)


def test_nothing_leaks_or_fails_in_a_day_and_every_saved_scenario_still_makes_its_world(day: Day) -> None:
    warm: Usage | None = None
    for hour in range(HOURS):
        day.save_scenarios(hour)
        preset = [*PRESETS][hour % len(PRESETS)]
        runs = [day.run_twins(scenario_id=preset), day.run_twins(scenario_prompt=PROMPT, clock=REAL)]
        runs += [day.run_twins(seed_config=WORLD), day.run_twins(scenario_id=day.scenarios[hour % len(day.scenarios)])]
        day.run_test()
        for run in runs[hour % 2 :: 2]:  # the others expire
            day.post(f"/twin-runs/{run['run_id']}/teardown")
        day.pass_hour()
        usage = Usage.measure()
        if hour == WARM_HOURS:
            warm = usage
    for scenario in day.scenarios:
        assert day.run_twins(scenario_id=scenario)["seed_results"]
    day.pass_hour()
    assert day.failures == []
    assert warm is not None
    assert Usage.measure().exceeds(warm) == []

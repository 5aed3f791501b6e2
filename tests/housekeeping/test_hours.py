"""What is saved on a server outlives hours of housekeeping, and what has ended is refused as ended, never by a 5xx."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.harness import Environment, Json, LiveServer, Platform, succeeded
from twindiff.catalog import stamps
from twindiff.server import Settings, service
from twindiff.server.apis import platform, sandboxes, twin_runs
from twindiff.server.apis.twin_runs.presets import PRESETS

TEN_MINUTES = 601
"""Seconds between two rounds of housekeeping."""
HOUR, DAY = 6, 6 * 24
"""Rounds of it."""
WORLD = {"slack": {"channels": ["launch"]}, "stripe": {"customers": [{"name": "Ada", "email": "ada@beacon.test"}]}}
PROMPT = "Customer with active subscription"
ROWS = {"channels": [{"channel_id": "C0NOTES", "channel_name": "notes"}]}
STEPS = {"steps": [{"action": "goto", "value": "https://shop.test"}]}
STREAMS = ("/news", "/events", "/results")
"""What is answered for as long as something goes on."""
CHECK = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}
TWINS = ["slack", "stripe"]


class FastClock:
    """The machine's clock as records and housekeeping read it, as many seconds ahead as somebody says."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.ahead = 0
        clock = SimpleNamespace(
            time_ns=lambda: time.time_ns() + self.ahead * 10**9,
            monotonic=lambda: time.monotonic() + self.ahead,
            time=lambda: time.time() + self.ahead,
        )
        patch.setattr(stamps, "time", clock)
        patch.setattr(stamps, "_last", stamps._last)  # stamps never go back, so the last one is restored too
        patch.setattr(service, "time", clock)


class Kept:
    """A server, and the id of what was saved on it by the name of the path parameter that it is given as."""

    def __init__(self, server: LiveServer, clock: FastClock) -> None:
        self.server, self.clock, self.client = server, clock, server.in_process
        self.platform = Platform(server.in_process)
        self.ids: dict[str, str] = {}

    def pass_time(self, rounds: int) -> None:
        """Let time pass, with all housekeeping that a server does in it."""
        for _ in range(rounds):
            self.clock.ahead += TEN_MINUTES
            self.server.maintain()

    def post(self, path: str, **asked: Any) -> Json:
        return succeeded(self.client.post(path, json=asked))

    def twin_run(self, **asked: Any) -> Json:
        """A twin run that is ready, as it is shown."""
        made = self.post("/twin-runs", **{"twins": TWINS, "ttl_minutes": 5, "wait_seconds": 60, **asked})
        run = succeeded(self.client.get(f"/twin-runs/{made['run_id']}"))
        assert run["status"] == "ready", run
        return run

    def save_environment(self) -> None:
        """An environment with a run, a point, a webhook and calls; a template and a sandbox made of its rows."""
        env = self.platform.environment(templates=["slack:slack_default", "stripe:stripe_default"])
        env.post("hello")
        run = self.platform.start(env)
        hook = {"twin": "stripe", "url": "http://127.0.0.1:9/"}
        webhook = self.platform.post(f"env/{env.id}/webhooks", hook)["webhookId"]
        self.platform.post(f"env/{env.id}/checkpoints", {"name": "point"})
        copy = {"environmentId": env.id, "service": "slack", "name": "copied"}
        template = self.platform.post("templates/from-environment", copy)["templateId"]
        self.ids |= {"envId": env.id, "runId": run, "webhookId": webhook, "templateId": template}
        self.ids |= {"name": "point", "number": "1", "table": "messages"}

    def save_suite(self) -> None:
        test = {"name": "posts", "prompt": "Post.", "type": "actionEval", "environmentTemplate": "slack_default"}
        tests = [{**test, "impersonateUserId": "U01AGENBOT9", "expected_output": {"assertions": [CHECK]}}]
        suite = self.platform.post("testSuites", {"name": "suite", "description": "", "tests": tests})["id"]
        (saved,) = self.platform.get(f"testSuites/{suite}")["tests"]
        env = Environment(self.platform, self.platform.post("initEnv", {"testId": saved["id"]}))
        run = self.platform.start(env, testId=saved["id"])
        self.platform.evaluate(run)
        trial = {"testId": saved["id"], "number": 1, "runId": run}
        asked = {"testSuiteId": suite, "agent": "an agent", "trials": [trial]}
        trials = self.platform.post("trial-sets", asked)["trialSetId"]
        self.ids |= {"suiteId": suite, "testId": saved["id"], "trialSetId": trials, "otherId": trials}

    def save_runs(self) -> None:
        """Scenarios with environments, runs of twins, a saved test, a sandbox with rows of its own."""
        scenario = self.post("/scenarios", name="beacon", seed_config=WORLD)["id"]
        self.post(f"/scenarios/{scenario}/twin-environment")
        run = self.twin_run(scenario_id=scenario)["run_id"]
        test = self.post("/tests", name="opens", test_config=STEPS)["id"]
        made = self.client.post("/v1/sandboxes", json={"api": "slack", "seed_data": ROWS, "ttl": 300})
        self.ids |= {"scenario_id": scenario, "run_id": run, "test_id": test, "sandbox_id": succeeded(made)["id"]}
        for each in PRESETS:
            self.twin_run(scenario_id=each)
        self.twin_run(scenario_prompt=PROMPT)
        self.twin_run(seed_config=WORLD)


@pytest.fixture(scope="module", params=[2 * HOUR, DAY + 2 * HOUR, "a month"], ids=str)
def kept(request: pytest.FixtureRequest) -> Iterator[Kept]:
    """A server on which something of each kind was saved: hours ago, a day ago, or longer than results are kept."""
    with pytest.MonkeyPatch.context() as patch:
        server = LiveServer(Settings())
        try:
            made = Kept(server, FastClock(patch))
            made.save_environment()
            made.save_suite()
            made.save_runs()
            if request.param == "a month":
                made.clock.ahead += 31 * 24 * 3600
            made.pass_time(DAY if request.param == "a month" else request.param)
            yield made
        finally:
            server.close()


PLANES = {
    "/api/platform": platform.platform,
    "/v1": sandboxes.operations,
    "": twin_runs.operations,
}
OPERATIONS = sorted(
    [
        (prefix, each)
        for prefix, plane in PLANES.items()
        for each in plane.operations
        if not each.name.endswith(STREAMS)
    ],
    key=lambda each: each[1].declared.verb == "DELETE",
)
"""All that can be asked of a server, what takes away last."""


@pytest.mark.parametrize("scenario", PRESETS)
def test_a_preset_makes_its_world_again(kept, scenario):
    assert kept.twin_run(scenario_id=scenario)["seed_results"]


def test_a_saved_scenario_makes_its_world_again(kept):
    run = kept.twin_run(scenario_id=kept.ids["scenario_id"])
    assert run["seed_results"]["stripe"]["counts"]["customers"] == 1


def test_a_saved_scenario_makes_its_environment_again(kept):
    made = kept.post(f"/scenarios/{kept.ids['scenario_id']}/twin-environment")
    assert made["status"] == "ready"


@pytest.mark.parametrize("asked", [{"scenario_prompt": PROMPT}, {"seed_config": WORLD}, {}], ids=str)
def test_a_world_is_made_again(kept, asked):
    assert kept.twin_run(**asked)["seed_results"]


def test_a_sandbox_is_made_of_the_same_rows_again(kept):
    assert kept.post("/v1/sandboxes", api="slack", seed_data=ROWS)["status"] == "ready"


def test_a_copied_template_makes_environments(kept):
    made = kept.platform.environment("slack:copied")
    assert "hello" in str(made.slack("conversations.history", channel="C01ABCD1234"))


def test_a_test_of_a_suite_makes_environments_and_judges_them(kept):
    made = kept.platform.post("initEnv", {"testId": kept.ids["testId"]})
    env = Environment(kept.platform, made)
    run = kept.platform.start(env, testId=kept.ids["testId"])
    env.post("hello")
    assert kept.platform.evaluate(run)["passed"]


def test_a_trial_set_still_counts_its_trials(kept):
    assert kept.platform.get(f"trial-sets/{kept.ids['trialSetId']}")["trials"] == 1


@pytest.mark.parametrize(("prefix", "operation"), OPERATIONS, ids=[f"{p}:{o.name}" for p, o in OPERATIONS])
def test_no_operation_fails_on_what_was_saved_before(kept, prefix, operation):
    path = operation.declared.path
    for name, value in kept.ids.items():
        path = path.replace(f"{{{name}}}", value)
    given = {"json": {}} if operation.declared.verb in ("POST", "PUT", "PATCH") else {}
    answer = kept.client.request(operation.declared.verb, prefix + path, **given)
    assert answer.status_code < 500 or answer.status_code == 501, answer.text


def test_a_day_of_runs_and_housekeeping_goes_by_without_a_failure(kept):
    for hour in range(24):
        for asked in ({"scenario_id": [*PRESETS][hour % 3]}, {"scenario_prompt": PROMPT}, {"seed_config": WORLD}):
            kept.twin_run(**asked)
        kept.post("/v1/sandboxes", api="slack", seed_data=ROWS, ttl=60)
        kept.pass_time(HOUR)

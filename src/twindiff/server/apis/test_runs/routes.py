"""Test runs: `/test-runs…`, and the same at paths that older clients use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from twindiff.browser.config import MAX_PROMPT_CHARACTERS
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.http import Response
from twindiff.kit.parameter_sources import Header
from twindiff.kit.twin import Operations
from twindiff.server.apis.test_runs.runs import DEFAULT_SECONDS, KINDS, MAX_SECONDS, TestRunRequest, without_none
from twindiff.server.apis.test_runs.streams import stream
from twindiff.server.apis.test_runs.views import brief, render_run
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext

api = Operations()

PREFIXES = ("/test-runs", "/runner/runs", "/demo-runner/runs")
MAX_TTL_MINUTES = 480
Prompt = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_PROMPT_CHARACTERS)]
Ttl = Annotated[int, msgspec.Meta(ge=1, le=MAX_TTL_MINUTES)]
Seconds = Annotated[float, msgspec.Meta(ge=1, le=MAX_SECONDS)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Hosts = Annotated[list[str], msgspec.Meta(max_length=50)]
SessionId = Annotated[str, msgspec.Meta(max_length=200, pattern=r"^[ -~]*(?!\n)$")]
"""The client's own id for a run, which must be valid in a header."""
LastEventId = Annotated[str | None, Header("Last-Event-ID")]
Scalars = dict[str, str | int | float | bool]


def each(verb: str, path: str = "") -> Callable[[Any], Any]:
    """Declare an operation under every name of test runs."""

    def declare(handler: Any) -> Any:
        for prefix in PREFIXES:
            getattr(api, verb)(prefix + path)(handler)
        return handler

    return declare


def describe_world(
    ttl_minutes: int, scenario_id: str | None, scenario_prompt: str | None, clock: ClockRequest | None
) -> dict[str, Any]:
    """The fields of a TestRunRequest that describe the twins that are made for a run."""
    clock_fields = msgspec.to_builtins(clock) if clock else None
    world = {"scenario_id": scenario_id, "scenario_prompt": scenario_prompt, "clock": clock_fields}
    return without_none(ttl_minutes=ttl_minutes, **world)


@each("post")
async def create_test_run(
    desk: TwinRunContext,
    prompt: Prompt | None = None,
    start_url: str | None = None,
    test_config: dict[str, Any] | None = None,
    parameters: Scalars | None = None,
    credentials: dict[str, str] | None = None,
    hosts: Hosts | None = None,
    twins: list[str] | None = None,
    ttl_minutes: Ttl = 60,
    provision_id: str | None = None,
    scenario_id: str | None = None,
    scenario_prompt: Prompt | None = None,
    clock: ClockRequest | None = None,
    checks: dict[str, Any] | None = None,
    sandbox_id: str | None = None,
    timeout_seconds: Seconds = DEFAULT_SECONDS,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    session_id: SessionId | None = None,
    trigger_source: str | None = None,
) -> dict[str, Any]:
    """Queue a browser test, with steps from a TestConfig or planned from a prompt.
    `hosts` are further hosts that the page may reach, besides its start host and the run's twins. `checks` evaluate the
    changes in twins. `clock` is how the clock of twins made for it runs, by default as the machine's.
    """
    world = describe_world(ttl_minutes, scenario_id, scenario_prompt, clock)
    wanted = TestRunRequest(
        prompt=prompt,
        start_url=start_url,
        test_config=test_config,
        **without_none(parameters=parameters, credentials=credentials, hosts=hosts, twins=twins),
        **world,
        provision_id=provision_id,
        checks=checks,
        sandbox_id=sandbox_id,
        seconds=timeout_seconds,
        about=without_none(
            repo=repo, branch=branch, pr_url=pr_url, session_id=session_id, trigger_source=trigger_source
        ),
    )
    return brief(desk.tests.ledger, await desk.tests.create(wanted, desk.address), desk.address)


@each("get")
def list_test_runs(desk: TwinRunContext, limit: Limit = 100, repo: str | None = None) -> dict[str, Any]:
    """List test runs, newest first."""
    runs = desk.tests.ledger.list(limit, repo=repo, kinds=KINDS)
    return {"runs": [brief(desk.tests.ledger, run, desk.address) for run in runs]}


@each("get", "/{run_id}")
def get_test_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """The status of a run, the results of its steps, and the changes in its twins."""
    return render_run(desk.tests, desk.tests.ledger.find(run_id), desk.address)


@each("post", "/{run_id}/rerun")
async def rerun_test_run(
    desk: TwinRunContext,
    run_id: str,
    prompt: Prompt | None = None,
    start_url: str | None = None,
    sandbox_id: str | None = None,
    test_config: dict[str, Any] | None = None,
    parameters: Scalars | None = None,
    credentials: dict[str, str] | None = None,
    twins: list[str] | None = None,
    ttl_minutes: Ttl | None = None,
    scenario_id: str | None = None,
    scenario_prompt: str | None = None,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    trigger_source: str | None = None,
) -> dict[str, Any]:
    """Rerun a run with its current TestConfig; given parameters replace the original ones."""
    place = without_none(prompt=prompt, start_url=start_url, sandbox_id=sandbox_id, twins=twins)
    world = without_none(ttl_minutes=ttl_minutes, scenario_id=scenario_id, scenario_prompt=scenario_prompt)
    changes = place | world | without_none(test_config=test_config, parameters=parameters, credentials=credentials)
    about = without_none(repo=repo, branch=branch, pr_url=pr_url, trigger_source=trigger_source)
    return brief(desk.tests.ledger, await desk.tests.rerun(run_id, changes, desk.address, about), desk.address)


@each("patch", "/{run_id}/config")
def change_test_config(desk: TwinRunContext, run_id: str, test_config: dict[str, Any]) -> dict[str, Any]:
    """Change the TestConfig that reruns of a run use."""
    return render_run(desk.tests, desk.tests.configure(run_id, test_config), desk.address)


@each("post", "/{run_id}/messages")
def message_test_run(desk: TwinRunContext, run_id: str, message: Prompt) -> dict[str, Any]:
    """Answer the question that a run waits for, or steer a run driven by a model."""
    run = desk.tests.message(run_id, message)
    return {"status": "accepted", "run_id": run.run_id, "id": run.run_id}


@each("post", "/{run_id}/cancel")
def cancel_test_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """Cancel a run; its results so far are kept."""
    run = desk.tests.cancel(run_id)
    return {"status": run.status, "run_id": run.run_id, "id": run.run_id}


@each("get", "/{run_id}/events")
def stream_test_run(desk: TwinRunContext, run_id: str, last_event_id: LastEventId = None) -> Response:
    """Stream the events of a run, as server-sent events."""
    return stream(desk.tests.ledger, desk.tests.ledger.find(run_id), last_event_id)


@each("get", "/{run_id}/artifacts")
def list_artifacts(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """List the artifacts of a run."""
    run = desk.tests.ledger.find(run_id)
    return {"run_id": run.run_id, "artifacts": desk.tests.artifacts.names(run.run_id)}


@each("get", "/{run_id}/artifacts/{name}")
def get_artifact(desk: TwinRunContext, run_id: str, name: str) -> Response:
    """An artifact of a run: a screenshot, its trace, its HAR, a download."""
    return desk.tests.artifacts.read(desk.tests.ledger.find(run_id).run_id, name)

"""Twin runs, under both families of routes: `/twin-runs…` and `/validate/twins/provision…`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

from twindiff.catalog import TwinRunRecord
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.clock import Clock, iso_instant
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response
from twindiff.kit.twin import Operations, Twin
from twindiff.server.apis.twin_runs.dashboard import CallFilter, check_token, dashboard, news, variables_file
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.apis.twin_runs.runs import MAX_TTL_MINUTES, TwinRunRequest
from twindiff.server.apis.twin_runs.scenarios import Mode, WorldSource
from twindiff.server.mcp_address import describe_mcp
from twindiff.server.origins import is_loopback_url
from twindiff.server.use_cases.ports import describe_changed_ports

api = Operations()

Ttl = Annotated[int, msgspec.Meta(ge=1, le=MAX_TTL_MINUTES)]
Wait = Annotated[float, msgspec.Meta(ge=0, le=60)]
Names = Annotated[list[str], msgspec.Meta(min_length=1)]
Auth = Literal["lenient", "strict"]
Limit = Annotated[int, msgspec.Meta(ge=1, le=1000)]
CallKind = Literal["", "writes", "refused"]
Words = Annotated[str, msgspec.Meta(max_length=200)]
Prompt = Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]
NO_PORTS = (
    "the addresses of the twins have a path, which Stripe's SDKs drop, because the server has no free ports, a "
    "database of its own or several machines; end runs that are done, or use the TLS door"
)
OF_TWIN_RUNS = 4
"""The part of all ports that twin runs get by themselves, so that sandbox and test runs always find some."""
PROVISION = "/validate/twins/provision"
MAX_SEED_BYTES = 64_000_000
"""The largest body with a seed configuration; repositories are in it as bundles."""


class RemovedRoute(ApiError):
    """Agent runs are gone: use create_url_run for an address, or create_pr_run for a branch or pull request."""

    status = 410


def both(verb: str, path: str) -> Callable[[Any], Any]:
    """Declare an operation of a run under both families."""

    def declare(handler: Any) -> Any:
        for prefix in ("/twin-runs", PROVISION):
            getattr(api, verb)(prefix + path)(handler)
        return handler

    return declare


@api.get("/validate/twins")
def list_twins(desk: TwinRunContext) -> list[dict[str, Any]]:
    """List the twins that are installed."""
    return [_describe_twin(twin) for twin in desk.runs.service.registry.twins.values()]


@api.get("/twins")
def catalog(desk: TwinRunContext) -> list[dict[str, Any]]:
    """List the twins that are installed."""
    return list_twins(desk)


def _describe_twin(twin: Twin) -> dict[str, Any]:
    label = twin.name.replace("_", " ").title()
    about = {"name": twin.name, "label": label, "kind": "backend", "show_in_ui": True, "mcp": describe_mcp(twin)}
    return {**about, "aliases": [*twin.aliases]}


@api.post("/twin-runs", body_limit=MAX_SEED_BYTES)
async def create_twin_run(
    desk: TwinRunContext,
    twins: Names,
    ttl_minutes: Ttl = 60,
    scenario: Literal["quickstart"] | None = None,
    scenario_id: str | None = None,
    scenario_prompt: Prompt | None = None,
    scenario_generation_mode: Mode = "fast",
    seed_config: dict[str, dict[str, Any]] | None = None,
    public: bool = True,
    access_profile: Literal["candidate_api_only"] | None = None,
    ports: bool | None = None,
    auth: Auth = "lenient",
    clock: ClockRequest | None = None,
    wait_seconds: Wait = 20,
    github_actions_mode: Literal["execute"] | None = None,
) -> dict[str, Any]:
    """Provision twins in one environment: seeded from a scenario, a configuration, a prompt, or with starter worlds.
    A prompt is parsed by rules, or with `scenario_generation_mode` `thorough` by a model if the server has one
    (`TWINDIFF_MODEL`); the response tells which mode it was. `understood` has the sentences that the rows of the world
    show completely, `not_understood` all others, `warnings` the reasons, `background` those without any data.
    Each twin has a loopback port, because some SDKs drop the path of a base URL; the port is kept when the server
    restarts. With `ports` false, or by default where the client is on another machine, PostgreSQL or a cluster serves
    or 64 ports of a worker are open, `base_url` is a path of the server, which is always in `path_url`.
    `github_actions_mode` is sent by arga-cli for a GitHub twin; other twins ignore it. With `auth` `strict`, calls
    without a token of the run are refused as the vendors do. `clock` is how the twins' clock runs: `{"mode": "real"}`,
    the default, agrees with the application's own. Worlds of presets and prompts begin on the latest Monday before it
    starts, or that day if the prompt speaks of today; those of configurations begin in the hour of its start.
    If provisioning takes longer than `wait_seconds`, the response has the status `queued` or `provisioning`; the run's
    status later becomes `ready` or `failed`, with the reason.
    """
    is_near = ports is None and is_loopback_url(desk.address)
    ports = is_near and desk.runs.can_open_ports(len(twins), OF_TWIN_RUNS) if ports is None else ports
    asked = TwinRunRequest(twins, ttl_minutes, public=public, access_profile=access_profile, ports=ports, auth=auth)
    asked = asked._replace(clock=clock.to_clock_mode() if clock else None)
    source = WorldSource(scenario_id, scenario_prompt, seed_config, scenario_generation_mode)
    run, said = await desk.scenarios.provide(asked, source, wait_seconds)
    if is_near and not ports:
        said = {**said, "warnings": [*said.get("warnings", []), NO_PORTS]}
    return {"run_id": run.run_id, "status": run.status, "environment_id": run.environment_id or None, **said}


@api.post(PROVISION, body_limit=MAX_SEED_BYTES)
async def provision_twins(
    desk: TwinRunContext,
    twins: Names,
    ttl_minutes: Ttl = 60,
    scenario_id: str | None = None,
    scenario_prompt: Prompt | None = None,
    scenario_generation_mode: Mode = "fast",
    seed_config: dict[str, dict[str, Any]] | None = None,
    public: bool = True,
    ports: bool | None = None,
    auth: Auth = "lenient",
    clock: ClockRequest | None = None,
    wait_seconds: Wait = 20,
) -> dict[str, Any]:
    """Provision twins, as `POST /twin-runs` does."""
    return await create_twin_run(
        desk,
        twins,
        ttl_minutes,
        scenario_id=scenario_id,
        scenario_prompt=scenario_prompt,
        scenario_generation_mode=scenario_generation_mode,
        seed_config=seed_config,
        public=public,
        ports=ports,
        auth=auth,
        clock=clock,
        wait_seconds=wait_seconds,
    )


@api.get("/twin-runs")
def list_twin_runs(desk: TwinRunContext, limit: Limit = 100) -> list[dict[str, Any]]:
    """List runs, newest first, without the tokens and URLs that a single run has."""
    return [
        {
            "run_id": run.run_id,
            "status": status,
            "twins": [*run.requested.values()],
            "environment_id": run.environment_id or None,
            "scenario_id": run.scenario_id,
            "is_public": run.is_public,
            "created_at": f"{run.created_at}Z",
            "expires_at": _instant(expires),
        }
        for run, status, expires in desk.runs.newest(limit)
    ]


@api.get("/twin-runs/{run_id}")
async def get_twin_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """The status of a run, and the URLs and environment variables of its twins."""
    return await render_run(desk, desk.runs.find(run_id))


@api.get(PROVISION + "/{run_id}/status")
async def provision_status(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """The status of a run, as in `GET /twin-runs/{run_id}`."""
    return await get_twin_run(desk, run_id)


@api.get("/twin-runs/{run_id}/dashboard")
async def show_dashboard(
    desk: TwinRunContext, run_id: str, token: str = "", twin: str = "", calls: CallKind = "", q: Words = ""
) -> Response:
    """The dashboard page of a run; `twin`, `calls` and `q` filter the calls that it lists."""
    return await dashboard(desk, desk.runs.find(run_id), token, CallFilter(twin, calls, q))


@api.get("/twin-runs/{run_id}/dashboard/variables.env")
async def download_variables(desk: TwinRunContext, run_id: str, token: str = "", twin: str = "") -> Response:
    """The environment variables of a run's twins, or of one of them, as a `.env` file."""
    return await variables_file(desk, desk.runs.find(run_id), token, twin)


@api.post("/twin-runs/{run_id}/dashboard/{action}")
async def act_from_dashboard(
    desk: TwinRunContext, run_id: str, action: Literal["extend", "reset", "teardown"], token: str = ""
) -> Response:
    """Extend a run by an hour, reset or end it, and redirect to its dashboard."""
    run = desk.runs.find(run_id)
    check_token(desk, run, token)
    if action == "extend":
        extend_twin_run(desk, run_id)
    elif action == "reset":
        await reset_twin_run(desk, run_id)
    else:
        tear_down_twin_run(desk, run_id)
    place = f"/twin-runs/{run.run_id}/dashboard?token={run.proxy_token}"
    return Response(b"", 303, headers=(("Location", place),))


@api.get("/twin-runs/{run_id}/dashboard/news")
def show_news(desk: TwinRunContext, run_id: str, token: str = "") -> Response:
    """Stream server-sent events to the page of a run whenever there is something new to show."""
    return news(desk, desk.runs.find(run_id), token)


async def render_run(desk: TwinRunContext, run: TwinRunRecord) -> dict[str, Any]:
    """Render a run for both families."""
    runs = desk.runs
    status = runs.status(run)
    return {
        "run_id": run.run_id,
        "status": status,
        "twins": await desk.runs.instances(run, desk.address),
        "dashboard_url": f"{desk.address}/twin-runs/{run.run_id}/dashboard?token={run.proxy_token}",
        "expires_at": _instant(_find_end(desk, run)),
        "created_at": f"{run.created_at}Z",
        "proxy_token": run.proxy_token,
        "is_public": run.is_public,
        "error": runs.error(run),
        "scenario_id": run.scenario_id,
        "access_profile": run.access_profile,
        "environment_id": run.environment_id or None,
        "seed_results": run.seed_results,
        **_with_changed_ports(desk, run),
        "clock": _clock(desk, run) if status == "ready" else None,
    }


def _with_changed_ports(desk: TwinRunContext, run: TwinRunRecord) -> dict[str, Any]:
    """What was understood of the run's prompt, with a warning for each twin whose port is another than before."""
    said: dict[str, Any] = run.prompt_results or {}
    changed = describe_changed_ports(desk.runs.service, run.environment_id) if run.environment_id else []
    return {**said, "warnings": [*said.get("warnings", []), *changed]} if changed else said


def _find_end(desk: TwinRunContext, run: TwinRunRecord) -> int | None:
    """The end of a run in microseconds since 1970; None until it has an environment."""
    return desk.runs.service.environments.record(run.environment_id).expires if run.environment_id else None


def _instant(micros: int | None) -> str | None:
    return None if micros is None else iso_instant(micros).isoformat() + "Z"


def _clock(desk: TwinRunContext, run: TwinRunRecord) -> dict[str, Any]:
    shown = desk.runs.service.clocks.show(run.environment_id)
    mode = desk.runs.service.environments.get(run.environment_id).origin.clock.mode
    return {"mode": mode, "now": f"{Clock(shown.now).iso()[:19]}Z"}


@both("post", "/{run_id}/extend")
def extend_twin_run(desk: TwinRunContext, run_id: str, ttl_minutes: Ttl = 60) -> dict[str, Any]:
    """Extend the time to live of a run, up to 480 minutes from now; never shortens it.

    `expires_at` is its new end, null while the run is made.
    """
    run = desk.runs.extend(run_id, ttl_minutes)
    ends = _find_end(desk, run)
    return {"status": "extended", "ttl_minutes": ttl_minutes, "run_id": run.run_id, "expires_at": _instant(ends)}


@both("post", "/{run_id}/lock")
def lock_twin_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """Make a run private: from now on, calls to its twins need the proxy token."""
    was_public = desk.runs.lock(run_id)
    return {"status": "locked" if was_public else "already_locked", "run_id": run_id, "is_public": False}


@both("post", "/{run_id}/reset")
async def reset_twin_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """Reset all twins of a run to exactly the state they were provisioned with."""
    run = desk.runs.alive(run_id)
    service = desk.runs.service
    environment = service.environments.get(run.environment_id)
    await service.loader.materialize(environment, 0)
    desk.runs.reset(run_id)
    return {
        "run_id": run.run_id,
        "status": "reset_complete",
        "baseline_kind": run.baseline_kind,
        "factory_reset": {name: {"status": "reset"} for name in run.twins},
        "seed_results": run.seed_results,
        "environment_id": run.environment_id,
    }


@both("post", "/{run_id}/teardown")
def tear_down_twin_run(desk: TwinRunContext, run_id: str) -> dict[str, Any]:
    """End a run; its twins respond with 410 from now on. Ending it again has no effect."""
    run = desk.runs.tear_down(run_id)
    return {"status": "cleaning_up", "run_id": run.run_id}


@api.post("/validate/agent-run")
def agent_run(
    desk: TwinRunContext,
    url: Any = None,
    repo: Any = None,
    credentials: Any = None,
    focus: Any = None,
    action_budget: Any = None,
    runner_mode: Any = None,
    session_id: Any = None,
) -> None:
    """Respond with the replacement for agent runs, whose fields arga-py-sdk before 0.1.5 still sends."""
    raise RemovedRoute

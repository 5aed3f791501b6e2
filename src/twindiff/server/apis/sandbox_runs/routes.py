"""Sandbox runs: `/sandbox-runs…`, and the same under the older `/sandboxes…`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from twindiff.catalog import TestRunRecord
from twindiff.environments.clocks import ClockRequest
from twindiff.kit.twin import Operations
from twindiff.server.apis.sandbox_runs.runs import KIND, SECONDS_TO_START, SandboxRunRequest
from twindiff.server.apis.test_runs.routes import Limit, Prompt, Ttl
from twindiff.server.apis.test_runs.run_secrets import mask_variables
from twindiff.server.apis.test_runs.views import scenario_of
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext

api = Operations()

PREFIXES = ("/sandbox-runs", "/sandboxes")
Repo = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
Text = Annotated[str, msgspec.Meta(max_length=32_000)]
SecondsToStart = Annotated[float, msgspec.Meta(ge=1, le=600)]
STATUSES = {"completed": "expired", "cancelled": "deleted"}
"""Names of final statuses of a sandbox run on the wire; other statuses keep their names."""


def each(verb: str, path: str = "") -> Callable[[Any], Any]:
    """Declare an operation at the paths of both names."""

    def declare(handler: Any) -> Any:
        for prefix in PREFIXES:
            getattr(api, verb)(prefix + path)(handler)
        return handler

    return declare


@each("post")
async def create_sandbox_run(
    desk: TwinRunContext,
    repo: Repo | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    target: str | None = None,
    twins: list[str] | None = None,
    scenario_id: str | None = None,
    scenario_prompt: Prompt | None = None,
    ttl_minutes: Ttl = 60,
    env: dict[str, Text] | None = None,
    clock: ClockRequest | None = None,
    seconds_to_start: SecondsToStart = SECONDS_TO_START,
) -> dict[str, Any]:
    """Start the application of a branch or pull request together with its twins.
    `repo` is a path or `file:` URL on the server's machine, or a name that it has for one; `pr_url` contains it. Both
    may be addresses at a GitHub twin, which is then cloned.
    The repository's `.arga/sandbox.yml` configures how it is started; otherwise that is guessed, and the logs report
    the guess. It gets its port in `PORT`. `confinement` describes how it is isolated from the server and its machine,
    which `TWINDIFF_CONFINEMENT` may require. Each of its processes may use 4 GB of memory, files of 1 GB and 4096 open
    files; its logs keep 2000 lines.
    `clock` is how its twins' clock runs, else `clock` of its file: `{"mode": "real"}` agrees with the application's.
    If its file has a `dockerfile_path` and the server's machine has Podman or Docker, it runs in a container on the
    host network: built within 600 seconds, and with 4 GB and 1024 processes in total. Without an engine, `app_command`
    runs on the machine, and a `dockerfile_path` alone is refused; `infra` always is. With `compose`, each service of
    that compose file runs in a container of its own, all in one network of the run, with the twins' variables.
    """
    wanted = SandboxRunRequest(
        *(repo, branch, pr_url, target),
        twins=twins,
        scenario_id=scenario_id,
        scenario_prompt=scenario_prompt,
        ttl_minutes=ttl_minutes,
        env=env or {},
        clock=clock,
        seconds_to_start=seconds_to_start,
    )
    return await render_sandbox(desk, await desk.sandboxes.create(wanted, desk.address))


@each("get")
def list_sandbox_runs(desk: TwinRunContext, limit: Limit = 100) -> dict[str, Any]:
    """List sandbox runs, newest first."""
    return {"sandboxes": [_brief(desk, run) for run in desk.tests.ledger.list(limit, kinds=(KIND,))]}


@each("get", "/{sandbox_id}")
async def get_sandbox_run(desk: TwinRunContext, sandbox_id: str) -> dict[str, Any]:
    """The status of a sandbox run, the URL of its application, and its environment variables."""
    return await render_sandbox(desk, desk.sandboxes.find(sandbox_id))


@each("get", "/{sandbox_id}/logs")
def get_sandbox_logs(desk: TwinRunContext, sandbox_id: str) -> dict[str, Any]:
    """The log of a sandbox run, and the output of its application, with timestamps."""
    run = desk.sandboxes.find(sandbox_id)
    events = desk.tests.ledger.events(run.run_id)
    logs = [{"timestamp": f"{event.at}Z", "type": event.type, "message": event.message} for event in events]
    return {"sandbox_id": run.run_id, "status": _status(run), "logs": logs}


@each("delete", "/{sandbox_id}")
async def delete_sandbox_run(desk: TwinRunContext, sandbox_id: str) -> dict[str, Any]:
    """End a sandbox run with its twins; its logs remain. Ending it again has no effect.
    Responds once nothing of it is left, or with 503 if something still is after 20 seconds; repeat the request then.
    """
    run = await desk.sandboxes.delete(sandbox_id)
    return {"sandbox_id": run.run_id, "status": "deleted"}


def _status(run: TestRunRecord) -> str:
    return STATUSES.get(run.status, run.status)


def _brief(desk: TwinRunContext, run: TestRunRecord) -> dict[str, Any]:
    asked, mask = run.asked, desk.tests.ledger.mask(run)
    return {
        "sandbox_id": run.run_id,
        "id": run.run_id,
        "run_id": run.run_id,
        "status": _status(run),
        "app_url": run.outcome.get("app_url"),
        "repo": run.repo,
        "branch": asked["branch"],
        "pr_url": asked["pr_url"],
        "commit_sha": asked["commit_sha"],
        "app_command": mask.value(asked["app_command"]),
        "app_command_guessed_from": asked["app_command_guessed_from"],
        "dockerfile_path": asked.get("dockerfile_path"),
        "compose": asked.get("compose"),
        "app_port": asked["app_port"],
        "confinement": asked.get("confinement"),
        "error": run.outcome.get("failure_detail"),
        "twin_run_id": run.twin_run_id,
        **mask.value(scenario_of(run)),
        "expires_at": asked["expires_at"],
        "created_at": f"{run.created_at}Z",
        "updated_at": f"{run.updated_at}Z",
    }


async def render_sandbox(desk: TwinRunContext, run: TestRunRecord) -> dict[str, Any]:
    """Render a sandbox run with its twins and its environment variables; secrets of its own variables are masked."""
    twin_run = desk.tests.twins.find(run.twin_run_id)
    return {
        **_brief(desk, run),
        "twins": await desk.sandboxes.twins(run.twin_run_id, desk.address),
        "env_vars": mask_variables(run.asked["env_vars"], run.asked.get("own_variables", [])),
        "environment_id": twin_run and twin_run.environment_id,
    }

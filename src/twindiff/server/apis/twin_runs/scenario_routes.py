"""Scenarios and the environments that belong to them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from twindiff.catalog import TwinRunRecord
from twindiff.kit.twin import Operations
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.apis.twin_runs.routes import MAX_SEED_BYTES, Prompt, render_run
from twindiff.server.apis.twin_runs.scenarios import Mode, shown_scenario

api = Operations()

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Config = dict[str, dict[str, Any]]
Copy = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
"""The name of a separate copy of a scenario's environment, for clients that work in parallel."""


@api.post("/scenarios", status=201, body_limit=MAX_SEED_BYTES)
async def create_scenario(
    desk: TwinRunContext,
    name: Name,
    prompt: Prompt | None = None,
    seed_config: Config | None = None,
    twins: list[str] | None = None,
    description: str | None = None,
    tags: list[str] | None = None,
    generation_mode: Mode = "fast",
) -> dict[str, Any]:
    """Save a scenario from seed configurations by twin, or from a prompt.
    A prompt is parsed by rules, or with `generation_mode` `thorough` by a model if the server has one
    (`TWINDIFF_MODEL`); the response tells which mode it was, and which sentences the world shows, as that of
    `POST /twin-runs` does. The scenario repeats it until its prompt or configuration is changed.
    """
    record, said = await desk.scenarios.create(name, prompt, seed_config, twins, description, tags, generation_mode)
    return {**shown_scenario(record), **said}


@api.get("/scenarios")
def list_scenarios(
    desk: TwinRunContext, twin: str | None = None, tag: str | None = None, include_presets: bool = False
) -> list[dict[str, Any]]:
    """List scenarios, oldest first."""
    return [shown_scenario(each) for each in desk.scenarios.list(twin, tag, with_presets=include_presets)]


@api.get("/scenarios/presets")
def list_presets(desk: TwinRunContext) -> list[dict[str, Any]]:
    """List the built-in scenarios."""
    return [shown_scenario(each) for each in desk.scenarios.presets()]


@api.get("/scenarios/{scenario_id}")
def get_scenario(desk: TwinRunContext, scenario_id: str) -> dict[str, Any]:
    """Show a scenario or a preset."""
    return shown_scenario(desk.scenarios.find(scenario_id))


@api.put("/scenarios/{scenario_id}", body_limit=MAX_SEED_BYTES)
async def change_scenario(
    desk: TwinRunContext,
    scenario_id: str,
    name: Name | None = None,
    prompt: Prompt | None = None,
    seed_config: Config | None = None,
    twins: list[str] | None = None,
    description: str | None = None,
    tags: list[str] | None = None,
    generation_mode: Mode | None = None,
) -> dict[str, Any]:
    """Change the given fields of a scenario; existing runs of it stay as they are.
    A changed prompt does not change the seed configuration, so `generation_mode`, which `arga scenarios update` sends,
    has no effect.
    """
    fields = {"name": name, "prompt": prompt, "seed_config": seed_config, "twins": twins}
    return shown_scenario(await desk.scenarios.change(scenario_id, **fields, description=description, tags=tags))


@api.delete("/scenarios/{scenario_id}")
def delete_scenario(desk: TwinRunContext, scenario_id: str) -> dict[str, Any]:
    """Delete a scenario with its environments."""
    return {"id": desk.scenarios.delete(scenario_id).scenario_id, "status": "deleted"}


PLACE = "/scenarios/{scenario_id}/twin-environment"


@api.post(PLACE)
async def ensure_twin_environment(
    desk: TwinRunContext,
    scenario_id: str,
    twins: list[str] | None = None,
    public: bool = True,
    copy: Copy | None = None,
) -> dict[str, Any]:
    """The environment of a scenario, shared by all clients at fixed URLs; created if needed.
    With `copy`, a separate environment with URLs of its own is used for each name.
    """
    return await _environment(desk, await desk.scenarios.ensure(scenario_id, twins, copy, public=public))


@api.get(PLACE)
async def get_twin_environment(desk: TwinRunContext, scenario_id: str, copy: Copy | None = None) -> dict[str, Any]:
    """Show the environment of a scenario, or a named copy of it."""
    return await _environment(desk, desk.scenarios.environment(scenario_id, copy))


@api.delete(PLACE)
async def delete_twin_environment(desk: TwinRunContext, scenario_id: str, copy: Copy | None = None) -> dict[str, Any]:
    """End the environment of a scenario, or a named copy of it; the next one has other URLs."""
    run = desk.scenarios.environment(scenario_id, copy)
    desk.runs.tear_down(run.run_id)
    return await _environment(desk, desk.runs.find(run.run_id))


@api.post(f"{PLACE}/reseed")
async def reseed_twin_environment(desk: TwinRunContext, scenario_id: str, copy: Copy | None = None) -> dict[str, Any]:
    """Reset the environment of a scenario, or a named copy of it, to the scenario's state."""
    run = desk.runs.alive(desk.scenarios.environment(scenario_id, copy).run_id)
    environment = desk.runs.service.environments.get(run.environment_id)
    await desk.runs.service.loader.materialize(environment, 0)
    return await _environment(desk, desk.runs.reset(run.run_id))


@api.get("/scenario-twin-environments")
async def list_twin_environments(desk: TwinRunContext) -> list[dict[str, Any]]:
    """List the environments of scenarios, oldest first."""
    return [await _environment(desk, each) for each in desk.scenarios.environments()]


async def _environment(desk: TwinRunContext, run: TwinRunRecord) -> dict[str, Any]:
    fields = await render_run(desk, run)
    return {
        **fields,
        "id": run.run_id,
        "scenario_id": run.scenario_id,
        "copy": run.copy_name,
        "requested_twins": [*run.requested.values()],
        "public": run.is_public,
        "last_seeded_at": f"{run.updated_at}Z",
        "updated_at": f"{run.updated_at}Z",
    }

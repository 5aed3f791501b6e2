"""The requests about twin runs and scenarios as data, with the names of Arga's contract.

Responses are Fields: JSON objects whose fields are also attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from .fields import Fields
from .request_specs import Json, RequestSpec

Mode = Literal["fast", "thorough"]
"""How to generate data from a prompt: by rules, or by a language model if the server has one."""


def without_none(fields: Json) -> dict[str, Any]:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def look(path: str, **query: Any) -> RequestSpec[Fields]:
    """A GET request for an object."""
    return RequestSpec(
        "GET", path, Fields, {name: str(value) for name, value in without_none(query).items()}, b"", repeatable=True
    )


def several(path: str, **query: Any) -> RequestSpec[list[Fields]]:
    """A GET request for a list."""
    asked = look(path, **query)
    return RequestSpec(asked.verb, asked.path, list[Fields], asked.query, asked.body, asked.repeatable)


def do(verb: str, path: str, body: Json | None = None, *, repeatable: bool = False) -> RequestSpec[Fields]:
    """A request with a JSON body, from which None is omitted."""
    return RequestSpec(verb, path, Fields, {}, msgspec.json.encode(without_none(body or {})), repeatable)


def part(of: str) -> str:
    """Encode an id as a segment of a path."""
    return quote(of, safe="")


# Twin runs


def twins() -> RequestSpec[list[Fields]]:
    """List the installed twins: `name`, `label`, `kind`, `aliases`."""
    return several("/twins")


def create_twin_run(
    twins: Sequence[str],
    *,
    ttl_minutes: int = 60,
    scenario_id: str | None = None,
    scenario_prompt: str | None = None,
    scenario_generation_mode: Mode | None = None,
    seed_config: Json | None = None,
    public: bool | None = None,
    access_profile: Literal["candidate_api_only"] | None = None,
    ports: bool | None = None,
    auth: Literal["lenient", "strict"] | None = None,
    clock: Json | None = None,
    wait_seconds: float | None = None,
) -> RequestSpec[Fields]:
    """Provision twins in one environment, seeded by a scenario, a prompt or a configuration, or with starter data.

    `seed_config` maps twins to their configurations. `clock` has a `mode` and a `start`: `{"mode": "real"}` agrees with
    the application's own. The response has `run_id`, `status` and `environment_id`; if the
    run is not ready after `wait_seconds`, at most 60, its status is `queued` or `provisioning`.
    """
    body = {
        "twins": [*twins],
        "ttl_minutes": ttl_minutes,
        "scenario_id": scenario_id,
        "scenario_prompt": scenario_prompt,
        "scenario_generation_mode": scenario_generation_mode,
        "seed_config": seed_config,
        "public": public,
        "access_profile": access_profile,
        "ports": ports,
        "auth": auth,
        "clock": clock,
        "wait_seconds": wait_seconds,
    }
    return do("POST", "/twin-runs", body)


def twin_runs(*, limit: int = 100) -> RequestSpec[list[Fields]]:
    """List twin runs, newest first."""
    return several("/twin-runs", limit=limit)


def twin_run(run_id: str) -> RequestSpec[Fields]:
    """Read a run: `run_id`, `status`, `proxy_token`, `expires_at`, `error` and so on.

    `twins` maps each twin to its `base_url` and to `env_vars`, the environment variables for programs that use it.
    """
    return look(f"/twin-runs/{part(run_id)}")


def extend_twin_run(run_id: str, *, ttl_minutes: int = 60) -> RequestSpec[Fields]:
    """Extend a run by `ttl_minutes`; it can end at most 480 minutes from now."""
    return do("POST", f"/twin-runs/{part(run_id)}/extend", {"ttl_minutes": ttl_minutes})


def lock_twin_run(run_id: str) -> RequestSpec[Fields]:
    """Make a run private: calls to its twins then need the proxy token."""
    return do("POST", f"/twin-runs/{part(run_id)}/lock", repeatable=True)


def reset_twin_run(run_id: str) -> RequestSpec[Fields]:
    """Reset all twins of a run to the data that they were provisioned with."""
    return do("POST", f"/twin-runs/{part(run_id)}/reset")


def tear_down_twin_run(run_id: str) -> RequestSpec[Fields]:
    """End a run; its twins respond 410 from then on."""
    return do("POST", f"/twin-runs/{part(run_id)}/teardown", repeatable=True)


# Scenarios


def create_scenario(
    name: str,
    *,
    prompt: str | None = None,
    seed_config: Json | None = None,
    twins: Sequence[str] | None = None,
    description: str | None = None,
    tags: Sequence[str] | None = None,
    generation_mode: Mode | None = None,
) -> RequestSpec[Fields]:
    """Save a scenario: `seed_config` maps twins to their configurations, or a prompt describes the data.

    The response has `id` and the given fields.
    """
    body = {
        "name": name,
        "prompt": prompt,
        "seed_config": seed_config,
        "twins": twins,
        "description": description,
        "tags": tags,
        "generation_mode": generation_mode,
    }
    return do("POST", "/scenarios", body)


def scenarios(
    *, twin: str | None = None, tag: str | None = None, include_presets: bool | None = None
) -> RequestSpec[list[Fields]]:
    """List scenarios, oldest first, perhaps only those with a twin or a tag."""
    presets = None if include_presets is None else str(include_presets).lower()
    return several("/scenarios", twin=twin, tag=tag, include_presets=presets)


def presets() -> RequestSpec[list[Fields]]:
    """List the built-in scenarios."""
    return several("/scenarios/presets")


def scenario(scenario_id: str) -> RequestSpec[Fields]:
    """Read a scenario or a preset."""
    return look(f"/scenarios/{part(scenario_id)}")


def update_scenario(
    scenario_id: str,
    *,
    name: str | None = None,
    prompt: str | None = None,
    seed_config: Json | None = None,
    twins: Sequence[str] | None = None,
    description: str | None = None,
    tags: Sequence[str] | None = None,
) -> RequestSpec[Fields]:
    """Change the given fields of a scenario; existing runs do not change."""
    body = {
        "name": name,
        "prompt": prompt,
        "seed_config": seed_config,
        "twins": twins,
        "description": description,
        "tags": tags,
    }
    return do("PUT", f"/scenarios/{part(scenario_id)}", body, repeatable=True)


def delete_scenario(scenario_id: str) -> RequestSpec[Fields]:
    """Delete a scenario with its environment."""
    return do("DELETE", f"/scenarios/{part(scenario_id)}")


def ensure_twin_environment(
    scenario_id: str, *, twins: Sequence[str] | None = None, public: bool = True, copy: str | None = None
) -> RequestSpec[Fields]:
    """Read or create the permanent environment of a scenario, or the copy named `copy`, whose URLs do not change."""
    body = {"twins": twins, "public": public, "copy": copy}
    return do("POST", f"/scenarios/{part(scenario_id)}/twin-environment", body, repeatable=True)


def twin_environment(scenario_id: str, *, copy: str | None = None) -> RequestSpec[Fields]:
    """Read the environment of a scenario, or the copy named `copy`."""
    return look(f"/scenarios/{part(scenario_id)}/twin-environment", copy=copy)


def reseed_twin_environment(scenario_id: str, *, copy: str | None = None) -> RequestSpec[Fields]:
    """Reset the environment of a scenario, or the copy named `copy`, to the current data of the scenario."""
    return do("POST", f"/scenarios/{part(scenario_id)}/twin-environment/reseed", {"copy": copy})


def delete_twin_environment(scenario_id: str, *, copy: str | None = None) -> RequestSpec[Fields]:
    """Delete the environment of a scenario, or the copy named `copy`; the next one has other URLs."""
    path = f"/scenarios/{part(scenario_id)}/twin-environment"
    return RequestSpec("DELETE", path, Fields, without_none({"copy": copy}), b"", repeatable=False)


def twin_environments() -> RequestSpec[list[Fields]]:
    """List the environments of scenarios, oldest first."""
    return several("/scenario-twin-environments")

"""Every request about twin runs and scenarios, as data; the names are those of Arga's contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from .fields import Fields
from .request_specs import Json, RequestSpec

Mode = Literal["fast", "thorough"]
"""How a world is made of a prompt: by rules, or by a model where the server has one."""


def without_none(fields: Json) -> dict[str, Any]:
    """The fields that somebody has given."""
    return {name: value for name, value in fields.items() if value is not None}


def look(path: str, **query: Any) -> RequestSpec[Fields]:
    """Read one thing."""
    return RequestSpec(
        "GET", path, Fields, {name: str(value) for name, value in without_none(query).items()}, b"", repeatable=True
    )


def several(path: str, **query: Any) -> RequestSpec[list[Fields]]:
    """Read a list."""
    asked = look(path, **query)
    return RequestSpec(asked.verb, asked.path, list[Fields], asked.query, asked.body, asked.repeatable)


def do(verb: str, path: str, body: Json | None = None, *, repeatable: bool = False) -> RequestSpec[Fields]:
    """Have something done."""
    return RequestSpec(verb, path, Fields, {}, msgspec.json.encode(without_none(body or {})), repeatable)


def part(of: str) -> str:
    """An id as a part of a path."""
    return quote(of, safe="")


# Twin runs


def twins() -> RequestSpec[list[Fields]]:
    """The twins that the server has."""
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
    wait_seconds: float | None = None,
) -> RequestSpec[Fields]:
    """Provision twins in one environment: filled by a scenario, a prompt or a configuration, or with starter worlds.

    What takes longer than `wait_seconds`, at most 60, is answered with the status `queued` or `provisioning`.
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
        "wait_seconds": wait_seconds,
    }
    return do("POST", "/twin-runs", body)


def twin_runs(*, limit: int = 100) -> RequestSpec[list[Fields]]:
    """Twin runs, newest first."""
    return several("/twin-runs", limit=limit)


def twin_run(run_id: str) -> RequestSpec[Fields]:
    """How a run stands, where its twins are, and the variables that lead programs to them."""
    return look(f"/twin-runs/{part(run_id)}")


def extend_twin_run(run_id: str, *, ttl_minutes: int = 60) -> RequestSpec[Fields]:
    """Add minutes to the end of a run, which is at most 480 minutes from now."""
    return do("POST", f"/twin-runs/{part(run_id)}/extend", {"ttl_minutes": ttl_minutes})


def lock_twin_run(run_id: str) -> RequestSpec[Fields]:
    """Make a run private: whoever calls its twins brings the proxy token."""
    return do("POST", f"/twin-runs/{part(run_id)}/lock", repeatable=True)


def reset_twin_run(run_id: str) -> RequestSpec[Fields]:
    """Return all twins of a run to what they were provisioned with."""
    return do("POST", f"/twin-runs/{part(run_id)}/reset")


def tear_down_twin_run(run_id: str) -> RequestSpec[Fields]:
    """End a run; its twins answer 410 from then on."""
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
    """Save a world: by what each twin is seeded with, or by a prompt of which a world is made."""
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
    """Scenarios, oldest first, of a twin or with a tag."""
    presets = None if include_presets is None else str(include_presets).lower()
    return several("/scenarios", twin=twin, tag=tag, include_presets=presets)


def presets() -> RequestSpec[list[Fields]]:
    """The scenarios that everybody has."""
    return several("/scenarios/presets")


def scenario(scenario_id: str) -> RequestSpec[Fields]:
    """A scenario or a preset."""
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
    """Change what is given of a scenario; runs that were made of it stay as they are."""
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
    """Forget a scenario with its environment."""
    return do("DELETE", f"/scenarios/{part(scenario_id)}")


def ensure_twin_environment(
    scenario_id: str, *, twins: Sequence[str] | None = None, public: bool = True, copy: str | None = None
) -> RequestSpec[Fields]:
    """The environment that belongs to a scenario, or your `copy` of it, at addresses that stay; made if need be."""
    body = {"twins": twins, "public": public, "copy": copy}
    return do("POST", f"/scenarios/{part(scenario_id)}/twin-environment", body, repeatable=True)


def twin_environment(scenario_id: str, *, copy: str | None = None) -> RequestSpec[Fields]:
    """The environment that belongs to a scenario, or a copy of it by name."""
    return look(f"/scenarios/{part(scenario_id)}/twin-environment", copy=copy)


def reseed_twin_environment(scenario_id: str, *, copy: str | None = None) -> RequestSpec[Fields]:
    """Return the environment of a scenario, or a copy of it by name, to what the scenario says."""
    return do("POST", f"/scenarios/{part(scenario_id)}/twin-environment/reseed", {"copy": copy})


def delete_twin_environment(scenario_id: str, *, copy: str | None = None) -> RequestSpec[Fields]:
    """End the environment of a scenario, or a copy of it by name; the next one has other addresses."""
    path = f"/scenarios/{part(scenario_id)}/twin-environment"
    return RequestSpec("DELETE", path, Fields, without_none({"copy": copy}), b"", repeatable=False)


def twin_environments() -> RequestSpec[list[Fields]]:
    """The environments that belong to scenarios, oldest first."""
    return several("/scenario-twin-environments")

"""Saved tests: `/tests…`, and the same at the path that older clients use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from twindiff.environments.clocks import ClockRequest
from twindiff.kit.twin import Operations
from twindiff.server.apis.test_runs.routes import Hosts, Prompt, Scalars, Seconds, SessionId, Ttl, describe_world
from twindiff.server.apis.test_runs.runs import DEFAULT_SECONDS, TestRunRequest, without_none
from twindiff.server.apis.test_runs.views import brief, shown_test
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext

api = Operations()

PREFIXES = ("/tests", "/runner/tests")
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Texts = Annotated[list[str], msgspec.Meta(max_length=100)]


def each(verb: str, path: str = "", **options: Any) -> Callable[[Any], Any]:
    """Declare an operation under every name of saved tests."""

    def declare(handler: Any) -> Any:
        for prefix in PREFIXES:
            getattr(api, verb)(prefix + path, **options)(handler)
        return handler

    return declare


@each("get")
def list_tests(desk: TwinRunContext, repo_full_name: str | None = None, tag: str | None = None) -> dict[str, Any]:
    """List saved tests, oldest first."""
    return {"tests": [shown_test(each) for each in desk.saved.list(repo_full_name, tag)]}


@each("post", status=201)
def create_test(
    desk: TwinRunContext,
    name: Name = "Untitled test",
    description: str | None = None,
    run_id: str | None = None,
    prompt: Prompt | None = None,
    start_url: str | None = None,
    repo_full_name: str | None = None,
    ci_enabled: bool = False,
    tags: Texts | None = None,
    paths: Texts | None = None,
    twins: list[str] | None = None,
    checks: dict[str, Any] | None = None,
    test_config: dict[str, Any] | None = None,
    test_config_json: dict[str, Any] | None = None,
    version: int | None = None,
    starting_url: str | None = None,
    fallback: str | None = None,
    defaults: dict[str, Any] | None = None,
    parameters: list[Any] | None = None,
    steps: list[Any] | None = None,
    blocks: list[Any] | None = None,
    id: str | None = None,
    created_at: str | None = None,
    updated_at: str | None = None,
) -> dict[str, Any]:
    """Save a test from its TestConfig, a prompt, or a run. The fields of a TestConfig may also be given directly.
    `id`, `created_at` and `updated_at` occur in files that `arga tests import` reads; they are ignored.
    """
    bare = without_none(version=version, starting_url=starting_url, fallback=fallback, defaults=defaults)
    bare |= without_none(parameters=parameters, steps=steps, blocks=blocks)
    config = test_config or test_config_json
    if config is None and bare:
        config = {**bare, **without_none(prompt=prompt)}
    fields = {"description": description, "prompt": prompt, "start_url": start_url, "repo_full_name": repo_full_name}
    more = {"ci_enabled": ci_enabled, "tags": tags, "paths": paths, "twins": twins, "checks": checks}
    return shown_test(desk.saved.add(name, config, run_id, **fields, **more))


@each("get", "/{test_id}")
def get_test(desk: TwinRunContext, test_id: str) -> dict[str, Any]:
    """Show a saved test."""
    return shown_test(desk.saved.find(test_id))


@each("patch", "/{test_id}")
def update_test(
    desk: TwinRunContext,
    test_id: str,
    name: Name | None = None,
    description: str | None = None,
    prompt: Prompt | None = None,
    start_url: str | None = None,
    repo_full_name: str | None = None,
    ci_enabled: bool | None = None,
    tags: Texts | None = None,
    paths: Texts | None = None,
    twins: list[str] | None = None,
    checks: dict[str, Any] | None = None,
    test_config: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Change the given fields of a saved test."""
    fields = {"name": name, "description": description, "prompt": prompt, "start_url": start_url, "checks": checks}
    more = {"repo_full_name": repo_full_name, "ci_enabled": ci_enabled, "tags": tags, "paths": paths, "twins": twins}
    return shown_test(desk.saved.change(test_id, **fields, **more, test_config=test_config))


@each("delete", "/{test_id}")
def delete_test(desk: TwinRunContext, test_id: str) -> dict[str, Any]:
    """Delete a saved test; its runs remain."""
    return {"id": desk.saved.delete(test_id).test_id, "status": "deleted"}


@each("post", "/{test_id}/run")
async def run_test(
    desk: TwinRunContext,
    test_id: str,
    start_url: str | None = None,
    sandbox_id: str | None = None,
    prompt: Prompt | None = None,
    parameters: Scalars | None = None,
    credentials: dict[str, str] | None = None,
    hosts: Hosts | None = None,
    twins: list[str] | None = None,
    ttl_minutes: Ttl = 60,
    provision_id: str | None = None,
    timeout_seconds: Seconds = DEFAULT_SECONDS,
    session_id: SessionId | None = None,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    scenario_id: str | None = None,
    scenario_prompt: Prompt | None = None,
    clock: ClockRequest | None = None,
    trigger_source: str | None = None,
) -> dict[str, Any]:
    """Queue a run of a saved test; given parameters replace its own."""
    test = desk.saved.find(test_id)
    given_twins = twins if twins is not None else [] if sandbox_id or provision_id else test.twins
    about = without_none(branch=branch, pr_url=pr_url, session_id=session_id, trigger_source=trigger_source)
    world = describe_world(ttl_minutes, scenario_id, scenario_prompt, clock)
    wanted = TestRunRequest(
        prompt=prompt or test.prompt,
        start_url=start_url or (None if sandbox_id else test.start_url),
        test_config=None if prompt else test.test_config,
        **without_none(parameters=parameters, credentials=credentials, hosts=hosts, twins=given_twins),
        **world,
        provision_id=provision_id,
        checks=test.checks,
        sandbox_id=sandbox_id,
        seconds=timeout_seconds,
        about=about | without_none(repo=repo or test.repo_full_name, test_id=test.test_id, name=test.name),
    )
    return brief(desk.tests.ledger, await desk.tests.create(wanted, desk.address), desk.address)

"""Every request about test runs, saved tests, sandbox runs and the older runs, as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .fields import Fields, ListField
from .request_specs import Json, RequestSpec
from .run_specs import do, look, part

ENDED = ("completed", "failed", "cancelled")
"""How a run stands when it has ended."""
STARTING = ("queued", "provisioning")
"""How a sandbox run stands before its application answers."""


def items(path: str, **query: Any) -> RequestSpec[ListField]:
    """Read a list that has a name in its answer."""
    asked = look(path, **query)
    return RequestSpec(asked.verb, asked.path, ListField, asked.query, asked.body, asked.repeatable)


# Test runs


def create_test_run(
    prompt: str | None = None,
    start_url: str | None = None,
    *,
    test_config: Json | None = None,
    sandbox_id: str | None = None,
    twins: Sequence[str] | None = None,
    checks: Json | None = None,
    parameters: Mapping[str, Any] | None = None,
    credentials: Mapping[str, str] | None = None,
    hosts: Sequence[str] | None = None,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    provision_id: str | None = None,
    scenario_id: str | None = None,
    scenario_prompt: str | None = None,
    ttl_minutes: int | None = None,
    timeout_seconds: float | None = None,
    session_id: str | None = None,
    trigger_source: str | None = None,
) -> RequestSpec[Fields]:
    """Queue a test in a browser: what a prompt says, or the steps of a TestConfig.

    `checks` judge what the twins change; `hosts` are what the page may reach besides its start host and its twins.
    """
    return do("POST", "/test-runs", dict(locals()))


def list_test_runs(*, limit: int = 100, repo: str | None = None) -> RequestSpec[ListField]:
    """Test runs, newest first."""
    return items("/test-runs", limit=limit, repo=repo)


def get_test_run(run_id: str) -> RequestSpec[Fields]:
    """How a run stands, what each step came to, and what its twins changed."""
    return look(f"/test-runs/{part(run_id)}")


def rerun(
    run_id: str,
    *,
    prompt: str | None = None,
    start_url: str | None = None,
    sandbox_id: str | None = None,
    test_config: Json | None = None,
    parameters: Mapping[str, Any] | None = None,
    credentials: Mapping[str, str] | None = None,
    twins: Sequence[str] | None = None,
) -> RequestSpec[Fields]:
    """Repeat a run, with what is given in place of what it was asked with."""
    given = {name: value for name, value in locals().items() if name != "run_id"}
    return do("POST", f"/test-runs/{part(run_id)}/rerun", given)


def configure(run_id: str, test_config: Json) -> RequestSpec[Fields]:
    """Change the TestConfig with which a run is repeated."""
    return do("PATCH", f"/test-runs/{part(run_id)}/config", {"test_config": test_config}, repeatable=True)


def cancel_test_run(run_id: str) -> RequestSpec[Fields]:
    """End a run; what it has so far is kept."""
    return do("POST", f"/test-runs/{part(run_id)}/cancel", repeatable=True)


def message(run_id: str, message: str) -> RequestSpec[Fields]:
    """Answer the question that a run waits with."""
    return do("POST", f"/test-runs/{part(run_id)}/messages", {"message": message})


def artifact(run_id: str, name: str) -> RequestSpec[bytes]:
    """A file that a run has left: a screenshot, its trace, its HAR."""
    return RequestSpec("GET", f"/validate/{part(run_id)}/artifacts/{part(name)}", bytes, {}, b"", repeatable=True)


# Saved tests


def saved_tests(*, repo_full_name: str | None = None, tag: str | None = None) -> RequestSpec[ListField]:
    """Saved tests, oldest first, of a repository or with a tag."""
    return items("/tests", repo_full_name=repo_full_name, tag=tag)


def saved_test(test_id: str) -> RequestSpec[Fields]:
    """A saved test."""
    return look(f"/tests/{part(test_id)}")


def create_test(
    name: str,
    *,
    test_config: Json | None = None,
    run_id: str | None = None,
    prompt: str | None = None,
    start_url: str | None = None,
    description: str | None = None,
    repo_full_name: str | None = None,
    ci_enabled: bool | None = None,
    tags: Sequence[str] | None = None,
    paths: Sequence[str] | None = None,
    twins: Sequence[str] | None = None,
    checks: Json | None = None,
) -> RequestSpec[Fields]:
    """Save a test: by its TestConfig, by a prompt, or as a run has done it."""
    return do("POST", "/tests", dict(locals()))


def update_test(
    test_id: str,
    *,
    name: str | None = None,
    test_config: Json | None = None,
    prompt: str | None = None,
    start_url: str | None = None,
    description: str | None = None,
    repo_full_name: str | None = None,
    ci_enabled: bool | None = None,
    tags: Sequence[str] | None = None,
    paths: Sequence[str] | None = None,
    twins: Sequence[str] | None = None,
    checks: Json | None = None,
) -> RequestSpec[Fields]:
    """Change what is given of a saved test."""
    given = {name: value for name, value in locals().items() if name != "test_id"}
    return do("PATCH", f"/tests/{part(test_id)}", given, repeatable=True)


def run_test(
    test_id: str,
    *,
    start_url: str | None = None,
    sandbox_id: str | None = None,
    prompt: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    credentials: Mapping[str, str] | None = None,
    hosts: Sequence[str] | None = None,
    twins: Sequence[str] | None = None,
    ttl_minutes: int | None = None,
    provision_id: str | None = None,
    scenario_id: str | None = None,
    scenario_prompt: str | None = None,
    timeout_seconds: float | None = None,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    session_id: str | None = None,
    trigger_source: str | None = None,
) -> RequestSpec[Fields]:
    """Queue a run of a saved test, at another place where one is named."""
    given = {name: value for name, value in locals().items() if name != "test_id"}
    return do("POST", f"/tests/{part(test_id)}/run", given)


def delete_test(test_id: str) -> RequestSpec[Fields]:
    """Forget a saved test; its runs stay."""
    return do("DELETE", f"/tests/{part(test_id)}")


# Sandbox runs


def create_sandbox_run(
    repo: str | None = None,
    branch: str | None = None,
    *,
    pr_url: str | None = None,
    target: str | None = None,
    twins: Sequence[str] | None = None,
    scenario_id: str | None = None,
    scenario_prompt: str | None = None,
    ttl_minutes: int | None = None,
    env: Mapping[str, str] | None = None,
    seconds_to_start: float | None = None,
) -> RequestSpec[Fields]:
    """Start the application of a branch or pull request beside its twins."""
    return do("POST", "/sandbox-runs", dict(locals()))


def sandbox_runs(*, limit: int = 100) -> RequestSpec[ListField]:
    """Sandbox runs, newest first."""
    return items("/sandbox-runs", limit=limit)


def sandbox_run(sandbox_id: str) -> RequestSpec[Fields]:
    """How a sandbox run stands, where its application answers, and which variables it was given."""
    return look(f"/sandbox-runs/{part(sandbox_id)}")


def sandbox_logs(sandbox_id: str) -> RequestSpec[Fields]:
    """What was done for a sandbox run, and what its application printed."""
    return look(f"/sandbox-runs/{part(sandbox_id)}/logs")


def delete_sandbox_run(sandbox_id: str) -> RequestSpec[Fields]:
    """End a sandbox run with its twins."""
    return do("DELETE", f"/sandbox-runs/{part(sandbox_id)}")


# The older runs


def create_url_run(
    url: str,
    *,
    prompt: str | None = None,
    twins: Sequence[str] | None = None,
    credentials: Mapping[str, str] | None = None,
    runner_mode: str | None = None,
    session_id: str | None = None,
    repo: str | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    provision_id: str | None = None,
) -> RequestSpec[Fields]:
    """Queue a test of an address."""
    return do("POST", "/validate/url-run", dict(locals()))


def create_pr_run(
    repo: str,
    *,
    branch: str | None = None,
    pr_url: str | None = None,
    base: str | None = None,
    context_notes: str | None = None,
    scenario_prompt: str | None = None,
    twins: Sequence[str] | None = None,
    frontend_url: str | None = None,
    session_id: str | None = None,
    run_type: str | None = None,
    commit: str | None = None,
    allow_no_tests: bool | None = None,
) -> RequestSpec[Fields]:
    """Test a branch against its base: changed files choose the tests, which run against its application.

    Without `branch` and `pr_url` it is what the repository has checked out. A run for which no test is chosen fails,
    unless `allow_no_tests` allows it.
    """
    return do("POST", "/validate/pr-run", dict(locals()))


def run(run_id: str) -> RequestSpec[Fields]:
    """How a run of any kind stands."""
    return look(f"/runs/{part(run_id)}")


def run_logs(run_id: str) -> RequestSpec[Fields]:
    """What happened in a run, what its worker said, and what its application printed."""
    return look(f"/runs/{part(run_id)}/logs")


def run_page(page_url: str) -> RequestSpec[bytes]:
    """The page of a run, by its `page_url`."""
    parts = urlsplit(page_url)
    return RequestSpec("GET", parts.path, bytes, dict(parse_qsl(parts.query)), b"", repeatable=True)


def cancel_run(run_id: str) -> RequestSpec[Fields]:
    """End a run of any kind."""
    return do("POST", f"/validate/{part(run_id)}/cancel", repeatable=True)

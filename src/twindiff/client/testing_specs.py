"""The requests about test runs, saved tests, sandbox runs and legacy runs as data.

Responses are Fields: JSON objects whose fields are also attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .fields import Fields, ListField
from .request_specs import Json, RequestSpec
from .run_specs import do, look, part

ENDED = ("completed", "failed", "cancelled")
"""The statuses of a run that has ended."""
STARTING = ("queued", "provisioning")
"""The statuses of a sandbox run whose application does not respond yet."""


def items(path: str, **query: Any) -> RequestSpec[ListField]:
    """A GET request for a list inside an object, such as `{"runs": […]}`."""
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
    """Queue a browser test from a prompt or from the steps of a TestConfig.

    `checks` are a spec for the diff of the twins. `hosts` are the hosts that the page may reach besides its start host
    and its twins. `timeout_seconds` bounds the run, `ttl_minutes` the life of its twins.
    """
    return do("POST", "/test-runs", dict(locals()))


def list_test_runs(*, limit: int = 100, repo: str | None = None) -> RequestSpec[ListField]:
    """List test runs, newest first."""
    return items("/test-runs", limit=limit, repo=repo)


def get_test_run(run_id: str) -> RequestSpec[Fields]:
    """Read a run: its `status`, the result of each step in `results_json`, and the `diff` of its twins."""
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
    """Repeat a run; the given parameters replace those of the original request."""
    given = {name: value for name, value in locals().items() if name != "run_id"}
    return do("POST", f"/test-runs/{part(run_id)}/rerun", given)


def configure(run_id: str, test_config: Json) -> RequestSpec[Fields]:
    """Change the TestConfig for repetitions of a run."""
    return do("PATCH", f"/test-runs/{part(run_id)}/config", {"test_config": test_config}, repeatable=True)


def cancel_test_run(run_id: str) -> RequestSpec[Fields]:
    """Cancel a run; its results so far stay."""
    return do("POST", f"/test-runs/{part(run_id)}/cancel", repeatable=True)


def message(run_id: str, message: str) -> RequestSpec[Fields]:
    """Answer the question that a run is waiting on."""
    return do("POST", f"/test-runs/{part(run_id)}/messages", {"message": message})


def artifact(run_id: str, name: str) -> RequestSpec[bytes]:
    """Read a file of a run: a screenshot, its trace or its HAR."""
    return RequestSpec("GET", f"/validate/{part(run_id)}/artifacts/{part(name)}", bytes, {}, b"", repeatable=True)


# Saved tests


def saved_tests(*, repo_full_name: str | None = None, tag: str | None = None) -> RequestSpec[ListField]:
    """List saved tests, oldest first, perhaps only those of a repository or with a tag."""
    return items("/tests", repo_full_name=repo_full_name, tag=tag)


def saved_test(test_id: str) -> RequestSpec[Fields]:
    """Read a saved test."""
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
    """Save a test from a TestConfig, a prompt, or the steps of an earlier run (`run_id`)."""
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
    """Change the given fields of a saved test."""
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
    """Queue a run of a saved test; the given parameters replace those of the test."""
    given = {name: value for name, value in locals().items() if name != "test_id"}
    return do("POST", f"/tests/{part(test_id)}/run", given)


def delete_test(test_id: str) -> RequestSpec[Fields]:
    """Delete a saved test; its runs stay."""
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
    clock: Mapping[str, Any] | None = None,
    seconds_to_start: float | None = None,
) -> RequestSpec[Fields]:
    """Start the application of a branch or pull request together with its twins."""
    return do("POST", "/sandbox-runs", dict(locals()))


def sandbox_runs(*, limit: int = 100) -> RequestSpec[ListField]:
    """List sandbox runs, newest first."""
    return items("/sandbox-runs", limit=limit)


def sandbox_run(sandbox_id: str) -> RequestSpec[Fields]:
    """Read a sandbox run: `sandbox_id`, `status`, `app_url`, `env_vars`, `twins` and so on."""
    return look(f"/sandbox-runs/{part(sandbox_id)}")


def sandbox_logs(sandbox_id: str) -> RequestSpec[Fields]:
    """Read the `logs` of a sandbox run, with the output of its application."""
    return look(f"/sandbox-runs/{part(sandbox_id)}/logs")


def delete_sandbox_run(sandbox_id: str) -> RequestSpec[Fields]:
    """Delete a sandbox run with its twins."""
    return do("DELETE", f"/sandbox-runs/{part(sandbox_id)}")


# Legacy runs


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
    """Queue a browser test of a URL."""
    return do("POST", "/validate/url-run", dict(locals()))


def create_pr_run(
    repo: str | None = None,
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
    """Test a branch against its base: the changed files select the saved tests, which run against its application.

    Without `branch` and `pr_url`, the repository's working tree is tested. A run without a selected test fails, unless
    `allow_no_tests` is true.
    """
    return do("POST", "/validate/pr-run", dict(locals()))


def run(run_id: str) -> RequestSpec[Fields]:
    """Read a run of any kind."""
    return look(f"/runs/{part(run_id)}")


def run_logs(run_id: str) -> RequestSpec[Fields]:
    """Read the events of a run, the log of its worker, and the output of its application."""
    return look(f"/runs/{part(run_id)}/logs")


def run_page(page_url: str) -> RequestSpec[bytes]:
    """Read the HTML page of a run by its `page_url`."""
    parts = urlsplit(page_url)
    return RequestSpec("GET", parts.path, bytes, dict(parse_qsl(parts.query)), b"", repeatable=True)


def cancel_run(run_id: str) -> RequestSpec[Fields]:
    """Cancel a run of any kind."""
    return do("POST", f"/validate/{part(run_id)}/cancel", repeatable=True)

"""Pull request runs: `/validate/pr-run`, and the settings of pull request checks under `/validation`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Header
from twindiff.kit.twin import Operations
from twindiff.server.apis.pr_runs.runs import PrRunRequest
from twindiff.server.apis.sandbox_runs.routes import Repo
from twindiff.server.apis.test_runs.routes import Prompt, SessionId
from twindiff.server.apis.test_runs.runs import without_none
from twindiff.server.apis.test_runs.views import brief
from twindiff.server.apis.twin_runs.dependencies import TwinRunContext
from twindiff.server.origins import HOOK_RECEIVER

api = Operations()
OPEN = {f"POST {HOOK_RECEIVER}"}
"""Operations that need no key: webhooks are signed."""


@api.post("/validate/pr-run")
async def create_pr_run(
    desk: TwinRunContext,
    repo: Repo | None = None,
    branch: str | None = None,
    pr_url: str | None = None,
    base: str | None = None,
    frontend_url: str | None = None,
    commit: str | None = None,
    allow_no_tests: bool | None = None,
    twins: list[str] | None = None,
    scenario_id: str | None = None,
    scenario_prompt: Prompt | None = None,
    context_notes: str | None = None,
    session_id: SessionId | None = None,
    run_type: Literal["pr", "pr_run", "agent_run"] = "pr_run",
) -> ValueResponse:
    """Test a branch against its base: the changed files select the saved tests, which run against its application.
    Without `branch` and `pr_url`, it tests what the repository has checked out; with a `commit`, `branch` is only a
    label. Tests in `.arga/tests/*.yml` of the repository take part. A run that selects no test fails, unless
    `allow_no_tests` or the server's settings allow it. The application is started, unless `frontend_url` says where it
    runs already. The artifacts of the run include the verdict as `junit.xml` and `check_run.json`.
    `repo` and `pr_url` may be addresses at a GitHub twin, or names installed from there: it is cloned, and gets the
    verdict as a check run and a comment on the pull request.
    """
    wanted = PrRunRequest(
        *(repo, branch, pr_url, base),
        frontend_url=frontend_url,
        commit=commit,
        allow_no_tests=allow_no_tests,
        twins=twins,
        scenario_id=scenario_id,
        scenario_prompt=scenario_prompt,
        about=without_none(context_notes=context_notes, session_id=session_id, run_type=run_type),
    )
    run = await desk.pull_requests.create(wanted, desk.address)
    headers = (("X-Run-Id", run.run_id), ("X-Session-Id", run.session_id or ""))
    more = {name: run.asked[name] for name in ("changed_files", "chosen_tests")}
    return ValueResponse({**brief(desk.tests.ledger, run, desk.address), **more}, headers=headers)


@api.post("/validation/pr")
async def validate_pr(
    desk: TwinRunContext, repo: Repo | None = None, branch: str | None = None, pr_url: str | None = None
) -> ValueResponse:
    """Test a branch against its base, as `POST /validate/pr-run` does."""
    return await create_pr_run(desk, repo=repo, branch=branch, pr_url=pr_url)


Trigger = Literal["pr", "branch"]


@api.post("/validation/github/install")
async def install(desk: TwinRunContext, repo: Repo) -> dict[str, Any]:
    """Enable checks of a repository's pull requests.
    With the repository's address at a GitHub twin, a webhook there starts them from now on, and `owner/name` alone
    names that repository; the last installation of a name counts.
    """
    return await desk.checks.install(repo, desk.address)


@api.post(HOOK_RECEIVER, status=202)
async def receive_hook(
    desk: TwinRunContext,
    file: bytes,
    event: Annotated[str, Header("X-GitHub-Event")] = "",
    signature: Annotated[str, Header("X-Hub-Signature-256")] = "",
    delivery: Annotated[str, Header("X-GitHub-Delivery")] = "",
) -> dict[str, Any]:
    """Start a run for a webhook of an installed repository.
    `pull_request` tests the pull request, `push` the branch whose pushes are to be tested. The signature authorizes it,
    so it needs no key; a repeated delivery starts no second run. `status` of the response is `queued` with a `run_id`,
    or `ignored` with a `reason`.
    """
    return await desk.hooks.receive(event, file, signature, delivery, desk.address)


@api.get("/validation/github/config")
def get_config(desk: TwinRunContext, repo: Repo, trigger_mode: Trigger = "pr") -> dict[str, Any]:
    """The settings of a repository's checks."""
    return desk.checks.get(repo, trigger_mode)


@api.post("/validation/github/config")
def set_config(
    desk: TwinRunContext,
    repo: Repo,
    trigger_mode: Trigger = "pr",
    comment_on_pr: bool | None = None,
    branch: str | None = None,
) -> dict[str, Any]:
    """Change the settings of a repository's checks."""
    return desk.checks.change(repo, trigger_mode, comment_on_pr=comment_on_pr, branch=branch)


@api.patch("/validation/github/config")
def enable(desk: TwinRunContext, repo: Repo, trigger_mode: Trigger = "pr", enabled: bool = True) -> dict[str, Any]:
    """Enable or disable a repository's checks."""
    return desk.checks.change(repo, trigger_mode, enabled=enabled)


@api.get("/validation/github/enabled")
def list_enabled(desk: TwinRunContext) -> list[dict[str, Any]]:
    """List the settings of the repositories whose checks are enabled."""
    return desk.checks.enabled_settings()

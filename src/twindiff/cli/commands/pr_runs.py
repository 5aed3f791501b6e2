"""`twindiff pr-run` and `twindiff ci`: test the change of a branch, on a running server or a temporary one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from twindiff.cli.commands.env import say
from twindiff.cli.commands.sandbox_runs import Branch, PrUrl, Repo
from twindiff.cli.commands.twin_runs import ask_server
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.repositories import checked_out, has_uncommitted_changes, resolve_repository
from twindiff.cli.run_reports import Junit, Output, RunReports, end_as

if TYPE_CHECKING:
    from twindiff.client import Client

MAX_SECONDS = 3600
"""Seconds to wait for a run."""
Base = Annotated[str, typer.Option(help="What it is compared with; without it, the main branch.")]
Url = Annotated[str, typer.Option("--url", help="Where its application answers already.")]
AllowNoTests = Annotated[
    bool, typer.Option("--allow-no-tests", help="Pass where no test is chosen and the application opens.")
]


class ChangeRequest(NamedTuple):
    """The change to test, as given by the user."""

    repo: str
    branch: str
    pr_url: str
    base: str
    url: str
    allow_no_tests: bool


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("pr-run")(pr_run)
    app.command("ci")(ci)


def pr_run(
    repo: Repo,
    branch: Branch = "",
    pr_url: PrUrl = "",
    base: Base = "",
    url: Url = "",
    allow_no_tests: AllowNoTests = False,
    junit: Junit = None,
    output: Output = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Test a branch by the tests that its change chooses.

    Without --branch and --pr it tests what is checked out.

    It ends with 0 where all tests passed, 1 where the run failed, and 2 where nothing could be tested.

    For example: twindiff pr-run . --branch checkout
    """
    change = ChangeRequest(repo, branch, pr_url, base, url, allow_no_tests)
    run = _test(change, RunReports(junit, output), base_url, api_key)
    _show_verdict(run, as_json=as_json)
    if not as_json:
        typer.echo(f"(its page: {run['page_url']})", err=True)
    end_as(run)


def ci(
    repo: Repo = ".",
    branch: Branch = "",
    base: Base = "",
    allow_no_tests: AllowNoTests = False,
    junit: Junit = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Test what is checked out, without a server.

    The tests are those that lie in it; a server of their own keeps nothing.

    It ends with 0 where all tests passed, 1 where the run failed, and 2 where nothing could be tested.

    For example: twindiff ci --junit junit.xml --output reports
    """
    from twindiff.cli.hosting import running
    from twindiff.server import Settings

    # A configured proxy cannot reach this machine's loopback.
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"
    with running(Settings()) as url:
        run = _test(ChangeRequest(repo, branch, "", base, "", allow_no_tests), RunReports(junit, output), url, "")
    _show_verdict(run, as_json=as_json)
    end_as(run)


def _test(change: ChangeRequest, reports: RunReports, base_url: str, api_key: str) -> Any:
    """Run the tests of a change, write the reports, and return the finished run."""

    def follow(client: Client) -> Any:
        repository = resolve_repository(change.repo)
        wanted = {"branch": change.branch, "pr_url": change.pr_url, "base": change.base, "frontend_url": change.url}
        if not change.branch and not change.pr_url:
            wanted |= checked_out(repository, change.base)
            if has_uncommitted_changes(repository):
                typer.echo("(What is not committed is not tested.)", err=True)
        given = {name: value or None for name, value in wanted.items()}
        made = client.runs.create_pr_run(repository, **given, allow_no_tests=change.allow_no_tests or None)
        ended = client.runs.wait(made.run_id, timeout=MAX_SECONDS, poll_interval=0.5)
        reports.write(client, ended)
        return ended

    with reports.problems_of(f"pr-run {change.repo}"):
        return ask_server(base_url, api_key, follow, f"Testing {change.branch or change.pr_url or change.repo}")


def _show_verdict(run: dict[str, Any], *, as_json: bool) -> None:
    """Print the result of each test of a run."""
    from twindiff.cli.render import add_row, paragraph, table

    shown = table("status", "test", "detail")
    for each in run["results_json"]:
        add_row(shown, each["status"], each["name"], paragraph(each.get("detail") or ""))
    say(as_json, run, shown if run["results_json"] else run["summary"])

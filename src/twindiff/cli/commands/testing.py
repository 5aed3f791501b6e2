"""`twindiff test-runs` and `twindiff tests`: tests in a browser, and saved tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.commands.env import facts_table, say, say_where
from twindiff.cli.commands.twin_runs import ask_server, read_json
from twindiff.cli.naming import whole
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError
from twindiff.cli.repositories import resolve_repository
from twindiff.cli.run_reports import Junit, Output, RunReports, end_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from twindiff.client import Client

commands = typer.Typer(cls=CommandGroup, help="Run tests in a browser.", no_args_is_help=True)
saved = typer.Typer(cls=CommandGroup, help="Keep tests, and run them again.", no_args_is_help=True)

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.", show_default=False)]
TestId = Annotated[str, typer.Argument(metavar="TEST", help="The test's id.", show_default=False)]
Url = Annotated[str, typer.Option("--url", help="Where the test starts.")]
SandboxId = Annotated[
    str, typer.Option("--sandbox-id", metavar="ID", help="A sandbox run that is tested; checks judge its twins.")
]
ProvisionId = Annotated[
    str, typer.Option("--provision-id", metavar="ID", help="A twin run that the application calls, for the checks.")
]
Twins = Annotated[list[str] | None, typer.Option("--twin", help="A twin to provision; may be repeated.")]
NO_REPORTS = RunReports()
Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Follow the run until it ends.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="test-runs")
    app.add_typer(saved, name="tests")


@commands.command("create")
def create(
    prompt: Annotated[str, typer.Option(help="What is to be done and seen, in words.")] = "",
    url: Url = "",
    config: Annotated[
        Path | None, typer.Option("--test-config", metavar="FILE", help="The steps, as a TestConfig in JSON.")
    ] = None,
    checks: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Assertions over what the twins change, as JSON.")
    ] = None,
    sandbox_id: SandboxId = "",
    provision_id: ProvisionId = "",
    twins: Twins = None,
    wait: Wait = True,
    junit: Junit = None,
    output: Output = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Test an application in a browser, and show each step as it is done.

    It ends with 0 where the test passed, 1 where it failed, and 2 where it could not be run.

    For example: twindiff test-runs create --url http://127.0.0.1:3000 --prompt "click 'Pay', expect 'Paid'"
    """
    wanted: dict[str, Any] = {
        "prompt": prompt or None,
        "start_url": url or None,
        "test_config": None if config is None else read_json(config),
        "checks": None if checks is None else read_json(checks),
        "sandbox_id": sandbox_id or None,
        "provision_id": provision_id or None,
        "twins": twins or None,
    }

    def start(client: Client) -> Any:
        return client.test_runs.create(**wanted)

    _follow(base_url, api_key, start, wait=wait, as_json=as_json, reports=RunReports(junit, output))


def _follow(
    base_url: str,
    api_key: str,
    start: Callable[[Client], Any],
    *,
    wait: bool,
    as_json: bool,
    reports: RunReports = NO_REPORTS,
) -> None:
    """Start a run, print its steps as they finish, write its reports, and exit with its code."""

    def follow(client: Client) -> Any:
        made = start(client)
        if not wait:
            return made
        _tell(client.runs.stream_results(made.id), quietly=as_json)
        ended = client.test_runs.get(made.id)
        reports.write(client, ended)
        return ended

    with reports.problems_of("test run"):
        run = ask_server(base_url, api_key, follow)
    say(as_json, run, facts_table(_facts(run)))
    if wait:
        end_as(run)


def _tell(events: Iterable[Any], *, quietly: bool) -> None:
    """Print each finished step, and errors of the application, for a waiting person."""
    for event in events:
        if quietly or event.event != "step":
            continue
        told: dict[str, Any] = event.data
        step: dict[str, Any] = told.get("data") or told
        sign = {"passed": "✓", "failed": "✗"}.get(str(step.get("status")), "·")
        typer.echo(f"{sign} {step.get('title') or told.get('message', '')}")


def _facts(run: dict[str, Any]) -> dict[str, str]:
    facts = {
        "run": run["id"],
        "status": run["status"],
        "starts at": run.get("start_url") or "-",
        "result": run.get("summary") or "-",
        "not understood": "; ".join(run.get("not_understood") or ()),
        "page": run.get("page_url") or "",
    }
    return {name: fact for name, fact in facts.items() if fact}


@commands.command("ls")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List test runs, newest first."""
    from twindiff.cli.render import add_row, table

    runs = ask_server(base_url, api_key, lambda client: client.test_runs.list(limit=limit))
    shown = table("id", "status", "starts at", "result")
    for each in runs:
        add_row(shown, each.id, each.status, each.start_url or "", (each.summary or "").partition("\n")[0])
    say(as_json, runs, shown if runs else "There are no test runs; make one with `twindiff test-runs create`.")
    say_where(as_json, base_url)


@commands.command("show")
def show(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show a run and what each of its steps came to."""
    from rich.console import Group

    from twindiff.cli.render import add_row, paragraph, table

    details = ask_server(base_url, api_key, lambda client: client.test_runs.get(whole(client.test_runs.list, run)))
    steps = table("step", "status", "what", "detail")
    for each in details.results_json:
        add_row(steps, str(each.step), each.status, each.name, paragraph(each.get("detail") or ""))
    say(as_json, details, Group(facts_table(_facts(details)), steps))


@commands.command("logs")
def logs(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show what happened in a run, in order."""
    from twindiff.cli.render import add_row, table

    details = ask_server(base_url, api_key, lambda client: client.test_runs.get(whole(client.test_runs.list, run)))
    events = details.events_json
    shown = table("time", "type", "message")
    for each in events:
        add_row(shown, each.timestamp[11:19], each.type, each.message)
    say(as_json, events, shown)


@commands.command("rerun")
def rerun(
    run: RunId,
    url: Url = "",
    sandbox_id: SandboxId = "",
    wait: Wait = True,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Repeat a run, at another place where one is named."""
    place: dict[str, Any] = {"start_url": url or None, "sandbox_id": sandbox_id or None}
    _follow(
        base_url,
        api_key,
        lambda client: client.test_runs.rerun(whole(client.test_runs.list, run), **place),
        wait=wait,
        as_json=as_json,
    )


@commands.command("message")
def message(
    run: RunId,
    text: Annotated[str, typer.Argument(help="What the run is told.")],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Answer the question that a run waits with."""
    answer = ask_server(
        base_url, api_key, lambda client: client.test_runs.message(whole(client.test_runs.list, run), text)
    )
    say(as_json, answer, f"{run} was told.")


@commands.command("cancel")
def cancel(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """End a run; what it has so far is kept."""
    answer = ask_server(base_url, api_key, lambda client: client.test_runs.cancel(whole(client.test_runs.list, run)))
    say(as_json, answer, f"{run} is {answer.status}.")


# Saved tests


@saved.command("ls")
def list_tests(
    repo: Annotated[str, typer.Option(help="Only those of a repository.")] = "",
    tag: Annotated[str, typer.Option(help="Only those with a tag.")] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List saved tests, oldest first."""
    from twindiff.cli.render import add_row, table

    wanted = {"repo_full_name": resolve_repository(repo) if repo else None, "tag": tag or None}
    tests = ask_server(base_url, api_key, lambda client: client.tests.list(**wanted))
    shown = table("id", "name", "steps", "tags", "repository")
    for each in tests:
        steps = str(len(each.test_config.get("steps", ())))
        add_row(shown, each.id, each.name, steps, ", ".join(each.tags), each.repo_full_name or "")
    say(as_json, tests, shown if tests else "There are no saved tests; keep one with `twindiff tests create`.")
    say_where(as_json, base_url)


@saved.command("create")
def create_test(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    run_id: Annotated[str, typer.Option("--run-id", metavar="RUN", help="A run that it is made of.")] = "",
    config: Annotated[
        Path | None, typer.Option("--test-config", metavar="FILE", help="The steps, as a TestConfig in JSON.")
    ] = None,
    prompt: Annotated[str, typer.Option(help="What is to be done and seen, in words.")] = "",
    url: Url = "",
    repo: Annotated[str, typer.Option(help="The repository that it is a test of.")] = "",
    ci: Annotated[bool, typer.Option("--ci", help="Let changes of the repository choose it.")] = False,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")] = None,
    paths: Annotated[list[str] | None, typer.Option("--path", help="A pattern of files; may be repeated.")] = None,
    twins: Twins = None,
    checks: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Assertions over what the twins change, as JSON.")
    ] = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Keep a test: its steps, a prompt, or what a run has done."""
    wanted: dict[str, Any] = {
        "run_id": run_id or None,
        "test_config": None if config is None else read_json(config),
        "prompt": prompt or None,
        "start_url": url or None,
        "repo_full_name": resolve_repository(repo) if repo else None,
        "ci_enabled": ci,
        "tags": tags or None,
        "paths": paths or None,
        "twins": twins or None,
        "checks": None if checks is None else read_json(checks),
    }
    made = ask_server(base_url, api_key, lambda client: client.tests.create(name, **wanted))
    say(as_json, made, f"Kept '{made.name}' as {made.id}.")


@saved.command("show")
def show_test(test: TestId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "") -> None:
    """Print a saved test as JSON."""
    details = ask_server(base_url, api_key, lambda client: client.tests.get(whole(client.tests.list, test)))
    typer.echo(json.dumps(details, indent=2))


@saved.command("run")
def run_test(
    test: TestId,
    url: Url = "",
    sandbox_id: SandboxId = "",
    provision_id: ProvisionId = "",
    twins: Twins = None,
    wait: Wait = True,
    junit: Junit = None,
    output: Output = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Run a saved test, and show each step as it is done.

    It runs at another place where one is named.

    It ends with 0 where the test passed, 1 where it failed, and 2 where it could not be run.
    """
    if url and sandbox_id:
        raise CommandError("The test starts at one place: give --url or --sandbox-id.", exit_code=2)
    place: dict[str, Any] = {
        "start_url": url or None,
        "sandbox_id": sandbox_id or None,
        "provision_id": provision_id or None,
        "twins": twins or None,
    }
    _follow(
        base_url,
        api_key,
        lambda client: client.tests.run(whole(client.tests.list, test), **place),
        wait=wait,
        as_json=as_json,
        reports=RunReports(junit, output),
    )


@saved.command("rm")
def remove_test(test: TestId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Forget a saved test; its runs stay."""
    answer = ask_server(base_url, api_key, lambda client: client.tests.delete(whole(client.tests.list, test)))
    say(as_json, answer, f"Forgot {test} at {base_url}.")

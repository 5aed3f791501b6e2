"""`twindiff sandbox-runs`: starts and inspects applications of branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.commands.env import facts_table, say, say_where
from twindiff.cli.commands.twin_runs import Minutes, TwinClock, ask_server, parse_clock
from twindiff.cli.naming import whole
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError
from twindiff.cli.repositories import resolve_repository

if TYPE_CHECKING:
    from twindiff.client import Client

commands = typer.Typer(
    cls=CommandGroup, help="Start applications of local repositories beside their twins.", no_args_is_help=True
)

SandboxId = Annotated[str, typer.Argument(metavar="SANDBOX", help="The id of a sandbox run.", show_default=False)]
Branch = Annotated[str, typer.Option(help="A branch of it; without one, what is checked out.")]
Repo = Annotated[
    str,
    typer.Argument(
        metavar="REPO", help="The path of a repository (a relative one begins with .), or a name that the server knows."
    ),
]
PrUrl = Annotated[str, typer.Option("--pr-url", help="The address of a pull request.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="sandbox-runs")


@commands.command("create")
def create(
    repo: Repo,
    branch: Branch = "",
    pr_url: PrUrl = "",
    target: Annotated[str, typer.Option(help="One of several targets of its .arga/sandbox.yml.")] = "",
    twins: Annotated[list[str] | None, typer.Option("--twin", help="A twin; may be repeated.")] = None,
    env: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="A variable; may be repeated.")] = None,
    ttl: Minutes = 60,
    clock: TwinClock = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Start the application of a branch, and show where it answers.

    For example: twindiff sandbox-runs create ~/shop --branch checkout --twin stripe --twin slack
    """

    def start(client: Client) -> Any:
        made = client.sandbox_runs.create(
            resolve_repository(repo),
            branch or None,
            pr_url=pr_url or None,
            target=target or None,
            twins=twins or None,
            env=dict(map(_variable, env or ())),
            ttl_minutes=ttl,
            clock=parse_clock(clock),
        )
        return client.sandbox_runs.wait(made.sandbox_id)

    run = ask_server(base_url, api_key, start, f"Starting {repo}")
    say(as_json, run, _render_run(run))
    if run.status != "ready":
        raise typer.Exit(1)


def _variable(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not (name and equals):
        raise CommandError(f"--env {given}: give a name and a value, NAME=VALUE.", exit_code=2)
    return name, value


def _render_run(run: dict[str, Any]) -> Any:
    facts = {
        "sandbox": run["sandbox_id"],
        "status": run["status"],
        "answers at": run["app_url"] or "-",
        "started with": run["app_command"] or run["compose"] or f"the image of {run['dockerfile_path']}",
        "commit": f"{run['commit_sha'][:12]} {run['branch']}",
        "expires": run["expires_at"],
        **{twin["label"]: twin["base_url"] for twin in run["twins"].values()},
        **({"error": run["error"]} if run["error"] else {}),
    }
    return facts_table(facts)


@commands.command("ls")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List sandbox runs, newest first."""
    from twindiff.cli.render import add_row, table

    runs = ask_server(base_url, api_key, lambda client: client.sandbox_runs.list(limit=limit))
    shown = table("id", "status", "answers at", "branch", "repository")
    for each in runs:
        add_row(shown, each.sandbox_id, each.status, each.app_url or "", each.branch, each.repo)
    say(as_json, runs, shown if runs else "There are no sandbox runs; make one with `twindiff sandbox-runs create`.")
    say_where(as_json, base_url)


@commands.command("status")
def status(sandbox: SandboxId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show the status of a sandbox run."""
    run = ask_server(
        base_url, api_key, lambda client: client.sandbox_runs.get(whole(client.sandbox_runs.list, sandbox))
    )
    say(as_json, run, _render_run(run))


@commands.command("logs")
def logs(sandbox: SandboxId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show what a sandbox run did and its application printed."""
    from twindiff.cli.render import add_row, table

    answer = ask_server(
        base_url, api_key, lambda client: client.sandbox_runs.logs(whole(client.sandbox_runs.list, sandbox))
    )
    shown = table("time", "type", "message")
    for each in answer.logs:
        add_row(shown, each.timestamp[11:19], each.type, each.message)
    say(as_json, answer, shown)


@commands.command("rm")
def remove(sandbox: SandboxId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """End a sandbox run with its twins; its logs stay."""
    answer = ask_server(
        base_url,
        api_key,
        lambda client: client.sandbox_runs.delete(whole(client.sandbox_runs.list, sandbox)),
        "Ending it",
    )
    say(as_json, answer, f"{sandbox} has ended at {base_url}.")

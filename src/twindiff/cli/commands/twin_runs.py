"""`twindiff twin-runs`: environments of several twins for an application under test."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.commands.env import facts_table, say, say_where
from twindiff.cli.naming import whole
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from collections.abc import Callable

    from twindiff.client import Client

commands = typer.Typer(cls=CommandGroup, help="Provision twins for an application under test.", no_args_is_help=True)

RunId = Annotated[str, typer.Argument(metavar="RUN", help="The run's id.", show_default=False)]
Minutes = Annotated[int, typer.Option("--ttl", min=1, max=480, metavar="MINUTES", help="How long it lasts.")]
Added = Annotated[int, typer.Option("--ttl", min=1, max=480, metavar="MINUTES", help="How much longer it lasts.")]

Mode = Annotated[
    Literal["fast", "thorough"], typer.Option("--generation-mode", help="By rules, or by the server's model.")
]
Auth = Annotated[
    Literal["lenient", "strict"], typer.Option(help="Take any token, or refuse those that are not the run's.")
]

Ports = Annotated[
    bool | None, typer.Option("--ports/--no-ports", help="A loopback port for each twin (default: if possible).")
]
SeedFile = Annotated[
    Path | None,
    typer.Option("--seed-config", metavar="FILE", help="What each twin holds, as JSON; git repositories by path."),
]

TwinClock = Annotated[
    str,
    typer.Option(
        "--clock", metavar="real|MODE@INSTANT", help="How the twins' clock runs: real, or steps@2026-03-01T09:00:00."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="twin-runs")


def ask_server(base_url: str, api_key: str, question: Callable[[Client], Any], doing: str = "") -> Any:
    """Send a request and return the response, with a status line in a terminal.

    Raises CommandError if it is rejected.
    """
    from twindiff.cli.remote import client_of, explain_failures
    from twindiff.cli.render import screen

    with explain_failures(base_url), client_of(base_url, api_key) as client:
        console = screen(errors=True)
        if not (doing and console.is_terminal):
            return question(client)
        with console.status(doing):
            return question(client)


@commands.command("catalog")
def catalog(base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """List the twins that can be provisioned."""
    from twindiff.cli.render import add_row, table

    twins = ask_server(base_url, api_key, lambda client: client.twins.list())
    shown = table("name", "label", "also called")
    for each in twins:
        add_row(shown, each.name, each.label, ", ".join(each.aliases))
    say(as_json, twins, shown if twins else "The server has no twins.")


def parse_clock(given: str) -> dict[str, str] | None:
    """Return the clock that `real` or `MODE@INSTANT` names; None for an empty text. Raises CommandError."""
    mode, at, start = given.partition("@")
    if given and mode not in ("real", "offset", "steps", "frozen"):
        example = "steps@2026-03-01T09:00:00"
        raise CommandError(
            f"--clock {given}: give real, or offset, steps or frozen with a start: {example}", exit_code=2
        )
    return ({"mode": mode, "start": start} if at else {"mode": mode}) if given else None


@commands.command("create")
def create(
    twins: Annotated[list[str], typer.Argument(metavar="TWIN…", help="Names of twins, such as slack linear.")],
    ttl: Minutes = 60,
    scenario_id: Annotated[str, typer.Option(metavar="ID", help="A saved scenario or a preset.")] = "",
    prompt: Annotated[str, typer.Option("--scenario-prompt", help="What the twins shall hold, in words.")] = "",
    mode: Mode = "fast",
    seed_file: SeedFile = None,
    private: Annotated[bool, typer.Option("--private", help="Callers of the twins bring the proxy token.")] = False,
    candidate_safe: Annotated[
        bool, typer.Option("--candidate-safe", help="Keep the admin plane from the application under test.")
    ] = False,
    ports: Ports = None,
    auth: Auth = "lenient",
    clock: TwinClock = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Provision twins and show where they are.

    For example: twindiff twin-runs create slack linear --scenario-id e-commerce-checkout
    """
    wanted: dict[str, Any] = {
        "ttl_minutes": ttl,
        "scenario_id": scenario_id or None,
        "scenario_prompt": prompt or None,
        "scenario_generation_mode": mode if prompt else None,
        "seed_config": None if seed_file is None else read_seed_config(seed_file),
        "public": not private,
        "access_profile": "candidate_api_only" if candidate_safe else None,
        "ports": ports,
        "auth": auth if auth == "strict" else None,
        "clock": parse_clock(clock),
    }
    names = [name for each in twins for name in each.split(",") if name]
    doing = f"Provisioning {', '.join(names)}"
    run = ask_server(base_url, api_key, lambda client: _provision(client, names, wanted), doing)
    say(as_json, run, _render_run(run))


def _provision(client: Client, twins: list[str], wanted: dict[str, Any]) -> dict[str, Any]:
    made = client.twin_runs.create(twins, **wanted)
    run = client.twin_runs.get(made.run_id)
    while run.status in ("queued", "provisioning"):
        client.pause(0.5)
        run = client.twin_runs.get(made.run_id)
    if run.error:
        raise CommandError(f"The run {made.run_id} failed: {run.error}.")
    return {**made, **run}


def read_seed_config(path: Path) -> Any:
    """Read a seed configuration, and bundle the local git repositories that it names; raises CommandError."""
    from twindiff.client import NoRepository, bundle_repositories  # imported late: httpx takes a while

    config = read_json(path)
    try:
        return bundle_repositories(config, path.parent)
    except NoRepository as error:
        raise CommandError(f"{path}: {error}.", exit_code=2) from None


def read_json(path: Path) -> Any:
    """Read a JSON file; raises CommandError if it is not JSON."""
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.", exit_code=2) from None
    except ValueError as error:
        raise CommandError(f"{path} is no JSON: {error}.", exit_code=2) from None


def _render_run(run: dict[str, Any]) -> Any:
    facts = {
        "run": run["run_id"],
        "status": run["status"],
        **({"error": run["error"]} if run["error"] else {}),
        "access": "public" if run["is_public"] else f"private, proxy token {run['proxy_token']}",
        "expires": run["expires_at"] or "-",
        "environment": run["environment_id"] or "-",
        "dashboard": run["dashboard_url"],
        **{twin["label"]: twin["base_url"] for twin in run["twins"].values()},
        **({"not understood": "; ".join(run["not_understood"])} if run.get("not_understood") else {}),
        **({"warnings": "; ".join(run["warnings"])} if run.get("warnings") else {}),
    }
    return facts_table(facts)


@commands.command("ls")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List twin runs, newest first."""
    from twindiff.cli.render import add_row, table

    runs = ask_server(base_url, api_key, lambda client: client.twin_runs.list(limit=limit))
    shown = table("id", "status", "twins", "expires (UTC)", "scenario")
    for each in runs:
        ends = (each.expires_at or "-")[:16].replace("T", " ")
        add_row(shown, each.run_id, each.status, ", ".join(each.twins), ends, each.scenario_id or "")
    say(as_json, runs, shown if runs else "There are no twin runs; make one with `twindiff twin-runs create slack`.")
    say_where(as_json, base_url)


@commands.command("status")
def status(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show the status of a run and where its twins are."""
    details = ask_server(base_url, api_key, lambda client: client.twin_runs.get(whole(client.twin_runs.list, run)))
    say(as_json, details, _render_run(details))


@commands.command("env")
def variables(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Print the variables of a run's twins as commands of a shell.

    For example: eval "$(twindiff twin-runs env RUN)"
    """
    details = ask_server(base_url, api_key, lambda client: client.twin_runs.get(whole(client.twin_runs.list, run)))
    named = {name: value for twin in details.twins.values() for name, value in twin.env_vars.items()}
    say(as_json, named, "\n".join(f"export {name}={shlex.quote(value)}" for name, value in named.items()))


@commands.command("extend")
def extend(
    run: RunId, ttl: Added = 60, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False
) -> None:
    """Add minutes to the end of a run.

    A run ends at most 480 minutes from now.
    """

    answer = ask_server(
        base_url, api_key, lambda client: client.twin_runs.extend(whole(client.twin_runs.list, run), ttl_minutes=ttl)
    )
    ends = answer.get("expires_at")
    say(as_json, answer, f"{run} lasts until {ends}." if ends else f"{run} will last {ttl} minutes longer.")


@commands.command("lock")
def lock(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Make a run private: callers of its twins bring its proxy token."""
    answer = ask_server(base_url, api_key, lambda client: client.twin_runs.lock(whole(client.twin_runs.list, run)))
    say(as_json, answer, f"{run} is private.")


@commands.command("reset")
def reset(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Return all twins of a run to what they were provisioned with."""
    answer = ask_server(
        base_url, api_key, lambda client: client.twin_runs.reset(whole(client.twin_runs.list, run)), "Resetting"
    )
    say(as_json, answer, f"{run} is as it was provisioned.")


@commands.command("teardown")
def tear_down(run: RunId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """End a run; its twins answer 410 from then on."""
    answer = ask_server(base_url, api_key, lambda client: client.twin_runs.teardown(whole(client.twin_runs.list, run)))
    say(as_json, answer, f"{run} has ended at {base_url}.")

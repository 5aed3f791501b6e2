"""`twindiff runs`: the runs of a server, in all its environments."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl

if TYPE_CHECKING:
    from twindiff.cli.remote import Remote

MAX_RUNS = 1000
"""Runs that a server lists at most."""

commands = typer.Typer(cls=CommandGroup, help="Look at runs, the intervals that are judged.", no_args_is_help=True)


class Status(StrEnum):
    """The status of a run."""

    RUNNING = "running"
    COMPLETED = "completed"
    PASSED = "passed"
    FAILED = "failed"


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="runs")


@commands.command("ls")
def list_runs(
    status: Annotated[Status | None, typer.Option(help="Only those.", show_default=False)] = None,
    environment: Annotated[
        str, typer.Option("--env", metavar="ID", help="Only those of an environment.", show_default=False)
    ] = "",
    limit: Annotated[int, typer.Option(min=1, max=MAX_RUNS, help="How many at most.")] = 100,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List runs, newest first; `twindiff explain` explains one."""
    from twindiff.cli.commands.env import full_id, remote_of, say, say_where
    from twindiff.cli.render import add_row, table

    remote = remote_of(base_url, api_key)
    if environment:
        runs = remote.get("env", full_id(remote, environment), "runs", limit=limit)["runs"]
        runs = [each for each in runs if status is None or each["status"] == status]
    else:
        runs = remote.get("runs", limit=limit, **({"status": status.value} if status else {}))["runs"]
    shown = table("id", "status", "begun (UTC)", "environment")
    for each in runs:
        add_row(shown, each["runId"], each["status"], each["createdAt"][:19].replace("T", " "), each["environmentId"])
    say(as_json, runs, shown if runs else "There are no such runs.")
    say_where(as_json, base_url)


def full_run(remote: Remote, given: str) -> str:
    """Complete the id prefix of a run."""
    from twindiff.cli.naming import WHOLE, one_or_as_given

    if len(given.strip()) >= WHOLE:
        return given
    return one_or_as_given(given, [each["runId"] for each in remote.get("runs", limit=MAX_RUNS)["runs"]], "run")

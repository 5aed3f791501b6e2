"""`twindiff replay`: hold a recorded session against a twin."""

from __future__ import annotations

import json
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twindiff.cli.commands.env import Id, full_id, remote_of
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.cli.programs.replays import StepResult


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("replay")(replay)


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A session file of `twindiff record`.")],
    id: Id,
    values: Annotated[
        bool, typer.Option("--values", help="Compare values and lengths of lists too, not only fields and their types.")
    ] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Compare an environment's answers with a recorded session.

    It sends the requests of the session, and says step by step what the twins answer otherwise.

    The exit code is 1 if anything differs. Steps whose body was cut are skipped.
    """
    import httpx

    from twindiff.cli.programs.replays import TIMEOUT_SECONDS, Replay
    from twindiff.cli.programs.sessions import read_session

    steps = read_session(file)
    remote = remote_of(base_url, api_key)
    door = remote.post("env", full_id(remote, id), "door")
    trust = ssl.create_default_context(cadata=door["certificate"])
    with httpx.Client(proxy=door["proxyUrl"], verify=trust, trust_env=False, timeout=TIMEOUT_SECONDS) as client:
        try:
            results = list(Replay(client, door["password"], values=values).run(steps))
        except httpx.HTTPError as error:
            raise CommandError(f"The session cannot be replayed: {error}.") from None
    _print_results(results, as_json=as_json)
    raise typer.Exit(any(each.differences for each in results))


def _print_results(results: Sequence[StepResult], *, as_json: bool) -> None:
    import msgspec

    if as_json:
        typer.echo(json.dumps(msgspec.to_builtins(results), indent=2))
    for each in () if as_json else results:
        typer.echo(f"{each.number}  {each.request}  {each.skipped or ('differs' if each.differences else 'same')}")
        for difference in each.differences:
            typer.echo(f"     {difference}")
    differing = sum(bool(each.differences) for each in results)
    skipped = sum(bool(each.skipped) for each in results)
    typer.echo(f"{len(results)} steps, {differing} differ, {skipped} skipped.", err=True)

"""`twindiff compose`: let the services of a compose file call the vendors' own hosts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from twindiff.cli.commands.env import Id, full_id, remote_of
from twindiff.cli.options import DEFAULT_URL, ApiKey, BaseUrl
from twindiff.cli.problem import CommandError

OVERLAY = Path("compose.twindiff.yaml")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("compose")(compose)


def compose(
    id: Id,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", help="The compose file, by default that of this folder.", show_default=False),
    ] = None,
    services: Annotated[
        list[str],
        typer.Option(
            "--service", help="A service that comes in, by default each; may be repeated.", show_default=False
        ),
    ] = [],  # noqa: B006 - never changed
    output: Annotated[Path, typer.Option(help="The overlay to write.")] = OVERLAY,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
) -> None:
    """Write an overlay for Docker Compose that leads to twins. In it the vendors' hosts are the environment's twins.

    For example: twindiff compose 3f2a && docker compose -f compose.yaml -f compose.twindiff.yaml up
    """
    from twindiff.cli.programs.compose import LOOPBACK, find_services, write_overlay

    known = find_services(file, Path())
    if unknown := [each for each in services if each not in known]:
        raise CommandError(f"There is no service '{unknown[0]}'; there are {', '.join(known)}.", exit_code=2)
    remote = remote_of(base_url, api_key)
    door = remote.post("env", full_id(remote, id), "door")
    try:
        write_overlay(door, services or known, known, output)
    except OSError as error:
        raise CommandError(f"The overlay cannot be written to {output}: {error}.") from None
    typer.echo(f"Wrote {output}. Run: docker compose -f {file or 'compose.yaml'} -f {output} up")
    if door["host"] in LOOPBACK:
        typer.echo(
            "The proxy listens on this machine's loopback address, which containers of Docker Desktop reach. On Linux "
            "start the server with --proxy-host and the address of the bridge, such as Docker's 172.17.0.1 or Podman's "
            "10.88.0.1, and a key.",
            err=True,
        )

"""`twindiff ray`: one server on the nodes of a Ray cluster."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Annotated

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import ApiKey, AsJson
from twindiff.cli.problem import CommandError

Address = Annotated[str, typer.Option(help="The cluster, as `ray.init` takes it; `auto` for that of this machine.")]
Shards = Annotated[
    int,
    typer.Option(
        min=0, max=64, help="Shards, each with its own environments; 0 for those of --data-dir, else one per processor."
    ),
]
Host = Annotated[str, typer.Option(help="The address that the ingress of each node listens on.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port of each ingress; 0 takes any that is free.")]
DataDir = Annotated[str, typer.Option(help="Where each node keeps its shards; `:memory:` keeps nothing.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    group = typer.Typer(cls=CommandGroup, help="Serve from the nodes of a Ray cluster.", no_args_is_help=True)
    group.command("up")(start_on_ray)
    group.command("down")(stop_on_ray)
    group.callback()(_group)
    app.add_typer(group, name="ray")


def _group() -> None:
    """Serve from the nodes of a Ray cluster."""


def start_on_ray(
    shards: Shards = 0,
    address: Address = "auto",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    data_dir: DataDir = ":memory:",
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Start shards and an ingress on each node.

    Clients reach all environments by any ingress. The command returns once they answer.
    """
    _need_ray()
    from twindiff.cli.cluster.launch import connect, start_cluster
    from twindiff.server import Settings

    if host != "127.0.0.1" and not api_key:
        raise CommandError(f"On {host} anyone in the network could judge and be judged. Give a key.", exit_code=2)
    connect(address)
    running = start_cluster(Settings(data_dir=data_dir, api_key=api_key or None), shards, host, port)
    if as_json:
        typer.echo(json.dumps(running._asdict()))
        return
    typer.echo(f"{running.shards} shards serve behind {', '.join(running.urls)}")


def stop_on_ray(address: Address = "auto", as_json: AsJson = False) -> None:
    """End the server on a cluster.

    Shards without a data directory end with their environments.
    """
    _need_ray()
    from twindiff.cli.cluster.launch import connect, stop_cluster

    connect(address)
    ended = stop_cluster()
    typer.echo(json.dumps({"shards": ended}) if as_json else f"{ended} shards have ended.")


def _need_ray() -> None:
    if find_spec("ray") is None:
        raise CommandError("Ray is not installed. Install it with `pip install 'twindiff[ray]'`.")

"""`twindiff env listen`: a loopback address at which an environment answers for the vendors' hosts, without a proxy."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Annotated

import typer

from twindiff.cli.commands.env import Id, commands, full_id, remote_of
from twindiff.cli.options import DEFAULT_URL, ApiKey, BaseUrl

if TYPE_CHECKING:
    from twindiff.cli.programs.private_network import DoorAddress


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff env`."""
    commands.command("listen")(listen)


def listen(
    id: Id,
    address: Annotated[
        str, typer.Option(help="The address to listen on, by default one of the environment's own.", show_default=False)
    ] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; programs call 443.")] = 443,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
) -> None:
    """Answer for the vendors' hosts at a loopback address.

    This is for programs that ignore proxies; it goes on until Ctrl-C.

    The lines for /etc/hosts, which lead the programs of this machine there, are printed on standard output.
    """
    from twindiff.cli.listening import listen as listen_on
    from twindiff.cli.programs.loopback import choose_address, hosts_lines
    from twindiff.cli.programs.private_network import DoorAddress

    remote = remote_of(base_url, api_key)
    door = remote.post("env", full_id(remote, id), "door")
    address = address or choose_address(door["environmentId"])
    with listen_on(address, port) as listener:
        typer.echo("\n".join(hosts_lines(door["hosts"], address)))
        typer.echo(f"Listening on {address} port {listener.getsockname()[1]} until Ctrl-C.", err=True)
        asyncio.run(_serve(DoorAddress(door["host"], door["port"], door["user"], door["password"]), listener))


async def _serve(door: DoorAddress, listener: socket.socket) -> None:
    from twindiff.cli.programs.private_network import HTTPS_PORT, Relay

    server = await asyncio.start_server(Relay(door).to_any_host(HTTPS_PORT), sock=listener)
    async with server:
        await server.serve_forever()

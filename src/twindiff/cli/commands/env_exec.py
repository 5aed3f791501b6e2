"""`twindiff env exec`: run an unmodified program against an environment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from twindiff.cli.commands.env import Id, commands, full_id, remote_of
from twindiff.cli.options import DEFAULT_URL, ApiKey, BaseUrl
from twindiff.cli.problem import CommandError
from twindiff.cli.programs.networks import Network

if TYPE_CHECKING:
    from twindiff.cli.programs.receipts import Receipt

NetworkOption = Annotated[
    Network,
    typer.Option(
        help="Whether it has a network of its own, in which every name leads to the door: where that is possible, "
        "always, or never."
    ),
]
ReceiptFile = Annotated[
    Path | None,
    typer.Option("--receipt", metavar="FILE", help="Write the receipt to a file, as JSON.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff env`."""
    commands.command("exec", context_settings={"ignore_unknown_options": True})(execute)


def execute(
    id: Id,
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="The program and its arguments.")],
    twins: Annotated[
        list[str],
        typer.Option("--twin", help="Answer for the hosts of this twin only; may be repeated.", show_default=False),
    ] = [],  # noqa: B006 - never changed
    network: NetworkOption = Network.AUTO,
    receipt: ReceiptFile = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the receipt in JSON.")] = False,
) -> None:
    """Run a program for which the twins have the vendors' hosts.

    Its exit code is this command's.

    The program needs no change: it finds a proxy, certificates and the vendors' tokens in its variables. At its end a
    receipt on standard error says which hosts it called, what was refused and for what there is no operation.

    For example: twindiff env exec 3f2a -- python agent.py
    """
    from twindiff.cli.programs.running import run_program

    command = command[1:] if command[0] == "--" else command
    if not command:
        raise CommandError("Give the program and its arguments after `--`.", exit_code=2)
    remote = remote_of(base_url, api_key)
    finish(run_program(remote, full_id(remote, id), twins, command, network), receipt, as_json=as_json)


def finish(receipt: Receipt, file: Path | None, *, as_json: bool) -> NoReturn:
    """Print a receipt, and exit with the code of its program."""
    import msgspec

    from twindiff.cli.programs.receipts import render_receipt

    written = msgspec.json.encode(receipt).decode()
    if file:
        try:
            file.write_text(written + "\n")
        except OSError as error:
            raise CommandError(f"The receipt cannot be written to {file}: {error}.") from None
    typer.echo(written if as_json else render_receipt(receipt), err=True)
    raise typer.Exit(receipt.exit_code)

"""`twindiff record`: keep what a program asks a real vendor and is answered."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from twindiff.cli.options import check_allowed_hosts
from twindiff.cli.problem import CommandError
from twindiff.cli.programs.networks import Network

Command = Annotated[list[str], typer.Argument(metavar="-- COMMAND…", help="The program and its arguments.")]
SessionFile = Annotated[Path, typer.Option("--output", "-o", help="The session file to write.")]
RecordedTwins = Annotated[
    list[str], typer.Option("--twin", help="Pass calls to this vendor only; may be repeated.", show_default=False)
]
OtherHosts = Annotated[
    list[str],
    typer.Option(
        metavar="HOST", callback=check_allowed_hosts, help="Another host to let through, which is not recorded."
    ),
]
Upstreams = Annotated[
    list[str], typer.Option(metavar="HOST=URL", help="Where a host really is, such as a test account's address.")
]
NetworkOption = Annotated[Network, typer.Option(help="As of `twindiff env exec`.")]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("record", context_settings={"ignore_unknown_options": True})(record)


def record(
    command: Command,
    output: SessionFile = Path("session.jsonl"),
    twins: RecordedTwins = [],  # noqa: B006 - never changed
    allow_host: OtherHosts = [],  # noqa: B006 - never changed
    upstream: Upstreams = [],  # noqa: B006 - never changed
    network: NetworkOption = Network.AUTO,
) -> None:
    """Run a program against the real vendors, and keep its calls.

    It uses your own tokens. Its calls are kept in a session file.

    Calls go to hosts of twins only, and the file has no tokens, client secrets or passwords. `twindiff replay` compares
    it with a twin.

    For example: twindiff record --twin slack -o session.jsonl -- python agent.py
    """
    from twindiff.cli.programs.recorder import Recorder, parse_upstreams, recording
    from twindiff.cli.programs.running import choose_network, find_program, run_inside
    from twindiff.cli.programs.sessions import write_session
    from twindiff.environments.registry import Registry

    find_program(command[0])
    try:
        upstreams = parse_upstreams(upstream)
    except ValueError as error:
        raise CommandError(f"--upstream {error}: give a host and its address, HOST=URL.", exit_code=2) from None
    registry = Registry.load_installed()
    chosen = [registry.get(name) for name in twins] or [*registry.twins.values()]
    recorder = Recorder(chosen, allow_host, upstreams)
    with recording(recorder) as door:
        code = run_inside(door, command, choose_network(network))
    write_session(output, recorder.steps)
    typer.echo(f"Recorded {len(recorder.steps)} calls in {output}.", err=True)
    for request, count in recorder.refused.items():
        typer.echo(f"Refused, since it is no host of a twin: {request} ({count})", err=True)
    raise typer.Exit(code)

"""The command line, one module per command. What a command needs beyond typer is imported when it runs."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from twindiff import __version__
from twindiff.cli.command_group import CommandGroup
from twindiff.cli.command_table import CommandsOnDemand
from twindiff.cli.problem import STOPPED, CommandError

INTERNAL_ERROR = 70
NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
OBJECTS = 50_000
"""Garbage collection threshold: a command keeps nearly all objects it loads, so early collections are wasted."""


class Commands(CommandGroup):
    """Turns every error into one line on stderr and an exit code, so that users never see a traceback."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        _print_anything()
        # A Ctrl-C while Python exits must not replace the exit code of a finished command.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
        try:
            return super().main(*args, **kwargs)
        except CommandError as problem:
            _end(str(problem), problem.exit_code)
        except KeyboardInterrupt:
            _end("", STOPPED)
        except Exception as error:  # anything but a CommandError is an internal error, and still shows no traceback
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                _drop_output()
                _end(f"Not all could be written: {error.strerror}. Make room there, then try again.", 1)
            if os.environ.get("TWINDIFF_DEBUG"):
                raise
            _end(
                f"Internal error of twindiff: {type(error).__name__}: {error}. "
                "TWINDIFF_DEBUG=1 shows where; please report it.",
                INTERNAL_ERROR,
            )


def _end(line: str, exit_code: int) -> None:
    if line:
        with suppress(OSError):  # stderr may be on the same full disk
            typer.echo(line, err=True)
    sys.exit(exit_code)


def _drop_output() -> None:
    """Discard buffered output; otherwise Python would fail to write it again at exit, with a traceback."""
    with suppress(OSError), Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _print_anything() -> None:
    """Print characters that the terminal's encoding lacks as escapes instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


class TwindiffProgram(Commands):
    """The program: it imports only the requested command, and all of them for its help."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = CommandsOnDemand()  # pyright: ignore[reportAttributeAccessIssue] - none is added


app = typer.Typer(
    name="twindiff",
    cls=TwindiffProgram,
    help="Stateful twins of SaaS APIs: give an agent a copy, see exactly what it changed, judge it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the process `twindiff`; it exits with its command, even if agents it started still run."""
    gc.set_threshold(OBJECTS)
    try:
        app()
    except SystemExit as ended:
        _leave_agents(ended.code)
        raise


def _leave_agents(code: Any) -> None:
    """Exit at once if an agent still runs: Python would wait for its threads, or shut down while they run."""
    trials = sys.modules.get("twindiff.client.trial_runner")
    if trials is None or not trials.are_going_on():
        return
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage] - temporary folders are removed there
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"twindiff {__version__}")
        raise typer.Exit


@app.callback()
def twindiff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    """Stateful twins of SaaS APIs: give an agent a copy, see exactly what it changed, judge it."""

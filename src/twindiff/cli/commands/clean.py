"""`twindiff clean`: deletes what Twindiff has stored on this machine."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from twindiff.cli.options import DataDirectory, data_directory
from twindiff.cli.problem import CommandError

DATA_FILE = "twindiff.db"
LOCK_FILE = "lock"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command()(clean)


def clean(
    data_dir: DataDirectory = "",
    yes: Annotated[bool, typer.Option("--yes", help="Delete it; without this, only say what there is.")] = False,
) -> None:
    """Delete the data directory.

    It holds environments, runs, suites and the key; templates and twins come with the program.

    Without --yes it says what would be deleted. It refuses while a server uses the directory.
    """
    folder = Path(data_directory(data_dir))
    if not (folder / DATA_FILE).is_file():
        typer.echo(f"There is nothing to delete: {folder} has no {DATA_FILE}.")
        return
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
    if not yes:
        typer.echo(f"{folder} has {size:,.1f} MB. `twindiff clean --yes` deletes it.")
        return
    with _hold_lock(folder):
        shutil.rmtree(folder)
    typer.echo(f"Deleted {folder} ({size:,.1f} MB).")


@contextmanager
def _hold_lock(folder: Path) -> Generator[None]:
    """Hold the lock of a data directory; raises CommandError if a server has it."""
    with (folder / LOCK_FILE).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "another process"
            raise CommandError(f"{folder} is in use by {owner}. Stop it first.") from None
        yield

"""`twindiff import`: seeds and suites from public files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

WARNINGS_SHOWN = 20

commands = typer.Typer(cls=CommandGroup, help="Bring in templates and suites from files.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="import")


@commands.callback()
def import_() -> None:
    """Bring in templates and suites from files."""


@commands.command("agent-diff")
def agent_diff(
    folder: Annotated[
        Path, typer.Argument(help="A folder with seeds/ and suites/ or testsuites/, or with such files.")
    ],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Import Agent Diff's public seeds and suites.

    The server takes all or nothing.
    """
    from twindiff.cli.remote import Remote
    from twindiff.cli.render import screen

    with screen(errors=True).status(f"Reading {folder}") as status:
        missing: list[str] = []
        files = contents(folder, missing)
        status.update(f"Importing {len(files)} files into {base_url}")
        imported = Remote(base_url, api_key).post("import", body={"files": files})
    if as_json:
        typer.echo(json.dumps(imported, indent=2))
    else:
        _show(imported)
    warn([f"{path} is not in {folder}; the file has its size and its digest, and no content" for path in missing])


def contents(folder: Path, missing: list[str] | None = None) -> dict[str, object]:
    """Read the files of a folder, by name; paths that seeds name and the folder lacks are added to `missing`."""
    from twindiff.suites.suite_folder import NoSuiteFolder, read_folder

    try:
        return read_folder(folder, missing, _read)
    except NoSuiteFolder as error:
        raise CommandError(str(error), exit_code=2) from None


def _read(path: Path) -> object:
    from twindiff.cli.commands.check import read_json

    return read_json(path)


def _show(imported: dict[str, Any]) -> None:
    from twindiff.cli.render import add_row, show, table

    shown = table("what", "name", "came to")
    for kind, names, state in (
        ("template", imported["templates"], "imported"),
        ("suite", imported["suites"], "imported"),
        ("", imported["unchanged"], "known already"),
    ):
        for name in names:
            add_row(shown, kind, name, state)
    for name in imported["left_out"]:
        file, _, reason = name.partition(": ")
        add_row(shown, "file", file, f"left out: {reason}")
    show(shown)
    warn(imported.get("warnings", []))


def warn(warnings: Sequence[str]) -> None:
    """Print warnings about unknown names in checks on standard error; only the first of very many."""
    from twindiff.cli.render import printable

    for warning in warnings[:WARNINGS_SHOWN]:
        typer.echo(f"Warning: {printable(warning)}", err=True)
    if len(warnings) > WARNINGS_SHOWN:
        typer.echo(f"Warning: and {len(warnings) - WARNINGS_SHOWN} more; `--json` has them all.", err=True)

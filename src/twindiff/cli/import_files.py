"""`twindiff import`: seeds and suites from public files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import Problem

FOLDERS = ("seeds", "suites", "testsuites")
WARNINGS_SHOWN = 20

commands = typer.Typer(help="Bring in templates and suites from files.", no_args_is_help=True)


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
    """Import Agent Diff's public seeds and suites into a server, all or nothing."""
    from twindiff.cli.remote import Remote
    from twindiff.cli.render import screen

    with screen(errors=True).status(f"Reading {folder}") as status:
        files = contents(folder)
        status.update(f"Importing {len(files)} files into {base_url}")
        imported = Remote(base_url, api_key).post("import", body={"files": files})
    if as_json:
        typer.echo(json.dumps(imported, indent=2))
    else:
        _show(imported)


def contents(folder: Path) -> dict[str, object]:
    """What the files of a folder hold, by name."""
    return {str(path.relative_to(folder)): _read(path) for path in _paths(folder)}


def _paths(folder: Path) -> list[Path]:
    """The files to import, in a fixed order."""
    if not folder.is_dir():
        raise Problem(f"{folder} is no folder. Give one that holds seeds/ and suites/.", exit_code=2)
    found = [path for name in FOLDERS for path in sorted((folder / name).glob("*.json"))]
    found = found or sorted(folder.glob("*.json"))
    if not found:
        raise Problem(f"{folder} holds no JSON files, nor do seeds/, suites/ or testsuites/ in it.", exit_code=2)
    return found


def _read(path: Path) -> object:
    from twindiff.cli.check import read_json

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
    """Tell of checks that name what there is not, on standard error; of very many, the first."""
    from twindiff.cli.render import printable

    for warning in warnings[:WARNINGS_SHOWN]:
        typer.echo(f"Warning: {printable(warning)}", err=True)
    if len(warnings) > WARNINGS_SHOWN:
        typer.echo(f"Warning: and {len(warnings) - WARNINGS_SHOWN} more; `--json` has them all.", err=True)

"""`twindiff import`: seeds and suites from public files."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

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
    files = {str(path.relative_to(folder)): _read(path) for path in _paths(folder)}
    for content in files.values():
        lacking = bring_files(folder, content)
        if missing is not None:
            missing += lacking
    return files


def bring_files(folder: Path, content: object) -> list[str]:
    """Insert file contents into a seed: a row with a `local_path` gets base64 `content`.

    Returns the paths that match no file of the folder.
    """
    missing: list[str] = []
    for row in _naming_files(content):
        data = bytes_of(folder, row["local_path"])
        if data is None:
            missing.append(row["local_path"])
        else:
            row["content"] = b64encode(data).decode()
    return missing


def _naming_files(content: object) -> list[dict[str, Any]]:
    """Return the rows of a seed that name a file."""
    tables = cast(dict[str, Any], content).values() if isinstance(content, dict) else ()
    rows = [row for table in tables if isinstance(table, list) for row in cast(list[Any], table)]
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("local_path"), str)]  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]


def bytes_of(folder: Path, local_path: str) -> bytes | None:
    """Read the file in the folder whose path has the longest common end with this one; None if no file matches."""
    parts = [part for part in Path(local_path).parts if part not in ("/", "..", ".")]
    for start in range(len(parts)):
        for root in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
            path = root.joinpath(*parts[start:])
            if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                return path.read_bytes()
    return None


def _paths(folder: Path) -> list[Path]:
    """Return the files to import, in a fixed order."""
    if not folder.is_dir():
        raise CommandError(f"{folder} is no folder. Give one that holds seeds/ and suites/.", exit_code=2)
    paths = [path for name in FOLDERS for path in sorted((folder / name).glob("*.json"))]
    paths = paths or sorted(folder.glob("*.json"))
    if not paths:
        raise CommandError(f"{folder} holds no JSON files, nor do seeds/, suites/ or testsuites/ in it.", exit_code=2)
    return paths


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

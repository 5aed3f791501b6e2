"""`twindiff new-twin`: creates the package of a new twin."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from twindiff.cli.problem import CommandError

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("new-twin")(new_twin)


def new_twin(
    name: Annotated[str, typer.Argument(help="In small letters: the name of the twin in templates, paths and checks.")],
    openapi: Annotated[
        Path | None,
        typer.Option(help="A description of the API (OpenAPI, Swagger, Discovery), from which operations are drafted."),
    ] = None,
    into: Annotated[Path, typer.Option(help="The folder in which the package's own is made.")] = Path(),
) -> None:
    """Write the package of a new twin, with tests that pass.

    Alone it keeps a list of items, for a beginning. With --openapi it serves the operations of a description, and has a
    module for handlers that take over operations one at a time.
    """
    from twindiff.cli.scaffold.package import drafted_package, empty_package

    if not _NAME.fullmatch(name):
        raise CommandError(f"'{name}' is no name of a twin; use small letters, digits and _: acme_books.", exit_code=2)
    folder = into / f"{name.replace('_', '-')}-twin"
    if folder.exists() and any(folder.iterdir()):
        raise CommandError(f"{folder} is there already. Remove it, or give another place with --into.")
    if openapi:
        _check_description(openapi, name)
    files = drafted_package(name, openapi) if openapi else empty_package(name)
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    typer.echo(f"{folder} has {len(files)} files. To go on:")
    typer.echo(f"  cd {folder} && pip install -e . && pytest && twindiff twins {name}")


def _check_description(path: Path, name: str) -> None:
    from twindiff.drafts import DescriptionError, Draft

    try:
        Draft.read(path, name)
    except DescriptionError as error:
        raise CommandError(f"{path}: {error}") from None

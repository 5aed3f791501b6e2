"""`twindiff new-twin`: creates the package of a new twin."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.cli.scaffold.model import Description

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
MAX_DOCUMENT_BYTES = 50_000_000


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("new-twin")(new_twin)


def new_twin(
    name: Annotated[str, typer.Argument(help="In small letters: the name of the twin in templates, paths and checks.")],
    openapi: Annotated[
        Path | None,
        typer.Option(help="An OpenAPI 3 or Google Discovery document in JSON, to write operations from."),
    ] = None,
    into: Annotated[Path, typer.Option(help="The folder in which the package's own is made.")] = Path(),
) -> None:
    """Write the package of a new twin, which runs and passes its tests.

    Alone it keeps a list of items, for a beginning. With --openapi it has tables, lookups, signatures of all operations
    and a list of those that are missing; nothing else is taken from the document.
    """
    from twindiff.cli.scaffold.package import described_package, empty_package

    if not _NAME.fullmatch(name):
        raise CommandError(f"'{name}' is no name of a twin; use small letters, digits and _: acme_books.", exit_code=2)
    folder = into / f"{name.replace('_', '-')}-twin"
    if folder.exists() and any(folder.iterdir()):
        raise CommandError(f"{folder} is there already. Remove it, or give another place with --into.")
    files = described_package(name, _read_description(openapi)) if openapi else empty_package(name)
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    typer.echo(f"{folder} has {len(files)} files. To go on:")
    typer.echo(f"  cd {folder} && pip install -e . && pytest && twindiff twins {name}")


def _read_description(path: Path) -> Description:
    from twindiff.cli.scaffold.discovery import read_discovery
    from twindiff.cli.scaffold.openapi import read_openapi

    document = _document(path)
    is_discovery = "discoveryVersion" in document or "httpMethod" in str(document.get("methods", ""))
    if not is_discovery and "paths" not in document:
        raise CommandError(
            f"{path} is no OpenAPI 3 or Google Discovery document: it has no 'paths', no 'discoveryVersion'."
        )
    try:
        description = read_discovery(document) if is_discovery else read_openapi(document)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise CommandError(f"{path} is not a valid description of an API: {type(error).__name__}: {error}.") from None
    if not description.endpoints:
        raise CommandError(f"{path} describes no operations.")
    return description


def _document(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_DOCUMENT_BYTES:
            raise CommandError(f"{path} is larger than {MAX_DOCUMENT_BYTES:,} bytes.")
        document: Any = json.loads(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        hint = " Convert YAML to JSON first." if path.suffix in (".yaml", ".yml") else ""
        raise CommandError(f"{path} is not JSON: {error}.{hint}") from None
    if not isinstance(document, dict):
        raise CommandError(f"{path} holds no JSON object.")
    return document  # pyright: ignore[reportUnknownVariableType] - JSON's edge

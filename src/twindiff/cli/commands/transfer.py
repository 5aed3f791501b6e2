"""`twindiff env export` and `twindiff env import`: write an environment to a file, and create one from a file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from twindiff.cli.commands.env import MAX_ENVIRONMENT_TTL_SECONDS, Id, commands, full_id, remote_of, say, say_made
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

Json = dict[str, Any]


def register(app: typer.Typer) -> None:
    """Add the commands to `twindiff env`."""
    commands.command("export")(export)
    commands.command("import")(import_)


def export(
    id: Id,
    file: Annotated[Path, typer.Argument(help="The file to write, such as mine.jsonl.gz.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Write all of an environment to a file, with its journal.

    Tokens are left out.
    """
    from twindiff.cli.remote import client_of, explain_failures
    from twindiff.cli.render import screen
    from twindiff.client import request_specs

    if file.exists() and not force:
        raise CommandError(f"{file} is there already; give another name, or --force to replace it.", exit_code=2)
    remote = remote_of(base_url, api_key)
    environment = full_id(remote, id)
    with screen(errors=True).status(f"Exporting {environment}") as status:
        with explain_failures(remote.url), client_of(remote.url, api_key) as client:
            data = client.send(request_specs.export(environment))
        status.update(f"Writing {len(data):,} bytes")
        _write_whole(file, data)
    answer = {"environmentId": environment, "file": str(file), "bytes": len(data)}
    say(as_json, answer, f"{environment} is in {file}, {len(data):,} bytes.")


def import_(
    file: Annotated[Path, typer.Argument(help="A file that `twindiff env export` wrote.")],
    name: Annotated[
        str, typer.Option(help="A name to find it by; without it, the one it had.", show_default=False)
    ] = "",
    ttl: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_ENVIRONMENT_TTL_SECONDS,
            show_default=False,
            help="After so many seconds it expires; without it, it lasts as long as the other was to.",
        ),
    ] = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Create an environment from an exported file.

    It has the same rows, points and checkpoints, a new id and a new token.
    """
    from twindiff.cli.remote import client_of, explain_failures
    from twindiff.cli.render import screen
    from twindiff.client import request_specs

    remote = remote_of(base_url, api_key)
    data = _read(file)
    spec = cast(Any, request_specs.import_environment(data, name or None, ttl)._replace(answer=cast(Any, Json)))
    with (
        screen(errors=True).status(f"Importing {len(data):,} bytes into {remote.url}"),
        explain_failures(remote.url),
        client_of(remote.url, api_key) as client,
    ):
        made: Json = client.send(spec)
    say_made(as_json, remote, made)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise CommandError(
            f"{file}: {error.strerror or error}. Give a file that `twindiff env export` wrote.", exit_code=2
        ) from None


def _write_whole(file: Path, data: bytes) -> None:
    """Write a file atomically: on failure it stays as it was."""
    draft = file.with_name(f".{file.name}.part")
    try:
        draft.write_bytes(data)
        draft.replace(file)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise CommandError(f"{file} cannot be written: {error.strerror or error}.", exit_code=2) from None

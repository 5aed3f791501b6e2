"""`twindiff env rows`: the rows of a table of an environment."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.commands.env import Id, commands, full_id, remote_of, say
from twindiff.cli.naming import natural
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.table import Table

    from twindiff.cli.remote import Json, Remote


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff env`."""
    commands.command()(rows)


def rows(
    id: Id,
    table: Annotated[str, typer.Argument(help="A table, such as messages or slack.messages.")],
    where: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN=VALUE", help="Only rows that have this; may be repeated.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 100,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show the rows of a table, as they are now; columns that are empty in all of them are left out.

    For example: twindiff env rows 3f2a messages --where channel_id=C01ABCD1234
    """
    remote = remote_of(base_url, api_key)
    page = fetch_rows(remote, full_id(remote, id), table, dict(map(_pair, where or ())), limit)
    page["rows"] = sorted(page["rows"], key=_by(page["key"]))
    say(as_json, page, _render_rows(page) if page["rows"] else f"{page['table']} has no such rows.")
    if page["total"] > len(page["rows"]):
        typer.echo(f"{len(page['rows']):,} of {page['total']:,} rows; --limit and --where choose.", err=True)


def fetch_rows(remote: Remote, environment: str, table: str, where: dict[str, str], limit: int = 1) -> Json:
    """Fetch rows of a table with these values."""
    return remote.get("env", environment, "rows", table, where=json.dumps(where), limit=limit)


def _by(columns: Sequence[str]) -> Callable[[Json], Any]:
    return lambda row: [natural(row[name]) for name in columns]


def _pair(given: str) -> tuple[str, str]:
    column, equals, value = given.partition("=")
    if not (column and equals):
        raise CommandError(f"'{given}' is no condition; one is COLUMN=VALUE, such as user_id=U1.", exit_code=2)
    return column, value


def _render_rows(page: Json) -> Table:
    from twindiff.cli.render import add_row, short, table

    names = [name for name in page["rows"][0] if any(row[name] is not None for row in page["rows"])]
    shown = table(*names)
    for row in page["rows"]:
        values = (row[name] for name in names)
        add_row(shown, *("" if each is None else each if isinstance(each, str) else short(each) for each in values))
    return shown

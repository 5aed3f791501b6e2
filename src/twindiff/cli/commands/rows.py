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
    commands.command("tables")(tables)


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
    """Show the rows of a table, as they are now.

    Columns that are empty in all of them are left out.

    For example: twindiff env rows 3f2a messages --where channel_id=C01ABCD1234
    """
    remote = remote_of(base_url, api_key)
    page = fetch_rows(remote, full_id(remote, id), table, dict(map(_pair, where or ())), limit)
    page["rows"] = sorted(page["rows"], key=_by(page["key"]))
    say(as_json, page, _render_rows(page) if page["rows"] else f"{page['table']} has no such rows.")
    if page["total"] > len(page["rows"]):
        typer.echo(f"{len(page['rows']):,} of {page['total']:,} rows; --limit and --where choose.", err=True)


def tables(
    id: Id,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="Only tables with this in their name.")] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List the tables and columns, as checks name them.

    For example: twindiff env tables 3f2a messages
    """
    remote = remote_of(base_url, api_key)
    twins = [*remote.get("env", full_id(remote, id))["templates"]]
    listed = tables_of(remote, twins, name)
    say(as_json, listed, render_tables(listed) if listed else f"There is no table with '{name}' in its name.")


def tables_of(remote: Remote, twins: Sequence[str], name: str = "") -> list[Json]:
    """Fetch the tables of twins with a text in their name; `entity` is what checks call them."""
    by_twin = [(twin, each) for twin in twins for each in remote.get("twins", twin, "tables")["tables"]]
    entities = [(f"{twin}.{each['name']}" if len(twins) > 1 else each["name"], each) for twin, each in by_twin]
    return [{"entity": entity, **each} for entity, each in entities if name.lower() in entity.lower()]


def render_tables(listed: Sequence[Json]) -> Table:
    """Render tables with their columns; those of the key come first, those that are references have an arrow."""
    from twindiff.cli.render import add_row, table

    shown = table("table", "columns")
    for each in listed:
        first = sorted(each["columns"], key=lambda column: column["name"] not in each["key"])
        columns = [f"{column['name']} {column['kind']}{_arrow(column)}" for column in first if not column["derived"]]
        add_row(shown, each["entity"], ", ".join(columns))
    return shown


def _arrow(column: Json) -> str:
    return f" → {column['references']}" if column["references"] else ""


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

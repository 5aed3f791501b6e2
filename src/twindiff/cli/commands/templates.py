"""`twindiff templates`: the starting states of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.cli.remote import Remote

Json = dict[str, Any]

USERS_SHOWN = 20
MIN_ID_CHARACTERS = 4
"""Characters of the shortest id prefix, since a name may look like one."""

commands = typer.Typer(cls=CommandGroup, help="Look at what environments can start from.", invoke_without_command=True)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="templates")


@commands.callback()
def templates(
    context: typer.Context, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False
) -> None:
    """Look at what environments can start from; alone it is `templates ls`."""
    if context.invoked_subcommand is None:
        list_templates(base_url, api_key, as_json)


@commands.command("ls")
def list_templates(base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """List the newest template of every twin and name."""
    from twindiff.cli.commands.env import remote_of, say, say_where
    from twindiff.cli.render import add_row, table

    newest = remote_of(base_url, api_key).get("templates")["templates"]
    newest.sort(key=_full_name)
    shown = table("template", "origin", "description")
    for each in newest:
        add_row(shown, _full_name(each), each["origin"], each["description"] or "")
    say(as_json, newest, shown if newest else "There are no templates; no twin is installed.")
    say_where(as_json, base_url)


def _full_name(template: Json) -> str:
    return f"{template['service']}:{template['name']}"


@commands.command("show")
def show(
    name: Annotated[str, typer.Argument(metavar="TEMPLATE", help="twin:name, or just its name, or its id.")],
    with_tables: Annotated[bool, typer.Option("--tables", help="List the tables and columns of its twin.")] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show how many rows a template has, and who can be acted as."""
    from twindiff.cli.commands.env import facts_table, remote_of, say

    if with_tables:
        from twindiff.cli.commands.rows import render_tables, tables_of

        remote = remote_of(base_url, api_key)
        listed = tables_of(remote, [template_of(remote, name)["service"]])
        say(as_json, listed, render_tables(listed))
        return
    from twindiff.cli.render import add_row, table

    template = template_of(remote_of(base_url, api_key), name)
    facts = {
        "template": _full_name(template),
        "id": template["id"],
        "origin": template["origin"],
        **({"description": template["description"]} if template["description"] else {}),
        "rows": f"{sum(template['tables'].values()):,}",
        "users": f"{len(template['users']):,}",
    }
    rows = table("table", "rows")
    for each, count in template["tables"].items():
        add_row(rows, each, f"{count:,}")
    users = table("user", "email")
    for user in template["users"][:USERS_SHOWN]:
        add_row(users, user["id"], user["email"] or "")
    if len(template["users"]) > USERS_SHOWN:
        add_row(users, f"… and {len(template['users']) - USERS_SHOWN:,} more, which --json lists", "")
    from rich.console import Group

    lists = [part for part in (rows, users) if part.row_count]
    say(as_json, template, Group(facts_table(facts), *(line for part in lists for line in ("", part))))


def template_of(remote: Remote, name: str) -> Json:
    """Return the template with a name or an id."""
    return remote.get("templates", _id(remote, name))


def _id(remote: Remote, given: str) -> str:
    """Return the id of a template; raises CommandError with the nearest name."""
    from twindiff.kit.suggestions import did_you_mean

    known: list[Json] = remote.get("templates")["templates"]
    matches = [each for each in known if given in (each["id"], each["name"], _full_name(each))]
    matches = matches or [
        each for each in known if len(given) >= MIN_ID_CHARACTERS and each["id"].startswith(given.lower())
    ]
    if len(matches) == 1:
        return matches[0]["id"]
    if matches:
        names = " or ".join(map(_full_name, matches))
        raise CommandError(f"Several templates are named '{given}'. Say {names}.")
    if of_twin := [each["name"] for each in known if each["service"] == given]:
        raise CommandError(f"'{given}' is a twin. Say one of its templates: {', '.join(sorted(of_twin))}.")
    names = [name for each in known for name in (_full_name(each), each["name"])]
    raise CommandError(
        f"There is no template '{given}'.{did_you_mean(given, names)} `twindiff templates ls` lists them."
    )

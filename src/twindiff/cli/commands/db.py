"""`twindiff db`: prepares a PostgreSQL database to serve from."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Annotated

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import AsJson
from twindiff.cli.problem import CommandError


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    group = typer.Typer(cls=CommandGroup, help="Prepare a PostgreSQL database to serve from.", no_args_is_help=True)
    group.command("init")(initialise_database)
    group.callback()(_group)
    app.add_typer(group, name="db")


def _group() -> None:
    """Prepare a PostgreSQL database to serve from."""


def initialise_database(
    admin_dsn: Annotated[
        str,
        typer.Option(envvar="TWINDIFF_ADMIN_DSN", show_default=False, help="The database, as a superuser opens it."),
    ],
    password: Annotated[
        str,
        typer.Option(
            envvar="TWINDIFF_DB_PASSWORD", show_default=False, help="The server role's password; random for a new role."
        ),
    ] = "",
    role: Annotated[str, typer.Option(help="The role that servers log in as.")] = "twindiff",
    as_json: AsJson = False,
) -> None:
    """Set up a database, or bring it up to date.

    That is roles, tables, a replication slot and origins. The last line is the DSN to serve with.
    """
    dsn = prepare_database(admin_dsn, password, role)
    if as_json:
        typer.echo(json.dumps({"storage": dsn}))
        return
    from urllib.parse import urlsplit

    known = "" if urlsplit(dsn).password else f", with the password of '{role}' put in; --password sets another"
    typer.echo(f"The database is ready. Serve from it with `twindiff serve --storage` and this{known}:")
    typer.echo(dsn)


def prepare_database(admin_dsn: str, password: str, role: str) -> str:
    """Prepare a database and return the server's DSN; raises CommandError with the reason if it cannot be prepared."""
    need_driver()
    import psycopg

    from twindiff.catalog import TABLES
    from twindiff.cli.commands.twins import say_problems
    from twindiff.environments.registry import Registry
    from twindiff.kit.errors import ApiError
    from twindiff.kit.rows import table_of
    from twindiff.storage import WrongStorage
    from twindiff.storage.postgres.admin import initialise
    from twindiff.storage.postgres.connections import first_line
    from twindiff.storage.schema import Schema

    catalog = Schema("catalog", tuple(table_of(row) for row in TABLES))
    registry = Registry.load_installed()
    say_problems(registry)
    try:
        return initialise(admin_dsn, registry.schemas.values(), catalog, password=password or None, role=role)
    except (WrongStorage, ApiError) as error:
        raise CommandError(f"{error}{'' if str(error).endswith('.') else '.'}") from None
    except (psycopg.Error, UnicodeError) as error:
        raise CommandError(f"The database could not be set up: {first_line(error)}.") from None


def need_driver() -> None:
    """Raise CommandError with installation instructions if the PostgreSQL driver is missing."""
    missing = [name for name in ("psycopg", "psycopg2") if find_spec(name) is None]
    if missing:
        raise CommandError(
            f"PostgreSQL needs packages that are not here ({', '.join(missing)}). "
            "Install them: pip install 'twindiff[postgres]'."
        )

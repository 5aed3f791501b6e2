"""`twindiff suites`: tasks with their checks, and agents that try them."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError
from twindiff.suites.starter import STARTER, starter_files

if TYPE_CHECKING:
    from rich.table import Table

    from twindiff.client import ImportResult, Suite, Test
    from twindiff.client.sync_client import Platform

NamedT = TypeVar("NamedT", bound="Suite | Test")

commands = typer.Typer(cls=CommandGroup, help="Look at suites, and let an agent try their tests.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="SUITE", help="Its name, a part of it, or its id.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="suites")


@contextmanager
def platform_of(base_url: str, api_key: str, files: Path | None = None) -> Generator[Platform]:
    """Yield a server's client; or, with a folder of files, a temporary platform in this process that imports them."""
    from twindiff.cli.remote import client_of, explain_failures

    if files is None:
        with explain_failures(base_url), client_of(base_url, api_key) as client:
            yield client
        return
    from twindiff.cli.commands.import_files import contents, warn
    from twindiff.local import Twindiff

    with explain_failures("this process"), Twindiff() as here:
        imported = _import_files(here, contents(files))
        warn(imported.warnings)
        if left_out := imported.left_out:
            names = ", ".join(name.partition(": ")[0] for name in left_out)
            said = f"Left out, because their twins are not installed: {names}."
            typer.echo(f"{said} A description is served with TWINDIFF_OPENAPI=NAME=FILE.", err=True)
        yield here


def _import_files(here: Platform, files: dict[str, object]) -> ImportResult:
    try:
        return here.import_files(files)
    except UnicodeEncodeError as error:  # JSON can contain lone surrogates, which cannot be stored
        raise CommandError(f"A text in the files is no Unicode: {error.reason}.", exit_code=2) from None


def suite_of(platform: Platform, given: str) -> Suite:
    """Return the suite that is meant, with its tests; raises CommandError naming the existing ones.

    The starter suite always exists.
    """
    known = platform.suites()
    if given == STARTER and STARTER not in [each.name for each in known]:
        platform.import_files(starter_files())
        known = platform.suites()
    return platform.suite(_meant(given, known, "suite").id)


def _meant(given: str, known: Sequence[NamedT], what: str) -> NamedT:
    """Return the item with this id or name, or else the one with this in its name, ignoring case."""
    from twindiff.kit.suggestions import did_you_mean

    wanted = given.lower()
    exact = [each for each in known if wanted in (each.id, each.name.lower())]
    matches = exact or [each for each in known if wanted in each.name.lower()]
    matches = matches or [each for each in known if wanted and each.id.startswith(wanted)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise CommandError(
            f"'{given}' can be any of {len(matches)} {what}s: {_some(matches)}. Say which; an id will do."
        )
    near = did_you_mean(given, [each.name for each in known])
    raise CommandError(f"There is no {what} '{given}'. There are: {_some(known) or 'none'}.{near}")


def _some(known: Sequence[Suite | Test]) -> str:
    names = [f"'{each.name}'" for each in known]
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


@commands.command("ls")
def list_suites(base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """List suites, newest first."""
    from twindiff.cli.commands.env import say, say_where
    from twindiff.cli.render import add_row, table

    with platform_of(base_url, api_key) as platform:
        suites = [platform.suite(each.id) for each in platform.suites()]
    shown = table("name", "tests", "id", "description")
    for each in suites:
        add_row(shown, each.name, str(len(each.tests)), each.id, each.description)
    answer = [{"id": e.id, "name": e.name, "description": e.description, "tests": len(e.tests)} for e in suites]
    nothing = "There are no suites; `twindiff suites show starter` brings one in, `twindiff import agent-diff` yours."
    say(as_json, answer, shown if suites else nothing)
    say_where(as_json, base_url)


@commands.command("show")
def show(
    name: Name,
    test: Annotated[
        str, typer.Argument(metavar="TEST", help="One test: its name, a part of it, or its id.", show_default=False)
    ] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show a suite's tests, or one test with its prompt and checks."""
    import msgspec

    from twindiff.cli.commands.env import facts_table, say

    with platform_of(base_url, api_key) as platform:
        suite = suite_of(platform, name)
    if not test:
        say(as_json, msgspec.to_builtins(suite), _tests(suite))
        return
    chosen = _meant(test, suite.tests, "test")
    facts = {
        "test": chosen.name,
        "id": chosen.id,
        "type": chosen.type,
        "template": ", ".join(chosen.starts_from),
        "prompt": chosen.prompt,
        **({"warnings": "; ".join(chosen.warnings)} if chosen.warnings else {}),
    }
    say(as_json, msgspec.to_builtins(chosen), facts_table(facts))
    if not as_json:
        say(False, None, f"\n{json.dumps(chosen.expected_output, indent=2, ensure_ascii=False)}")


def _tests(suite: Suite) -> Table:
    from twindiff.cli.render import add_row, table

    shown = table("test", "checks", "template", "prompt")
    for each in suite.tests:
        checks = str(len(each.expected_output.get("assertions", ())))
        add_row(shown, each.name, checks, ", ".join(each.starts_from), each.prompt)
    return shown

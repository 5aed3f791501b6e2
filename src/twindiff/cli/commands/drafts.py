"""`twindiff drafts`: the shipped drafts, and descriptions of APIs that are learnt from traffic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import AsJson
from twindiff.cli.problem import CommandError

commands = typer.Typer(
    cls=CommandGroup, help="List the shipped drafts, and describe undescribed APIs.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="drafts")


@commands.command("ls")
def ls(as_json: AsJson = False) -> None:
    """List the drafts that come with Twindiff, and what each needs.

    For example: twindiff serve --draft hubspot --draft jira=FILE
    """
    from twindiff.cli.commands.env import say
    from twindiff.cli.render import add_row, table
    from twindiff.drafts.shipped import NAMES, find_shipped

    drafts = [find_shipped(name) for name in NAMES]
    shown = table("draft", "vendor", "operations by handlers", "description to bring")
    for draft in drafts:
        brought = draft.description and (f"{draft.description} (for more)" if draft.stands_alone else draft.description)
        add_row(shown, draft.name, draft.label, str(draft.written_count), brought or "none")
    listed = [
        {
            "name": each.name,
            "label": each.label,
            "stands_alone": each.stands_alone,
            "operations": each.written_count,
            "description": each.description,
        }
        for each in drafts
    ]
    say(as_json, listed, shown)


@commands.command("replay")
def replay(
    recordings: Annotated[
        list[Path], typer.Argument(metavar="RECORDING…", help="HAR files, VCR cassettes, or JSON Lines of sessions.")
    ],
    openapi: Annotated[
        Path | None, typer.Option("--openapi", metavar="FILE", help="The description to hold them against.")
    ] = None,
    draft: Annotated[
        str, typer.Option("--draft", metavar="NAME[=FILE]", help="The shipped draft to hold them against.")
    ] = "",
    seeds: Annotated[
        bool,
        typer.Option(
            "--seeds/--no-seeds",
            help="Whether each session begins with what its recording shows to have been there before.",
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Replay recorded sessions against a drafted twin.

    Steps that it answers otherwise are sorted by kind.

    Each session has an environment of its own, in this process. The share of comparable steps leaves out those that
    show or name what was there before the session began ("needs a seed"), and limits of the vendor.
    """
    from twindiff.cli.commands.env import say
    from twindiff.cli.programs.recorded_sessions import connect_draft, replay_sessions
    from twindiff.drafts.documents import DescriptionError
    from twindiff.drafts.recordings import read_sessions

    if bool(openapi) == bool(draft):
        raise CommandError("Give one of --openapi FILE and --draft NAME.", exit_code=2)
    try:
        sessions = [session for path in recordings for session in read_sessions(path)]
        report = replay_sessions(sessions, connect_draft(openapi, draft, has_seeds=seeds))
    except DescriptionError as error:
        raise CommandError(str(error)) from None
    say(as_json, report.to_json(), report.to_table())


@commands.command("learn")
def learn(
    recordings: Annotated[
        list[Path], typer.Argument(metavar="RECORDING…", help="HAR files, VCR cassettes, or JSON Lines of sessions.")
    ],
    output: Annotated[Path, typer.Option("--output", metavar="FILE", help="The OpenAPI document to write.")],
    overlay: Annotated[
        bool, typer.Option("--overlay", help="Also propose an overlay, as FILE with the ending .twin.yaml.")
    ] = False,
    ask: Annotated[bool, typer.Option("--ask", help="Ask for each line of the overlay whether to take it.")] = False,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Learn only of the calls to this host.")] = "",
) -> None:
    """Write an OpenAPI document of what recorded traffic shows.

    For example: twindiff drafts learn traffic.har --output vendor.json && twindiff serve --openapi vendor.json
    """
    from twindiff.drafts.documents import DescriptionError
    from twindiff.drafts.learning import learn_description, read_calls
    from twindiff.drafts.proposals import propose_overlay, write_overlay

    beside = output.with_name(output.name.partition(".")[0] + ".twin.yaml")
    has_overlay = overlay or ask
    for each in [output, *([beside] if has_overlay else [])]:
        if each.exists():
            raise CommandError(f"{each} is there already; give another --output.")
    try:
        notes = read_calls(recordings, host).notes
        document = learn_description(recordings, host)
        proposed = propose_overlay(recordings, document, host) if has_overlay else {}
    except DescriptionError as error:
        raise CommandError(str(error)) from None
    for note in notes:
        typer.echo(note)
    if ask:
        _ask_for_lines(proposed)
    if has_overlay:
        beside.write_text(write_overlay(proposed), encoding="utf-8")
        typer.echo(f"{beside} proposes forms of ids, defaults, error bodies and seeds. Read it before you rely on it.")
    output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    _tell_operations(document, output)


def _tell_operations(document: dict[str, Any], output: Path) -> None:
    """Say how many operations a written document has, and how many of them are guessed."""
    operations = [each for verbs in document["paths"].values() for each in verbs.values()]
    implied = sum("x-implied" in each for each in operations)
    typer.echo(f"{output} describes {len(operations) - implied} operations. To see how sure each is:")
    typer.echo(f"  twindiff twins NAME --openapi NAME={output}")
    if implied:
        typer.echo(f"{implied} more are guessed: other collections have them. They are marked with x-implied.")


def _ask_for_lines(proposed: dict[str, Any]) -> None:
    """Take the lines out of a proposed overlay that the person at the terminal does not want."""
    from twindiff.drafts.proposals import drop_line, list_lines

    for line in list_lines(proposed):
        if not typer.confirm(line.said, default=True):
            drop_line(proposed, line.place)

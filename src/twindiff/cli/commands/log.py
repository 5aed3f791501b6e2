"""`twindiff env log`: the calls of an environment, with requests, responses and changes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from twindiff.cli.commands.env import Id, commands, full_id, remote_of, say
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl

if TYPE_CHECKING:
    from twindiff.cli.remote import Json, Remote

POLL_SECONDS = 0.5
"""Seconds between polls of a followed log."""
GONE = "The environment has been deleted; these are the calls that stay for the sake of its runs."


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff env`."""
    commands.command()(log)


def log(
    id: Id,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="With what each call asked and was answered.")
    ] = False,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on with what comes, until Ctrl-C or the environment's end.")
    ] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show every call and what it changed, in order.

    With --json --follow each line is a call.
    """
    from twindiff.cli import render
    from twindiff.cli.call_story import render_story
    from twindiff.cli.journal import calls, journal, visible

    remote = remote_of(base_url, api_key)
    environment = full_id(remote, id, ended=True)
    if follow:
        _follow(remote, environment, _printer(as_json=as_json), verbose=verbose)
        return
    made, written = calls(remote, "env", environment, transcripts=verbose), journal(remote, environment)
    shown = render_story(made, visible(written)) if verbose else render.timeline(made, visible(written))
    say(as_json, {"calls": made, "journal": written}, shown if made or written else "No calls yet.")
    if made and _has_ended(remote, environment, "deleted"):
        typer.echo(GONE, err=True)


Show = Callable[[list["Json"], list["Json"]], None]


def _printer(*, as_json: bool) -> Show:
    from twindiff.cli.call_story import render_story
    from twindiff.cli.journal import visible
    from twindiff.cli.render import show

    def as_lines(made: list[Json], written: list[Json]) -> None:
        for each in made:
            typer.echo(json.dumps(each))

    return as_lines if as_json else lambda made, written: show(render_story(made, visible(written)))


def _follow(remote: Remote, environment: str, show: Show, *, verbose: bool) -> None:
    from twindiff.cli.journal import calls, journal_since

    number = seq = 0
    lasts = True
    while lasts:
        lasts = not _has_ended(remote, environment)
        written = journal_since(remote, environment, seq)
        made = calls(remote, "env", environment, transcripts=verbose, after=number)
        latest = max((each["seq"] or 0 for each in made), default=0)
        if latest > max((each["seq"] for each in written), default=seq):  # written between the two requests
            written = [each for each in journal_since(remote, environment, seq) if each["seq"] <= latest]
        if made or written:
            show(made, written)
            number = made[-1]["number"] if made else number
            seq = written[-1]["seq"] if written else seq
        elif lasts:
            time.sleep(POLL_SECONDS)


def _has_ended(remote: Remote, environment: str, *statuses: str) -> bool:
    return remote.get("env", environment)["status"] in (statuses or ("deleted", "expired"))

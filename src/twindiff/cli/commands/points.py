"""`twindiff env` subcommands for points: name, fork, rewind, advance the clock, and blame a row."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.commands.env import POINT, Id, commands, full_id, remote_of, say
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.cli.blame import RowHistory
    from twindiff.cli.remote import Remote


def register(app: typer.Typer) -> None:
    """Add the commands to `twindiff env`."""
    for command in (checkpoint, fork, rewind, advance, blame):
        commands.command()(command)


def checkpoint(
    id: Id,
    name: Annotated[str, typer.Argument(help="What to call the point.")],
    at: Annotated[str, typer.Option(metavar="POINT", help=f"{POINT} Without it, the present.")] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Give a point a name."""
    remote = remote_of(base_url, api_key)
    answer = remote.post("env", full_id(remote, id), "checkpoints", body={"name": name, "at": at or None})
    say(as_json, answer, f"{answer['name']} is point {answer['seq']}.")


def fork(
    id: Id,
    at: Annotated[str, typer.Option(metavar="POINT", help=f"{POINT} Without it, the present.")] = "",
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 1,
    name: Annotated[str, typer.Option(help="A name to find them by.", show_default=False)] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Create environments that continue from a point of this one."""
    from twindiff.cli.render import add_row, table

    remote = remote_of(base_url, api_key)
    body = {"at": at or None, "count": count, "name": name or None}
    made = remote.post("env", full_id(remote, id), "fork", body=body)["environments"]
    shown = table("id", "at", "agent token", "URL")
    for each in made:
        add_row(shown, each["environmentId"], str(each["at"]), each["agentToken"], remote.url + each["environmentUrl"])
    say(as_json, made, shown)


def rewind(
    id: Id,
    to: Annotated[str, typer.Argument(metavar="POINT", help=POINT)],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Return to a point.

    What came after it stays in the journal, and can be returned to as well.
    """
    remote = remote_of(base_url, api_key)
    answer = remote.post("env", full_id(remote, id), "rewind", body={"to": to})
    say(
        as_json, answer, f"{answer['environmentId']} is as it was at {answer['to']}; that is its write {answer['seq']}."
    )


class Until(StrEnum):
    """How far to advance a clock."""

    NEXT = "next"
    IDLE = "idle"


def advance(
    id: Id,
    seconds: Annotated[
        float | None, typer.Argument(metavar="[SECONDS]", min=0, help="By how much.", show_default=False)
    ] = None,
    to: Annotated[
        str, typer.Option(metavar="INSTANT", help="To an instant instead, such as 2026-03-01T09:00:00 (UTC).")
    ] = "",
    until: Annotated[
        Until | None,
        typer.Option(help="To when work falls due next instead, or on and on until none does.", show_default=False),
    ] = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Set the clock forward, and do what falls due on the way.

    For example: twindiff env advance 3f2a 3600
    """
    given = {"advance": seconds, "to": to or None, "until": until and until.value}
    if [*given.values()].count(None) != len(given) - 1:
        raise CommandError("Say how far: SECONDS, --to or --until, and one of them alone.", exit_code=2)
    remote = remote_of(base_url, api_key)
    answer = remote.post("env", full_id(remote, id), "clock", body=given)
    say(as_json, answer, _render_advance(answer))


def _render_advance(answer: dict[str, Any]) -> Any:
    """Render the jobs that ran and the clock's new time."""
    from rich.console import Group

    from twindiff.cli.render import add_row, table

    waits = answer["next"]
    then = f"{waits['operation']} is due at {waits['at']}" if waits else "nothing is due"
    left = f"; {answer['stillDue']:,} more were due on the way, run it again" if answer["stillDue"] else ""
    stands = f"It is {answer['now']} (UTC), and {then}{left}."
    if not answer["ran"]:
        return stands
    shown = table("at", "operation", "actor", "seq", "error")
    for each in answer["ran"]:
        names = ("at", "operation", "actor", "seq", "error")
        add_row(shown, *(str(each[name] or "") for name in names))
    return Group(shown, stands)


def blame(
    id: Id,
    table: Annotated[str, typer.Argument(help="A table, such as messages or slack.messages.")],
    key: Annotated[
        list[str] | None, typer.Argument(metavar="KEY…", help="The row's key, part by part.", show_default=False)
    ] = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show which operation made a row what it is, column by column."""
    from twindiff.cli.blame import blame
    from twindiff.cli.journal import journal

    remote = remote_of(base_url, api_key)
    environment = full_id(remote, id)
    blamed = blame(journal(remote, environment), table, key) if key else None
    if blamed is None:
        raise CommandError(_why_nobody(remote, environment, table, key or []))
    say(as_json, _answer(blamed), _render_blame(blamed))


def _why_nobody(remote: Remote, environment: str, table: str, key: list[str]) -> str:
    """Return why no operation is behind a row; raises CommandError if there is no such table."""
    from twindiff.cli.commands.rows import fetch_rows

    columns = fetch_rows(remote, environment, table, {})["key"]
    if not key:
        rows = f"`twindiff env rows {environment} {table}` shows which there are"
        return f"Say which row of {table}: its key is {' '.join(columns)}. {rows}."
    if len(columns) != len(key):
        given = "1 part was" if len(key) == 1 else f"{len(key)} parts were"
        return f"The key of {table} is {' '.join(columns)}; {given} given."
    if not fetch_rows(remote, environment, table, dict(zip(columns, key, strict=True)))["rows"]:
        return f"{table} has no row {' '.join(key)}, which is as its template left it."
    return f"Nothing that lasts has changed {table} {' '.join(key)}: it is as its template left it."


def _answer(blamed: RowHistory) -> dict[str, Any]:
    lines = [{"column": line.column, "value": line.value, **_who(line.record)} for line in blamed.lines]
    return {"columns": lines, "deletedBy": _who(blamed.deleted_by) if blamed.deleted_by else None}


def _who(record: dict[str, Any] | None) -> dict[str, Any]:
    """Return the operation of a record; unchanged values came with the template."""
    names = ("seq", "twin", "operation", "actor", "at")
    return {name: record[name] for name in names} if record else dict.fromkeys(names) | {"operation": "template"}


def _render_blame(blamed: RowHistory) -> Any:
    from twindiff.cli.render import add_row, short, table

    shown = table("column", "value", "seq", "operation", "actor", "at")
    for line in blamed.lines:
        who = _who(line.record)
        add_row(
            shown,
            line.column,
            short(line.value),
            *(str(who[name] or "") for name in ("seq", "operation", "actor", "at")),
        )
    if blamed.deleted_by:
        who = _who(blamed.deleted_by)
        add_row(shown, "(deleted)", "", *(str(who[name]) for name in ("seq", "operation", "actor", "at")))
    return shown

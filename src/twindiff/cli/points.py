"""`twindiff env` and the points of an environment: name one, fork it, return to it, ask who made a row what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.env import POINT, Id, commands, full_id, remote_of, say
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import Problem

if TYPE_CHECKING:
    from twindiff.cli.blame import Blame


def register(app: typer.Typer) -> None:
    """Add the commands to `twindiff env`."""
    for command in (checkpoint, fork, rewind, blame):
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
    """Make environments that go on by themselves from a point of this one."""
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
    """Return to a point; what came after it stays in the journal, and can be returned to as well."""
    remote = remote_of(base_url, api_key)
    answer = remote.post("env", full_id(remote, id), "rewind", body={"to": to})
    say(
        as_json, answer, f"{answer['environmentId']} is as it was at {answer['to']}; that is its write {answer['seq']}."
    )


def blame(
    id: Id,
    table: Annotated[str, typer.Argument(help="A table, such as messages or slack.messages.")],
    key: Annotated[list[str], typer.Argument(metavar="KEY…", help="The row's key, part by part.")],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show which operation made a row what it is, column by column."""
    from twindiff.cli.blame import blame
    from twindiff.cli.journal import journal

    remote = remote_of(base_url, api_key)
    found = blame(journal(remote, full_id(remote, id)), table, key)
    if found is None:
        raise Problem(
            f"Nothing that lasts has changed {table} {' '.join(key)}: it is as its template left it, if it is."
        )
    say(as_json, _answer(found), _shown(found))


def _answer(found: Blame) -> dict[str, Any]:
    lines = [{"column": line.column, "value": line.value, **_who(line.record)} for line in found.lines]
    return {"columns": lines, "deletedBy": _who(found.deleted_by) if found.deleted_by else None}


def _who(record: dict[str, Any] | None) -> dict[str, Any]:
    """The operation behind a record; what nobody changed came with the template."""
    names = ("seq", "twin", "operation", "actor", "at")
    return {name: record[name] for name in names} if record else dict.fromkeys(names) | {"operation": "template"}


def _shown(found: Blame) -> Any:
    from twindiff.cli.render import add_row, short, table

    shown = table("column", "value", "seq", "operation", "actor", "at")
    for line in found.lines:
        who = _who(line.record)
        add_row(
            shown,
            line.column,
            short(line.value),
            *(str(who[name] or "") for name in ("seq", "operation", "actor", "at")),
        )
    if found.deleted_by:
        who = _who(found.deleted_by)
        add_row(shown, "(deleted)", "", *(str(who[name]) for name in ("seq", "operation", "actor", "at")))
    return shown

"""`twindiff env faults`: faults injected between an application and an environment's twins."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.commands.env import Id, full_id, remote_of, say, say_where
from twindiff.cli.commands.env import commands as env_commands
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl

commands = typer.Typer(cls=CommandGroup, help="Let calls of the twins fail on purpose.", no_args_is_help=True)

Kind = Literal["latency", "unavailable", "rate_limit", "lost_answer", "reply"]


def register(app: typer.Typer) -> None:
    """Add the commands to `twindiff env`."""
    env_commands.add_typer(commands, name="faults")


@commands.command("add")
def add(
    id: Id,
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help="latency (wait), unavailable (the vendor's 5xx), rate_limit (its 429), lost_answer (done, but 504 "
            "is answered), or reply (answer --status and --body).",
        ),
    ],
    twin: Annotated[str, typer.Option(help="Only for calls of this twin.")] = "",
    operation: Annotated[str, typer.Option(help="Only for these operations, as `env log` names them; * is any.")] = "*",
    after: Annotated[int, typer.Option(min=0, help="Spare so many calls first.")] = 0,
    times: Annotated[int | None, typer.Option(min=0, help="Meet so many calls, not all.")] = None,
    seconds: Annotated[float | None, typer.Option(help="How long a latency takes, or what a limit counts in.")] = None,
    calls: Annotated[int | None, typer.Option(min=0, help="Calls that a rate_limit lets pass in its seconds.")] = None,
    status: Annotated[int | None, typer.Option(help="The status of unavailable and reply.")] = None,
    body: Annotated[str | None, typer.Option(help="What a reply answers.")] = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Let calls fail from now on.

    This adds to the existing faults; the counts of all faults restart at 0.
    """
    remote = remote_of(base_url, api_key)
    given: dict[str, Any] = {"kind": kind, "twin": twin or None, "operation": operation, "after": after}
    given |= {"times": times, "seconds": seconds, "calls": calls, "status": status, "body": body}
    fault = {name: value for name, value in given.items() if value is not None}
    env = full_id(remote, id)
    there = [each["fault"] for each in remote.get("env", env, "faults")["faults"]]
    faults = remote.put("env", env, "faults", body={"faults": [*there, fault]})["faults"]
    say(
        as_json,
        faults,
        f"{_describe_fault(fault)}; {len(faults)} faults in all." if there else f"{_describe_fault(fault)}.",
    )


@commands.command("ls")
def list_faults(id: Id, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """List faults, and how many calls each has met."""
    from twindiff.cli.render import add_row, table

    remote = remote_of(base_url, api_key)
    faults = remote.get("env", full_id(remote, id), "faults")["faults"]
    shown = table("kind", "twin", "operation", "settings", "met")
    for each in faults:
        fault = each["fault"]
        more = {name: value for name, value in fault.items() if name not in ("kind", "twin", "operation", "body")}
        settings = ", ".join(f"{name} {value}" for name, value in more.items())
        where = fault.get("twin") or "all", fault.get("operation", "*")
        add_row(shown, fault["kind"], *where, settings, str(each["met"]))
    say(as_json, faults, shown if faults else "Nothing goes wrong on purpose; see `twindiff env faults add`.")
    say_where(as_json, base_url)


@commands.command("clear")
def clear(id: Id, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Take all faults away."""
    remote = remote_of(base_url, api_key)
    say(as_json, remote.put("env", full_id(remote, id), "faults", body={"faults": []}), "Nothing goes wrong any more.")


def _describe_fault(fault: dict[str, Any]) -> str:
    where = f"{fault.get('twin', 'all twins')}, {fault['operation']}"
    return f"{fault['kind'].replace('_', ' ').capitalize()} for {where}"

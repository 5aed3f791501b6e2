"""`twindiff env webhooks`: subscribers to an environment's events, and their deliveries."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.commands.env import PAGE, Id, full_id, remote_of, say, say_where
from twindiff.cli.commands.env import commands as env_commands
from twindiff.cli.naming import one_or_as_given
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl

commands = typer.Typer(cls=CommandGroup, help="Tell programs of an environment's events.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands to `twindiff env`."""
    env_commands.add_typer(commands, name="webhooks")


@commands.command("add")
def add(
    id: Id,
    twin: Annotated[str, typer.Argument(metavar="TWIN", help="Whose events.")],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where to.")],
    event: Annotated[
        list[str] | None, typer.Option(help="The vendor's name of an event; may be repeated. Without it, all.")
    ] = None,
    secret: Annotated[str, typer.Option(help="What signs the requests; without it one is made.")] = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Send events to an address, as the twin's vendor does."""
    remote = remote_of(base_url, api_key)
    body = {"twin": twin, "url": url, "events": event or [], "secret": secret or None}
    made = remote.post("env", full_id(remote, id), "webhooks", body=body)
    say(as_json, made, f"{made['url']} is told from now on; webhook {made['webhookId']}, secret {made['secret']}.")


@commands.command("ls")
def list_webhooks(id: Id, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """List the webhooks of an environment's settings."""
    from twindiff.cli.render import add_row, table

    remote = remote_of(base_url, api_key)
    webhooks = remote.get("env", full_id(remote, id), "webhooks")["webhooks"]
    shown = table("id", "twin", "URL", "events")
    for each in webhooks:
        add_row(shown, each["webhookId"], each["twin"], each["url"], ", ".join(each["events"]) or "all")
    say(as_json, webhooks, shown if webhooks else "No webhooks; add one with `twindiff env webhooks add`.")
    say_where(as_json, base_url)


@commands.command("rm")
def remove(
    id: Id,
    webhook: Annotated[str, typer.Argument(metavar="WEBHOOK", help="The webhook's id.")],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Stop sending events to an address.

    Pending deliveries are not sent.
    """
    remote = remote_of(base_url, api_key)
    environment = full_id(remote, id)
    known = [each["webhookId"] for each in remote.get("env", environment, "webhooks")["webhooks"]]
    removed = remote.delete("env", environment, "webhooks", one_or_as_given(webhook, known, "webhook"))
    say(as_json, removed, f"{removed['url']} is told no more at {base_url}.")


@commands.command("deliveries")
def deliveries(
    id: Id,
    after: Annotated[int, typer.Option(min=0, help="Only those after this number.")] = 0,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show deliveries with the latest attempt of each.

    Those that are to be sent are shown too.
    """
    from twindiff.cli.render import add_row, table

    remote = remote_of(base_url, api_key)
    sent = remote.get("env", full_id(remote, id), "deliveries", after=after, limit=PAGE)["deliveries"]
    shown = table("number", "event", "write", "status", "attempts", "the latest")
    for each in sent:
        tried = each["attempts"]
        latest = _describe_attempt(tried[-1]) if tried else ""
        add_row(shown, str(each["number"]), each["event"], str(each["seq"]), each["status"], str(len(tried)), latest)
    say(as_json, sent, shown if sent else "Nothing was to be told yet.")
    if len(sent) == PAGE:
        typer.echo(f"There may be more: go on with --after {sent[-1]['number']}.", err=True)


def _describe_attempt(attempt: dict[str, Any]) -> str:
    if attempt["failure"] is None:
        return str(attempt["status"])
    return ": ".join(str(part) for part in (attempt["status"] or attempt["failure"], attempt["message"]) if part)


@commands.command("redeliver")
def redeliver(
    id: Id,
    number: Annotated[int, typer.Argument(min=1, metavar="NUMBER", help="The number of the delivery.")],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Send a delivery once more, whatever became of it."""
    remote = remote_of(base_url, api_key)
    queued = remote.post("env", full_id(remote, id), "deliveries", str(number), "redeliver")
    say(as_json, queued, f"Delivery {number} is sent once more.")

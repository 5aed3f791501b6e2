"""`twindiff env`: the environments of a server."""

from __future__ import annotations

import json
import shlex
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.cli.remote import Remote

PAGE = 1000
"""Environments or runs that a server lists at most; there is no second page."""
FULL_ID = 32
MAX_ENVIRONMENT_TTL_SECONDS = 30 * 24 * 3600
TtlSeconds = Annotated[
    int, typer.Option(min=1, max=MAX_ENVIRONMENT_TTL_SECONDS, help="After so many seconds it expires.")
]
"""The longest time to live that servers accept."""
UsersOption = Annotated[
    list[str],
    typer.Option(
        "--as",
        metavar="[TWIN=]USER",
        help="Who its agent is: a user's id or email address; with several twins, one for each if need be. "
        "Not needed where there is one user only.",
        show_default=False,
    ),
]
StartOption = Annotated[
    str, typer.Option(metavar="INSTANT", help="When its time begins, such as 2026-03-01T09:00:00 (UTC).")
]
ProgramOption = Annotated[
    str,
    typer.Option(
        "--exec",
        metavar="COMMAND",
        show_default=False,
        help="Run a program as `twindiff env exec` does, and delete the environment at its end.",
    ),
]
PEOPLE_SHOWN = 5
POINT = "A seq, or the name of a checkpoint; 0 is the templates' state."

commands = typer.Typer(cls=CommandGroup, help="Make, look at and delete environments.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID", help="The environment's id, or how it begins.", show_default=False)]


class ClockModeOption(StrEnum):
    """How an environment's clock runs."""

    REAL = "real"
    STEPS = "steps"
    FROZEN = "frozen"


class Auth(StrEnum):
    """How tokens are treated that were not issued."""

    LENIENT = "lenient"
    STRICT = "strict"


class Include(StrEnum):
    """How much of a diff is shown."""

    PLAIN = "plain"
    DERIVED = "derived"
    ALL = "all"


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="env")


def remote_of(base_url: str, api_key: str) -> Remote:
    """Return the client of the server."""
    from twindiff.cli.remote import Remote

    return Remote(base_url, api_key)


def full_id(remote: Remote, given: str, *, ended: bool = False) -> str:
    """Complete the id prefix of a usable environment; of one that has ended too if `ended`."""
    from twindiff.cli.naming import one_of

    if len(given.strip()) >= FULL_ID:
        return given
    known = [each["environmentId"] for each in remote.get("env", limit=PAGE, status="ready")["environments"]]
    begins = given.strip().lower()
    if ended and begins and not any(each.startswith(begins) for each in known):
        known = [each["environmentId"] for each in remote.get("env", limit=PAGE)["environments"]]
    return one_of(given, known, "environment", "twindiff env ls")


def say(as_json: bool, answer: Any, shown: Any) -> None:
    """Print an answer as JSON, or rendered for people."""
    if as_json:
        typer.echo(json.dumps(answer, indent=2))
        return
    from twindiff.cli.render import show

    show(shown)


def say_where(as_json: bool, url: str) -> None:
    """Print which server was listed, unless the output is JSON."""
    if not as_json:
        typer.echo(f"(at {url.rstrip('/')})", err=True)


@commands.command("ls")
def list_environments(
    all: Annotated[bool, typer.Option("--all", help="Those that have expired or been deleted too.")] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List environments, newest first."""
    status = {} if all else {"status": "ready"}
    environments = remote_of(base_url, api_key).get("env", limit=PAGE, **status)["environments"]
    from twindiff.cli.render import add_row, table

    shown = table("id", "status", "twins", "seq", "expires (UTC)", "name")
    for each in environments:
        add_row(
            shown,
            each["environmentId"],
            each["status"],
            ", ".join(each["templates"]),
            str(each["seq"]),
            each["expiresAt"][:16].replace("T", " "),
            each["name"] or "",
        )
    nothing = "There are no environments; make one with `twindiff env create slack:slack_default --as U01AGENBOT9`."
    say(as_json, environments, shown if environments else nothing)
    say_where(as_json, base_url)
    if len(environments) == PAGE:
        typer.echo(f"Only the newest {PAGE:,} are listed; there may be more.", err=True)


@commands.command("create")
def create(
    templates: Annotated[
        list[str], typer.Argument(metavar="TWIN:TEMPLATE…", help="What it starts from, one template of each twin.")
    ],
    users: UsersOption = [],  # noqa: B006 - never changed
    clock: Annotated[
        ClockModeOption | None,
        typer.Option(help="How its time runs; as the templates say unless told.", show_default=False),
    ] = None,
    start: StartOption = "",
    auth: Annotated[Auth, typer.Option(help="Whether unknown tokens act as the agent, or are refused.")] = Auth.LENIENT,
    ttl: TtlSeconds = 1800,
    name: Annotated[str, typer.Option(help="A name to find it by.", show_default=False)] = "",
    command: ProgramOption = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Make an environment of templates.

    For example: twindiff env create slack:slack_default --as U01AGENBOT9
    """
    program = _split_command(command)
    remote = remote_of(base_url, api_key)
    users = users or _only_users(remote, templates)
    body = {"templates": templates, **_acting(users), "ttlSeconds": ttl, "name": name or None, "auth": auth.value}
    if clock or start:
        mode = clock or ClockModeOption.STEPS
        body["clock"] = {"mode": mode.value} | ({"start": start} if start else {})
    made = remote.post("initEnv", body=body)
    if program:
        _execute_once(remote, made["environmentId"], program, as_json=as_json)
    say_made(as_json, remote, made)


def _split_command(command: str) -> list[str]:
    """Return the words of `--exec` as a shell splits them; raises CommandError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CommandError(
            f"--exec {command}: {str(error).lower()}. Give a command as in a shell.", exit_code=2
        ) from None
    if command and not words:
        raise CommandError("--exec is blank; give a command as in a shell.", exit_code=2)
    return words


def _execute_once(remote: Remote, environment: str, command: list[str], *, as_json: bool) -> NoReturn:
    """Run a program in an environment, delete it, and exit with the program's code."""
    from twindiff.cli.commands.env_exec import finish
    from twindiff.cli.programs.networks import Network
    from twindiff.cli.programs.running import run_program

    try:
        receipt = run_program(remote, environment, (), command, Network.AUTO)
    finally:
        remote.delete("env", environment)
    finish(receipt, None, as_json=as_json)


def _only_users(remote: Remote, templates: list[str]) -> list[str]:
    """Return the users of templates with at most one each, as `--as` has them; else raises CommandError naming some."""
    from twindiff.cli.commands.templates import template_of

    chosen = [template_of(remote, name) for name in templates]
    if all(len(each["users"]) <= 1 for each in chosen):
        return [f"{each['service']}={each['users'][0]['id']}" for each in chosen if each["users"]]
    people = [
        f"{user['id']} ({user['email']})" if user["email"] else user["id"]
        for each in chosen
        for user in each["users"][:PEOPLE_SHOWN]
    ]
    there = f" There are {', '.join(people)}; `twindiff templates show` lists all." if people else ""
    raise CommandError(f"Say with --as who its agent is: a user's id or email address.{there}", exit_code=2)


def _acting(users: list[str]) -> dict[str, Any]:
    """Return the fields of initEnv that define the acting users; raises CommandError."""
    given: dict[str, Any] = {}
    for each in users:
        twin, equals, user = each.partition("=")
        if not (user if equals else each).strip():
            raise CommandError(f"'{each}' is nobody; give --as a user's id or email address.", exit_code=2)
        if equals:
            given.setdefault("users", {})[twin] = user
        else:
            given["impersonateEmail" if "@" in each else "impersonateUserId"] = each
    return given


def say_made(as_json: bool, remote: Remote, made: dict[str, Any]) -> None:
    """Print the facts about a new environment."""
    urls = {twin: remote.url + path for twin, path in made["environmentUrls"].items()}
    facts = {
        "environment": made["environmentId"],
        **urls,
        "agent token": made["agentToken"],
        "expires": made["expiresAt"],
    }
    say(as_json, {**made, "environmentUrls": urls}, facts_table(facts))


def facts_table(facts: dict[str, str]) -> Any:
    """Render names and values side by side."""
    from rich.table import Table
    from rich.text import Text

    from twindiff.cli.render import add_row, paragraph, printable

    lines = Table.grid(padding=(0, 2, 0, 0))
    for name, fact in facts.items():
        add_row(lines, Text(printable(name), "dim"), paragraph(fact))
    return lines


@commands.command("show")
def show(id: Id, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show one environment and its runs."""
    remote = remote_of(base_url, api_key)
    shown = remote.get("env", full_id(remote, id))
    runs = remote.get("env", shown["environmentId"], "runs", limit=PAGE)["runs"]
    facts = {
        "environment": shown["environmentId"],
        "name": shown["name"] or "-",
        "status": shown["status"],
        **{twin: f"{remote.url}/api/env/{shown['environmentId']}/services/{twin}" for twin in shown["templates"]},
        "created": shown["createdAt"],
        "expires": shown["expiresAt"],
        "writes": str(shown["seq"]),
        **{f"run {run['createdAt'][:19]}": f"{run['runId']}  {run['status']}" for run in runs},
    }
    say(as_json, {**shown, "runs": runs}, facts_table(facts))


@commands.command("diff")
def diff(
    id: Id,
    start: Annotated[
        str, typer.Option("--from", metavar="POINT", help=f"{POINT} Without it, the templates' state.")
    ] = "",
    end: Annotated[str, typer.Option("--to", metavar="POINT", help="Likewise; without it, the present.")] = "",
    run: Annotated[
        str,
        typer.Option(
            help="The id of a run of this environment, or how it begins: what changed in it, not between points. "
            "It ends a run that was started with `once`."
        ),
    ] = "",
    include: Annotated[Include, typer.Option(help="Changes that the vendor derives too, or all.")] = Include.PLAIN,
    stat: Annotated[bool, typer.Option("--stat", help="Count rows by table instead.")] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show what has changed. That is since the beginning, between two points, or in a run."""
    if run and (start or end):
        raise CommandError("A run has its own beginning and end: give --run, or --from and --to.", exit_code=2)
    remote = remote_of(base_url, api_key)
    environment = full_id(remote, id)
    if run:
        run = _run_of(remote, environment, run)
        net = remote.post("diffRun", body={"runId": run, "include": include.value})["diff"]
    else:
        points = {"from": start or "0"} | ({"to": end} if end else {})
        net = remote.get("env", environment, "diff", include=include.value, **points)["diff"]
    from twindiff.cli import render
    from twindiff.cli import stat as counting

    if stat:
        counts = counting.counts(net)
        say(as_json, [each._asdict() for each in counts], counting.render_stat(counts))
    else:
        say(as_json, net, render.diff(net))


def _run_of(remote: Remote, environment: str, given: str) -> str:
    """Complete the id prefix of a run of an environment; raises CommandError for a run of another."""
    known = [each["runId"] for each in remote.get("env", environment, "runs", limit=PAGE)["runs"]]
    matches = [each for each in known if given and each.startswith(given.lower())]
    run = matches[0] if len(matches) == 1 else given
    if run not in known and len(known) < PAGE:
        raise CommandError(
            f"'{run}' is no run of environment {environment}. `twindiff env show {environment}` lists its runs.",
            exit_code=2,
        )
    return run


@commands.command("reset")
def reset(id: Id, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Return to the state that the environment began with."""
    remote = remote_of(base_url, api_key)
    answer = remote.post("env", full_id(remote, id), "reset")
    say(as_json, answer, f"{answer['environmentId']} is as it began; that is its write {answer['seq']}.")


@commands.command("rm")
def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of environments, or how they begin.")],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Delete environments; the results of their runs stay."""
    remote = remote_of(base_url, api_key)
    answers = [remote.delete("env", environment) for environment in [full_id(remote, each) for each in ids]]
    say(as_json, answers, "\n".join(f"Deleted {answer['environmentId']} at {remote.url}." for answer in answers))

"""`twindiff scenarios`: named data sets to fill twins with."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.commands.env import facts_table, say, say_where
from twindiff.cli.commands.twin_runs import SeedFile, ask_server, read_seed_config
from twindiff.cli.naming import whole
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl

commands = typer.Typer(cls=CommandGroup, help="Save worlds to fill twins with.", no_args_is_help=True)

ScenarioId = Annotated[str, typer.Argument(metavar="SCENARIO", help="The id of a scenario or preset.")]


Copy = Annotated[
    str, typer.Option(metavar="NAME", help="The copy of its environment under a name, if others use the server too.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="scenarios")


@commands.command("ls")
def list_scenarios(
    twin: Annotated[str, typer.Option(help="Only those of a twin.")] = "",
    tag: Annotated[str, typer.Option(help="Only those with a tag.")] = "",
    presets: Annotated[bool, typer.Option("--presets/--no-presets", help="Those that everybody has too.")] = True,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List scenarios, presets first."""
    from twindiff.cli.render import add_row, table

    scenarios = ask_server(
        base_url,
        api_key,
        lambda client: client.scenarios.list(twin=twin or None, tag=tag or None, include_presets=presets),
    )
    shown = table("id", "name", "twins", "tags")
    for each in scenarios:
        add_row(shown, each.id, each.name, ", ".join(each.twins), ", ".join(each.tags))
    say(as_json, scenarios, shown if scenarios else "There are no such scenarios.")
    say_where(as_json, base_url)


@commands.command("show")
def show(scenario: ScenarioId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """Show a scenario and how much it holds."""
    details = ask_server(base_url, api_key, lambda client: client.scenarios.get(whole(client.scenarios.list, scenario)))
    say(as_json, details, _render_scenario(details))


def _render_scenario(scenario: dict[str, Any]) -> Any:
    facts = {
        "scenario": scenario["id"],
        "name": scenario["name"],
        "description": scenario["description"] or "-",
        "prompt": scenario["prompt"] or "-",
        "tags": ", ".join(scenario["tags"]) or "-",
        **{
            twin: ", ".join(f"{len(parts)} {kind}" for kind, parts in config.items())
            for twin, config in scenario["seed_config"].items()
        },
        **({"not understood": "; ".join(scenario["not_understood"])} if scenario.get("not_understood") else {}),
    }
    return facts_table(facts)


@commands.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    prompt: Annotated[str, typer.Option(help="What the twins shall hold, in words.")] = "",
    seed_file: SeedFile = None,
    twins: Annotated[list[str] | None, typer.Option("--twin", help="A twin that it is for; may be repeated.")] = None,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be repeated.")] = None,
    mode: Annotated[
        Literal["fast", "thorough"], typer.Option("--generation-mode", help="By rules, or by the server's model.")
    ] = "fast",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Save a world.

    For example: twindiff scenarios create launch --prompt "five users, #launch with 20 messages, two teams"
    """
    made = ask_server(
        base_url,
        api_key,
        lambda client: client.scenarios.create(
            name,
            prompt=prompt or None,
            seed_config=None if seed_file is None else read_seed_config(seed_file),
            twins=twins or None,
            description=description or None,
            tags=tags or None,
            generation_mode=mode if prompt else None,
        ),
        "Making the world",
    )
    say(as_json, made, _render_scenario(made))


@commands.command("rm")
def remove(
    scenario: ScenarioId, base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False
) -> None:
    """Forget a scenario with its environment."""
    answer = ask_server(
        base_url, api_key, lambda client: client.scenarios.delete(whole(client.scenarios.list, scenario))
    )
    say(as_json, answer, f"Forgot {scenario} at {base_url}.")


@commands.command("ensure")
def ensure(
    scenario: ScenarioId,
    twins: Annotated[list[str] | None, typer.Option("--twin", help="A twin that it has; may be repeated.")] = None,
    copy: Copy = "",
    private: Annotated[bool, typer.Option("--private", help="Callers of the twins bring the proxy token.")] = False,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show the environment of a scenario; create it if need be.

    Its addresses stay.

    For example: twindiff scenarios ensure e-commerce-checkout --copy eva
    """
    wanted: dict[str, Any] = {"twins": twins, "copy": copy or None, "public": not private}
    details = ask_server(
        base_url,
        api_key,
        lambda client: client.scenarios.ensure_twin_environment(whole(client.scenarios.list, scenario), **wanted),
        "Provisioning",
    )
    say(as_json, details, _environment(details))


@commands.command("environment")
def environment(
    scenario: ScenarioId,
    copy: Copy = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show the environment of a scenario, if there is one."""
    details = ask_server(
        base_url,
        api_key,
        lambda client: client.scenarios.get_twin_environment(whole(client.scenarios.list, scenario), copy=copy or None),
    )
    say(as_json, details, _environment(details))


def _environment(details: dict[str, Any]) -> Any:
    facts = {
        "run": details["run_id"],
        "status": details["status"],
        **({"copy": details["copy"]} if details["copy"] else {}),
        "environment": details["environment_id"] or "-",
        "dashboard": details["dashboard_url"],
        **{twin["label"]: twin["base_url"] for twin in details["twins"].values()},
    }
    return facts_table(facts)


@commands.command("environments")
def list_environments(base_url: BaseUrl = DEFAULT_URL, api_key: ApiKey = "", as_json: AsJson = False) -> None:
    """List the environments of scenarios, and their copies."""
    from twindiff.cli.render import add_row, table

    environments = ask_server(base_url, api_key, lambda client: client.scenarios.list_twin_environments())
    shown = table("scenario", "copy", "status", "twins", "environment")
    for each in environments:
        twins = ", ".join(each.requested_twins)
        add_row(shown, each.scenario_id, each["copy"] or "", each.status, twins, each.environment_id or "-")
    say(
        as_json,
        environments,
        shown if environments else "No scenario has an environment; make one with `twindiff scenarios ensure`.",
    )


@commands.command("reseed")
def reseed_scenario(
    scenario: ScenarioId,
    copy: Copy = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Reset the environment of a scenario to the scenario."""
    answer = ask_server(
        base_url,
        api_key,
        lambda client: client.scenarios.reseed_twin_environment(
            whole(client.scenarios.list, scenario), copy=copy or None
        ),
    )
    say(as_json, answer, f"The {_describe_copy(copy)} of {scenario} is as the scenario says.")


@commands.command("end")
def end(
    scenario: ScenarioId,
    copy: Copy = "",
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """End the environment of a scenario.

    The next one has other addresses.
    """
    answer = ask_server(
        base_url,
        api_key,
        lambda client: client.scenarios.delete_twin_environment(
            whole(client.scenarios.list, scenario), copy=copy or None
        ),
    )
    say(as_json, answer, f"The {_describe_copy(copy)} of {scenario} has ended at {base_url}.")


def _describe_copy(copy: str) -> str:
    return f"copy {copy}" if copy else "environment"

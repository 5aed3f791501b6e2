"""`twindiff suites new`: writes the skeleton of a suite."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from twindiff.cli.commands.suites import commands
from twindiff.cli.problem import CommandError


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff suites`."""
    commands.command("new")(new)


def new(
    name: Annotated[str, typer.Argument(help="What the suite is called.")],
    templates: Annotated[
        list[str] | None, typer.Option("--template", help="A template that its test starts from; may be repeated.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Where it is written; made if need be.")] = Path(),
) -> None:
    """Write a suite with one test and its reference solution.

    Change it into your own.

    For example: twindiff suites new Florists --template slack_default --folder florists
    """
    stem = "_".join(name.lower().split()) or "suite"
    module = stem if stem.isidentifier() else "solutions"
    files = {
        folder / "suites" / f"{stem}.json": json.dumps(_suite(name, templates or ["slack_default"], module), indent=2),
        folder / f"{module}.py": SOLUTION,
    }
    if taken := [path for path in files if path.exists()]:
        raise CommandError(f"{taken[0]} exists already.", exit_code=2)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content.rstrip()}\n")
    typer.echo(f"Wrote {' and '.join(map(str, files))}. Next, in {folder.resolve()}:")
    typer.echo(
        f"  twindiff suites lint '{name}' --files suites --strict\n  twindiff suites audit '{name}' --files suites"
    )


def _suite(name: str, templates: list[str], module: str) -> dict[str, Any]:
    """Return a suite with one test; users are those that an environment of the templates has by default."""
    from twindiff.local import Twindiff

    with Twindiff() as here:
        head = json.loads(gzip.decompress(here.create(*templates).export()).splitlines()[0])
    twin, several = next(iter(head["twins"])), len(templates) > 1
    is_slack = twin == "slack"
    entity = "messages" if is_slack else "REPLACE_BY_A_TABLE"
    check: dict[str, Any] = {
        "description": "one row is added, and nothing else changes",
        "diff_type": "added",
        "entity": f"{twin}.{entity}" if several else entity,
        "where": {"message_text": {"i_contains": "hello"}} if is_slack else {},
        "expected_count": 1,
    }
    test: dict[str, Any] = {
        "id": "first",
        "name": "A first test",
        "prompt": "Say hello in #general, once." if is_slack else "REPLACE BY WHAT THE AGENT IS TO DO.",
        "type": "actionEval",
        **({"seed_templates": templates} if several else {"seed_template": templates[0]}),
        **({"users": head["users"]} if several else {"impersonate_user_id": head["actor"]}),
        "version": "1",
        "closed_world": True,
        "solution": f"{module}:solve",
        "assertions": [check],
    }
    return {"name": name, "service": twin, "description": "", "tests": [test]}


SOLUTION = '''"""Reference solutions: each does the task of a test as it should be done."""

import httpx


def solve(task):
    """Post one message; replace it by what your own test asks for."""
    headers = {"Authorization": f"Bearer {task.token}"}
    with httpx.Client(headers=headers, trust_env=False) as http:
        channels = http.post(f"{task.url}/conversations.list").json()["channels"]
        general = next(each["id"] for each in channels if each["name"] == "general")
        http.post(f"{task.url}/chat.postMessage", json={"channel": general, "text": "Hello!"}).raise_for_status()
'''

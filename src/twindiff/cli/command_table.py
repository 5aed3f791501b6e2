"""The commands by name; the modules of a command are imported when it is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.main import get_group

from twindiff.cli.command_group import name_numbers

MODULES = {
    "demo": ("demo",),
    "serve": ("serve",),
    "check": ("check",),
    "explain": ("explain",),
    "twins": ("twins",),
    "pr-run": ("pr_runs",),
    "ci": ("pr_runs",),
    "new-twin": ("new_twin",),
    "drafts": ("drafts",),
    "doctor": ("doctor",),
    "env": ("env", "log", "points", "rows", "transfer", "faults", "webhooks", "env_exec", "env_listen", "mcp"),
    "runs": ("runs",),
    "suites": ("suites", "new_suite", "suite_runs", "linting", "auditing"),
    "trials": ("trials",),
    "templates": ("templates",),
    "twin-runs": ("twin_runs",),
    "scenarios": ("scenarios",),
    "sandbox-runs": ("sandbox_runs",),
    "test-runs": ("testing",),
    "tests": ("testing",),
    "import": ("import_files",),
    "ca": ("ca",),
    "compose": ("compose",),
    "record": ("record",),
    "replay": ("replay",),
    "db": ("db",),
    "ray": ("ray",),
    "clean": ("clean",),
}
"""Each command, in the order of the help, and the modules that implement it and its subcommands."""


class CommandsOnDemand(Mapping[str, Any]):
    """All commands by name, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in MODULES:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


@cache
def _command(name: str) -> Any:
    app = typer.Typer(rich_markup_mode=None)
    for module in MODULES[name]:
        import_module(f"twindiff.cli.commands.{module}").register(app)
    command = get_group(app).commands[name]
    name_numbers(command)
    return command

"""Groups of commands, and the words by which the command line names kinds of numbers."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup
from typer.exceptions import TyperException

NUMBERS = {"int range": "integer", "float range": "number"}
"""What typer calls a bounded number, and what a user would."""


class CommandGroup(TyperGroup):
    """Commands below a name; an unknown one is answered with the nearest, or with all that there are."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; raises typer's UsageError with names to choose from."""
        try:
            return super().resolve_command(ctx, args)
        except TyperException as error:
            message = str(getattr(error, "message", ""))
            if self.commands and message.startswith("No such command") and "Did you mean" not in message:
                error.message = f"{message} There are: {', '.join(self.commands)}."  # pyright: ignore[reportAttributeAccessIssue]
            raise


def name_numbers(command: Any) -> None:
    """Call bounded numbers integers and numbers, in the help and in refusals, for a command and those below it."""
    for parameter in command.params:
        if parameter.type.name in NUMBERS:
            parameter.type.name = NUMBERS[parameter.type.name]
    for below in command.commands.values() if isinstance(command, TyperGroup) else ():
        name_numbers(below)

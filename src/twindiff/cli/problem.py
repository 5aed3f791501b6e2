"""The error of a command that the user can fix."""

from __future__ import annotations

STOPPED = 130
"""The exit code after Ctrl-C."""


class CommandError(Exception):
    """Ends the command with `exit_code` and its message as one line: what is wrong, what was given, what to do."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(" ".join(message.split()))
        self.exit_code = exit_code

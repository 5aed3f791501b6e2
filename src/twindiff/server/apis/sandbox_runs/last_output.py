"""What an application printed last, as the reason why it does not run any more."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_LINES = 20
"""Lines of an application's output that a failure quotes."""
_TELLS_WHY = re.compile(r"error|exception|fatal|panic|cannot|can't|not found|no such|denied|refused", re.IGNORECASE)


def with_last_output(said: str, lines: Sequence[str]) -> str:
    """What is wrong with an application: with the line that tells most of it, and below it what it printed last."""
    printed = [line for line in lines if line.strip()][-MAX_LINES:]
    if not printed:
        return f"{said}; it printed nothing"
    telling = next((line for line in reversed(printed) if _TELLS_WHY.search(line)), printed[-1])
    quoted = "\n".join(printed)
    return f"{said}: {telling.strip()}\nIt printed last:\n{quoted}"

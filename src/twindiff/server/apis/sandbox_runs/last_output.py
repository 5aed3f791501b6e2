"""Quotes an application's last output as the reason for its failure."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_LINES = 20
"""Lines of output that a failure quotes."""
_TELLS_WHY = re.compile(r"error|exception|fatal|panic|cannot|can't|not found|no such|denied|refused", re.IGNORECASE)


def with_last_output(said: str, lines: Sequence[str]) -> str:
    """Append the most telling line to a failure's description, and below it the last lines of output."""
    printed = [line for line in lines if line.strip()][-MAX_LINES:]
    if not printed:
        return f"{said}; it printed nothing"
    telling = next((line for line in reversed(printed) if _TELLS_WHY.search(line)), printed[-1])
    quoted = "\n".join(printed)
    return f"{said}: {telling.strip()}\nIt printed last:\n{quoted}"

"""The git revision of an agent's code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SECONDS_FOR_GIT = 10


def revision_of(agent: str) -> str:
    """Return the commit of the folder that an imported agent's module is in; empty if it is in none.

    `agent` is `module:function`. Uncommitted changes are marked: `1a2b3c4d5e6f-dirty`.
    """
    module = sys.modules.get(agent.partition(":")[0])
    file = getattr(module, "__file__", None)
    if not file:
        return ""
    folder = Path(file).resolve().parent
    commit = _git(folder, "rev-parse", "--short=12", "HEAD")
    return f"{commit}-dirty" if commit and _git(folder, "status", "--porcelain", "--", ".") else commit


def _git(folder: Path, *arguments: str) -> str:
    """Return what git says, without the end of the line; empty if it fails or is not installed."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_FOR_GIT, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

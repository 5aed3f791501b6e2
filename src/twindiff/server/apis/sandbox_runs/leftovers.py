"""Finds and ends what is left of a sandbox whose keeper or server was killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from twindiff.kit.errors import ApiError
from twindiff.server.apis.sandbox_runs import containers, keeper
from twindiff.server.apis.test_runs.temporary import remove_abandoned

PREFIX = "twindiff-sandbox-"
RECORD = "leftovers.json"
SECONDS_TO_END = 60


class ApplicationLives(ApiError):
    """Something of the application could not be ended; see the sandbox's logs, and ask again."""

    status = 503


class Leftovers(msgspec.Struct, frozen=True):
    """How to find everything of a sandbox: its mark, its own user if any, and the commands that end its containers."""

    mark: str
    uid: int | None = None
    ends: list[list[str]] = []

    def write(self, root: Path) -> None:
        """Write the record to the folder of the sandbox, for the next server to find."""
        with open(root / RECORD, "wb", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o600)) as file:
            file.write(msgspec.json.encode(self))


def end_leftovers(left: Leftovers, root: Path) -> bool:
    """End everything of a sandbox and remove its folder; true if nothing is left. May take a minute."""
    told: dict[str, Any] = {
        "commands": (),
        "services": {},
        "folder": str(root),
        "mark": left.mark,
        "uid": left.uid,
        "ends": left.ends,
    }
    command = [sys.executable, "-I", "-S", keeper.__file__, msgspec.json.encode(told).decode()]
    env = containers.variables_of_engine()
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=env, timeout=SECONDS_TO_END, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def remove_abandoned_sandboxes() -> list[Path]:
    """End and remove the sandboxes of dead servers on this machine; returns their folders."""
    return remove_abandoned(PREFIX, before=_end_recorded)


def _end_recorded(root: Path) -> None:
    try:
        left = msgspec.json.decode((root / RECORD).read_bytes(), type=Leftovers)
    except (OSError, msgspec.DecodeError, RecursionError):
        left = Leftovers(root.name)  # its server died before starting anything of it
    end_leftovers(left, root)

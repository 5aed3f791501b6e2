"""Files of trusted certificates that a program may read: those of the system, and those of Python environments."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from twindiff.server.door.variables import SYSTEM_BUNDLES

LIBRARY_BUNDLES = ("certifi/cacert.pem", "httplib2/cacerts.txt", "stripe/data/ca-certificates.crt")
"""Bundles that libraries of Python bring along, some of which no variable replaces."""


def find_bundles(program: str) -> set[Path]:
    """The bundles of the system, and those of the Python environments that a program may use; no links."""
    prefixes = {Path(program).absolute().parent.parent, Path(program).resolve().parent.parent, Path(".venv").absolute()}
    prefixes |= {_prefix_of_interpreter(Path(program))}
    if active := os.environ.get("VIRTUAL_ENV"):
        prefixes.add(Path(active))
    folders = [each for prefix in prefixes - {Path("/")} for each in prefix.glob("lib/python3.*/site-packages")]
    bundles = [*map(Path, SYSTEM_BUNDLES), *(folder / name for folder in folders for name in LIBRARY_BUNDLES)]
    return {bundle.resolve() for bundle in bundles if bundle.is_file()}


def _prefix_of_interpreter(program: Path) -> Path:
    """The Python environment that the first line of a script names; `/` for other programs."""
    with suppress(OSError):
        with program.open("rb") as opened:
            line = opened.readline(500)
        if line.startswith(b"#!/"):
            return Path(os.fsdecode(line[2:].split()[0])).parent.parent
    return Path("/")

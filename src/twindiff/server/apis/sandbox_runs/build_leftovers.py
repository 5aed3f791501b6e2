"""Removes the working containers of a Podman build that was killed: `build_leftovers.py ENGINE STORAGE NAME`.

Podman names them after their base image, and stores no label before the build's end. Each is found by the host `NAME`,
which the build was given with `--add-host`. It is a standalone program without imports of Twindiff, run by the keeper.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

STATES = "*-containers/*/userdata/buildah.json"
"""Where the storage describes working containers."""


def main(engine: str, storage: str, name: str) -> int:
    """Remove all working containers of a build; returns the exit code of the engine."""
    mark = f'"{name}:'.encode()
    containers: list[str] = []
    for state in Path(storage).glob(STATES):
        with suppress(OSError):
            if mark in state.read_bytes():
                containers.append(state.parents[1].name)
    return subprocess.run([engine, "rm", "--force", *containers], check=False).returncode if containers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

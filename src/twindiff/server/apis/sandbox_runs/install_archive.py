"""Stores the folders that an installation step has made, and moves them to the application.

It is a standalone program without imports of Twindiff, which runs beside the confined commands of an application, after
all processes of the step have ended.
"""

from __future__ import annotations

import json
import os
import sys
import tarfile
from pathlib import Path
from typing import Any

SUFFIX = ".tar"


def main() -> None:
    """Store and move the folders in the JSON of the first argument; exits with 1 if one of them is missing."""
    wanted = json.loads(sys.argv[1])
    step = Path(wanted["folder"])
    for name in wanted["keeps"]:
        if not _is_own_folder(step, name):
            sys.exit(f"keeps: the step '{wanted['run']}' made no folder '{name}'")
    _store(step, wanted)
    for name in wanted["keeps"]:
        move_into(step / name, Path(wanted["target"]), name)


def _is_own_folder(root: Path, name: str) -> bool:
    """Whether a path below a folder is a folder, and no part of it a link."""
    path = root
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            return False
    return path.is_dir()


def move_into(source: Path, target: Path, name: str) -> None:
    """Move a folder to its place in the application; exits with 1 if something is there, or a link leads to it."""
    place = target
    for part in Path(name).parts[:-1]:
        place /= part
        if place.is_symlink():
            sys.exit(f"keeps: '{name}' is behind a link")
        place.mkdir(exist_ok=True)
    if os.path.lexists(target / name):
        sys.exit(f"keeps: the repository has '{name}' already")
    source.rename(target / name)


def _store(step: Path, wanted: dict[str, Any]) -> None:
    entry = Path(wanted["entry"])
    size = sum(measure(step / name) for name in wanted["keeps"])
    if size > wanted["most"]:
        _say(f"{size / 1e6:,.0f} MB are more than {wanted['most'] / 1e6:,.0f}")
        return
    entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = entry.with_suffix(f".{os.getpid()}")
    try:
        with tarfile.open(unfinished, "w") as archive:
            for name in wanted["keeps"]:
                archive.add(step / name, arcname=name)
        unfinished.rename(entry)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        _say(str(error))
    make_room(entry.parent, wanted["most_in_all"])


def _say(why: str) -> None:
    """Say in the output of the application why a step is not kept."""
    sys.stdout.write(f"not kept for later runs: {why}\n")
    sys.stdout.flush()


def measure(folder: Path) -> int:
    """The bytes of all files below a folder; links are not followed."""
    return sum(Path(place, name).lstat().st_size for place, _, files in os.walk(folder) for name in files)


def make_room(cache: Path, most: int) -> None:
    """Remove the entries that were used longest ago until the cache has at most so many bytes."""
    entries = sorted(cache.glob(f"*{SUFFIX}"), key=lambda each: each.stat().st_mtime, reverse=True)
    total = 0
    for entry in entries:
        total += entry.stat().st_size
        if total > most:
            entry.unlink(missing_ok=True)


if __name__ == "__main__":
    main()

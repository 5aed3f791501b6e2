"""Reuses what installation steps have made, such as `node_modules`, in later runs of the same repository.

A step of the cache sees nothing but the files that it names, in an empty folder with an empty home and no variables of
the run. What it makes depends only on what its key consists of, so a branch cannot leave anything for another one.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
import tarfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from twindiff.server.apis.sandbox_runs import entrance, install_archive
from twindiff.server.apis.sandbox_runs.application import environment
from twindiff.server.apis.sandbox_runs.config import InstallStep
from twindiff.server.apis.sandbox_runs.config_files import InvalidSandboxConfig, find_file
from twindiff.server.apis.sandbox_runs.confinement import FOLDERS, Confinement

FOLDER = "install-cache"
"""The folder of the cache, below the data directory."""
MAX_STEP_BYTES = 1_000_000_000
MAX_CACHE_BYTES = 5_000_000_000
VERSION = 1


class CachedStep(NamedTuple):
    """A step of the cache: the folder in which it runs, its entry, and whether the entry was restored."""

    step: InstallStep
    root: Path
    entry: Path
    is_restored: bool


class InstallCache:
    """The cache of a server; without a data directory, or where applications are not confined, there is none."""

    def __init__(self, data_dir: str) -> None:
        self._folder = None if data_dir in ("", ":memory:") else Path(data_dir) / FOLDER

    def open(
        self, repository: str, steps: Sequence[InstallStep], folder: Path, root: Path, confinement: Confinement
    ) -> list[CachedStep]:
        """Restore the entries of steps that there are, and lay out the folders of the others below `root`.

        Returns nothing if there is no cache. Raises InvalidSandboxConfig for a file that a step names but is not there.
        """
        opened: list[CachedStep] = []
        for number, step in enumerate(steps):
            files = {name: _read(folder, name) for name in step.files}
            if self._folder is None or not confinement.bwrap:
                continue
            entry = self._folder / f"{_key(repository, step, files)}{install_archive.SUFFIX}"
            place = root / f"install-{number}"
            is_restored = restore(entry, place / "restored", folder, step.keeps)
            if not is_restored:
                _lay_out(place, files)
            opened.append(CachedStep(step, place, entry, is_restored))
        return opened


def list_commands(cached: CachedStep, folder: Path, confinement: Confinement, hidden: Sequence[str]) -> list[list[str]]:
    """The commands that run a step and store what it made; none if that was restored."""
    if cached.is_restored:
        return []
    variables = [f"{name}={value}" for name, value in environment(cached.root / "home", {}).items()]
    shell = ["env", "-i", *variables, "/bin/sh", "-c", cached.step.run]
    stored = {
        "run": cached.step.run,
        "folder": str(cached.root / "app"),
        "keeps": cached.step.keeps,
        "target": str(folder),
        "entry": str(cached.entry),
        "most": MAX_STEP_BYTES,
        "most_in_all": MAX_CACHE_BYTES,
    }
    store = [sys.executable, "-I", "-S", install_archive.__file__, msgspec.json.encode(stored).decode()]
    return [confinement.wrap(shell, cached.root, cached.root / "app", hidden, entrance.KEEP), store]


def restore(entry: Path, scratch: Path, folder: Path, keeps: Sequence[str]) -> bool:
    """Unpack an entry into an application's folder; false if there is none that can be read."""
    try:
        scratch.mkdir(parents=True)
        with tarfile.open(entry) as archive:
            archive.extractall(scratch, filter="data")
        os.utime(entry)  # entries that were used longest ago are removed first
    except (OSError, tarfile.TarError):
        shutil.rmtree(scratch, ignore_errors=True)
        return False
    for name in keeps:
        try:
            install_archive.move_into(scratch / name, folder, name)
        except SystemExit as refused:
            raise InvalidSandboxConfig(str(refused)) from None
    return True


def describe(cached: CachedStep, number: int) -> str:
    """Say in a line of the log whether a step is reused."""
    kept = ", ".join(cached.step.keeps)
    if cached.is_restored:
        return f"install[{number}] is reused from the cache, which has {kept}: {cached.step.run}"
    return f"install[{number}] is not in the cache, which keeps {kept}: {cached.step.run}"


def describe_unused(confinement: Confinement) -> str:
    """Say why steps that could be reused are run as others are."""
    why = "the server has no data directory" if confinement.bwrap else "applications are not confined by bwrap"
    return f"nothing that install makes is kept, since {why}"


def join_plainly(step: InstallStep) -> str:
    """The command of a step for a server without a cache: it runs in the application's folder, as others do."""
    made = " ".join(f"test -d {shlex.quote(name)} &&" for name in step.keeps)
    return f"{{ {step.run}\n}} && {made} :"


def _key(repository: str, step: InstallStep, files: Mapping[str, bytes]) -> str:
    """The key of a step: its repository and text, the content of its files, what it keeps, and the machine's kind."""
    contents = {name: sha256(content).hexdigest() for name, content in files.items()}
    machine = [platform.platform(), sys.version, os.environ.get("PATH", "")]
    told = [VERSION, repository, step.run, contents, step.keeps, machine]
    return sha256(msgspec.json.encode(told, order="sorted")).hexdigest()


def _read(folder: Path, name: str) -> bytes:
    path = find_file(folder, name)
    if path is None:
        raise InvalidSandboxConfig(f"install: there is no file '{name[:200]}' in the application's folder")
    return path.read_bytes()


def _lay_out(place: Path, files: Mapping[str, bytes]) -> None:
    with suppress(FileExistsError):
        place.mkdir()
    for name in FOLDERS:
        (place / name).mkdir()
    for name, content in files.items():
        path = place / "app" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

"""Git bundles of local repositories, for the seed configuration of a GitHub twin."""

from __future__ import annotations

import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any, cast

BEGINNING = "IyB2"
"""How every bundle begins in base64; any other `bundle` of a configuration is the path of a repository."""


class NoRepository(Exception):
    """A path that no bundle can be made of; the message is git's."""


def bundle_repository(path: str | Path) -> str:
    """Return all branches, tags and pull requests of a local repository as a git bundle in base64.
    Raises NoRepository, with git's message.
    """
    command = ["git", "-C", str(path), "bundle", "create", "--quiet", "--version=2", "-", "HEAD", "--all"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise NoRepository(f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        raise NoRepository(f"{path}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return b64encode(done.stdout).decode()


def bundle_repositories(config: Any, folder: Path) -> Any:
    """Return a seed configuration by twin in which the repositories of `repos` and `exports` are bundled.
    A path is relative to `folder`; it is the `repository` of an item of `repos`, or its `bundle`. Raises NoRepository.
    """
    if not isinstance(config, dict):  # the server says what is wrong with it
        return config
    return {twin: _bundle_parts(parts, folder) for twin, parts in cast("dict[str, Any]", config).items()}


def _bundle_parts(parts: Any, folder: Path) -> Any:
    if not isinstance(parts, dict):
        return parts
    return {
        name: [_bundle_item(each, folder) for each in cast("list[Any]", items)]
        if name in ("repos", "exports") and isinstance(items, list)
        else items
        for name, items in cast("dict[str, Any]", parts).items()
    }


def _bundle_item(item: Any, folder: Path) -> Any:
    if not isinstance(item, dict):
        return item
    fields = cast("dict[str, Any]", item)
    path = fields.get("repository")
    if isinstance(path, str):
        fields = {name: value for name, value in fields.items() if name != "repository"}
    else:
        path = fields.get("bundle")
        if not isinstance(path, str) or path.startswith(BEGINNING):
            return fields
    return {**fields, "bundle": bundle_repository(folder / Path(path).expanduser())}

"""Files of a repository that say how its application is started: whoever writes to the repository writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twindiff.kit.errors import ApiError

MAX_BYTES = 1 << 16
MAX_YAML_DEPTH = 20
MAX_YAML_ALIASES = 20
"""Merging aliases of aliases takes exponential time."""


class InvalidSandboxConfig(ApiError):
    """The repository's .arga/sandbox.yml cannot be used."""

    status = 422


def find_file(folder: Path, name: str) -> Path | None:
    """A file by its name below a folder, if there is one; raises InvalidSandboxConfig where a link leads there."""
    path = folder
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            given = path.relative_to(folder)
            raise InvalidSandboxConfig(f"{given} is a link, and links are not followed; commit a file in its place")
    return path if path.is_file() else None


def read_bounded(path: Path) -> str:
    """The text of a file; raises InvalidSandboxConfig when it is larger than MAX_BYTES or no UTF-8."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise InvalidSandboxConfig(f"{path.name} is larger than {MAX_BYTES} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidSandboxConfig(f"{path.name} is no text in UTF-8: {error.reason} at byte {error.start}") from None


def read_start(path: Path) -> str:
    """The first MAX_BYTES of a file."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode(errors="replace")


def parse_yaml(text: str, name: str) -> Any:
    """What a YAML text says; raises InvalidSandboxConfig for one that is none, or that would take long to read."""
    import yaml  # few servers ever read such a file

    try:
        _check_shape(text, name)
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, TypeError) as error:  # a date, number or key that Python cannot have
        raise InvalidSandboxConfig(f"{name} is no YAML: {' '.join(str(error).split())[:500]}") from None


def _check_shape(text: str, name: str) -> None:
    import yaml

    depth = aliases = 0
    loader: Any = yaml.SafeLoader(text)
    while loader.check_event():
        event = loader.get_event()
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise InvalidSandboxConfig(f"{name} is nested deeper than {MAX_YAML_DEPTH} levels")
        if aliases > MAX_YAML_ALIASES:
            raise InvalidSandboxConfig(f"{name} has more than {MAX_YAML_ALIASES} aliases")


def resolve_inside(folder: Path, given: str, checkout: Path) -> Path | None:
    """Where a path leads from a folder, if that is within the checkout."""
    try:
        path = (folder / given).resolve()
        return path if path.is_relative_to(checkout.resolve()) and path.exists() else None
    except (OSError, ValueError, RuntimeError):  # too long, with a NUL, a link in a circle
        return None

"""Reads a repository's configuration files, which are untrusted input: size, nesting and links are limited."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twindiff.kit.errors import ApiError

MAX_BYTES = 1 << 16
MAX_YAML_DEPTH = 20
_VARIABLE = re.compile(r"[a-z_][\w.:@/-]*", re.ASCII | re.IGNORECASE)
MAX_YAML_ALIASES = 20
"""Bounded because expanding nested aliases takes exponential time."""


class InvalidSandboxConfig(ApiError):
    """The repository's .arga/sandbox.yml cannot be used."""

    status = 422


def find_file(folder: Path, name: str) -> Path | None:
    """Find a file by name below a folder, or None; raises InvalidSandboxConfig if a symbolic link is on the path."""
    path = folder
    for part in Path(name).parts:
        path /= part
        if path.is_symlink():
            given = path.relative_to(folder)
            raise InvalidSandboxConfig(f"{given} is a link, and links are not followed; commit a file in its place")
    return path if path.is_file() else None


def read_bounded(path: Path) -> str:
    """Read a file as text; raises InvalidSandboxConfig if it is larger than `MAX_BYTES` or not UTF-8."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise InvalidSandboxConfig(f"{path.name} is larger than {MAX_BYTES} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidSandboxConfig(f"{path.name} is no text in UTF-8: {error.reason} at byte {error.start}") from None


def read_start(path: Path) -> str:
    """Read the first `MAX_BYTES` of a file as text."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode(errors="replace")


def parse_yaml(text: str, name: str) -> Any:
    """Parse YAML; raises InvalidSandboxConfig if it is invalid, repeats a key, or would take long to parse."""
    import yaml  # imported late: few servers ever read such a file

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_shape(loader(text), name)
        reader = loader(text)
        node = reader.get_single_node()
        _check_repeated_keys(node, name)
        return None if node is None else reader.construct_document(node)
    except (yaml.YAMLError, ValueError, TypeError) as error:  # a date, number or key that Python cannot represent
        raise InvalidSandboxConfig(f"{name} is no YAML: {' '.join(str(error).split())[:500]}") from None


def _check_shape(loader: Any, name: str) -> None:
    import yaml

    aliases = 0
    open_anchors: list[str | None] = []
    while loader.check_event():
        event = loader.get_event()
        if isinstance(event, yaml.CollectionStartEvent):
            open_anchors.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            open_anchors.pop()
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
            if event.anchor in open_anchors:
                raise InvalidSandboxConfig(f"{name} has an alias that contains itself: *{event.anchor}")
        if len(open_anchors) > MAX_YAML_DEPTH:
            raise InvalidSandboxConfig(f"{name} is nested deeper than {MAX_YAML_DEPTH} levels")
        if aliases > MAX_YAML_ALIASES:
            raise InvalidSandboxConfig(f"{name} has more than {MAX_YAML_ALIASES} aliases")


def _check_repeated_keys(root: Any, name: str) -> None:
    """Raise InvalidSandboxConfig for a key that a mapping has twice, of which YAML's readers would drop the first."""
    import yaml

    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, yaml.CollectionNode) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
            continue
        keys = set[str]()
        for key, value in node.value:
            waiting.append(value)
            if not isinstance(key, yaml.ScalarNode) or key.value == "<<":
                continue
            if key.value in keys:
                line = key.start_mark.line + 1
                raise InvalidSandboxConfig(f"{name} has the key '{key.value[:100]}' twice, again in line {line}")
            keys.add(key.value)


def resolve_inside(folder: Path, given: str, checkout: Path) -> Path | None:
    """Resolve a path relative to a folder; None unless it exists within the checkout."""
    try:
        path = (folder / given).resolve()
        return path if path.is_relative_to(checkout.resolve()) and path.exists() else None
    except (OSError, ValueError, RuntimeError):  # too long, contains NUL, or a circular link
        return None


def check_variables(env: Mapping[str, object]) -> None:
    """Raise InvalidSandboxConfig for a name or value that cannot be an environment variable.

    Engines for containers take a name with `*`, or a line without `=`, for variables of the server.
    """
    for name, value in env.items():
        if not _VARIABLE.fullmatch(name) or "\0" in str(value):
            raise InvalidSandboxConfig(
                f"env: '{name[:100]}' cannot be a variable; names begin with a letter or _, and have no space, = or *"
            )

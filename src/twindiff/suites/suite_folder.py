"""Reads a folder with seeds and suites as files to import."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

FOLDERS = ("seeds", "suites", "testsuites")


class NoSuiteFolder(ValueError):
    """A folder holds no files to import; the message says what it should hold."""


def read_json(path: Path) -> object:
    """Read a JSON file; raises NoSuiteFolder naming the file if it is none."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise NoSuiteFolder(f"{path}: {error}") from None


def read_folder(
    folder: Path, missing: list[str] | None = None, read: Callable[[Path], object] = read_json
) -> dict[str, object]:
    """Read the files of a folder, by name; paths that seeds name and the folder lacks are added to `missing`.

    Raises NoSuiteFolder.
    """
    files = {str(path.relative_to(folder)): read(path) for path in list_files(folder)}
    for content in files.values():
        lacking = bring_files(folder, content)
        if missing is not None:
            missing += lacking
    return files


def bring_files(folder: Path, content: object) -> list[str]:
    """Insert file contents into a seed: a row with a `local_path` gets base64 `content`.

    Returns the paths that match no file of the folder.
    """
    missing: list[str] = []
    for row in _naming_files(content):
        data = bytes_of(folder, row["local_path"])
        if data is None:
            missing.append(row["local_path"])
        else:
            row["content"] = b64encode(data).decode()
    return missing


def _naming_files(content: object) -> list[dict[str, Any]]:
    """Return the rows of a seed that name a file."""
    tables = cast(dict[str, Any], content).values() if isinstance(content, dict) else ()
    rows = [row for table in tables if isinstance(table, list) for row in cast(list[Any], table)]
    return [row for row in rows if isinstance(row, dict) and isinstance(row.get("local_path"), str)]  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]


def bytes_of(folder: Path, local_path: str) -> bytes | None:
    """Read the file in the folder whose path has the longest common end with this one; None if no file matches."""
    parts = [part for part in Path(local_path).parts if part not in ("/", "..", ".")]
    for start in range(len(parts)):
        for root in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
            path = root.joinpath(*parts[start:])
            if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                return path.read_bytes()
    return None


def list_files(folder: Path) -> list[Path]:
    """Return the files to import, in a fixed order; raises NoSuiteFolder."""
    if not folder.is_dir():
        raise NoSuiteFolder(f"{folder} is no folder. Give one that holds seeds/ and suites/.")
    paths = [path for name in FOLDERS for path in sorted((folder / name).glob("*.json"))]
    paths = paths or sorted(folder.glob("*.json"))
    if not paths:
        raise NoSuiteFolder(f"{folder} holds no JSON files, nor do seeds/, suites/ or testsuites/ in it.")
    return paths

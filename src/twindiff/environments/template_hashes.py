"""Caches the hashes of built-in templates on disk, since reading and hashing their rows takes a second.

The cache key covers everything the rows depend on: the files of the twin's package, the tables, the code that completes
and hashes rows, and the versions of Python and of all installed packages. Packages with files changed since this
process began are not cached, since the imported code may differ from the files.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

from twindiff.storage.journal import Values
from twindiff.storage.schema import Schema
from twindiff.storage.user_cache import code, default_folder, read, write

MAX_HASHES = 500
"""Hashes that are kept; the least recently used are removed first."""
_LEFT_OUT = {"tests", "__pycache__"}
_BEGUN = time.time()
_HERE = Path(__file__).parent


class LateRows(Mapping[str, list[Values]]):
    """The full rows of a template by table, read on first access."""

    def __init__(self, make: Callable[[], dict[str, list[Values]]]) -> None:
        self._make = make
        self.made: dict[str, list[Values]] = {}
        self._is_made = False

    def _rows(self) -> dict[str, list[Values]]:
        if not self._is_made:
            self.made, self._is_made = self._make(), True
        return self.made

    def __getitem__(self, table: str) -> list[Values]:
        return self._rows()[table]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows())

    def __len__(self) -> int:
        return len(self._rows())


class TemplateHashes:
    """The cached hashes; none without a cache folder, or for a twin without a package."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or default_folder()

    def find(self, schema: Schema, package: Path | None, name: str) -> str | None:
        """Return the cached hash of a template, or None; `package` is the twin's folder or file."""
        path = self._path(schema, package, name)
        if path:
            with suppress(OSError, ValueError):
                return read(path).decode()
        return None

    def keep(self, schema: Schema, package: Path | None, name: str, hash: str) -> None:
        """Cache a hash if possible; errors are ignored."""
        path = self._path(schema, package, name)
        if path:
            with suppress(OSError, ValueError):
                write(path, hash.encode())
                _shorten(path.parent)

    def _path(self, schema: Schema, package: Path | None, name: str) -> Path | None:
        if self._folder is None or package is None:
            return None
        code_of = [_content(each) for each in (package, _HERE, _HERE.parent / "kit")]
        if not all(code_of):
            return None
        named = "\0".join([schema.twin, name, schema.hash, *code_of, _surroundings()])
        return self._folder / f"{schema.twin}-{blake2b(named.encode(), digest_size=20).hexdigest()}.hash"


@cache
def _surroundings() -> str:
    """Return what rows depend on besides: the code that stores them, and the installed packages."""
    installed = sorted(each.name for each in Path(sysconfig.get_path("purelib")).glob("*.dist-info"))
    return "\0".join([code(), sys.version, *installed])


@cache
def _content(package: Path) -> str:
    """Return a digest of all files of a package but its tests; empty if one has changed since this process began."""
    digest = blake2b(digest_size=20)
    for path in _files(package) if package.is_dir() else [package]:
        if path.stat().st_mtime > _BEGUN:
            return ""
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        yield from (Path(parent, name) for name in sorted(names))


def _shorten(folder: Path) -> None:
    """Remove all but the most recently used hashes."""
    for path in sorted(folder.glob("*.hash"), key=lambda path: path.stat().st_mtime, reverse=True)[MAX_HASHES:]:
        path.unlink(missing_ok=True)

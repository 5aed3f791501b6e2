"""A cache of the images of built-in templates in the user's cache directory: reading takes a tenth of building.

The file name is a hash of all that an image depends on: the rows, the tables, the code that stores them, and the
versions of SQLite and Python. An unreadable or truncated file is treated as missing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import apsw

from twindiff import __version__
from twindiff.storage import Template
from twindiff.storage.schema import Schema
from twindiff.storage.user_cache import code, read, write

from .ddl import statements
from .pages import PAGE_SIZE

MAX_CACHE_BYTES = 256_000_000
"""Bytes of all images together; the least recently used are removed first."""


class ImageCache:
    """A folder of images; without a folder every image is built."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def image(self, schema: Schema, template: Template, build: Callable[[], bytes]) -> bytes:
        """Return the cached image of a template, or else build it and try to cache it."""
        if self._folder is None:
            return build()
        path = self._folder / _name(schema, template)
        with suppress(OSError, ValueError):
            return read(path)
        image = build()
        with suppress(OSError, ValueError):
            write(path, image)
            _shorten(self._folder)
        return image


def _name(schema: Schema, template: Template) -> str:
    tables = [statement for table in schema.tables.values() for statement in statements(table)]
    versions = [__version__, sys.version, apsw.sqlite_lib_version(), apsw.apsw_version(), str(PAGE_SIZE), code()]
    named = "\0".join([schema.twin, template.schema_hash, template.hash, *tables, *versions])
    return f"{schema.twin}-{blake2b(named.encode(), digest_size=20).hexdigest()}.image"


def _shorten(folder: Path) -> None:
    """Remove the least recently used images beyond MAX_CACHE_BYTES."""
    left = MAX_CACHE_BYTES
    for path in sorted(folder.glob("*.image"), key=lambda path: path.stat().st_mtime, reverse=True):
        left -= path.stat().st_size
        if left < 0:
            path.unlink(missing_ok=True)

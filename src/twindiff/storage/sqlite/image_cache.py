"""Images of built-in templates, kept for the user's next process: reading one takes a tenth of building it.

An image is found by everything it depends on: the rows, the tables, the code that stores them, and the versions of
SQLite and Python. What cannot be read, or is not whole, is built as if it were not there; what others could have
written is not looked at, since an image is trusted like code.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile

import apsw

from twindiff import __version__
from twindiff.storage import Template
from twindiff.storage.schema import Schema

from .ddl import statements
from .pages import PAGE_SIZE

MOST_BYTES = 256_000_000
"""What all images may take together; the one that was used longest ago goes first."""
_DIGEST_BYTES = 32
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class ImageCache:
    """A folder of images by name; without a folder every image is built."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def image(self, schema: Schema, template: Template, build: Callable[[], bytes]) -> bytes:
        """The image of a template: the one that was kept, or else one that is built, and kept if it can be."""
        if self._folder is None:
            return build()
        path = self._folder / _name(schema, template)
        with suppress(OSError, ValueError):
            return _read(path)
        image = build()
        with suppress(OSError, ValueError):
            _write(path, image)
            _shorten(self._folder)
        return image


def default_folder() -> Path | None:
    """`$TWINDIFF_CACHE_DIR` (nothing is kept if it is empty), else `twindiff` in the user's cache directory."""
    given = os.environ.get("TWINDIFF_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "twindiff"
    except RuntimeError:  # there is no home
        return None


def _name(schema: Schema, template: Template) -> str:
    tables = [statement for table in schema.tables.values() for statement in statements(table)]
    versions = [__version__, sys.version, apsw.sqlite_lib_version(), apsw.apsw_version(), str(PAGE_SIZE), _code()]
    named = "\0".join([schema.twin, template.schema_hash, template.hash, *tables, *versions])
    return f"{schema.twin}-{blake2b(named.encode(), digest_size=20).hexdigest()}.image"


@cache
def _code() -> str:
    """The name of the code that stores rows, which changes between releases while it is worked on."""
    storage = Path(__file__).parents[1]
    files = sorted([*storage.glob("*.py"), *storage.glob("sql/*.py"), *storage.glob("sqlite/*.py")])
    return blake2b(b"\0".join(path.read_bytes() for path in files), digest_size=20).hexdigest()


def _read(path: Path) -> bytes:
    """An image that is whole, and no link, which could lead anywhere; raises OSError, ValueError."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        _refuse_foreign(os.fstat(file.fileno()))
        content = file.read()
    digest, image = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if not image or digest != _digest(image):
        raise ValueError(f"{path} is not whole")
    os.utime(path)
    return image


def _write(path: Path, image: bytes) -> None:
    """Put a whole file where others look for it; raises OSError, ValueError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(path.parent.stat())
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(_digest(image) + image)
            file.flush()
            Path(file.name).replace(path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise


def _shorten(folder: Path) -> None:
    """Keep the images that were used last."""
    left = MOST_BYTES
    for path in sorted(folder.glob("*.image"), key=lambda path: path.stat().st_mtime, reverse=True):
        left -= path.stat().st_size
        if left < 0:
            path.unlink(missing_ok=True)


def _refuse_foreign(found: os.stat_result) -> None:
    if found.st_uid != os.geteuid() or found.st_mode & _WRITABLE_BY_OTHERS:
        raise ValueError("others could have written here")


def _digest(image: bytes) -> bytes:
    return blake2b(image, digest_size=_DIGEST_BYTES).digest()

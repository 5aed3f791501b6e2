"""A cache in the user's home directory for results that are slow to compute, shared by processes of the user.

The path of a file encodes everything that its content depends on. Files that other users could have written are
refused, since the content is trusted like code.
"""

from __future__ import annotations

import os
import stat
from functools import cache
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile

_DIGEST_BYTES = 32
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def default_folder() -> Path | None:
    """Return `$TWINDIFF_CACHE_DIR` (no cache, so None, if empty), else `twindiff` in the user's cache directory."""
    given = os.environ.get("TWINDIFF_CACHE_DIR")
    if given is not None:
        return Path(given) if given else None
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "twindiff"
    except RuntimeError:  # the user has no home directory
        return None


@cache
def code() -> str:
    """Return a hash of the storage source files, since their output may change between commits of one version."""
    storage = Path(__file__).parent
    files = sorted([*storage.glob("*.py"), *storage.glob("sql/*.py"), *storage.glob("sqlite/*.py")])
    return blake2b(b"\0".join(path.read_bytes() for path in files), digest_size=20).hexdigest()


def read(path: Path) -> bytes:
    """Return the content of a cache file and mark it as used.

    Raises OSError for a missing file or a symbolic link, ValueError for a truncated or foreign one.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
        _refuse_foreign(os.fstat(file.fileno()))
        whole = file.read()
    digest, content = whole[:_DIGEST_BYTES], whole[_DIGEST_BYTES:]
    if not content or digest != _digest(content):
        raise ValueError(f"{path} is not whole")
    os.utime(path)
    return content


def write(path: Path, content: bytes) -> None:
    """Write a cache file atomically; raises OSError, or ValueError if other users can write to the directory."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _refuse_foreign(path.parent.stat())
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(_digest(content) + content)
            file.flush()
            Path(file.name).replace(path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise


def _refuse_foreign(status: os.stat_result) -> None:
    if status.st_uid != os.geteuid() or status.st_mode & _WRITABLE_BY_OTHERS:
        raise ValueError("others could have written here")


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST_BYTES).digest()

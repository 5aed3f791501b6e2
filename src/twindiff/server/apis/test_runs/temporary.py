"""Folders that go with their server: each is locked while its server lives; if that died the next one removes it."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PREFIX = "twindiff-artifacts-"


class TemporaryFolder:
    """A folder that is this process's own, until it is removed."""

    def __init__(self, prefix: str = PREFIX) -> None:
        self.path, self._lock = _claim_folder(prefix)

    def remove(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _claim_folder(prefix: str) -> tuple[Path, int]:
    """A new folder and what holds its lock; one that was taken for abandoned meanwhile is not used."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix))
        with suppress(FileNotFoundError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


def remove_abandoned(prefix: str = PREFIX, before: Callable[[Path], None] | None = None) -> list[Path]:
    """Remove the folders of this user whose servers have died, and give their paths; `before` is given each first."""
    return [path for path in Path(tempfile.gettempdir()).glob(f"{prefix}*") if _remove_abandoned(path, before)]


def _remove_abandoned(path: Path, before: Callable[[Path], None] | None) -> bool:
    """Whether nobody held a folder; it is gone then. What others own is left alone."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_uid != os.getuid():
            return False
        if before:
            before(path)
        shutil.rmtree(path, ignore_errors=True)
        return not path.exists()
    except OSError:
        return False
    finally:
        os.close(lock)

"""Temporary folders, locked while their server lives; the next server removes those of dead ones."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

log = logging.getLogger("twindiff")

PREFIX = "twindiff-artifacts-"


class TemporaryFolder:
    """A temporary folder that is locked by this process until it is removed."""

    def __init__(self, prefix: str = PREFIX, parent: str | None = None) -> None:
        self.path, self._lock = _claim_folder(prefix, parent)

    def remove(self) -> None:
        """Remove the folder and its contents, and release the lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def _claim_folder(prefix: str, parent: str | None) -> tuple[Path, int]:
    """Create and lock a folder; returns its path and the descriptor of the lock.
    Retries if another server removed it as abandoned before it was locked.
    """
    while True:
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        with suppress(FileNotFoundError):
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


@contextmanager
def hold_temporary_folder(prefix: str, parent: str | None = None) -> Generator[Path]:
    """Create a temporary folder for the block, after removing those that killed processes have left."""
    remove_abandoned(prefix, parent=parent)
    folder = TemporaryFolder(prefix, parent)
    try:
        yield folder.path
    finally:
        folder.remove()


def describe_remains(path: Path) -> str:
    """Describe what to do about a folder that could not be removed."""
    return f"{path} has files of other users, which this server may not remove; remove it with: sudo rm -rf {path}"


def remove_abandoned(
    prefix: str = PREFIX, before: Callable[[Path], None] | None = None, parent: str | None = None
) -> list[Path]:
    """Remove this user's folders whose servers have died, after calling `before` with each; returns their paths.

    A folder for which `before` raises is set aside with a line in the log.
    """
    folders = Path(parent or tempfile.gettempdir()).glob(f"{prefix}*")
    return [path for path in folders if _remove_abandoned(path, before)]


def _remove_abandoned(path: Path, before: Callable[[Path], None] | None) -> bool:
    """Remove a folder if it is unlocked; false if it is locked, or owned by another user."""
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
        if path.exists():
            log.warning("%s", describe_remains(path))
        return not path.exists()
    except BlockingIOError:
        return False
    except Exception as error:  # noqa: BLE001 - whatever it is, the other folders are removed
        log.warning("Folder %s of a dead server set aside: %s: %s", path, type(error).__name__, error)
        return False
    finally:
        os.close(lock)

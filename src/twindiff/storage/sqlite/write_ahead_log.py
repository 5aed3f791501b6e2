"""The write-ahead log of a data file: checkpointed and synced in other threads, so that no request waits for it.

SQLite resets the log once a checkpoint has copied all of it, which requires that no write happened during it. A
checkpoint waits three times for the disk, so another thread retries while the log may still grow, and nearly always
finds such a moment.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from twindiff.storage import StorageFull

from .connection import OUT_OF_SPACE, Busy, SqliteConnection

LONG_LOG = 1000
"""Pages at which another thread should checkpoint the log."""
TOO_LONG_LOG = 16_000
"""Pages at which the writer itself checkpoints the remainder, since writes never pause."""
MAX_LOG_PAGES = 64_000
"""Pages at which a write checkpoints the whole log, if no other thread does."""
ROUNDS = 5


class Log:
    """The log of a data file; `connect` opens the file for another thread."""

    def __init__(self, path: str, connection: SqliteConnection, connect: Callable[[], SqliteConnection]) -> None:
        self._path = path
        self._connection = connection
        self._connect = connect
        self._pages = 0
        self._file: int | None = None
        self.on_commit: Callable[[], None] = _nothing
        """Called after every commit."""
        connection.set_wal_hook(self._note)

    def _note(self, connection: SqliteConnection, name: str, pages: int) -> int:
        """Note the length of the log after a commit, and limit it if no other thread does.

        A failed checkpoint is ignored: the pages stay in the log, and the commit itself has succeeded.
        """
        self._pages = pages
        if pages >= MAX_LOG_PAGES:
            with suppress(Busy, *OUT_OF_SPACE):
                connection.wal_checkpoint()
        self.on_commit()
        return 0

    @property
    def is_long(self) -> bool:
        """Whether the log should be checkpointed."""
        return self._pages >= LONG_LOG

    def shorten(self) -> None:
        """Checkpoint and reset the log, in another thread; raises StorageFull.

        Writes continue meanwhile, so it takes several rounds until little or nothing remains.
        """
        connection = self._connect()
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            ((layout,),) = connection.execute("PRAGMA user_version")  # opens the log
            with suppress(Busy):  # another connection is checkpointing
                for _ in range(ROUNDS):
                    pages, carried = connection.wal_checkpoint()
                    if pages == carried:  # make the write that resets the log, and waits for the disk, here
                        connection.execute(f"PRAGMA user_version = {layout}")
                        self._pages = 0
                        break
        except OUT_OF_SPACE:
            raise StorageFull from None
        finally:
            connection.close()

    def finish(self) -> None:
        """Checkpoint the remainder of a log that has grown too long, so that it is reset."""
        if self._pages >= TOO_LONG_LOG:
            with suppress(Busy, *OUT_OF_SPACE):
                self._connection.wal_checkpoint()

    def sync(self) -> None:
        """Flush all previous commits to disk. Safe in any thread; raises OSError."""
        if self._file is None:
            self._file = os.open(f"{self._path}-wal", os.O_RDWR)
        os.fdatasync(self._file)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)


def _nothing() -> None:
    """Do nothing after a commit."""

"""The write-ahead log of a data file: carried over into it and synced in other threads, so that nobody waits for it.

SQLite begins the log anew once all of it has been carried over, for which nobody may have written meanwhile. That costs
three waits for the disk, so another thread tries for as long as the log may grow, and nearly always finds such a time.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from twindiff.storage import StorageFull

from .connection import OUT_OF_SPACE, Busy, SqliteConnection

LONG_LOG = 1000
"""Pages at which another thread should carry the log over."""
TOO_LONG_LOG = 16_000
"""Pages at which the last of it is carried over by whoever writes, since there never is a time when nobody does."""
MAX_LOG_PAGES = 64_000
"""Pages at which a write carries all of it over, where no other thread does."""
ROUNDS = 5


class Log:
    """What is asked of the log of a data file; `connect` opens the file for another thread."""

    def __init__(self, path: str, connection: SqliteConnection, connect: Callable[[], SqliteConnection]) -> None:
        self._path = path
        self._connection = connection
        self._connect = connect
        self._pages = 0
        self._file: int | None = None
        self.wrote: Callable[[], None] = _nothing
        """Called after every commit."""
        connection.set_wal_hook(self._note)

    def _note(self, connection: SqliteConnection, name: str, pages: int) -> int:
        """Keep the log from growing for ever where nobody shortens it.

        What it could not carry over stays in the log; the commit that this hangs on is done.
        """
        self._pages = pages
        if pages >= MAX_LOG_PAGES:
            with suppress(Busy, *OUT_OF_SPACE):
                connection.wal_checkpoint()
        self.wrote()
        return 0

    @property
    def is_long(self) -> bool:
        """Whether the log is worth shortening."""
        return self._pages >= LONG_LOG

    def shorten(self) -> None:
        """Carry the log over into the file and begin it anew, in another thread; raises StorageFull.

        Others go on writing, so it takes some rounds until little is left, or nothing.
        """
        connection = self._connect()
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            ((layout,),) = connection.execute("PRAGMA user_version")  # now it knows that there is a log
            with suppress(Busy):  # somebody else is at it
                for _ in range(ROUNDS):
                    pages, carried = connection.wal_checkpoint()
                    if pages == carried:  # the next write begins the log anew, and waits for the disk
                        connection.execute(f"PRAGMA user_version = {layout}")
                        self._pages = 0
                        break
        except OUT_OF_SPACE:
            raise StorageFull from None
        finally:
            connection.close()

    def finish(self) -> None:
        """Carry over the little that is left of a log that has grown too long, so that it begins anew."""
        if self._pages >= TOO_LONG_LOG:
            with suppress(Busy, *OUT_OF_SPACE):
                self._connection.wal_checkpoint()

    def sync(self) -> None:
        """Have the disk keep whatever was committed before, in any thread; raises OSError."""
        if self._file is None:
            self._file = os.open(f"{self._path}-wal", os.O_RDWR)
        os.fdatasync(self._file)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)


def _nothing() -> None:
    """What comes after a commit that nobody waits for."""

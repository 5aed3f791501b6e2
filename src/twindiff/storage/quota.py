"""The storage quota: a limit of bytes, so that one client cannot fill the disk of the server."""

from __future__ import annotations

from math import inf

from . import StorageFull


class StorageQuota:
    """A quota of `most` bytes (0: unlimited): the rest at the last measurement, less the bytes written since."""

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self._left: float = 0 if most else inf

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit, and usage must be measured."""
        return self._most > 0

    def set_used(self, used: int) -> None:
        """Set the measured usage in bytes."""
        self._left = self._most - used

    def take(self, size: int = 0) -> None:
        """Reserve bytes that are about to be written; raises StorageFull if they exceed the quota."""
        if self._left <= 0 or size > self._left:
            raise StorageFull(f"The server holds the {self._most:,} bytes that it may; delete environments")
        self._left -= size

"""How many bytes a storage may hold, so that those who write without end do not fill the disk of all."""

from __future__ import annotations

from math import inf

from . import StorageFull


class Room:
    """What may be written yet: what the last measurement left, less what was written since."""

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self._left: float = 0 if most else inf

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit, so that it is worth measuring."""
        return self._most > 0

    def set_used(self, used: int) -> None:
        """Go on from how many bytes are held now."""
        self._left = self._most - used

    def take(self, size: int = 0) -> None:
        """Count bytes that are about to be written; raises StorageFull when there is no room for them."""
        if self._left <= 0 or size > self._left:
            raise StorageFull(f"The server holds the {self._most:,} bytes that it may; delete environments")
        self._left -= size

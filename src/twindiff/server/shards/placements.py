"""Where new environments and runs go: counts of each shard, in memory that the processes of a server share."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Literal

ENVIRONMENTS, RUNS = 0, 1
Kind = Literal[0, 1]
_BYTES = mmap.PAGESIZE


@contextmanager
def hold_placements() -> Generator[int]:
    """Create a file without a name for the counts of several processes, which inherit its descriptor."""
    with tempfile.TemporaryFile() as file:
        file.truncate(_BYTES)
        yield file.fileno()


class Placements:
    """Counts of environments and runs by shard, for processes that inherit a descriptor, or for this one alone.

    Processes add without a lock: two that do so at once may lose a count, until the shard has corrected it.
    """

    def __init__(self, descriptor: int = -1) -> None:
        self._counts = memoryview(mmap.mmap(descriptor, _BYTES)).cast("q")

    def choose(self, kind: Kind, shards: Iterable[int]) -> int:
        """Return the one of the shards with the fewest environments or runs, and count one more for it."""
        shard = min(shards, key=lambda each: self._counts[2 * each + kind])
        self._counts[2 * shard + kind] += 1
        return shard

    def correct(self, shard: int, environments: int) -> None:
        """Set the number of environments that a shard has."""
        self._counts[2 * shard + ENVIRONMENTS] = environments

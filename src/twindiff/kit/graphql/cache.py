"""An LRU cache bounded by the total size of its values, not by their number."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class SizedCache(Generic[V]):
    """A thread-safe LRU cache; the sizes of its values, in any unit, add up to at most `most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = 0
        self._kept: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        """The value of a key, marked as most recently used, or None."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            self._kept.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Store a value, unless its size exceeds that of the cache, and evict the least recently used ones."""
        with self._lock:
            self._drop(key)
            if size > self.most:
                return
            self._kept[key] = value, size
            self.size += size
            while self.size > self.most:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: Hashable) -> None:
        _, size = self._kept.pop(key, (None, 0))
        self.size -= size

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

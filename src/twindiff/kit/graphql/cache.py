"""What is kept to be used again, bounded by its size and not by its number."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class SizedCache(Generic[V]):
    """The values that were used last, as many as fit; sizes are in whatever unit `most` is. Threads may share it."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.size = 0
        self._kept: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        """The value of a key, which is then the one used last."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is None:
                return None
            self._kept.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Keep a value unless it alone is larger than all that may be kept."""
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

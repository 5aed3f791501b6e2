"""Random numbers that depend on a seed number only: the same on every machine and in every release."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A generator of random numbers from a seed number."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._throws = 0

    def below(self, count: int) -> int:
        """Return a whole number in `0 <= n < count`."""
        self._throws += 1
        digest = blake2b(f"{self._seed}/{self._throws}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % count

    def between(self, least: int, most: int) -> int:
        return least + self.below(most - least + 1)

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def pick(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], count: int) -> list[T]:
        """Return up to `count` different items in random order."""
        left, chosen = list(items), list[T]()
        while left and len(chosen) < count:
            chosen.append(left.pop(self.below(len(left))))
        return chosen

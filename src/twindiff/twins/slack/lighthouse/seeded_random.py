"""Chance that is the same on every machine and in every release: a function of a seed number and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Throws that follow from a seed number."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._throws = 0

    def below(self, count: int) -> int:
        """A whole number from 0 up to, and not including, `count`."""
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
        """Up to `count` different items, in a new order."""
        left, chosen = list(items), list[T]()
        while left and len(chosen) < count:
            chosen.append(left.pop(self.below(len(left))))
        return chosen

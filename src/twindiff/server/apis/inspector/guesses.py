"""Rate limit of wrong keys at the sign-in: after a few, further attempts are refused for increasing times."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable

from twindiff.kit.errors import ApiError

log = logging.getLogger("twindiff")

FREE_GUESSES = 5
"""Wrong keys from one address before it has to wait."""
FREE_GUESSES_OF_ALL = 100
"""Wrong keys from all addresses before everyone has to wait."""
MAX_WAIT_SECONDS = 60.0
MAX_WAIT_OF_ALL_SECONDS = 1.0
"""Short, so that attackers cannot lock the owner out."""
MAX_ADDRESSES = 10_000
EVERYONE = ""


class TooManyGuesses(ApiError):
    """Too many wrong keys were given; try again later."""

    status = 429


class Guesses:
    """Counts wrong keys by address; `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, int] = {}
        self._until: dict[str, float] = {}

    def check(self, address: str) -> None:
        """Raise TooManyGuesses while an address has to wait."""
        until = max(self._until.get(address, 0.0), self._until.get(EVERYONE, 0.0))
        seconds = math.ceil(until - self._clock())
        if seconds > 0:
            said = f"Too many wrong keys were given; try again in {seconds} s"
            raise TooManyGuesses(said, headers=(("Retry-After", str(seconds)),))

    def note_wrong(self, address: str) -> None:
        """Count a wrong key from an address."""
        self._count(address, FREE_GUESSES, MAX_WAIT_SECONDS)
        self._count(EVERYONE, FREE_GUESSES_OF_ALL, MAX_WAIT_OF_ALL_SECONDS)

    def note_right(self, address: str) -> None:
        """Reset the count of an address that gave the right key."""
        self._wrong.pop(address, None)
        self._until.pop(address, None)

    def _count(self, name: str, free: int, longest: float) -> None:
        if len(self._wrong) >= MAX_ADDRESSES and name not in self._wrong:
            self._forget(next(each for each in self._wrong if each != EVERYONE))
        self._wrong[name] = wrong = self._wrong.get(name, 0) + 1
        if wrong < free:
            return
        self._until[name] = self._clock() + min(2.0 ** min(wrong - free, 10), longest)
        if wrong == free:
            log.warning("%d wrong keys were given at the sign-in by %s", wrong, name or "several addresses")

    def _forget(self, address: str) -> None:
        self._wrong.pop(address)
        self._until.pop(address, None)

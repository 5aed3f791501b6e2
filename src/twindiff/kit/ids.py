"""Ids in the vendor's form, derived from counters, so that the same operations give the same ids."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Protocol
from uuid import UUID

from .clock import SECOND, Clock

BASE36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@cache
def _letters(alphabet: str) -> bytes:
    """A translation table from each byte to a letter of the alphabet."""
    return bytes(ord(alphabet[byte % len(alphabet)]) for byte in range(256))


class Next(Protocol):
    """Raises a counter by one, or to `at_least` if that is more, and returns it; see `Store.next`."""

    def __call__(self, counter: str, *, at_least: int = 1) -> int: ...


class Ids:
    """Makes new ids for one operation."""

    def __init__(self, next: Next, clock: Clock) -> None:
        self._next = next
        self._clock = clock

    def new(self, prefix: str = "", length: int = 10, alphabet: str = BASE36) -> str:
        """`prefix` followed by `length` (at most 64) random-looking letters; they depend only on prefix and counter."""
        digest = blake2b(f"{prefix}{self._next('id')}".encode(), digest_size=length).digest()
        return prefix + digest.translate(_letters(alphabet)).decode()

    def uuid(self) -> str:
        """A version 4 UUID that depends only on the counter."""
        return str(UUID(bytes=blake2b(b"%d" % self._next("id"), digest_size=16).digest(), version=4))

    def ts(self) -> str:
        """The time as `seconds.micros`, later than every earlier one of this environment (Slack's `ts`)."""
        seconds, micros = divmod(self._next("ts", at_least=self._clock.micros), SECOND)
        return f"{seconds:010d}.{micros:06d}"

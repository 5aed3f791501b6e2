"""Ids in the vendor's form, made from counters, so that the same operations give the same ids."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Protocol
from uuid import UUID

from .clock import SECOND, Clock

BASE36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@cache
def _letters(alphabet: str) -> bytes:
    """The letter for each byte."""
    return bytes(ord(alphabet[byte % len(alphabet)]) for byte in range(256))


class Next(Protocol):
    def __call__(self, counter: str, *, at_least: int = 1) -> int: ...


class Ids:
    """New ids for one operation."""

    def __init__(self, next: Next, clock: Clock) -> None:
        self._next = next
        self._clock = clock

    def new(self, prefix: str = "", length: int = 10, alphabet: str = BASE36) -> str:
        """`prefix` and `length` letters that look random and are a function of the counter alone."""
        digest = blake2b(f"{prefix}{self._next('id')}".encode(), digest_size=length).digest()
        return prefix + digest.translate(_letters(alphabet)).decode()

    def uuid(self) -> str:
        """A version 4 UUID, likewise."""
        return str(UUID(bytes=blake2b(b"%d" % self._next("id"), digest_size=16).digest(), version=4))

    def ts(self) -> str:
        """`seconds.micros` of now, later than every one before it in this environment."""
        seconds, micros = divmod(self._next("ts", at_least=self._clock.micros), SECOND)
        return f"{seconds:010d}.{micros:06d}"

"""The bytes of request bodies and unsent responses that this process holds in memory, with a bound on their sum.

Beyond it, requests are refused until others are done: each is bounded, but a thousand at once would be gigabytes.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from twindiff.kit.errors import ApiError

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

MAX_HELD_BYTES = 1_000_000_000


class MemoryFull(ApiError):
    """The server holds as many bytes of requests and responses as it may; try again in a second."""

    status = 503


class HeldBytes:
    """Counts the bytes that a process holds; `limit` is the most that it may before it refuses requests."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.total = 0

    def add(self, size: int) -> None:
        """Count bytes in, or out if `size` is negative."""
        self.total += size

    def check(self) -> None:
        """Raise MemoryFull beyond the limit."""
        if self.total > self.limit:
            raise MemoryFull(headers=(("Retry-After", "1"),))


held_bytes = HeldBytes(MAX_HELD_BYTES)
"""The bytes of this process, however many servers are in it."""


class CountedBody:
    """Receives a request as its `receive` does, and counts the bytes of its body in until `release`."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0

    async def __call__(self) -> Message:
        """Receive the next message; raises MemoryFull."""
        message = await self._receive()
        size = len(message.get("body", b""))
        self._size += size
        if size:
            held_bytes.add(size)
            held_bytes.check()
        return message

    def release(self) -> None:
        """Count the bytes out."""
        held_bytes.add(-self._size)
        self._size = 0

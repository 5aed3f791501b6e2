"""A tunnel: two connections whose data is passed on in both directions, no faster than the slower one reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

MAX_QUEUED_BYTES = 1 << 18
"""Bytes that wait for one side before the other side is no longer read."""


class TunnelEnd(asyncio.Protocol):
    """One of the two connections."""

    def __init__(self, ended: Callable[[], None]) -> None:
        self._ended = ended
        self.transport: asyncio.Transport | None = None
        self.other: TunnelEnd | None = None
        self._early = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Limit what is queued for this side."""
        self.transport = cast(asyncio.Transport, transport)
        self.transport.set_write_buffer_limits(MAX_QUEUED_BYTES)

    def data_received(self, data: bytes) -> None:
        """Pass data on to the other side."""
        if self.other and self.other.transport:
            self.other.transport.write(data)

    def eof_received(self) -> bool:
        """Pass the end of data on; the other direction stays open."""
        other = self.other.transport if self.other else None
        if other and other.can_write_eof():
            other.write_eof()
        return True

    def pause_writing(self) -> None:
        """Read no more from the other side while this one does not keep up."""
        if self.other and self.other.transport:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read from the other side again."""
        if self.other and self.other.transport:
            self.other.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Close the other side."""
        self._ended()
        if self.other and self.other.transport and not self.other.transport.is_closing():
            self.other.transport.close()


class Tunnel:
    """The two ends: `near` is the client's, `far` that of the host."""

    def __init__(self, client: asyncio.Transport, ended: Callable[[], None]) -> None:
        self._client = client
        self.near, self.far = TunnelEnd(ended), TunnelEnd(ended)
        self.near.other, self.far.other = self.far, self.near

    def begin(self, data: bytes) -> None:
        """Take the client's connection over, and pass on what it has sent already."""
        self.near.connection_made(self._client)
        self._client.set_protocol(self.near)
        if data:
            self.near.data_received(data)
        self._client.resume_reading()

"""HTTP as uvicorn speaks it, with head and body of an answer in one write, and requests that must come in time.

Each write is a system call of 20 to 40 µs, which was a fifth of what a small request costs. A client that sends its
request drop by drop would keep a place among those in flight for ever; one whose request comes at once costs no timer.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Gathered:
    """A transport that writes what it was given in one turn of the event loop at its end."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Write soon, in order."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))

    def close(self) -> None:
        """Write what waits, then hang up."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


LARGEST_FRAME = 1 << 16
"""Bytes of a frame that a program sends over a socket; acknowledgements are small."""

LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HttpProtocol(HttpToolsProtocol):
    """One connection."""

    request_seconds: float = 60
    """How long a request may take to come, head and body."""
    _is_coming = False
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Speak through a transport that gathers."""
        super().connection_made(cast(asyncio.Transport, Gathered(transport, self.loop)))
        self._watch_time()

    def data_received(self, data: bytes) -> None:
        """Read on; watch the time of a request that is not complete, or has not even begun."""
        super().data_received(data)
        is_answering = bool(self.cycle) and not self.cycle.response_complete
        if is_answering and not self._is_coming:
            self._forget_time()
        elif self._late is None:
            self._watch_time()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_coming = True
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._is_coming = False
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """The request becomes a socket, which has all the time it wants."""
        self._is_coming = False
        self._forget_time()
        super().handle_websocket_upgrade()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing comes any more."""
        self._forget_time()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        is_answered = self.cycle and self.cycle.more_body and self.cycle.response_started
        if self._is_coming and not is_answered:
            self.transport.write(LATE)
        self.transport.close()

    def _watch_time(self) -> None:
        self._late = self.loop.call_later(self.request_seconds, self._give_up)

    def _forget_time(self) -> None:
        if self._late:
            self._late.cancel()
        self._late = None

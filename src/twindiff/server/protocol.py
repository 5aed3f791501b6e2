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

    def finish(self) -> None:
        """Write what waits, and say that nothing more comes."""
        self._flush()
        if not self._transport.is_closing():
            self._transport.write_eof()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


MAX_FRAME_BYTES = 1 << 16
"""Bytes of a frame that a program sends over a socket; acknowledgements are small."""

MAX_HEAD_BYTES = 1 << 16
"""Bytes of a request's address, header fields and trailers together."""
MAX_HEADERS = 200
LINGER_SECONDS = 2.0
"""How long what a client still sends is thrown away, so that it gets to read why its request was refused."""

TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-type: text/plain\r\n"
    b"content-length: %d\r\n\r\n%s"
)
_WHY = b"The head of a request has at most %d bytes and %d header fields." % (MAX_HEAD_BYTES, MAX_HEADERS)
LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeadTooLarge(Exception):
    """The head of a request is larger than any that is read."""


class HttpProtocol(HttpToolsProtocol):
    """One connection."""

    request_seconds: float = 60
    """How long a request may take to come, head and body."""
    _is_coming = False
    _late: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _silent_bytes = 0
    """Bytes that the parser keeps and has told nothing of: those of a single field that does not end."""
    _is_silent = False
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Speak through a transport that gathers."""
        super().connection_made(cast(asyncio.Transport, Gathered(transport, self.loop)))
        self._watch_time()

    def data_received(self, data: bytes) -> None:
        """Read on; watch the time of a request that is not complete, or has not even begun."""
        if self._is_refused:
            return
        self._is_silent = True
        super().data_received(data)
        self._silent_bytes = self._silent_bytes + len(data) if self._is_silent else 0
        if self._silent_bytes > MAX_HEAD_BYTES:
            self._refuse_head()
        if self._is_refused:
            return
        is_answering = bool(self.cycle) and not self.cycle.response_complete
        if is_answering and not self._is_coming:
            self._forget_time()
        elif self._late is None:
            self._watch_time()

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_coming = True
        self._is_silent = False
        self._head_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A part of the address has come."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header field has come, or a trailer."""
        self._count_head(len(name) + len(value))
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            raise HeadTooLarge

    def on_body(self, body: bytes) -> None:
        """A part of the body has come."""
        self._is_silent = False
        super().on_body(body)

    def _count_head(self, size: int) -> None:
        self._is_silent = False
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            raise HeadTooLarge

    def send_400_response(self, msg: str) -> None:
        """Refuse what the parser cannot take, or was told not to."""
        if self._head_bytes > MAX_HEAD_BYTES or len(self.headers or ()) > MAX_HEADERS:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def _refuse_head(self) -> None:
        """Answer 431, and read on without looking for a while: a reset would take the answer from the client."""
        self._is_refused = True
        self._forget_time()
        self.transport.write(TOO_LARGE % (len(_WHY), _WHY))
        cast(Gathered, self.transport).finish()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

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

"""Uvicorn's HTTP protocol, with the head and body of a response in one write, and a timeout for incoming requests.
Each write is a system call of 20 to 40 µs, which was a fifth of the cost of a small request. Without the timeout, a
client that sends its request byte by byte would be in flight forever. A request that arrives in one piece needs no
timer.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from typing import Any, cast

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from twindiff.server.client_presence import HALF_CLOSED
from twindiff.server.held_bytes import held_bytes


class Gathered:
    """A transport that buffers the writes of one event loop iteration and flushes them at its end."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Buffer data until the end of the current iteration."""
        if not self._waiting:
            self._loop.call_soon(self.flush)
        self._waiting.append(data)

    def flush(self) -> None:
        """Write what is buffered."""
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))

    def close(self) -> None:
        """Flush, then close."""
        self.flush()
        self._transport.close()

    def finish(self) -> None:
        """Flush, then half-close: no more data follows."""
        self.flush()
        if not self._transport.is_closing():
            self._transport.write_eof()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


MAX_FRAME_BYTES = 1 << 16
"""Maximum bytes of an incoming WebSocket frame; acknowledgements are small."""

MAX_HEAD_BYTES = 1 << 16
"""Maximum bytes of a request's target, header fields and trailers together."""
MAX_HEADERS = 200
MIN_READ_BYTES = 1_000_000
"""Bytes that a client has to read within `HttpProtocol.stall_seconds`, or else all that is left."""
RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""`SO_LINGER` by which closing discards what is unsent."""
LINGER_SECONDS = 2.0
"""After a refusal, how long further data is discarded before closing, so that the client can read the response."""

TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-type: text/plain\r\n"
    b"content-length: %d\r\n\r\n%s"
)
_WHY = b"The head of a request has at most %d bytes and %d header fields." % (MAX_HEAD_BYTES, MAX_HEADERS)
LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeadTooLarge(Exception):
    """The head of a request is larger than any that is read."""


def connection_config(app: Any) -> uvicorn.Config:
    """The configuration of connections that are accepted outside the main server, loaded."""
    config = uvicorn.Config(
        app,
        access_log=False,
        date_header=False,
        http=HttpProtocol,
        interface="asgi3",
        lifespan="off",
        log_config=None,
        proxy_headers=False,
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=MAX_FRAME_BYTES,
    )
    config.load()
    return config


class HttpProtocol(HttpToolsProtocol):
    """One connection; refuses heads beyond `MAX_HEAD_BYTES` or `MAX_HEADERS` with 431, slow requests with 408.

    A client that hardly reads is disconnected, since its response is in memory until it is sent.
    """

    request_seconds: float = 60
    """Seconds that a request may take to arrive, head and body."""
    stall_seconds: float = 60
    _stalled: asyncio.TimerHandle | None = None
    _unsent_bytes = 0
    _held_bytes = 0
    _is_receiving = False
    _late: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _silent_bytes = 0
    """Bytes that the parser has buffered without a callback: those of a single field that has not ended."""
    _is_silent = False
    _is_refused = False
    _data = b""
    """What the parser was fed last."""
    _unparsed = b""
    """What it is fed next."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Wrap the transport so that it buffers writes, and start the timeout."""
        super().connection_made(cast(asyncio.Transport, Gathered(transport, self.loop)))
        self._watch_time()

    def data_received(self, data: bytes) -> None:
        """Feed the parser; run the timeout while a request is incomplete or none has begun."""
        if self._is_refused:
            return
        self._unparsed = data
        while self._unparsed:
            self._data, self._unparsed = self._unparsed, b""
            self._is_silent = True
            super().data_received(self._data)
            self._silent_bytes = self._silent_bytes + len(self._data) if self._is_silent else 0
        if self._silent_bytes > MAX_HEAD_BYTES:
            self._refuse_head()
        if self._is_refused:
            return
        is_answering = bool(self.cycle) and not self.cycle.response_complete
        if is_answering and not self._is_receiving:
            self._forget_time()
        elif self._late is None:
            self._watch_time()

    def on_message_begin(self) -> None:
        """Reset the counts at the start of a request."""
        self._is_receiving = True
        self._is_silent = False
        self._head_bytes = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Count the bytes of a part of the request target."""
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count the bytes of a header field or trailer."""
        self._count_head(len(name) + len(value))
        super().on_header(name, value)
        if len(self.headers) > MAX_HEADERS:
            raise HeadTooLarge

    def on_body(self, body: bytes) -> None:
        """Note that the parser made progress."""
        self._is_silent = False
        super().on_body(body)

    def _count_head(self, size: int) -> None:
        self._is_silent = False
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES:
            raise HeadTooLarge

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that the parser rejects, or that a callback rejected as too large."""
        if self._head_bytes > MAX_HEAD_BYTES or len(self.headers or ()) > MAX_HEADERS:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def _refuse_head(self) -> None:
        """Respond with 431, then discard data for a while: a reset could discard the response before it is read."""
        self._is_refused = True
        self._forget_time()
        self.transport.write(TOO_LARGE % (len(_WHY), _WHY))
        cast(Gathered, self.transport).finish()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def on_headers_complete(self) -> None:
        """Begin the request, unless it has to be parsed again."""
        if not self._offers_other_protocol():
            super().on_headers_complete()

    def _offers_other_protocol(self) -> bool:
        """Whether the request offers to go on in another protocol than WebSocket, such as `Upgrade: h2c` of Java."""
        return self.parser.should_upgrade() and self._get_upgrade() not in (None, b"websocket")

    def _unsupported_upgrade_warning(self) -> None:
        """Ignore the offer of another protocol, as a server may (RFC 9110, 7.8), by parsing the request without it.

        The parser takes the body of such a request for data of the other protocol.
        """
        offered = sys.exception()
        if not self._offers_other_protocol() or not isinstance(offered, httptools.HttpParserUpgrade):
            return
        rest = self._data[offered.args[0] :]
        version = self.parser.get_http_version().encode()
        head = [b"%s %s HTTP/%s\r\n" % (self.parser.get_method(), self.url, version)]
        for name, value in self.headers:
            if name == b"connection":
                tokens = [each.strip() for each in value.split(b",")]
                value = b", ".join(each for each in tokens if each.lower() not in (b"upgrade", b"http2-settings"))
            if name != b"upgrade" and value:
                head.append(b"%s: %s\r\n" % (name, value))
        self.parser = httptools.HttpRequestParser(self)
        self._unparsed = b"".join([*head, b"\r\n", rest])

    def on_message_complete(self) -> None:
        """Note that the request is complete."""
        if self._offers_other_protocol():
            return
        self._is_receiving = False
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the WebSocket protocol, which has no timeout."""
        self._is_receiving = False
        self._forget_time()
        super().handle_websocket_upgrade()

    def eof_received(self) -> bool | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Keep the connection of a client that has closed its side after a request, until it has its response.

        Whoever waits for it to leave is told so: a client that has left does not differ from it until data is sent.
        """
        cast(Gathered, self.transport).flush()
        if not self.cycle or self.cycle.response_complete or self._is_receiving:
            return None
        self.cycle.keep_alive = False
        cast(dict[str, Any], self.cycle.scope)["state"][HALF_CLOSED] = True
        self.cycle.message_event.set()
        return True

    def pause_writing(self) -> None:
        """Hold the response back while the client does not read, and watch whether it does."""
        super().pause_writing()
        self._count_held(self.transport.get_write_buffer_size())
        self._watch_reader()

    def resume_writing(self) -> None:
        """Send on."""
        self._forget_reader()
        self._count_held(0)
        super().resume_writing()

    def _count_held(self, size: int) -> None:
        """Count the bytes of the response that is held back, whose sum over all connections has a bound."""
        held_bytes.add(size - self._held_bytes)
        self._held_bytes = size

    def _watch_reader(self) -> None:
        self._forget_reader()
        self._unsent_bytes = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(self.stall_seconds, self._check_reader)

    def _check_reader(self) -> None:
        if self.transport.get_write_buffer_size() <= self._unsent_bytes - MIN_READ_BYTES:
            self._watch_reader()
            return
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.transport.abort()

    def _forget_reader(self) -> None:
        if self._stalled:
            self._stalled.cancel()
        self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeouts."""
        self._forget_time()
        self._forget_reader()
        self._count_held(0)
        super().connection_lost(exc)

    def _give_up(self) -> None:
        is_answered = self.cycle and self.cycle.more_body and self.cycle.response_started
        if self._is_receiving and not is_answered:
            self.transport.write(LATE)
        self.transport.close()

    def _watch_time(self) -> None:
        self._late = self.loop.call_later(self.request_seconds, self._give_up)

    def _forget_time(self) -> None:
        if self._late:
            self._late.cancel()
        self._late = None

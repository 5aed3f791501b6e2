"""HTTP/2 of one connection, translated to ASGI by stream. `h2` keeps the protocol's rules, this module the bounds."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, cast
from urllib.parse import unquote

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    PingReceived,
    PriorityUpdated,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    UnknownFrameReceived,
    WindowUpdated,
)
from h2.exceptions import H2Error, ProtocolError
from h2.settings import SettingCodes, Settings

from twindiff.server.protocol import MAX_HEAD_BYTES, MAX_HEADERS

MAX_STREAMS = 100
MAX_RUNNING = 2 * MAX_STREAMS
"""Requests that run at once, those whose stream the client has reset included."""
MAX_CONTROL_FRAMES = 2000
"""Frames such as pings, settings and resets that a client may send beyond those that its requests allow for."""
CONTROL_FRAMES_PER_REQUEST = 20
WINDOW_BYTES = 1 << 20
IDLE_SECONDS = 75.0
STALL_SECONDS = 60.0
"""Seconds that a response waits for its client to read on, and a request for its next data."""
NOT_SENT = (b"connection", b"keep-alive", b"transfer-encoding", b"upgrade", b"proxy-connection")

App = Callable[[Any, Any, Any], Awaitable[None]]


class Stream:
    """One request and its response."""

    def __init__(self, connection: Http2Connection, number: int) -> None:
        self._connection = connection
        self.number = number
        self.pieces: deque[tuple[bytes, int]] = deque()
        """Parts of the body that have arrived, with the bytes of flow control that each took."""
        self.is_ended = False
        self.is_reset = False
        self.is_bodiless = False
        self.bytes_left: int | None = None
        """Bytes of the declared length that have not arrived; None if no length is declared."""
        self._is_delivered = False
        """Whether the application knows that the request is complete."""
        self.changed = asyncio.Event()
        self._start: dict[str, Any] | None = None

    async def receive(self) -> dict[str, Any]:
        """The next message of the client, as ASGI defines it."""
        while not self.pieces and not self.is_reset:
            if self.is_ended and not self._is_delivered:
                self._is_delivered = True
                return {"type": "http.request", "body": b"", "more_body": False}
            self.changed.clear()
            if self._is_delivered:
                await self.changed.wait()
            else:
                await self._connection.wait(self.changed)
        if self.is_reset:
            return {"type": "http.disconnect"}
        body, taken = self.pieces.popleft()
        self._connection.acknowledge(self.number, taken)
        return {"type": "http.request", "body": body, "more_body": True}

    async def send(self, message: Any) -> None:
        """Send a part of the response."""
        if self.is_reset:
            return
        if message["type"] == "http.response.start":
            self._start = message
            return
        body, is_last = message.get("body", b""), not message.get("more_body")
        if self.is_bodiless:
            body = b""
        if self._start is not None:
            start, self._start = self._start, None
            self._connection.send_head(self.number, start, is_last=is_last and not body)
            if is_last and not body:
                return
        await self._connection.send_body(self, body, is_last=is_last)


class Http2Connection(asyncio.Protocol):
    """Serves the streams of one connection with an ASGI application."""

    def __init__(self, app: App, lost: Callable[[], None]) -> None:
        self._app = app
        self._forget = lost
        self._loop = asyncio.get_running_loop()
        # Fields of responses come from our own code, so that checking each of them would only take time.
        config = H2Configuration(
            client_side=False, header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False
        )
        self._h2 = H2Connection(config)
        self._transport: asyncio.Transport | None = None
        self._streams: dict[int, Stream] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._control_frames = 0
        self._writable = asyncio.Event()
        self._writable.set()
        self._idle: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the settings of the server."""
        self._transport = cast(asyncio.Transport, transport)
        self._h2.local_settings = Settings(
            client=False,
            initial_values={
                SettingCodes.MAX_CONCURRENT_STREAMS: MAX_STREAMS,
                SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEAD_BYTES,
                SettingCodes.INITIAL_WINDOW_SIZE: WINDOW_BYTES,
            },
        )
        self._h2.initiate_connection()
        self._h2.increment_flow_control_window(WINDOW_BYTES)
        self._flush()
        self._watch_idle()

    def connection_lost(self, exc: Exception | None) -> None:
        """End all streams; their requests end by themselves."""
        self._forget_idle()
        self._forget()
        self._writable.set()
        for stream in self._streams.values():
            stream.is_reset = True
            stream.changed.set()

    def pause_writing(self) -> None:
        """Hold responses back while the client does not read."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Send on."""
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        """Act on frames; a violation of the protocol or of a bound ends the connection."""
        try:
            events = self._h2.receive_data(data)
        except ProtocolError:
            self._flush()
            self._close()
            return
        for event in events:
            self._take(event)
        self._control_frames += sum(map(_is_control, events))
        if self._control_frames > MAX_CONTROL_FRAMES or len(self._running) > MAX_RUNNING:
            self._end(ErrorCodes.ENHANCE_YOUR_CALM)
        self._flush()

    def _take(self, event: Event) -> None:
        number = cast(int, getattr(event, "stream_id", 0) or 0)
        stream = self._streams.get(number)
        match event:
            case RequestReceived():
                self._begin(number, event.headers or [])
            case DataReceived() if stream:
                if stream.bytes_left is not None:
                    stream.bytes_left -= len(event.data or b"")
                stream.pieces.append((event.data or b"", event.flow_controlled_length or 0))
                stream.changed.set()
            case DataReceived():
                self.acknowledge(number, event.flow_controlled_length or 0)
            case StreamEnded() if stream:
                stream.is_ended = True
                stream.is_reset = stream.is_reset or self._refuse_length(stream)
                stream.changed.set()
            case StreamReset() if stream:
                stream.is_reset = True
                stream.changed.set()
            case WindowUpdated():
                for each in [stream] if stream else self._streams.values():
                    each.changed.set()
            case ConnectionTerminated():
                self._close()
            case _:
                pass

    def _refuse_length(self, stream: Stream) -> bool:
        """Whether a request that has ended is malformed, as its length is not the declared one; its stream is reset.

        `h2` itself compares them only for requests that end with data, not with their head or with trailers.
        https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1
        """
        if not stream.bytes_left:
            return False
        with contextlib.suppress(H2Error):
            self._h2.reset_stream(stream.number, ErrorCodes.PROTOCOL_ERROR)
        return True

    def _begin(self, number: int, fields: list[Any]) -> None:
        """Run the application for a new stream."""
        self._forget_idle()
        if len(fields) > MAX_HEADERS:
            with contextlib.suppress(H2Error):
                self._h2.reset_stream(number, ErrorCodes.ENHANCE_YOUR_CALM)
            return
        stream = self._streams[number] = Stream(self, number)
        scope = _scope(fields)
        stream.is_bodiless = scope["method"] == "HEAD"
        stream.bytes_left = next((int(value) for name, value in fields if name == b"content-length"), None)
        running = self._loop.create_task(self._run(stream, scope))
        self._running.add(running)
        running.add_done_callback(self._running.discard)

    async def _run(self, stream: Stream, scope: dict[str, Any]) -> None:
        try:
            await self._app(scope, stream.receive, stream.send)
        except (TimeoutError, H2Error):
            with contextlib.suppress(H2Error):
                self._h2.reset_stream(stream.number, ErrorCodes.CANCEL)
        finally:
            self._control_frames = max(0, self._control_frames - CONTROL_FRAMES_PER_REQUEST)
            self._streams.pop(stream.number, None)
            for _, taken in stream.pieces:
                self.acknowledge(stream.number, taken)
            if not stream.is_ended and not stream.is_reset:
                with contextlib.suppress(H2Error):  # the application did not read the whole body
                    self._h2.reset_stream(stream.number, ErrorCodes.NO_ERROR)
            self._flush()
            if not self._streams:
                self._watch_idle()

    async def wait(self, changed: asyncio.Event) -> None:
        """Wait for the client; raises TimeoutError after `STALL_SECONDS`."""
        async with asyncio.timeout(STALL_SECONDS):
            await changed.wait()

    def acknowledge(self, number: int, taken: int) -> None:
        """Let the client send as much again as has been read."""
        with contextlib.suppress(H2Error):
            self._h2.acknowledge_received_data(taken, number)
        self._flush()

    def send_head(self, number: int, start: dict[str, Any], *, is_last: bool) -> None:
        """Send the status and the headers of a response."""
        fields = [(b":status", b"%d" % start["status"])]
        fields += [(name.lower(), value) for name, value in start["headers"] if name.lower() not in NOT_SENT]
        self._h2.send_headers(number, fields, end_stream=is_last)
        if is_last:
            self._flush()

    async def send_body(self, stream: Stream, body: bytes, *, is_last: bool) -> None:
        """Send data as fast as the client reads; raises TimeoutError if it stops to."""
        view = memoryview(body)
        while view and not stream.is_reset:
            size = min(self._h2.local_flow_control_window(stream.number), self._h2.max_outbound_frame_size, len(view))
            if size <= 0:
                self._flush()
                stream.changed.clear()
                await self.wait(stream.changed)
                continue
            is_end = is_last and size == len(view)
            self._h2.send_data(stream.number, view[:size].tobytes(), end_stream=is_end)
            view = view[size:]
            if not self._writable.is_set():
                self._flush()
                await self.wait(self._writable)
        if is_last and not body and not stream.is_reset:
            self._h2.end_stream(stream.number)
        self._flush()

    def _flush(self) -> None:
        data = self._h2.data_to_send()
        if data and self._transport and not self._transport.is_closing():
            self._transport.write(data)

    def _watch_idle(self) -> None:
        self._forget_idle()
        self._idle = self._loop.call_later(IDLE_SECONDS, self._end, ErrorCodes.NO_ERROR)

    def _forget_idle(self) -> None:
        if self._idle:
            self._idle.cancel()
        self._idle = None

    def _end(self, code: ErrorCodes) -> None:
        with contextlib.suppress(H2Error):
            self._h2.close_connection(code)
        self._flush()
        self._close()

    def _close(self) -> None:
        if self._transport:
            self._transport.close()


def _is_control(event: Event) -> bool:
    """Whether a client can flood the connection with such a frame, as no flow control limits it."""
    if isinstance(event, DataReceived):
        return not event.data
    return isinstance(
        event, PingReceived | RemoteSettingsChanged | StreamReset | PriorityUpdated | UnknownFrameReceived
    )


def _scope(fields: list[Any]) -> dict[str, Any]:
    """The ASGI scope of a request; `fields` are pairs of bytes, pseudo-headers included."""
    pseudo = {name: value for name, value in fields if name.startswith(b":")}
    headers = [(bytes(name), bytes(value)) for name, value in fields if not name.startswith((b":", b"cookie"))]
    if cookies := [bytes(value) for name, value in fields if name == b"cookie"]:
        headers.append((b"cookie", b"; ".join(cookies)))
    names = {name for name, _ in headers}
    if b"host" not in names:
        headers.append((b"host", bytes(pseudo.get(b":authority", b""))))
    if b"content-length" not in names and pseudo.get(b":method") not in (b"GET", b"HEAD"):
        headers.append((b"transfer-encoding", b"chunked"))  # the body has no declared length
    path, _, query = bytes(pseudo.get(b":path", b"/")).partition(b"?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "2",
        "scheme": "https",
        "method": bytes(pseudo.get(b":method", b"GET")).decode("latin-1"),
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "headers": headers,
        "client": None,
        "server": None,
    }

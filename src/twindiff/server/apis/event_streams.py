"""Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) of runs and pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager

from twindiff.kit.http import Response
from twindiff.server.apis.errors import TooManyStreams

EVENT_STREAM = "text/event-stream; charset=utf-8"
EVENT_STREAM_HEADERS = (("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"))
"""No cache keeps a stream, and nginx does not hold it back."""
KEEP_ALIVE = b": still here\n\n"
"""A comment, which clients ignore."""
MAX_STREAMS = 200
"""Maximum number of concurrent streams of one kind of page."""


def encode_event(data: str, name: str = "", id: str = "") -> bytes:
    """Encode an event; clients take one without a name for a `message`, and repeat the last id when they reconnect."""
    lines = [f"id: {id}"] if id else []
    lines += [f"event: {name}"] if name else []
    lines += [f"data: {line}" for line in data.splitlines()] or ["data:"]
    return ("\n".join(lines) + "\n\n").encode()


def stream_events(parts: AsyncIterator[bytes]) -> Response:
    """Return the response that sends encoded events as they come."""
    return Response(b"", content_type=EVENT_STREAM, headers=EVENT_STREAM_HEADERS, parts=parts)


class StreamSlots:
    """Bounds the number of concurrent streams."""

    def __init__(self, max_streams: int = MAX_STREAMS) -> None:
        self._max = max_streams
        self._taken = 0

    def check(self) -> None:
        """Raise TooManyStreams if no further stream is allowed."""
        if self._taken >= self._max:
            raise TooManyStreams

    @contextmanager
    def take(self) -> Generator[None]:
        """Count a stream for as long as it is sent."""
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1

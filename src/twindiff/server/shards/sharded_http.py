"""HTTP connections of a shard: a request of another shard takes its connection there, before anything is parsed."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from typing import Any

from twindiff.server.protocol import MAX_HEAD_BYTES, HttpProtocol
from twindiff.server.shards.handover import HTTP, Handover
from twindiff.server.shards.routing import ShardRouter

MAX_BODY_BYTES = 1 << 20
"""Bytes of a body that are awaited in order to find the id in it."""
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,9})[ \t]*\r\n", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding:[^\r\n]*chunked", re.IGNORECASE)


class ShardedHttp(HttpProtocol):
    """A connection that moves between shards with its requests."""

    def __init__(
        self, router: ShardRouter, handover: Handover, *arguments: Any, taken_over: bytes = b"", **named: Any
    ) -> None:
        super().__init__(*arguments, **named)
        self._router = router
        self._handover = handover
        self._taken_over = taken_over
        self._ahead = b""
        """The beginning of a request, until its shard is known."""
        self._is_leaving = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Serve the request with which the connection has come from another shard, if it has."""
        super().connection_made(transport)
        if self._taken_over:
            super().data_received(self._taken_over)
            self._taken_over = b""

    def data_received(self, data: bytes) -> None:
        """Find the shard of each request before it is parsed."""
        if self._is_leaving:
            return
        if self._is_between_requests:
            self._route_request(self._ahead + data)
        elif self._is_receiving:
            super().data_received(data)
        else:
            self._end_after_answer()

    def on_message_begin(self) -> None:
        """Serve no request that came before the last one was answered: it may be another shard's."""
        if self.cycle and not self.cycle.response_complete:
            self._end_after_answer()
        super().on_message_begin()

    def _end_after_answer(self) -> None:
        """Close the connection with the response, so that the client sends further requests again."""
        self.cycle.keep_alive = False

    @property
    def _is_between_requests(self) -> bool:
        return not self._is_receiving and (not self.cycle or self.cycle.response_complete)

    def _route_request(self, data: bytes) -> None:
        head, end, body = data.partition(b"\r\n\r\n")
        is_known = bool(end) or len(data) > MAX_HEAD_BYTES
        if not is_known or (self._router.needs_body(head) and not _has_all(head + b"\r\n", body)):
            self._unset_keepalive_if_required()
            self._ahead = data
            return
        self._ahead = b""
        is_chunked = CHUNKED.search(head) is not None
        shard = self._router.find_shard(head, join_chunks(body) if is_chunked else body)
        if shard == self._router.own:
            super().data_received(data)
        else:
            self._leave(shard, data)

    def _leave(self, shard: int, data: bytes) -> None:
        self._is_leaving = True
        self._forget_time()
        self._unset_keepalive_if_required()
        self.transport.pause_reading()
        self.loop.call_soon(self._handover.move, shard, HTTP, data, self.transport)


def join_chunks(body: bytes) -> bytes:
    """Return what is in the chunks of a body (RFC 9112, section 7.1), up to the first that is malformed."""
    parts: list[bytes] = []
    with suppress(ValueError):
        while body:
            size, _, body = body.partition(b"\r\n")
            length = int(size.partition(b";")[0], 16)
            parts.append(body[:length])
            body = body[length + 2 :]
    return b"".join(parts)


def _has_all(head: bytes, body: bytes) -> bool:
    """Return whether a body is complete, or too long to wait for."""
    if len(body) > MAX_BODY_BYTES:
        return True
    if CHUNKED.search(head):
        return body.endswith(b"0\r\n\r\n")
    length = LENGTH.search(head)
    return length is None or len(body) >= int(length[1])

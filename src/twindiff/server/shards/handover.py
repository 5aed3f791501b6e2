"""Connections that move to the process of another shard, together with what has been read from them.

Each process reads hand-overs from one end of a pair of Unix sockets, whose other end all processes inherit. The pair
has no name, so that no other process can hand anything over. Its ends stay open in the parent process: what
is handed over while a process is being started again waits for it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress

log = logging.getLogger("twindiff")

MAX_MESSAGE_BYTES = 60_000
"""Bytes that a message carries; more of them are in a file, whose descriptor it carries."""
SECONDS_UNTIL_ROOM = 0.002
"""Seconds after which a message is sent again that found the queue of a process full."""
HTTP, DOOR = b"h", b"d"

Adopt = Callable[[bytes, bytes, socket.socket], None]
"""Takes over a connection: its kind, what was read from it, and its socket."""


def make_pairs(count: int) -> list[tuple[socket.socket, socket.socket]]:
    """Create the sockets of each shard: the end that it reads from, and the end that all send to."""
    return [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(count)]


class Handover:
    """Sends connections to the other shards, and adopts those that they send."""

    def __init__(self, inbox: socket.socket, outboxes: Sequence[socket.socket]) -> None:
        self._inbox = inbox
        self._outboxes = outboxes
        for each in (inbox, *outboxes):
            each.setblocking(False)

    async def receive(self, adopt: Adopt) -> None:
        """Adopt connections until cancelled."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._inbox, self._read, adopt)
        try:
            await asyncio.Event().wait()
        finally:
            loop.remove_reader(self._inbox)

    def _read(self, adopt: Adopt) -> None:
        with suppress(BlockingIOError):
            data, descriptors, _, _ = socket.recv_fds(self._inbox, MAX_MESSAGE_BYTES + 1, 2)
            if not descriptors:
                log.warning("A connection of another worker was dropped: this process has too many files open")
                return
            for each in descriptors:  # else programs that this process starts would keep the connection open
                os.set_inheritable(each, False)
            connection, *files = descriptors
            rest = b"".join(_read_file(each) for each in files)
            adopt(data[:1], data[1:] + rest, socket.socket(fileno=connection))

    def move(self, shard: int, kind: bytes, data: bytes, transport: asyncio.Transport) -> None:
        """Hand a connection over, with what was read from it, and forget it here.

        It waits until the client has taken what was sent before, and until there is room in the queue of the shard.
        """
        if transport.is_closing():
            return
        if transport.get_write_buffer_size() or not self._send(shard, kind, data, transport):
            loop = asyncio.get_running_loop()
            loop.call_later(SECONDS_UNTIL_ROOM, self.move, shard, kind, data, transport)
            return
        transport.abort()  # closes this descriptor; the connection lasts with the other one

    def _send(self, shard: int, kind: bytes, data: bytes, transport: asyncio.Transport) -> bool:
        """Return whether there was room for the message."""
        connection = transport.get_extra_info("socket").fileno()
        outbox = self._outboxes[shard]
        with suppress(BlockingIOError):
            if len(data) <= MAX_MESSAGE_BYTES:
                socket.send_fds(outbox, [kind + data], [connection])
                return True
            with tempfile.TemporaryFile() as file:
                file.write(data)
                file.flush()
                socket.send_fds(outbox, [kind], [connection, file.fileno()])
                return True
        return False


def _read_file(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        file.seek(0)
        return file.read()

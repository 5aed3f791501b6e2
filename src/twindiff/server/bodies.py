"""Request bodies, read after authorization and up to the limit of the operation."""

from __future__ import annotations

import asyncio
from tempfile import SpooledTemporaryFile

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request
from twindiff.server.held_bytes import Message, Receive, held_bytes

SPOOLED = 1_000_000
"""Bytes of an incomplete body above which it is buffered on disk."""
UNKNOWN = 2**62


class ClientGone(ApiError):
    """The client left before its request was complete; nothing was done."""


class BodyTooLarge(ApiError):
    """The body is larger than this operation takes."""

    status = 413


def length_of(request: Request) -> int:
    """The declared size of the body in bytes; `UNKNOWN` if the request does not declare it."""
    headers = request.headers
    if "transfer-encoding" in headers:
        return UNKNOWN
    given = headers.get("content-length", "0")
    return int(given) if given.isdecimal() else UNKNOWN


async def read_body(request: Request, receive: Receive, limit: int) -> bytes:
    """Read the whole body; raises BodyTooLarge once it exceeds `limit` bytes, ClientGone if the client disconnects.

    Raises MemoryFull, for a request without a body too, while the server holds too many bytes.
    """
    held_bytes.check()
    length = length_of(request)
    if length == 0:
        return b""
    if length != UNKNOWN and length > limit:
        raise _too_large(limit)
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientGone
    body: bytes = message.get("body", b"")
    if len(body) > limit:
        raise _too_large(limit)
    return body if not message.get("more_body", False) else await _long_body(body, receive, limit)


def give_body(body: bytes, receive: Receive) -> Receive:
    """A function that receives a whole body first, and then what `receive` does, such as a disconnection."""
    is_given = False

    async def give() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give


async def _long_body(begun: bytes, receive: Receive, limit: int) -> bytes:
    """Read a body that arrives in parts; a slow client costs at most `SPOOLED` bytes of memory."""
    with SpooledTemporaryFile[bytes](SPOOLED) as file:
        size = file.write(begun)
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            size += file.write(message.get("body", b""))
            if size > limit:
                raise _too_large(limit)
            more = message.get("more_body", False)
        file.seek(0)
        return file.read() if size <= SPOOLED else await asyncio.to_thread(file.read)


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"The body is larger than {limit:,} bytes, which is the most this operation takes")

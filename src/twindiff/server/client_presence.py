"""Detects that the client of a request has disconnected, so that the work for it can end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

from twindiff.server.bodies import Message, Receive
from twindiff.server.runtime import Runtime

HALF_CLOSED = "twindiff_half_closed"
"""The key of a request's state that says that its client sends nothing more."""


def notice_half_close(scope: Mapping[str, Any], receive: Receive) -> Receive:
    """Return a function that receives a request, and then `http.disconnect` when its client closes its side."""
    state = scope.get("state")
    if state is None:
        return receive
    is_read = False

    async def receive_next() -> Message:
        nonlocal is_read
        message = await receive()
        if is_read and HALF_CLOSED in state:
            return {"type": "http.disconnect"}
        is_read = not message.get("more_body", False)
        return message

    return receive_next


class Presence:
    """The client of one request. Tasks that outlive the request inherit it; `is_awaited` is then false."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.is_awaited = True
        """Whether the client still waits for its response."""


_client: ContextVar[Presence | None] = ContextVar("client", default=None)


@contextmanager
def awaited_by(receive: Receive) -> Generator[None]:
    """Set the client of the current request for the block; its body must have been read."""
    presence = Presence(receive)
    token = _client.set(presence)
    try:
        yield
    finally:
        presence.is_awaited = False
        _client.reset(token)


@asynccontextmanager
async def when_client_leaves(runtime: Runtime, act: Callable[[], None]) -> AsyncGenerator[None]:
    """Call `act` if the client of the current request disconnects during the block; has no effect outside a request."""
    presence = _client.get()
    if presence is None or not presence.is_awaited or not runtime.has_event_loop:
        yield
        return
    waiting: list[asyncio.Task[None]] = []

    async def wait() -> None:
        while (await presence.receive())["type"] != "http.disconnect":
            pass
        if presence.is_awaited:
            act()

    runtime.run_soon(lambda: waiting.append(asyncio.create_task(wait())))
    try:
        yield
    finally:
        runtime.run_soon(lambda: [task.cancel() for task in waiting])

"""Whether the client of a request is still there, for work that is ended when it leaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from twindiff.server.bodies import Receive
from twindiff.server.runtime import Runtime


class Presence:
    """The client of one request; tasks that outlive the request inherit it, when it says nothing any more."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.is_awaited = True
        """Whether the client still waits for its answer."""


_client: ContextVar[Presence | None] = ContextVar("client", default=None)


@contextmanager
def awaited_by(receive: Receive) -> Generator[None]:
    """Note the client of the request that the block answers; its body has been read."""
    presence = Presence(receive)
    token = _client.set(presence)
    try:
        yield
    finally:
        presence.is_awaited = False
        _client.reset(token)


@asynccontextmanager
async def when_client_leaves(runtime: Runtime, act: Callable[[], None]) -> AsyncGenerator[None]:
    """Call `act` if the client of the current request leaves during the block; never where there is no request."""
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

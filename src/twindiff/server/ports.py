"""Loopback ports opened on demand, one per twin of an environment, for SDKs that drop the path of a base URL."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from uvicorn.server import ServerState

from twindiff.kit.errors import ApiError
from twindiff.server.listening_ports import ListeningPorts
from twindiff.server.protocol import HttpProtocol, connection_config

App = Callable[[Any, Any, Any], Awaitable[None]]

MAX_PORTS = 256
BACKLOG = 512


class TooManyPorts(ApiError):
    """No more ports can be opened; deleting an environment closes its own."""

    status = 429


class Port:
    """A listening port that serves one twin at its root path: `number`, or any with 0.
    Raises OSError if another program has it.
    """

    def __init__(self, app: App, prefix: str, number: int = 0) -> None:
        self._app = app
        self.prefix = prefix
        self._state = ServerState()
        self._server: asyncio.Server | None = None
        self._loop = asyncio.get_running_loop()
        self._listener = socket.create_server(("127.0.0.1", number), backlog=BACKLOG)
        self.number: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.number}"

    async def listen(self) -> None:
        """Start to accept connections."""
        config = connection_config(self._answer)
        answering = partial(HttpProtocol, config=config, server_state=self._state, app_state={})
        self._server = await self._loop.create_server(answering, sock=self._listener)

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Prefix the path with that of the twin, unless it has the prefix already, as links in responses do."""
        if scope["type"] in ("http", "websocket") and not scope["path"].startswith(f"{self.prefix}/"):
            scope = {**scope, "path": self.prefix + scope["path"]}
        await self._app(scope, receive, send)

    def close(self) -> None:
        """Stop accepting connections, and close open ones once their requests are answered; from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        if self._server:
            self._server.close()
        for connection in [*self._state.connections]:
            connection.shutdown()


class Ports:
    """The open ports of a server."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], Port] = {}
        self._retired: dict[str, None] = {}
        """Ended environments whose ports still answer, so that no other program gets their requests; oldest first."""
        self.listening = ListeningPorts()
        """Ports of all processes of the server: those of twins, of the TLS door, and those that requests came to."""
        self._app: App | None = None

    def serve(self, app: App) -> None:
        """Set the application that ports opened from now on serve."""
        self._app = app

    async def open(self, environment_id: str, twin: str, wanted: int = 0) -> Port:
        """Return the port of a twin, which is opened on the first call: `wanted`, or any if another program has that.
        Raises TooManyPorts.
        """
        port = self._open.get((environment_id, twin))
        if port is None:
            while len(self._open) >= MAX_PORTS and self._retired:
                self.close(next(iter(self._retired)))
            if len(self._open) >= MAX_PORTS:
                raise TooManyPorts(
                    f"{MAX_PORTS} ports are open, which is the most; deleting an environment closes its own"
                )
            port = self._listen(f"/api/env/{environment_id}/services/{twin}", wanted)
            self._open[environment_id, twin] = port
            self.listening.add(port.number, has_control_plane=False)
            await port.listen()
        return port

    def _listen(self, prefix: str, wanted: int) -> Port:
        assert self._app, "no application is set"
        try:
            return Port(self._app, prefix, wanted)
        except OSError:
            if not wanted:
                raise
            return Port(self._app, prefix)

    def addresses(self, environment_id: str) -> list[str]:
        """Return the URLs of an environment's open ports."""
        return [port.url for (owner, _), port in self._open.items() if owner == environment_id]

    def prefix_of(self, address: str) -> str:
        """The path prefix that the port at an address stands for; empty if it is none of these."""
        return next((port.prefix for port in self._open.values() if port.url == address), "")

    def has_room(self, count: int, share: int = 2) -> bool:
        """Return whether `count` more ports fit into one part of `share`; the others are left to requests for ports."""
        used = sum(environment_id not in self._retired for environment_id, _ in self._open)
        return used + count <= MAX_PORTS // share

    def environments(self) -> set[str]:
        """The ids of environments with open ports."""
        return {environment_id for environment_id, _ in self._open}

    def retire(self, environment_id: str) -> None:
        """Let the ports of an ended environment answer, with the end as their error, until others need the room."""
        if any(owner == environment_id for owner, _ in self._open):
            self._retired[environment_id] = None

    def close(self, environment_id: str) -> None:
        """Close the ports of an environment."""
        self._retired.pop(environment_id, None)
        for key in [key for key in self._open if key[0] == environment_id]:
            port = self._open.pop(key)
            self.listening.discard(port.number)
            port.close()

    def close_all(self) -> None:
        for environment_id in self.environments():
            self.close(environment_id)

"""Makes a server one shard of several: its connections move to other shards, and theirs come here."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from functools import partial
from typing import Any

import uvicorn

from twindiff.server.door.connection import DoorConnection, Proxy
from twindiff.server.service import Service
from twindiff.server.shards.handover import DOOR, HTTP, Handover
from twindiff.server.shards.placements import Placements
from twindiff.server.shards.repository_homes import RepositoryHomes
from twindiff.server.shards.routing import ShardRouter
from twindiff.server.shards.sharded_http import ShardedHttp

SECONDS_BETWEEN_REPORTS = 1.0


class ShardedDoorConnection(DoorConnection):
    """A connection to the TLS door, which moves to the shard of the environment that the proxy's user names."""

    def __init__(self, router: ShardRouter, handover: Handover, door: Proxy, taken_over: bytes = b"") -> None:
        super().__init__(door)
        self._router = router
        self._handover = handover
        self._taken_over = taken_over

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Serve the request with which the connection has come from another shard, if it has."""
        super().connection_made(transport)
        if self._taken_over:
            self.data_received(self._taken_over)

    def _leaves(self, user: str) -> bool:
        shard = self._router.find_environment(user.partition("+")[0])
        if shard == self._router.own or not self._transport:
            return False
        self._handover.move(shard, DOOR, self._buffer, self._transport)
        return True


class Shard:
    """One shard of several, for a server that is not running yet."""

    def __init__(self, service: Service, handover: Handover, placements: Placements) -> None:
        self._service = service
        self._handover = handover
        self._placements = placements
        self._router = ShardRouter(service.settings.shard, placements, RepositoryHomes(service).find_shard)
        self.http = partial(ShardedHttp, self._router, handover)
        """Makes the protocol of a connection."""
        self._arriving: set[asyncio.Task[None]] = set()

    def join(self, server: uvicorn.Server) -> None:
        """Let connections of a server and its door move, and adopt those of other shards once it runs."""
        self._service.door.make_connection = partial(ShardedDoorConnection, self._router, self._handover)
        self._service.background += [lambda: self._handover.receive(partial(self._adopt, server)), self._report]

    async def _report(self) -> None:
        """Tell all processes how many environments this shard has, until cancelled."""
        while True:
            self._placements.correct(self._router.own, self._service.environments.count_own("ready"))
            await asyncio.sleep(SECONDS_BETWEEN_REPORTS)

    def _adopt(self, server: uvicorn.Server, kind: bytes, data: bytes, connection: socket.socket) -> None:
        work = self._serve_http(server, data, connection) if kind == HTTP else self._serve_door(data, connection)
        task = asyncio.get_running_loop().create_task(work)
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    async def _serve_http(self, server: uvicorn.Server, data: bytes, connection: socket.socket) -> None:
        state: Any = {"server_state": server.server_state, "app_state": {}}
        make = partial(self.http, config=server.config, **state, taken_over=data)
        with suppress(OSError):  # the client has left
            await asyncio.get_running_loop().connect_accepted_socket(make, connection)

    async def _serve_door(self, data: bytes, connection: socket.socket) -> None:
        door = self._service.door
        with suppress(OSError):
            await door.open()
            make = partial(ShardedDoorConnection, self._router, self._handover, door, data)
            await asyncio.get_running_loop().connect_accepted_socket(make, connection)

"""Connections to vendors' gateways, each in the process that its client is connected to."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar, cast

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.outbox import emitted_events
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.events import Emitted
from twindiff.kit.gateways import EventGateway, Frame, GatewayClosed, GatewayMoment, GatewaySession
from twindiff.kit.http import Request
from twindiff.kit.twin import Twin
from twindiff.server.auth import authorize
from twindiff.server.runtime import run_waiting
from twindiff.server.service import Service
from twindiff.server.targets import RequestTarget
from twindiff.storage import OperationContext

T = TypeVar("T")

SECONDS_BETWEEN_LOOKS = 30.0
"""Seconds after which an idle connection checks whether its environment has ended."""
GOING_AWAY = GatewayClosed(1001, "the environment has ended")


class GatewayTarget(NamedTuple):
    """The environment, twin and gateway of a connection, and the address by which its client came."""

    environment: LoadedEnvironment
    twin: Twin
    gateway: EventGateway
    address: RequestTarget


class GatewayConnection:
    """One client of a gateway: hears its frames, and tells it of the events of the environment."""

    def __init__(self, service: Service, websocket: WebSocket, target: GatewayTarget) -> None:
        self._service, self._websocket, self._target = service, websocket, target
        self._engine = service.engine
        self._turn = asyncio.Lock()
        """Held from reading what to send until it is sent, so that frames keep their order."""

    async def serve(self) -> None:
        """Serve the connection until either side closes it."""
        await self._websocket.accept()
        tasks: list[asyncio.Task[None]] = []
        try:
            session = self._target.gateway.open(dict(self._websocket.query_params))
            await self._send(session, session.greet())
            tasks = [asyncio.create_task(self._hear(session)), asyncio.create_task(self._follow(session))]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()
        except GatewayClosed as closed:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await self._websocket.close(closed.code, closed.reason)
        except (WebSocketDisconnect, OSError):
            pass
        finally:
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _hear(self, session: GatewaySession) -> None:
        while True:
            frame = await self._receive()
            async with self._turn:
                frames = await self._read(lambda moment, heard=frame: [*session.hear(heard, moment)])
                await self._send(session, frames)

    async def _receive(self) -> Frame:
        gateway = self._target.gateway
        try:
            async with asyncio.timeout(gateway.silence_seconds):
                frame = await self._websocket.receive_json()
        except TimeoutError:
            raise gateway.silent from None
        except (KeyError, ValueError, RecursionError):
            raise gateway.undecodable from None
        if not isinstance(frame, dict):
            raise gateway.undecodable
        return cast(Frame, frame)

    async def _follow(self, session: GatewaySession) -> None:
        """Tell the session of each event; ends with GatewayClosed once the environment has."""
        with self._engine.feed.watch(self._target.environment.id) as watch:
            while True:
                await self._tell_all(session)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SECONDS_BETWEEN_LOOKS):
                        await anext(watch)

    async def _tell_all(self, session: GatewaySession) -> None:
        async with self._turn:
            await self._engine.wait_until_durable()
            await self._send(session, await self._read(lambda moment: _tell(session, moment)))

    async def _read(self, work: Callable[[GatewayMoment], T]) -> T:
        """Return the result of work on the environment as it is now. Raises GatewayClosed if it has ended."""
        environment, twin = self._target.environment, self._target.twin
        try:
            await run_waiting(self._engine, lambda: self._service.environments.get(environment.id))
            await self._service.loader.load(environment)
            return await run_waiting(self._engine, lambda: self._work(environment, twin, work))
        except ApiError:
            raise GOING_AWAY from None

    def _work(self, environment: LoadedEnvironment, twin: Twin, work: Callable[[GatewayMoment], T]) -> T:
        seq = self._engine.seq(environment.id)

        def events(after: int) -> Iterator[Emitted]:
            for record in self._engine.records(environment.id, after, seq):
                if record.twin == twin.name:
                    yield from emitted_events(record)

        def read(moment: OperationContext) -> T:
            call = Call("", moment.db, moment.clock, secret=environment.secret, tokens=environment.tokens)
            return work(GatewayMoment(call, seq, self._sign_in, events))

        return self._engine.read(environment.id, twin.name, read, at=0)

    def _sign_in(self, token: str) -> str:
        """Return the id of the user that a token acts as; raises ApiError for one that is refused."""
        environment, twin, address = self._target.environment, self._target.twin, self._target.address
        key = None if address.is_vouched else self._service.settings.api_key
        headers = {name.lower(): value for name, value in self._websocket.headers.items()}
        request = Request("GET", self._target.gateway.path, headers=headers)
        trusted = authorize(key, environment, request, token, is_open=False, is_known=lambda: False)
        return environment.tokens.actor_of(token, twin.name, None, twin.style, trusted=trusted)

    async def _send(self, session: GatewaySession, frames: Iterable[Frame]) -> None:
        named, address = self._target.twin.own_addresses.name_in_json, self._target.address.base_url
        for frame in frames:
            packed = session.pack(msgspec.json.encode(named(frame, address)))
            message: dict[str, Any] = {"text": packed} if isinstance(packed, str) else {"bytes": packed}
            await self._websocket.send({"type": "websocket.send", **message})


def _tell(session: GatewaySession, moment: GatewayMoment) -> list[Frame]:
    """Return the frames of the events that the session has not been told of."""
    if session.position is None:
        return []
    frames = [frame for event in moment.events(session.position) for frame in session.tell(event, moment.call)]
    session.position = moment.seq
    return frames

"""WebSockets that subscribers open to twins whose vendor delivers events that way.
They belong to the process they are connected to. A subscription over sockets has no URL; its deliveries wait while none
of its sockets is open.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

from starlette.websockets import WebSocket, WebSocketDisconnect

from twindiff.environments.environments import LoadedEnvironment
from twindiff.environments.outbox import DeliveryResult, DueDelivery
from twindiff.kit.errors import ApiError
from twindiff.kit.events import Sockets
from twindiff.kit.twin import Twin
from twindiff.server.dispatcher import SubscriberQueue
from twindiff.server.gateway_connections import GatewayConnection, GatewayTarget
from twindiff.server.runtime import run_waiting
from twindiff.server.service import Service
from twindiff.server.targets import find_target

T = TypeVar("T")

REFUSED = 1008
NOT_JSON = 1003


class Session(NamedTuple):
    """An authorized socket's environment, twin and vendor protocol."""

    environment: LoadedEnvironment
    twin: Twin
    vendor: Sockets


class Socket:
    """An open socket and its unacknowledged notifications."""

    def __init__(self, websocket: WebSocket, vendor: Sockets) -> None:
        self._websocket = websocket
        self._vendor = vendor
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self.is_open = True

    async def hear(self) -> None:
        """Receive acknowledgements until the client disconnects or sends invalid JSON."""
        try:
            while True:
                frame = await self._websocket.receive_json()
                self._note(cast("dict[str, Any]", frame) if isinstance(frame, dict) else {})
        except (WebSocketDisconnect, RuntimeError):
            pass
        except (KeyError, ValueError, RecursionError):
            await self._websocket.close(NOT_JSON)
        finally:
            self.is_open = False
            for each in self._waiting.values():
                if not each.done():
                    each.set_exception(ConnectionResetError())

    def _note(self, frame: dict[str, Any]) -> None:
        acknowledged = self._waiting.get(self._vendor.acknowledged(frame) or "")
        if acknowledged and not acknowledged.done():
            acknowledged.set_result(None)

    async def deliver(self, due: DueDelivery) -> DeliveryResult:
        """Send one notification and wait for its acknowledgement; failures are `timeout` or `refused`."""
        seconds = due.webhooks.timeout_seconds
        frame = self._vendor.frame(due.notification, due.attempt)
        named = self._vendor.acknowledged(frame) or due.notification.id
        acknowledged = self._waiting[named] = asyncio.get_running_loop().create_future()
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(seconds):
                await self._websocket.send_json(frame)
                await acknowledged
            result = DeliveryResult(0)
        except TimeoutError:
            result = DeliveryResult(0, failure="timeout", message=f"no acknowledgement within {seconds:g} seconds")
        except (OSError, RuntimeError, WebSocketDisconnect):
            result = DeliveryResult(0, failure="refused", message="the socket was closed")
        finally:
            self._waiting.pop(named, None)
        return result._replace(milliseconds=(time.perf_counter() - begun) * 1000)

    async def say_goodbye(self, reason: str) -> None:
        """Send the vendor's closing message with the reason, and close."""
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await self._websocket.send_json(self._vendor.goodbye(reason))
            await self._websocket.close()


class SocketPlane:
    """Serves the sockets of all environments' twins."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def serve(self, websocket: WebSocket) -> None:
        """Serve one socket until it closes; refuses it without a valid ticket, or beyond the vendor's limit
        of sockets. A gateway authorizes its clients itself.
        """
        session = await self._authorize(websocket)
        if isinstance(session, GatewayTarget):
            await GatewayConnection(self._service, websocket, session).serve()
            return
        if session is None:
            await websocket.close(REFUSED, "there is no socket here, or its ticket is none")
            return
        environment, twin, vendor = session
        subscription = await self._do(lambda: self._service.webhooks.subscribe_over_sockets(environment, twin))
        await websocket.accept()
        socket, lane = Socket(websocket, vendor), SubscriberQueue(environment.id, subscription)
        if self._service.webhooks.dispatcher.count_sockets(lane) >= vendor.max_open:
            await socket.say_goodbye(vendor.too_many)
            return
        with self._service.webhooks.dispatcher.connect_socket(lane, socket) as (count, attend):
            await websocket.send_json(vendor.hello(count))
            attending = asyncio.create_task(attend())
            try:
                await socket.hear()
            finally:
                attending.cancel()
                await asyncio.gather(attending, return_exceptions=True)

    async def _authorize(self, websocket: WebSocket) -> Session | GatewayTarget | None:
        place = find_target(websocket.scope, websocket.headers.get("host", "").lower())
        if place is None:
            return None
        try:
            environment = await self._do(lambda: self._service.environments.get(place.environment))
            twin = self._service.twin_of(environment, place.twin)
            await self._service.loader.load(environment)
        except ApiError:
            return None
        vendor = twin.webhooks.sockets if twin.webhooks else None
        gateway = twin.webhooks.gateway if twin.webhooks else None
        if gateway and place.path.strip("/") == gateway.path.strip("/"):
            return GatewayTarget(environment, twin, gateway, place)
        if vendor is None or place.path.strip("/") != vendor.path.strip("/"):
            return None
        is_authorized = vendor.authorizes(environment.secret, dict(websocket.query_params))
        return Session(environment, twin, vendor) if is_authorized else None

    async def _do(self, work: Callable[[], T]) -> T:
        return await run_waiting(self._service.engine, work)

"""The ASGI application in front of everything; it routes by path once.
Vendors' APIs and our own are served here, from tables of operations. Everything else (pages, streams, sockets) is
served by the fallback app.
"""

from __future__ import annotations

import asyncio
import errno
import inspect
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, MutableMapping
from http import HTTPStatus
from typing import Any

from twindiff.kit.errors import ApiError, InternalError
from twindiff.kit.header_values import encode_headers
from twindiff.kit.http import Request, Response
from twindiff.kit.request_context import RequestContext
from twindiff.server.api_table import ApiMount, build_api_mounts, build_run_desk
from twindiff.server.auth import OPEN, AgentUnauthorized, agent_token, check_origin, refusal
from twindiff.server.bodies import Receive, give_body, read_body
from twindiff.server.call_scheduler import LARGE_BODY
from twindiff.server.client_presence import awaited_by, notice_half_close
from twindiff.server.data_plane import DataPlane, harmless
from twindiff.server.fallback_app import build_fallback_app
from twindiff.server.held_bytes import CountedBody
from twindiff.server.mcp import DOORS, OpenedControl, TwinDoor
from twindiff.server.mcp.json_rpc import MAX_MESSAGE_BYTES, keep_headers, refuse_verb, respond
from twindiff.server.origins import refuse_other_page, refuse_own_request
from twindiff.server.service import Service
from twindiff.server.targets import RequestTarget, find_target
from twindiff.server.use_cases.ports import reopen_ports

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger("twindiff")

MAX_IN_FLIGHT = 1024
MAX_IN_FLIGHT_PER_ENVIRONMENT = 256
"""Lower than the total, so that the clients of one environment leave room for all others."""
BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)


class Overloaded(ApiError):
    """Too many requests are in flight; try again in a second."""

    status = 503


class TooManyFiles(ApiError):
    """The server has as many files and connections open as it may; try again in a second, or raise its limit."""

    status = 503


class CrowdedEnvironment(ApiError):
    """Too many requests to this environment are in flight; try again in a second."""

    status = 429


class InFlight:
    """Counts the requests in flight, in total and by environment."""

    def __init__(self) -> None:
        self._total = 0
        self._of: dict[str, int] = {}

    def begin(self, environment: str) -> None:
        """Count a request in; `environment` is empty if it goes to none. Raises Overloaded, CrowdedEnvironment.
        The request counts even if this raises, so `end` must follow in any case.
        """
        self._total += 1
        self._of[environment] = count = self._of.get(environment, 0) + 1
        if self._total > MAX_IN_FLIGHT:
            raise Overloaded(headers=(("Retry-After", "1"),))
        if environment and count > MAX_IN_FLIGHT_PER_ENVIRONMENT:
            raise CrowdedEnvironment(headers=(("Retry-After", "1"),))

    def end(self, environment: str) -> None:
        """Count a request out."""
        self._total -= 1
        left = self._of.pop(environment) - 1
        if left:
            self._of[environment] = left


class Gateway:
    """The ASGI application; also runs the service's background tasks for its lifespan."""

    def __init__(self, service: Service) -> None:
        self.service = service
        service.ports.serve(self)
        service.door.serve(self, service.ports.listening)
        self._own_ports = service.ports.listening.own
        self._in_flight = InFlight()
        self._data_plane = DataPlane(service)
        self._twin_door = TwinDoor(service, self._data_plane)
        desk = build_run_desk(service)
        self._api_mounts = build_api_mounts(service, desk)
        self._fallback = build_fallback_app(service, desk.tests.ledger)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
            return
        request = _request(scope)
        _, port = scope.get("server") or ("", None)
        if port and port not in self._own_ports:  # there is none in process and on Unix sockets
            self.service.ports.listening.add(port)
        target = find_target(scope, request.headers.get("host", "").lower())
        plane = None if target else self._plane(request.path)
        receive = notice_half_close(scope, receive)
        if scope["type"] == "http" and (target or plane):
            await self._respond(scope, request, target or plane, receive, send)
        else:
            await self._hand_over(scope, request, receive, send)

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        running: list[asyncio.Task[None]] = []
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self.service.runtime.bind()
                if self.service.door.has_listener:
                    await self.service.door.open()
                if not self.service.engine.is_shared:
                    await reopen_ports(self.service)
                loops = (self.service.maintenance.run, self.service.webhooks.dispatcher.run)
                works = (*(self._when_loaded(each) for each in loops), *(each() for each in self.service.background))
                running += map(asyncio.create_task, works)
                await send({"type": "lifespan.startup.complete"})
                continue
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            self.service.close()
            await send({"type": "lifespan.shutdown.complete"})
            return

    async def _when_loaded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start background work that needs the twins once they are loaded.
        Run queues do not wait for that: a run is refused while no worker is there to do it.
        """
        await self.service.twin_loader.wait()
        await work()

    async def _respond(
        self, scope: Scope, request: Request, place: RequestTarget | ApiMount | None, receive: Receive, send: Send
    ) -> None:
        environment = place.environment if isinstance(place, RequestTarget) else ""
        body = receive = CountedBody(receive)
        try:
            self._in_flight.begin(environment)
            await self.service.runtime.wait_for_turn()
            durability, work = self.service.engine.durability, self._answer(scope, request, place, receive)
            answer = await (durability.run_and_sync(work) if durability else work)
        except ApiError as error:
            answer = _refusal(place, error)
        except Exception as error:  # noqa: BLE001 - the one place where an internal error becomes a response
            answer = _refusal(place, _failure(request, error))
        finally:
            self._in_flight.end(environment)
            body.release()
        await (_stream(send, receive, answer, answer.parts) if answer.parts else _send(send, answer))

    async def _answer(
        self, scope: Scope, request: Request, place: RequestTarget | ApiMount | None, receive: Receive
    ) -> Response:
        if not (isinstance(place, RequestTarget) and place.vendor_host):  # no page can address the TLS door
            self._check_origin(request, is_twin=isinstance(place, RequestTarget))
        if isinstance(place, RequestTarget):
            if self.service.twin_loader.is_loading:
                await self.service.twin_loader.wait(self.service.twin_loader.names_for(place.environment, place.twin))
            served = self._twin_door if self._twin_door.serves(place) else self._data_plane
            answer = preflight(request) or harmless(await served.answer(request, place, receive))
            return _readable_by_its_page(answer, request)
        assert place, "the fallback application answers requests without a target"
        address = f"{scope['scheme']}://{request.headers.get('host', '').lower() or 'localhost'}"
        return await self._control_plane(place, place.given(address), request, receive)

    async def _hand_over(self, scope: Scope, request: Request, receive: Receive, send: Send) -> None:
        """Pass the request to the fallback app; its streams do not count as requests in flight."""
        try:
            target = find_target(scope, request.headers.get("host", "").lower())
            if not (target and target.vendor_host):
                self._check_origin(request, is_page=scope.get("method") == "GET", is_twin=target is not None)
        except ApiError as error:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": str(error)[:100]})
            else:
                await _send(send, refusal(error))
            return
        await self.service.twin_loader.wait()
        await self._fallback(scope, receive, send)

    def _check_origin(self, request: Request, *, is_page: bool = False, is_twin: bool) -> None:
        refuse_own_request(request.headers, request.path, is_twin=is_twin)
        if self.service.settings.api_key is None:
            check_origin(request.headers, is_page=is_page)
            if not is_twin:
                refuse_other_page(request.headers)

    def _plane(self, path: str) -> ApiMount | None:
        return next((mount for mount in self._api_mounts if mount.has(path)), None)

    async def _control_plane(self, plane: ApiMount, given: Any, request: Request, receive: Receive) -> Response:
        if request.path in DOORS:
            return await self._answer_tools(plane, given, request, receive)
        operations, asked = plane.operations, request
        request = request._replace(path=request.path.removeprefix(plane.removed))
        match = operations.find(request.verb, request.path)
        await self._authorize(plane, asked, match.operation.name if match else "")
        if match is None:
            return operations.style.unknown(request, operations.verbs(request.path))
        body = await read_body(request, receive, match.operation.declared.body_limit)
        request = request._replace(body=body)
        if self.service.twin_loader.is_loading and match.operation.name not in OPEN:
            await self.service.twin_loader.wait(self.service.twin_loader.names_in(request))
        exchange = RequestContext(operations.style, request, match.operation, match.path_parameters)
        return await self.service.runtime.run_request(lambda: self._operate(given, exchange, receive))

    async def _authorize(self, plane: ApiMount, request: Request, operation: str) -> None:
        try:
            plane.authorize(self.service.settings.api_key, request, operation)
        except AgentUnauthorized:
            await self.service.runtime.run_request(lambda: self._note_agent(request))
            raise

    async def _answer_tools(self, plane: ApiMount, given: Any, request: Request, receive: Receive) -> Response:
        """Respond to an MCP message whose tools are operations of one of our own APIs."""
        await self._authorize(plane, request, "")
        if refused := refuse_verb(request):
            return refused
        body = await read_body(request, receive, MAX_MESSAGE_BYTES)

        async def send(inner: Request) -> Response:
            headers = {**keep_headers(request), **inner.headers, "content-length": str(len(inner.body))}
            inner = inner._replace(path=plane.removed + inner.path, headers=headers)
            try:
                return await self._control_plane(plane, given, inner, give_body(inner.body, receive))
            except ApiError as error:
                return plane.operations.style.error(error)

        async def open_tools() -> OpenedControl:
            return OpenedControl(request.path, plane.operations, send)

        return await respond(request._replace(body=body), open_tools)

    async def _note_agent(self, request: Request) -> None:
        """Log an agent's refused control-plane call in its environment's call log, where a judge finds it."""
        environment = self.service.environments.of_agent(agent_token(request.headers))
        if environment:
            self.service.calls.refuse_agent(environment, request)

    async def _operate(self, given: Any, exchange: RequestContext, receive: Receive) -> Response:
        with awaited_by(receive):
            result = exchange.operation.bound.invoke(given, await self._read(exchange))
            if inspect.isawaitable(result):
                result = await result
        return exchange.answer(result)

    async def _read(self, exchange: RequestContext) -> dict[str, Any]:
        """Parse the parameters of a request, a large body off the event loop."""
        if len(exchange.request.body) <= LARGE_BODY:
            return exchange.style.parameters(exchange)
        return await self.service.runtime.run_in_thread(lambda: exchange.style.parameters(exchange))


def _failure(request: Request, error: Exception) -> ApiError:
    """The error sent to the client for an unexpected exception."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return TooManyFiles(headers=(("Retry-After", "1"),))
    log.error("%s %s failed", request.verb, request.path, exc_info=error)
    return InternalError()


def preflight(request: Request) -> Response | None:
    """The response to a CORS preflight, which reaches no handler; None for other requests."""
    if request.verb != "OPTIONS" or "access-control-request-method" not in request.headers:
        return None
    allowed = (
        ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
        ("Access-Control-Allow-Headers", request.headers.get("access-control-request-headers", "*")),
    )
    return Response(b"", HTTPStatus.NO_CONTENT, headers=allowed)


def _readable_by_its_page(answer: Response, request: Request) -> Response:
    """Add CORS headers for the requesting page; pages that are not allowed have been refused before."""
    origin = request.headers.get("origin")
    if origin is None:
        return answer
    return answer._replace(headers=(*answer.headers, ("Access-Control-Allow-Origin", origin), ("Vary", "Origin")))


def _refusal(place: RequestTarget | ApiMount | None, error: ApiError) -> Response:
    """Render an error in the form of the API that the request went to."""
    return place.operations.style.error(error) if isinstance(place, ApiMount) else refusal(error)


def _request(scope: Scope) -> Request:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Request(scope.get("method", "GET"), scope["path"], scope["query_string"].decode("utf-8", "replace"), headers)


async def _stream(send: Send, receive: Receive, answer: Response, parts: AsyncIterator[bytes]) -> None:
    """Send a streamed response until it ends or the client disconnects; it does not count as a request in flight."""

    async def flow() -> None:
        async for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})

    async def leave() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    headers = (("content-type", answer.content_type), *answer.headers)
    await send({"type": "http.response.start", "status": answer.status, "headers": encode_headers(headers)})
    ways = [asyncio.create_task(flow()), asyncio.create_task(leave())]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        if ways[0].done():
            await ways[0]
            await send({"type": "http.response.body", "body": b""})
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def _send(send: Send, answer: Response) -> None:
    body, status, kind, given, *_ = answer
    headers = encode_headers(given)
    if status in BODILESS:
        body = b""
    else:
        headers[:0] = *encode_headers((("content-type", kind),)), (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

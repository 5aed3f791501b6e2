"""One ASGI callable in front of everything: it splits the path once and asks who may pass.

Data plane: `/api/env/{id}/services/{twin}/…`, or the host `{twin}--{id}.localhost`. Control planes:
`/api/platform/…`, and sandboxes at `/v1/…`.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Answer, Request
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import BODY_LIMIT, Dispatch, Found
from twindiff.server import doors, sandboxes
from twindiff.server.pages import index
from twindiff.server.platform import PREFIX, platform
from twindiff.server.sandboxes.routes import Desk
from twindiff.server.sandboxes.sandboxes import Sandboxes
from twindiff.server.service import LARGE_BODY, Service
from twindiff.storage import Gone

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

log = logging.getLogger("twindiff")

MOST_IN_FLIGHT = 1024
DATA_PREFIX = "/api/env/"


class ClientGone(ApiError):
    """The client left before its request was complete; nothing was done."""


class BodyTooLarge(ApiError):
    """The body is larger than this operation takes."""

    status = 413


class InternalError(ApiError):
    """internal server error"""

    status = 500


class Overloaded(ApiError):
    """Too many requests are in flight; try again in a second."""

    status = 503


class NotFound(ApiError):
    """There is nothing here."""

    status = 404


class Target(NamedTuple):
    """Where in the data plane a request goes."""

    environment: str
    twin: str
    path: str
    base_url: str


class Plane(NamedTuple):
    """An API of ours: where it is, its operations, and what they work with for a caller who knows us by an address."""

    prefix: str
    operations: Dispatch
    given: Callable[[str], Any]


class Gateway:
    """The ASGI application."""

    def __init__(self, service: Service) -> None:
        self.service = service
        service.ports.serve(self)
        self._in_flight = 0
        self._planes = (
            Plane(PREFIX, platform, self._of_the_platform),
            Plane(sandboxes.PREFIX, sandboxes.operations, partial(Desk, Sandboxes(service))),
        )

    def _of_the_platform(self, address: str) -> Service:
        return self.service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._respond(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _live(self, receive: Receive, send: Send) -> None:
        house: asyncio.Task[None] | None = None
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                house = asyncio.create_task(self.service.keep_house())
                await send({"type": "lifespan.startup.complete"})
                continue
            if house:
                house.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await house
            self.service.close()
            await send({"type": "lifespan.shutdown.complete"})
            return

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._in_flight += 1
        try:
            if self._in_flight > MOST_IN_FLIGHT:
                raise Overloaded(headers=(("Retry-After", "1"),))
            await self.service.turn()
            answer = await self._answer(scope, receive)
        except ApiError as error:
            answer = self._refusal(scope, error)
        except Exception:  # the one place where a mistake of ours becomes an answer
            log.exception("%s %s failed", scope["method"], scope["path"])
            answer = self._refusal(scope, InternalError())
        finally:
            self._in_flight -= 1
        await _send(send, answer)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        request = _request(scope)
        host = request.headers.get("host", "").lower()
        if self.service.settings.api_key is None:
            doors.refuse_foreigners(host, request.headers.get("origin", ""))
        target = _target(scope["scheme"], request.path, host)
        if target:
            return await self._data_plane(request, target, receive)
        if request.path == "/":
            return index(self.service)
        plane = self._plane(request.path)
        if plane:
            given = plane.given(f"{scope['scheme']}://{host or 'localhost'}")
            request = request._replace(path=request.path[len(plane.prefix) :])
            return await self._control_plane(plane.operations, given, request, receive)
        raise NotFound(f"There is nothing at {request.path}; see / for what there is")

    def _plane(self, path: str) -> Plane | None:
        return next((plane for plane in self._planes if path.startswith(f"{plane.prefix}/")), None)

    def _refusal(self, scope: Scope, error: ApiError) -> Answer:
        """An error in the form of the plane that the request went to."""
        request = _request(scope)
        at_a_twin = _target(scope["scheme"], request.path, request.headers.get("host", "").lower())
        plane = None if at_a_twin else self._plane(request.path)
        return plane.operations.style.error(error) if plane else doors.refusal(error)

    async def _data_plane(self, request: Request, target: Target, receive: Receive) -> Answer:
        request = request._replace(path=target.path)
        request = request._replace(body=await _body(request, receive, self._limit(target, request)))
        return await self.service.call(target.environment, lambda: self._twin_answers(request, target))

    async def _twin_answers(self, request: Request, target: Target) -> Answer:
        # Only now is the environment looked up: it may have ended while the body came.
        environment = self.service.environments.get(target.environment)
        twin = environment.twin(target.twin, self.service.registry)
        if twin is None:
            raise doors.no_such_twin(environment, target.twin, self.service.registry)
        trusted = doors.admit(self.service.settings.api_key, environment, twin, request)
        try:
            await self.service.awaken(environment)
            return self.service.calls.answer(environment, twin, request, target.base_url, trusted=trusted)
        except Gone:
            self.service.environments.drop([environment.id])
            self.service.environments.get(environment.id)
            raise

    def _limit(self, target: Target, request: Request) -> int:
        """The largest body that the operation takes; looked up only for one that may be large."""
        if int(request.headers.get("content-length", BODY_LIMIT + 1)) <= BODY_LIMIT:
            return BODY_LIMIT
        twin = self.service.registry.find(target.twin)
        found = twin.dispatch.find(request.verb, request.path) if twin else None
        return found.operation.declared.body_limit if found else BODY_LIMIT

    async def _control_plane(self, operations: Dispatch, given: Any, request: Request, receive: Receive) -> Answer:
        found = operations.find(request.verb, request.path)
        doors.open_control_plane(self.service.settings.api_key, request, found.operation.name if found else "")
        if found is None:
            return operations.style.unknown(request, operations.verbs(request.path))
        limit = found.operation.declared.body_limit
        request = request._replace(body=await _body(request, receive, limit))
        return await self.service.apart(lambda: self._operate(operations.style, given, request, found))

    async def _operate(self, style: Style, given: Any, request: Request, found: Found) -> Answer:
        result = found.operation.bound.invoke(given, await self._read(style, request, found))
        if inspect.isawaitable(result):
            result = await result
        return result if isinstance(result, Answer) else style.result(result, found.operation)

    async def _read(self, style: Style, request: Request, found: Found) -> dict[str, Any]:
        """The parameters of a request; a large body is read off the event loop."""
        if len(request.body) <= LARGE_BODY:
            return style.parameters(request, found)
        return await self.service.aside(lambda: style.parameters(request, found))


def _request(scope: Scope) -> Request:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    verb = "GET" if scope["method"] == "HEAD" else scope["method"]
    return Request(verb, scope["path"], scope["query_string"].decode("utf-8", "replace"), headers)


def _target(scheme: str, path: str, host: str) -> Target | None:
    """Where a data-plane request goes, by a host of its own or by its path."""
    name, _, domain = host.partition(".")
    if "--" in name and domain.partition(":")[0] == "localhost":
        twin, _, environment = name.rpartition("--")
        # Not every program finds the host of a twin, so links in answers are of the other form.
        return Target(environment, twin, path, f"{scheme}://{domain}{DATA_PREFIX}{environment}/services/{twin}")
    if path.startswith(DATA_PREFIX):
        environment, _, rest = path[len(DATA_PREFIX) :].partition("/services/")
        twin, slash, tail = rest.partition("/")
        base_url = f"{scheme}://{host or 'localhost'}{DATA_PREFIX}{environment}/services/{twin}"
        return Target(environment, twin, slash + tail, base_url)
    return None


async def _body(request: Request, receive: Receive, limit: int) -> bytes:
    """The whole body; raises BodyTooLarge as soon as it is, ClientGone when it does not come."""
    if int(request.headers.get("content-length", 0)) > limit:
        raise _too_large(limit)
    if request.verb == "GET" and "content-length" not in request.headers and "transfer-encoding" not in request.headers:
        return b""
    chunks: list[bytes] = []
    size = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise _too_large(limit)
        chunks.append(chunk)
        more = message.get("more_body", False)
    return b"".join(chunks)


def _too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"The body is larger than {limit:,} bytes, which is the most this operation takes")


async def _send(send: Send, answer: Answer) -> None:
    described = [
        (b"content-type", answer.content_type.encode("latin-1")),
        (b"content-length", b"%d" % len(answer.body)),
    ]
    headers = [
        *(described if answer.status != HTTPStatus.NO_CONTENT else ()),
        *((name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers),
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})

"""Requests answered where they are made: no socket, no thread, no event loop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from typing import Any, NamedTuple, TypeVar

from twindiff.server import Gateway, Service
from twindiff.server.runtime import Runtime

T = TypeVar("T")

Headers = list[tuple[bytes, bytes]]
HERE = b"localhost"
LOGGED = 500
"""Calls after which the call log is written."""

_HOST = b"host"


class TwinMount(NamedTuple):
    """Where requests go whatever host they name: a twin of an environment."""

    environment: str
    twin: str

    @property
    def host(self) -> bytes:
        return f"{self.twin}--{self.environment}.localhost".encode()

    @property
    def path(self) -> bytes:
        return f"/api/env/{self.environment}/services/".encode()


class InProcessResponse(NamedTuple):
    """What came of a request."""

    status: int
    headers: Headers
    body: bytes


class LocalRuntime(Runtime):
    """Where work is run for callers that wait for their own work only, so none of it has to go elsewhere."""

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        return work()

    async def run_aside(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float | None) -> bool:
        await work()
        return True

    async def wait_for_turn(self) -> None:
        """A caller inside the process waits for its own request only."""

    async def yield_to_loop(self) -> None:
        """Nobody else waits."""


class LocalService(Service):
    """A service of this process."""

    delivers = False

    def _runtime(self) -> Runtime:
        return LocalRuntime(inline=self.engine.inline)

    def _long_calls(self) -> None:
        """A caller inside the process waits for its own call only."""


class InProcessClient:
    """The gateway of a service of this process; threads take turns."""

    def __init__(self, service: LocalService) -> None:
        self.service = service
        self.lock = threading.RLock()
        self._gateway = Gateway(service)
        service.ports.serve(self.in_turn)

    def reply(
        self, verb: str, path: str, query: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> InProcessResponse:
        """Answer one request."""
        scope = {
            "type": "http",
            "scheme": "http",
            "method": verb,
            "path": path,
            "query_string": query,
            "headers": [*headers, (b"content-length", b"%d" % len(body))],
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        with self.lock:
            _finish(self._gateway(scope, receive, send))
            self._keep_house()
        start, content = sent
        return InProcessResponse(start["status"], start["headers"], content["body"])

    def vendor_reply(
        self, place: TwinMount | None, verb: str, url: bytes, headers: Headers, body: bytes
    ) -> InProcessResponse:
        """Answer what an SDK sends to its vendor; `url` is path and query. Without a place the path says where to."""
        path, _, query = url.partition(b"?")
        kept = [(name, value) for name, value in headers if name.lower() not in _REPLACED]
        if place is None or path.startswith(place.path):  # the latter is a link of one of its answers
            return self.reply(verb, _unquote(path), query, [(_HOST, HERE), *_lower(kept)], body)
        asked = next((value for name, value in headers if name.lower() == _HOST), b"")
        path = self._prefix(place, asked.partition(b":")[0].decode("latin-1")) + _unquote(path)
        return self.reply(verb, path, query, [(_HOST, place.host), *_lower(kept)], body)

    def _prefix(self, place: TwinMount, host: str) -> str:
        """What stands before the paths of a host of the vendor's."""
        twin = self.service.registry.by_alias.get(place.twin)
        return twin.hosts.get(host.lower(), "") if twin else ""

    async def in_turn(self, scope: Any, receive: Any, send: Any) -> None:
        """The gateway as an ASGI application of another thread, which waits until nobody else is inside."""
        await _Steps(self._gateway(scope, receive, send), self.lock)
        with self.lock:
            self._keep_house()

    def _keep_house(self) -> None:
        log = self.service.calls.log
        if log.waiting >= LOGGED:
            log.flush()


_REPLACED = {_HOST, b"content-length", b"transfer-encoding", b"origin"}


def _lower(headers: Headers) -> Headers:
    return [(name.lower(), value) for name, value in headers]


def _unquote(path: bytes) -> str:
    from urllib.parse import unquote

    return unquote(path.decode("ascii"))


def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that has nothing to wait for."""
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
    raise RuntimeError("A request inside the process waited for something; this is a mistake of twindiff itself")


class _Steps(Awaitable[None]):
    """A coroutine that holds a lock whenever it runs, and not while it waits."""

    def __init__(self, work: Coroutine[Any, Any, None], lock: threading.RLock) -> None:  # pyright: ignore[reportGeneralTypeIssues]
        self._work = work
        self._lock = lock

    def __await__(self) -> Generator[Any, Any, None]:
        step: Callable[[Any], Any] = self._work.send
        given: Any = None
        while True:
            with self._lock:
                try:
                    waiting = step(given)
                except StopIteration:
                    return
            try:
                given = yield waiting
                step = self._work.send
            except BaseException as error:  # noqa: BLE001 - whatever it is, the work has to see it
                given, step = error, self._work.throw

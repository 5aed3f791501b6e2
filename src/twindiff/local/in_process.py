"""Handles requests in the calling thread, without a socket or an event loop."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from twindiff.environments.retention import forget_surplus
from twindiff.kit.vendor_hosts import find_vendor_host
from twindiff.server import Gateway, Service
from twindiff.server.call_scheduler import CallExecution, DirectCalls
from twindiff.server.runtime import Runtime
from twindiff.server.targets import TARGET, RequestTarget
from twindiff.storage import NotServed
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.sqlite.files import IN_MEMORY

T = TypeVar("T")

Headers = list[tuple[bytes, bytes]]
HERE = b"localhost"
LOGGED = 500
"""The call log is written, and what deleted environments have left is removed, after this many calls."""
MAX_KEPT_RESULTS = 1_000
"""Deleted environments whose runs can be read, where data is in memory."""

_HOST = b"host"


class TwinMount(NamedTuple):
    """A twin of an environment, to which requests go regardless of their host."""

    environment: str
    twin: str

    @property
    def host(self) -> bytes:
        return f"{self.twin}--{self.environment}.localhost".encode()

    @property
    def path(self) -> bytes:
        return f"/api/env/{self.environment}/services/".encode()


class InProcessResponse(NamedTuple):
    """A response; the headers are pairs of bytes."""

    status: int
    headers: Headers
    body: bytes


class LocalRuntime(Runtime):
    """A runtime that runs all work in the calling thread, since no other request waits for it."""

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        return work()

    async def run_aside(self, work: Callable[[], Coroutine[Any, Any, None]], seconds: float | None) -> bool:
        await work()
        return True

    async def wait_for_turn(self) -> None:
        """Do nothing: there is no other request to wait for."""

    async def yield_to_loop(self) -> None:
        """Do nothing: there is no event loop to share."""


class LocalService(Service):
    """A service in this process; it delivers no webhooks."""

    delivers = False

    def _make_runtime(self) -> Runtime:
        return LocalRuntime(in_threads=self.engine.may_block)

    def _make_execution(self) -> CallExecution:
        return DirectCalls(self.calls)

    def keep_house(self) -> None:
        """Write the call log and remove what is not needed any more, as a server does twice a second."""
        with suppress(NotServed):  # the request was answered; the next write says what is wrong
            self.calls.log.flush()
            run_to_end(self.engine.maintain())
            if self.settings.data_dir == IN_MEMORY:
                for _ in forget_surplus(self.engine, self.catalog, self.calls.log, MAX_KEPT_RESULTS):
                    continue


class InProcessClient:
    """Sends requests to the gateway of a service in this process; a lock serializes threads."""

    def __init__(self, service: LocalService) -> None:
        self.service = service
        self.lock = threading.RLock()
        self._gateway = Gateway(service)
        service.ports.serve(self.in_turn)

    def reply(
        self, verb: str, path: str, query: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> InProcessResponse:
        """Handle a request of the platform API or for a twin; `path` is decoded, `query` is not."""
        return self._reply({"path": path}, verb, query, headers, body)

    def reply_to(
        self, target: RequestTarget, verb: str, query: bytes, headers: Headers, body: bytes
    ) -> InProcessResponse:
        """Handle a request to a vendor's own host, whose links in the response then are."""
        return self._reply({"path": target.path, TARGET: target}, verb, query, headers, body)

    def _reply(
        self, place: dict[str, Any], verb: str, query: bytes, headers: Iterable[tuple[bytes, bytes]], body: bytes
    ) -> InProcessResponse:
        scope = {
            **place,
            "type": "http",
            "scheme": "http",
            "method": verb,
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
        """Handle a request that an SDK sends to its vendor; `url` is the encoded path and query.

        `place` is the twin that gets it; None if the path names the environment and the twin.
        """
        path, _, query = url.partition(b"?")
        kept = [(name, value) for name, value in headers if name.lower() not in _REPLACED]
        if place is None or path.startswith(place.path):  # the latter is a link from one of its responses
            return self.reply(verb, _unquote(path), query, [(_HOST, HERE), *_lower(kept)], body)
        asked = next((value for name, value in headers if name.lower() == _HOST), b"")
        plain = _unquote(path)
        path = self._prefix(place, asked.partition(b":")[0].decode("latin-1").lower(), plain) + plain
        return self.reply(verb, path, query, [(_HOST, place.host), *_lower(kept)], body)

    def _prefix(self, place: TwinMount, host: str, path: str) -> str:
        """The prefix of the paths for a host of the vendor; see `Twin.hosts`."""
        twin = self.service.registry.by_alias.get(place.twin)
        known = find_vendor_host(twin.hosts, host, path) if twin else None
        return known.prefix if known else ""

    async def in_turn(self, scope: Any, receive: Any, send: Any) -> None:
        """The gateway as an ASGI application for another thread; it waits for the lock."""
        await _Steps(self._gateway(scope, receive, send), self.lock)
        with self.lock:
            self._keep_house()

    def _keep_house(self) -> None:
        if self.service.calls.log.waiting >= LOGGED:
            self.service.keep_house()


_REPLACED = {_HOST, b"content-length", b"transfer-encoding", b"origin"}


def _lower(headers: Headers) -> Headers:
    return [(name.lower(), value) for name, value in headers]


def _unquote(path: bytes) -> str:
    return unquote(path.decode("ascii"))


def _finish(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that never suspends; raises RuntimeError if it does."""
    try:
        work.send(None)
    except StopIteration:
        return
    work.close()
    raise RuntimeError("A request inside the process waited for something; this is a mistake of twindiff itself")


class _Steps(Awaitable[None]):
    """A coroutine that holds a lock while it runs, but not while it is suspended."""

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
            except BaseException as error:  # noqa: BLE001 - passed on to the coroutine
                given, step = error, self._work.throw

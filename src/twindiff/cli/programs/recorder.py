"""A proxy that passes a program's calls on to the real vendors and keeps them, without secrets."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx

from twindiff.cli.programs.sessions import SessionStep
from twindiff.cli.remote import Json
from twindiff.environments.transcripts import RecordedExchange
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.twin import Twin
from twindiff.server.bodies import read_body
from twindiff.server.door.authority import CertificateAuthority
from twindiff.server.door.connection import DoorConnection
from twindiff.server.door.door import Caller
from twindiff.server.door.errors import UnknownHost
from twindiff.server.door.hosts import Address, has_host

MAX_BODY_BYTES = 100_000_000
UPSTREAM_SECONDS = 60
_NOT_SENT = {
    *("host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "transfer-encoding"),
    *("content-length", "accept-encoding", "upgrade"),
}
_NOT_RETURNED = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"}


class VendorUnreachable(ApiError):
    """The vendor does not answer."""

    status = 502


class RecorderSettings(NamedTuple):
    """Settings that the connections of the proxy read."""

    api_key: str | None = None
    ca_folder: str = ""
    allow_hosts: tuple[str, ...] = ()


class Recorder:
    """Answers for the hosts of twins by asking the real hosts; `upstreams` maps a host to another address of it."""

    def __init__(self, twins: Sequence[Twin], allow_hosts: Sequence[str], upstreams: Mapping[str, str]) -> None:
        self.settings = RecorderSettings(allow_hosts=tuple(allow_hosts))
        self.authority: CertificateAuthority | None = CertificateAuthority.open(None)
        self.connections: set[asyncio.BaseTransport] = set()
        self.own_ports: set[int] = set()
        self.steps: list[SessionStep] = []
        self.refused: Counter[str] = Counter()
        self._twins, self._upstreams = twins, upstreams
        self._client = httpx.AsyncClient(timeout=UPSTREAM_SECONDS, trust_env=False, follow_redirects=False)

    async def admit(self, credentials: tuple[str, str] | None) -> Caller:
        """Admit everybody: the port is on this machine and lives as long as the program."""
        return Caller()

    def answers_for(self, caller: Caller, host: str) -> bool:
        """Whether a host belongs to a vendor of the twins."""
        return has_host(self._twins, host)

    def refuse(self, caller: Caller, address: Address, request: str) -> UnknownHost:
        """Note a request to a host that is not recorded."""
        self.refused[request] += 1
        return UnknownHost(f"{address.host} is no host of a twin, so nothing goes there. Let it pass with --allow-host")

    async def answer(self, caller: Caller, scope: Any, receive: Any, send: Any) -> None:
        """Pass one request on to the vendor, and keep it with its answer."""
        if scope["type"] != "http":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": "sockets are not recorded"})
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        query = scope["query_string"].decode("latin-1")
        request = Request(scope["method"], scope["path"], query, headers)
        try:
            request = request._replace(body=await read_body(request, receive, MAX_BODY_BYTES))
            answer = await self._ask(scope, request)
        except ApiError as error:
            answer = json_answer({"error": error.code, "detail": str(error)}, error.status)
        fields = [("content-type", answer.content_type), ("content-length", str(len(answer.body))), *answer.headers]
        written = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields]
        await send({"type": "http.response.start", "status": answer.status, "headers": written})
        await send({"type": "http.response.body", "body": answer.body})

    async def _ask(self, scope: Any, request: Request) -> Response:
        host = request.headers.get("host", "").lower().partition(":")[0]
        if not self.answers_for(Caller(), host):
            raise self.refuse(Caller(), Address(host, 443), f"{request.verb} https://{host}{request.path}")
        base = self._upstreams.get(host, f"https://{host}").rstrip("/")
        raw = scope.get("raw_path", request.path.encode()).decode("latin-1").partition("?")[0]
        url = f"{base}{raw}" + (f"?{request.query}" if request.query else "")
        kept = {name: value for name, value in request.headers.items() if name not in _NOT_SENT}
        try:
            told = await self._client.request(request.verb, url, headers=kept, content=request.body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise VendorUnreachable(f"{host} does not answer: {error or type(error).__name__}") from None
        fields = [(name, value) for name, value in told.headers.multi_items() if name.lower() not in _NOT_RETURNED]
        kind = told.headers.get("content-type", "")
        rest = tuple(each for each in fields if each[0].lower() != "content-type")
        answer = Response(told.content, told.status_code, kind, rest)
        said = RecordedExchange(request, answer, request.bearer() or "").transcript()
        self.steps.append(SessionStep(len(self.steps) + 1, host, said.request, said.answer))
        return answer

    async def close(self) -> None:
        """Close the connections to the vendors."""
        await self._client.aclose()


@contextmanager
def recording(recorder: Recorder) -> Generator[Json]:
    """Serve a recorder in a thread for the block; yields what programs need to come in, as the platform API says it."""
    loop = asyncio.new_event_loop()
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    port: int = listener.getsockname()[1]
    recorder.own_ports.add(port)
    thread = threading.Thread(target=loop.run_forever, name="twindiff recorder", daemon=True)
    thread.start()

    async def serve() -> asyncio.Server:
        return await asyncio.get_running_loop().create_server(lambda: DoorConnection(recorder), sock=listener)

    server = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    assert recorder.authority
    user, password = "record", "session"
    door: Json = {"host": "127.0.0.1", "port": port, "user": user, "password": password, "variables": {}}
    try:
        yield {**door, "proxyUrl": f"http://127.0.0.1:{port}", "certificate": recorder.authority.pem}
    finally:
        loop.call_soon_threadsafe(server.close)
        asyncio.run_coroutine_threadsafe(recorder.close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def parse_upstreams(given: Sequence[str]) -> dict[str, str]:
    """Parse `HOST=URL` texts; raises ValueError with the text that is none."""
    pairs = {
        host.lower(): url for host, equals, url in (each.partition("=") for each in given) if equals and host and url
    }
    if len(pairs) != len(given):
        raise ValueError(next((each for each in given if not all(each.partition("="))), given[-1]))
    return pairs

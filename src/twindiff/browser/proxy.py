"""The proxy of a run's browser: it forwards requests to the hosts of the run, and blocks and reports others.

Chromium sends everything through it, including redirects and sockets, so a page cannot bypass it. Each connection
carries one request, since the next one might be for another host.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Generator, Sequence
from urllib.parse import SplitResult, urlsplit

from twindiff.browser.peers import BROWSER, MARK, is_own_address

MAX_HEAD_BYTES = 65_536
PIECE = 65_536
CONNECT_SECONDS = 10
PORTS = {"http": 80, "https": 443}
OF_CHROMIUM = frozenset(
    {
        "accounts.google.com",
        "clients2.google.com",
        "content-autofill.googleapis.com",
        "optimizationguide-pa.googleapis.com",
        "update.googleapis.com",
    }
)
"""Hosts that Chromium contacts by itself; blocking them is not reported."""
MAX_NOTES = 50
OURS = "x-twindiff-refused"
"""The header of a response that comes from the proxy itself."""
NOT_FORWARDED = ("connection", "proxy-connection", "keep-alive", MARK.lower())
HERE = ("localhost", "127.0.0.1", "[::1]", "::1")


class RequestBlocked(Exception):
    """The run may not reach this."""


class BrowserAccessPolicy:
    """What a run may reach: origins, and below the server's own origin only the twins of the run."""

    def __init__(self, start_url: str, hosts: Sequence[str], twins: Sequence[str], control: Sequence[str]) -> None:
        self._control = {each for url in control for each in _names(urlsplit(url))}
        self._control_ports = {port for _, port in self._control}
        self._twins = [urlsplit(url) for url in twins]
        named = [_split(host) for host in hosts]
        self._open = {each for url in (urlsplit(start_url), *named, *self._twins) for each in _names(url)}
        # A host without a scheme allows both http and https.
        self._open |= {(url.hostname or "", 443) for url in named if url.scheme == "http" and url.port is None}

    def check(self, host: str, port: int, path: str | None) -> None:
        """Raise RequestBlocked unless the run may reach the address; `path` is None for a tunnel."""
        place = (host.lower().strip("[]"), port)
        if place in self._control or self._is_alias(*place):
            if not self._leads_to_twin(place, path):
                raise RequestBlocked("it is the server of the tests itself")
        elif place not in self._open:
            raise RequestBlocked("the run may reach its start host, its twins and the hosts that the request names")

    def check_peer(self, host: str, port: int, path: str | None, address: str) -> None:
        """Raise RequestBlocked if a connection to `host` leads to the test server and not to a twin of the run."""
        is_server = port in self._control_ports and is_own_address(address)
        if is_server and not self._leads_to_twin((host.lower().strip("[]"), port), path):
            raise RequestBlocked("it is the server of the tests itself")

    def _leads_to_twin(self, place: tuple[str, int], path: str | None) -> bool:
        return path is not None and any(self._is_below(twin, place, path) for twin in self._twins)

    def _is_alias(self, host: str, port: int) -> bool:
        """Return whether a name below `localhost` is an alias of the server; names with `--` belong to twins."""
        return host.endswith(".localhost") and ("localhost", port) in self._control and "--" not in host

    def _is_below(self, twin: SplitResult, place: tuple[str, int], path: str) -> bool:
        if place not in _names(twin):
            return False
        prefix = twin.path.rstrip("/")
        plain = path.partition("?")[0]
        is_straight = ".." not in plain and "%2e" not in plain.lower() and "\\" not in plain
        return bool(prefix) and is_straight and (plain == prefix or plain.startswith(f"{prefix}/"))


def _split(host: str) -> SplitResult:
    return urlsplit(host if "//" in host else f"http://{host}")


def _names(url: SplitResult) -> set[tuple[str, int]]:
    """Return host and port of a URL, with every name of this machine if the host is local."""
    host, port = (url.hostname or "").lower(), url.port or PORTS.get(url.scheme, 80)
    return {(name.strip("[]"), port) for name in HERE} if host in HERE else {(host, port)}


class Proxy:
    """The proxy of one run; `note` receives blocked addresses, `full` is called when too many bytes were received."""

    def __init__(
        self, gate: BrowserAccessPolicy, most_bytes: int, note: Callable[[str, str], None], full: Callable[[], None]
    ) -> None:
        self._gate = gate
        self._left = most_bytes
        self._note = note
        self._full = full
        self._noted: set[str] = set()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        """Start listening; returns the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        return self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close every connection."""
        if self._server:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        try:
            await self._exchange(reader, writer)
        except RequestBlocked as refused:
            await _answer(writer, 403, str(refused))
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            await _answer(writer, 502, f"nothing answers there: {error}")
        except asyncio.CancelledError:
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *fields = head[:-4].split("\r\n")
        verb, target, _ = line.split(" ", 2)
        url = urlsplit(f"//{target}" if verb == "CONNECT" else target)
        host, port = url.hostname or "", url.port or PORTS.get(url.scheme, 80)
        path = None if verb == "CONNECT" else url.path or "/"
        asked = f"{host}:{port}" if path is None else f"{url.scheme}://{url.netloc}{path}"
        with self._noting(host, asked):
            self._gate.check(host, port, path)
        async with asyncio.timeout(CONNECT_SECONDS):
            remote = await asyncio.open_connection(_loopback(host), port, limit=MAX_HEAD_BYTES)
        try:
            with self._noting(host, asked):
                self._gate.check_peer(host, port, path, remote[1].get_extra_info("peername")[0])
            if verb == "CONNECT":
                await self._tunnel(reader, writer, *remote)
            else:
                await self._forward(verb, url, fields, (reader, writer), remote)
        finally:
            remote[1].close()

    @contextlib.contextmanager
    def _noting(self, host: str, address: str) -> Generator[None]:
        """Report blocked requests, except those that Chromium makes by itself."""
        try:
            yield
        except RequestBlocked as refused:
            if host not in OF_CHROMIUM:
                self._tell(address, str(refused))
            raise

    def _tell(self, address: str, why: str) -> None:
        """Report a blocked address once."""
        if address not in self._noted and len(self._noted) < MAX_NOTES:
            self._noted.add(address)
            self._note(address, why)

    async def _tunnel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *remote: object) -> None:
        above, below = remote
        assert isinstance(above, asyncio.StreamReader)
        assert isinstance(below, asyncio.StreamWriter)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        ways = [asyncio.create_task(self._pass(reader, below)), asyncio.create_task(self._pass(above, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _forward(
        self,
        verb: str,
        url: SplitResult,
        fields: list[str],
        browser: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        remote: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Forward one request and its response, then close the connection."""
        kept = [field for field in fields if _name(field) not in NOT_FORWARDED]
        path = (url.path or "/") + (f"?{url.query}" if url.query else "")
        head = "\r\n".join([f"{verb} {path} HTTP/1.1", *kept, f"{MARK}: {BROWSER}", "Connection: close"])
        remote[1].write(f"{head}\r\n\r\n".encode("latin-1"))
        length = next((int(field.partition(":")[2]) for field in kept if _name(field) == "content-length"), 0)
        sending = asyncio.create_task(self._pass(browser[0], remote[1], length))
        try:
            answered = (await remote[0].readuntil(b"\r\n\r\n")).decode("latin-1")[:-4].split("\r\n")
            kept = [field for field in answered if _name(field) not in ("connection", "keep-alive")]
            browser[1].write(("\r\n".join([*kept, "Connection: close"]) + "\r\n\r\n").encode("latin-1"))
            await self._pass(remote[0], browser[1])
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int | None = None
    ) -> None:
        while length is None or length > 0:
            piece = await reader.read(PIECE if length is None else min(PIECE, length))
            if not piece:
                return
            self._count(len(piece))
            length = None if length is None else length - len(piece)
            writer.write(piece)
            await writer.drain()

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            self._full()
            raise RequestBlocked("more has come over the network than a run may take")


def _loopback(host: str) -> str:
    """Resolve names below `localhost` to this machine, which not every resolver does."""
    return "127.0.0.1" if host.endswith(".localhost") else host


def _name(field: str) -> str:
    return field.partition(":")[0].strip().lower()


async def _answer(writer: asyncio.StreamWriter, status: int, said: str) -> None:
    body = said.encode()
    head = f"HTTP/1.1 {status} Refused\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close"
    head += f"\r\n{OURS}: 1"
    with contextlib.suppress(OSError):
        writer.write(f"{head}\r\n\r\n".encode() + body)
        await writer.drain()

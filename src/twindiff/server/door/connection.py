"""One connection to the door: the head of the proxy's protocol, then TLS and HTTP for a twin, or a tunnel."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from base64 import b64decode
from collections.abc import Container
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast
from urllib.parse import unquote

from uvicorn.server import ServerState

from twindiff.browser.peers import is_own_address
from twindiff.kit.errors import ApiError
from twindiff.kit.links import split_url
from twindiff.server.door.errors import WrongCredentials
from twindiff.server.door.hosts import Address, MalformedAddress, is_allowed, parse_address
from twindiff.server.door.http2 import Http2Connection
from twindiff.server.door.tunnel import Tunnel
from twindiff.server.protocol import MAX_HEAD_BYTES, HttpProtocol, connection_config

if TYPE_CHECKING:
    from twindiff.server.door.authority import CertificateAuthority
    from twindiff.server.door.door import Caller, DoorSettings

HEAD_SECONDS = 10.0
"""Seconds for the head of a request to the proxy, and again for a TLS handshake."""
CONNECT_SECONDS = 10.0
IDLE_SECONDS = 75
MAX_CONNECTIONS = 1024
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"
ANY_HOST = "*"
"""In place of a host, `CONNECT *:443` takes the host that TLS names: programs then resolve names to this machine."""
PLAIN_PORT = 80
REASONS = {400: "Bad Request", 403: "Forbidden", 407: "Proxy Authentication Required", 502: "Bad Gateway"}
MAX_REASON_CHARACTERS = 200


class Head(NamedTuple):
    """The head of a request to the proxy; header names are in lower case."""

    verb: str
    target: str
    headers: dict[str, str]
    raw: bytes


class ProxyRefusal(ApiError):
    """The proxy cannot read what it is asked for."""


class HostUnreachable(ApiError):
    """An allowed host does not answer."""

    status = 502


class OwnServer(ApiError):
    """The address is this server itself, to which the door does not lead."""

    status = 403


class Proxy(Protocol):
    """What decides over connections and answers their requests: the door of a server, or a recorder of sessions."""

    authority: CertificateAuthority | None
    connections: set[asyncio.BaseTransport]

    @property
    def own_ports(self) -> Container[int]:
        """Ports to which no connection is passed on."""
        ...

    @property
    def settings(self) -> DoorSettings:
        """The settings; connections to the hosts in `allow_hosts` are passed on."""
        ...

    async def admit(self, credentials: tuple[str, str] | None) -> Caller:
        """The caller with a user name and a password; raises ApiError."""
        ...

    def answers_for(self, caller: Caller, host: str) -> bool:
        """Whether requests to a host are answered."""
        ...

    def refuse(self, caller: Caller, address: Address, request: str) -> ApiError:
        """Note a request to another host, and return its refusal."""
        ...

    async def answer(self, caller: Caller, scope: Any, receive: Any, send: Any) -> None:
        """Respond to a request, as an ASGI application."""
        ...


class DoorConnection(asyncio.Protocol):
    """Reads the head of a request to the proxy and hands the connection over to who answers it."""

    def __init__(self, door: Proxy) -> None:
        self._door = door
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._late: asyncio.TimerHandle | None = None
        self._buffer = b""
        self._working: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, and give it a time limit."""
        self._transport = cast(asyncio.Transport, transport)
        self._door.connections.add(transport)
        if len(self._door.connections) > MAX_CONNECTIONS:
            self._answer(503, f"The door has {MAX_CONNECTIONS} connections open, which is the most; try again")
            return
        self._late = self._loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._forget_time()
        if self._transport:
            self._door.connections.discard(self._transport)
        if self._working:
            self._working.cancel()

    def data_received(self, data: bytes) -> None:
        """Collect the head of a request."""
        self._buffer += data
        if self._working or not self._transport or self._transport.is_closing():
            return
        if self._buffer.startswith(b"\x16"):
            self._answer(400, "TLS begins after CONNECT: give this address as an http:// proxy, not as a server")
            return
        end = self._buffer.find(b"\r\n\r\n")
        if (end if end >= 0 else len(self._buffer)) > MAX_HEAD_BYTES:
            self._answer(431, f"The head of a request has at most {MAX_HEAD_BYTES} bytes")
        elif end >= 0:
            self._forget_time()
            self._transport.pause_reading()
            self._working = self._loop.create_task(self._begin(self._buffer[: end + 4]))

    def _give_up(self) -> None:
        self._answer(408, f"The head of a request has to arrive within {HEAD_SECONDS:g} seconds")

    def _forget_time(self) -> None:
        if self._late:
            self._late.cancel()
        self._late = None

    async def _begin(self, raw: bytes) -> None:
        """Act on the head of a request; every refusal is an answer in one sentence."""
        try:
            head = _parse_head(raw)
            credentials = _credentials(head.headers.get("proxy-authorization", ""))
            if credentials and self._leaves(credentials[0]):
                return
            caller = await self._door.admit(credentials)
            if head.verb == "CONNECT":
                await self._connect(caller, head)
            else:
                await self._forward(caller, head)
        except MalformedAddress as error:
            self._answer(400, str(error))
        except ApiError as error:
            self._answer(error.status, str(error))
        except (OSError, TimeoutError):
            self._abort()

    def _leaves(self, user: str) -> bool:
        """Whether the connection of a user has moved to another process."""
        return False

    async def _connect(self, caller: Caller, head: Head) -> None:
        address = parse_address(head.target)
        extra = self._buffer[len(head.raw) :]
        if is_allowed(self._door.settings.allow_hosts, address):
            await self._pass_on(address, ESTABLISHED, extra)
            return
        if address.host != ANY_HOST and not self._door.answers_for(caller, address.host):
            raise self._door.refuse(caller, address, f"CONNECT {address}")
        if extra:
            raise ProxyRefusal("TLS begins once CONNECT has been answered")
        assert self._transport
        self._transport.write(ESTABLISHED)
        if address.port == PLAIN_PORT:
            self._serve_http(self._transport, caller, b"")
            return
        await self._begin_tls(caller, address.host)

    async def _begin_tls(self, caller: Caller, host: str) -> None:
        assert self._transport
        assert self._door.authority
        waiting = EarlyData()
        tls = await self._loop.start_tls(
            self._transport,
            waiting,
            self._context_of(host),
            server_side=True,
            ssl_handshake_timeout=HEAD_SECONDS,
        )
        if tls is None:
            return
        self._door.connections.discard(self._transport)
        self._door.connections.add(tls)
        self._transport = tls
        session: ssl.SSLObject = tls.get_extra_info("ssl_object")
        if session.selected_alpn_protocol() == "h2":
            application = partial(self._door.answer, caller)
            waiting.hand_over(tls, Http2Connection(application, self._forget))
        else:
            waiting.hand_over(tls, self._http(tls, caller))

    def _context_of(self, host: str) -> ssl.SSLContext:
        """The TLS context for a host; for any host, one that makes a certificate for the name in the handshake.
        Names that no twin has get one too, so that the program reads in a sentence why it is refused.
        """
        authority = self._door.authority
        assert authority
        if host != ANY_HOST:
            return authority.context_of(host)

        def choose(session: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> int | None:
            try:
                session.context = authority.context_of(parse_address(name or "", 443).host)
            except MalformedAddress:
                return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
            return None

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["h2", "http/1.1"])
        context.sni_callback = choose
        return context

    async def _forward(self, caller: Caller, head: Head) -> None:
        """Serve requests that name their host in the target, as HTTP without TLS does through a proxy."""
        if head.target.startswith("/"):
            raise ProxyRefusal(
                "This is the port of a proxy: set HTTPS_PROXY to it, and call the vendor's own addresses"
            )
        url = split_url(head.target)
        if url.scheme != "http" or not url.hostname:
            raise ProxyRefusal(f"'{head.target[:100]}' is no address for a proxy; one is http://api.box.com/")
        address = parse_address(url.netloc.rpartition("@")[2], PLAIN_PORT)
        if is_allowed(self._door.settings.allow_hosts, address):
            target = (url.path or "/") + (f"?{url.query}" if url.query else "")
            await self._pass_on(address, b"", _rewrite_head(head, target) + self._buffer[len(head.raw) :])
            return
        is_here = address.port in self._door.own_ports or address.host.endswith(".localhost")
        if not is_here and not self._door.answers_for(caller, address.host):
            raise self._door.refuse(caller, address, f"{head.verb} http://{address}{url.path}")
        assert self._transport
        self._serve_http(self._transport, caller, self._buffer)

    def _serve_http(self, transport: asyncio.Transport, caller: Caller, data: bytes) -> None:
        protocol = self._http(transport, caller)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if data:
            protocol.data_received(data)
        transport.resume_reading()

    def _http(self, transport: asyncio.Transport, caller: Caller) -> HttpProtocol:
        config = connection_config(partial(self._door.answer, caller))
        config.timeout_keep_alive = IDLE_SECONDS
        return DoorHttp(config, self._forget)

    def _forget(self) -> None:
        if self._transport:
            self._door.connections.discard(self._transport)

    async def _pass_on(self, address: Address, answer: bytes, data: bytes) -> None:
        """Connect to an allowed host and pass everything on in both directions."""
        assert self._transport
        tunnel = Tunnel(self._transport, self._forget)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                remote, _ = await self._loop.create_connection(lambda: tunnel.far, address.host, address.port)
        except (OSError, TimeoutError) as error:
            raise HostUnreachable(f"{address} does not answer: {error or 'it took too long'}") from None
        peer = remote.get_extra_info("peername")
        if peer and peer[1] in self._door.own_ports and is_own_address(peer[0]):
            remote.close()
            raise OwnServer(f"{address} is this server itself, to which the door does not lead")
        if answer:
            self._transport.write(answer)
        tunnel.begin(data)

    def _answer(self, status: int, said: str) -> None:
        """Refuse the request; the reason is also in the status line, which many clients show."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        self._forget_time()
        reason = said if said.isascii() and said.isprintable() else REASONS.get(status, "Refused")
        body = f"{said}\n".encode()
        head = (
            f"HTTP/1.1 {status} {reason[:MAX_REASON_CHARACTERS]}\r\nContent-Type: text/plain; charset=utf-8\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        )
        if status == 407:
            head += 'Proxy-Authenticate: Basic realm="environment and its token"\r\n'
        transport.write(head.encode() + b"\r\n" + body)
        transport.close()

    def _abort(self) -> None:
        self._forget()
        if self._transport:
            self._transport.abort()


class DoorHttp(HttpProtocol):
    """HTTP/1.1 of one connection, with an application of its own."""

    def __init__(self, config: Any, lost: Any) -> None:
        super().__init__(config=config, server_state=ServerState(), app_state={})
        self._forget = lost

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._forget()


class EarlyData(asyncio.Protocol):
    """Keeps what arrives right after a TLS handshake, until it is known which protocol was agreed on."""

    def __init__(self) -> None:
        self._early = b""
        self._error: Exception | None = None
        self._is_lost = False

    def data_received(self, data: bytes) -> None:
        """Keep data."""
        self._early += data

    def connection_lost(self, exc: Exception | None) -> None:
        """Remember that the client has left."""
        self._is_lost, self._error = True, exc

    def hand_over(self, transport: asyncio.Transport, protocol: asyncio.Protocol) -> None:
        """Make `protocol` the receiver of the connection, beginning with what has been kept."""
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        if self._early:
            protocol.data_received(self._early)
        if self._is_lost:
            protocol.connection_lost(self._error)


def _parse_head(raw: bytes) -> Head:
    """Parse the head of a request to the proxy; raises ProxyRefusal."""
    line, *fields = raw[:-4].decode("latin-1").split("\r\n")
    words = line.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise ProxyRefusal("This is an HTTP proxy: it takes CONNECT HOST:PORT HTTP/1.1, or a request with a whole URL")
    headers = {name.strip().lower(): value.strip() for name, _, value in (each.partition(":") for each in fields)}
    return Head(words[0].upper(), words[1], headers, raw)


def _credentials(given: str) -> tuple[str, str] | None:
    """The user name and password for the proxy; raises WrongCredentials if they cannot be read."""
    if not given:
        return None
    scheme, _, value = given.partition(" ")
    with contextlib.suppress(ValueError):
        if scheme.lower() == "basic":
            name, _, password = b64decode(value.strip(), validate=True).decode().partition(":")
            return unquote(name), unquote(password)
    raise WrongCredentials("The proxy takes a user name and a password: http://ENVIRONMENT:TOKEN@HOST:PORT")


_OF_PROXY = ("proxy-authorization", "proxy-connection", "connection", "keep-alive")


def _rewrite_head(head: Head, target: str) -> bytes:
    """The head as the host itself expects it, for one request per connection."""
    fields = head.raw[:-4].decode("latin-1").split("\r\n")[1:]
    kept = [field for field in fields if field.partition(":")[0].strip().lower() not in _OF_PROXY]
    return "\r\n".join([f"{head.verb} {target} HTTP/1.1", *kept, "Connection: close", "", ""]).encode("latin-1")

"""The webhook client: sends requests to permitted addresses only, bounded in time and size.
A host name is resolved once, and the connection goes to the address that was checked. Redirects are not followed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import time
from collections.abc import AsyncIterator, Container, Iterable
from typing import TYPE_CHECKING, NamedTuple

from twindiff.browser.peers import MARK, WEBHOOK, is_own_address
from twindiff.environments.outbox import DeliveryResult
from twindiff.kit.events import WebhookAnswer, WebhookRequest

if TYPE_CHECKING:
    import httpx

MAX_SECONDS = 10.0
MAX_BYTES = 64 * 1024
"""Bytes of a response that are read."""
_IN_WORDS = 200

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class TargetRefused(Exception):
    """Nothing may be sent there; the message says why, and what to do."""


class WebhookResponse(NamedTuple):
    """The delivery result of a request, and the response if there was one."""

    result: DeliveryResult
    answer: WebhookAnswer | None = None


class WebhookClient:
    """Sends requests to explicitly allowed hosts, to this machine if permitted, and never to the server itself.
    `allowed` has hosts as `host` or `host:port`; `localhost` stands for every loopback address. `own_ports` are the
    ports that the server itself listens on, and `receivers` the only paths there that webhooks may reach.
    """

    def __init__(
        self,
        allowed: frozenset[str] = frozenset(),
        own_ports: Container[int] = (),
        *,
        is_loopback_open: bool = True,
        receivers: Iterable[str] = (),
    ) -> None:
        self._allowed = frozenset(each.lower() for each in allowed)
        self._own_ports = own_ports
        self._receivers = frozenset(receivers)
        self._is_loopback_open = is_loopback_open
        self.application_ports: set[int] = set()
        """Ports of this machine that lead to applications of sandbox runs, which webhooks always reach."""
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    def allows(self, url: str) -> bool:
        """Whether the host of a URL is explicitly allowed."""
        parsed = _url(url)
        return self._is_named(parsed.host.lower(), _port(parsed))

    def _is_named(self, host: str, port: int) -> bool:
        return host in self._allowed or f"{host}:{port}" in self._allowed

    async def resolve(self, url: str) -> Address:
        """Resolve the host of a URL to the address to connect to; raises TargetRefused, OSError."""
        parsed = _url(url)
        loop = asyncio.get_running_loop()
        try:
            infos = await loop.getaddrinfo(parsed.host, parsed.port or parsed.scheme, type=socket.SOCK_STREAM)
        except UnicodeError:  # a label of the name is longer than 63 characters, or empty
            raise OSError(f"{parsed.host[:_IN_WORDS]} is no name of a host") from None
        addresses = [_plain(ipaddress.ip_address(place[0])) for *_, place in infos]
        if parsed.path in self._receivers and all(self._is_own(address, _port(parsed)) for address in addresses):
            return addresses[0]
        for address in addresses:
            self._refuse_unfit(parsed.host, _port(parsed), address)
        return addresses[0]

    def _is_own(self, address: Address, port: int) -> bool:
        """Whether the server itself listens there."""
        return port in self._own_ports and is_own_address(str(address))

    def _refuse_unfit(self, host: str, port: int, address: Address) -> None:
        if self._is_own(address, port):
            raise TargetRefused(f"{host}:{port} is this server itself, which no webhook may reach")
        if address.is_link_local or address.is_multicast or address.is_unspecified:
            raise TargetRefused(f"{host} is {address}, which no webhook may reach")
        if self._is_named(host.lower(), port):
            return
        if not address.is_loopback:
            raise TargetRefused(
                f"{host} is {address}, which is not this machine; start the server with --allow-webhooks-to {host}"
            )
        is_open = self._is_loopback_open or port in self.application_ports
        if not is_open and not self._is_named("localhost", port):
            raise TargetRefused(
                f"{host} is this machine, which webhooks of a server with a key do not reach by themselves; "
                f"start the server with --allow-webhooks-to {host}:{port}"
            )

    async def send(self, request: WebhookRequest, seconds: float) -> WebhookResponse:
        """Send one request and return its result; never raises for errors that the receiver causes."""
        await self.ready()
        import httpx

        begun, seconds = time.perf_counter(), min(seconds, MAX_SECONDS)
        try:
            async with asyncio.timeout(seconds):
                answer = await self._answer(request)
            result = _judge_response(answer)
        except TimeoutError:
            answer, result = (
                None,
                DeliveryResult(0, failure="timeout", message=f"no whole answer within {seconds:g} seconds"),
            )
        except TargetRefused as error:
            answer, result = None, DeliveryResult(0, failure="refused", message=str(error), final=True)
        except (OSError, httpx.HTTPError, httpx.InvalidURL) as error:
            answer, result = None, _failed_result(error)
        except ValueError as error:  # a header that cannot be sent; a retry would not help
            answer, result = None, DeliveryResult(0, failure="error", message=str(error)[:_IN_WORDS], final=True)
        return WebhookResponse(result._replace(milliseconds=(time.perf_counter() - begun) * 1000), answer)

    async def read(self, url: str, seconds: float = MAX_SECONDS) -> WebhookAnswer:
        """GET a URL, at most 64 KB of it; raises TargetRefused, TimeoutError, OSError, httpx.HTTPError."""
        async with asyncio.timeout(seconds):
            return await self._ask("GET", url, None, [("Accept-Encoding", "identity")])

    async def _answer(self, request: WebhookRequest) -> WebhookAnswer:
        return await self._ask("POST", request.url, request.body, [*request.headers])

    async def ready(self) -> httpx.AsyncClient:
        """The HTTP client, created in a thread because loading its imports and certificates takes 0.1 seconds."""
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(_client)
            return self._client

    async def _ask(self, verb: str, address: str, body: bytes | None, headers: list[tuple[str, str]]) -> WebhookAnswer:
        resolved = await self.resolve(address)
        url = _url(address)
        client = await self.ready()
        async with client.stream(
            verb,
            url.copy_with(host=str(resolved)),
            content=body,
            headers=[*headers, ("Host", url.netloc.decode()), (MARK, WEBHOOK)],
            extensions={"sni_hostname": url.host},
        ) as response:
            beginning = await _beginning(response.aiter_raw())
        return WebhookAnswer(response.status_code, dict(response.headers), beginning)

    async def close(self) -> None:
        if self._client:
            await self._client.aclose()


def _url(text: str) -> httpx.URL:
    import httpx  # loading it takes a quarter of a server's start, and many servers never need it

    return httpx.URL(text)


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def _client() -> httpx.AsyncClient:
    """Create a client without proxies, redirects, or reuse of connections, which may be for another name."""
    import httpx

    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=None, limits=limits)  # noqa: S113 - each request has its own


def _plain(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


async def _beginning(chunks: AsyncIterator[bytes]) -> bytes:
    body = b""
    async for chunk in chunks:
        body += chunk
        if len(body) >= MAX_BYTES:
            break
    return body[:MAX_BYTES]


def _judge_response(answer: WebhookAnswer) -> DeliveryResult:
    status = answer.status
    if 200 <= status < 300:
        return DeliveryResult(0, status)
    if 300 <= status < 400:
        said = f"it redirects to {answer.headers.get('location', 'nowhere')[:_IN_WORDS]}, which is not followed"
        return DeliveryResult(0, status, "redirect", said)
    said = answer.body[:_IN_WORDS].decode("utf-8", "replace")
    return DeliveryResult(0, status, "status", said or None)


def _failed_result(error: Exception) -> DeliveryResult:
    import httpx

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return DeliveryResult(0, failure="tls", message=str(cause)[:_IN_WORDS])
        cause = cause.__cause__ or cause.__context__
    message = (str(error) or type(error).__name__)[:_IN_WORDS]
    return DeliveryResult(
        0, failure="refused" if isinstance(error, OSError | httpx.ConnectError) else "error", message=message
    )

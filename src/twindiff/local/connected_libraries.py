"""HTTP libraries whose requests to vendors' hosts stay in this process: each has its one place to intercept them.

urllib3 carries requests and the SDKs made of it, `http.client` carries urllib, and httplib2 carries Google's clients.
"""

from __future__ import annotations

import http.client
import io
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from twindiff.local.in_process import InProcessResponse
from twindiff.local.vendor_routes import VendorRoutes
from twindiff.local.wire_values import read_body, read_headers, to_http1, to_url

Wrap = Callable[[VendorRoutes, Callable[..., Any]], Callable[..., Any]]


class Interception(NamedTuple):
    """A method of a library's class, and what wraps it."""

    module: str
    class_name: str
    method: str
    wrap: Wrap


@contextmanager
def intercept_requests(routes: VendorRoutes) -> Generator[None]:
    """Route the requests of every installed library for the block."""
    replaced: list[tuple[Any, str, Any]] = []
    try:
        for module, class_name, method, wrap in INTERCEPTIONS:
            if find_spec(module.partition(".")[0]):
                owner = getattr(import_module(module), class_name)
                original = owner.__dict__[method]
                setattr(owner, method, wraps(original)(wrap(routes, original)))
                replaced.append((owner, method, original))
        yield
    finally:
        for owner, method, original in replaced:
            setattr(owner, method, original)


def _wrap_httpx(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    def handle_request(self: Any, request: Any) -> Any:
        if not routes.answers(str(request.url)):
            return original(self, request)
        return _reply_to_httpx(routes, request, request.read())

    return handle_request


def _wrap_async_httpx(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        if not routes.answers(str(request.url)):
            return await original(self, request)
        return _reply_to_httpx(routes, request, await request.aread())

    return handle_async_request


def _reply_to_httpx(routes: VendorRoutes, request: Any, body: bytes) -> Any:
    """A response of httpx, or of httpx2 for its request."""
    library: Any = import_module(type(request).__module__.partition(".")[0])
    reply = routes.reply(request.method, str(request.url), request.headers.multi_items(), body)
    return library.Response(reply.status, headers=reply.headers, content=reply.body)


def _wrap_urllib3(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    def urlopen(self: Any, method: str, url: str, *arguments: Any, **options: Any) -> Any:
        if not routes.answers(to_url(self.host, url)):
            return original(self, method, url, *arguments, **options)
        from twindiff.local.urllib3_pool import InProcessPool

        return original(InProcessPool(self, routes), method, url, *arguments, **options)

    return urlopen


def _wrap_http_client_request(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    def request(
        self: Any, method: str, url: str, body: Any = None, headers: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        full = to_url(getattr(self, "_tunnel_host", None) or self.host, url)
        if routes.answers(full):
            reply = routes.reply(method, full, read_headers(headers), read_body(body))
            self._twindiff_response = to_http_client(reply, method)
        else:
            original(self, method, url, body, headers or {}, **options)

    return request


def _wrap_http_client_response(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    def getresponse(self: Any) -> Any:
        response, self._twindiff_response = getattr(self, "_twindiff_response", None), None
        return response or original(self)

    return getresponse


def _wrap_httplib2(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    def conn_request(
        self: Any, conn: Any, request_uri: str, method: str, body: Any, headers: Mapping[str, Any]
    ) -> tuple[Any, bytes]:
        url = to_url(conn.host, request_uri)
        if not routes.answers(url):
            return original(self, conn, request_uri, method, body, headers)
        reply = routes.reply(method, url, read_headers(headers), read_body(body))
        response: Any = import_module("httplib2").Response(to_http_client(reply, method))
        return response, reply.body

    return conn_request


def _wrap_aiohttp(routes: VendorRoutes, original: Callable[..., Any]) -> Callable[..., Any]:
    async def connect(self: Any, request: Any, *arguments: Any, **options: Any) -> Any:
        if not routes.answers(str(request.url)):
            return await original(self, request, *arguments, **options)
        from twindiff.local.aiohttp_connection import open_connection

        return open_connection(self, request, routes)

    return connect


class _Memory(io.BytesIO):
    """A response's bytes as the socket that `http.client` reads."""

    def makefile(self, *unused: Any) -> io.BytesIO:
        return self


def to_http_client(reply: InProcessResponse, method: str) -> http.client.HTTPResponse:
    """A response of `http.client`, with its status line and headers read."""
    response = http.client.HTTPResponse(_Memory(to_http1(reply)), method=method)  # pyright: ignore[reportArgumentType]
    response.begin()
    return response


INTERCEPTIONS = (
    Interception("httpx", "HTTPTransport", "handle_request", _wrap_httpx),
    Interception("httpx", "AsyncHTTPTransport", "handle_async_request", _wrap_async_httpx),
    Interception("httpx2", "HTTPTransport", "handle_request", _wrap_httpx),
    Interception("httpx2", "AsyncHTTPTransport", "handle_async_request", _wrap_async_httpx),
    Interception("urllib3.connectionpool", "HTTPConnectionPool", "urlopen", _wrap_urllib3),
    Interception("http.client", "HTTPConnection", "request", _wrap_http_client_request),
    Interception("http.client", "HTTPConnection", "getresponse", _wrap_http_client_response),
    Interception("httplib2", "Http", "_conn_request", _wrap_httplib2),
    Interception("aiohttp.connector", "BaseConnector", "connect", _wrap_aiohttp),
)
"""Where each library sends a request."""

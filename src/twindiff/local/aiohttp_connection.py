"""A connection of aiohttp to a twin in this process: it reads the request that is written to it, and responds."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Any

import httptools

from twindiff.local.vendor_routes import VendorRoutes
from twindiff.local.wire_values import to_http1, to_url


class TwinTransport(asyncio.Transport):
    """Parses what a client writes, and gives the twin's response to its protocol once the request is complete."""

    def __init__(self, protocol: Any, host: str, routes: VendorRoutes) -> None:
        super().__init__()
        self._protocol = protocol
        self._host = host
        self._routes = routes
        self._parser = httptools.HttpRequestParser(self)
        self._url = ""
        self._headers: list[tuple[str, str]] = []
        self._body = bytearray()
        self._is_closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._parser.feed_data(bytes(data))

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def on_url(self, url: bytes) -> None:
        self._url += url.decode("ascii")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.decode("latin-1"), value.decode("latin-1")))

    def on_body(self, body: bytes) -> None:
        self._body += body

    def on_message_complete(self) -> None:
        verb, url = self._parser.get_method().decode("ascii"), to_url(self._host, self._url)
        reply = self._routes.reply(verb, url, self._headers, bytes(self._body))
        asyncio.get_running_loop().call_soon(self._protocol.data_received, to_http1(reply))

    def is_closing(self) -> bool:
        return self._is_closing

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    abort = close


def open_connection(connector: Any, request: Any, routes: VendorRoutes) -> Any:
    """The connection for a request of a session with this connector."""
    loop = asyncio.get_running_loop()
    protocol: Any = import_module("aiohttp.client_proto").ResponseHandler(loop)
    protocol.connection_made(TwinTransport(protocol, request.url.host, routes))
    return import_module("aiohttp.connector").Connection(connector, request.connection_key, protocol, loop)

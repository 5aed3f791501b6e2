"""Hooks for SDKs that use twins in process: a transport for httpx and an adapter for requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from twindiff.local.in_process import InProcessClient, InProcessResponse, TwinMount

if TYPE_CHECKING:
    from requests.adapters import HTTPAdapter


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport for `httpx.Client(transport=…)` and `httpx.AsyncClient(transport=…)`.

    `place` is the twin that gets all requests, regardless of their host; None if their paths name it.
    """

    def __init__(self, inside: InProcessClient, place: TwinMount | None = None) -> None:
        self._inside = inside
        self._place = place

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Handle a request of a synchronous client."""
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Handle a request of an asynchronous client."""
        return self._respond(request, await request.aread())

    def _respond(self, request: httpx.Request, body: bytes) -> httpx.Response:
        reply = self._inside.vendor_reply(self._place, request.method, request.url.raw_path, request.headers.raw, body)
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)


def requests_adapter(inside: InProcessClient, place: TwinMount) -> HTTPAdapter:
    """An adapter for `session.mount("https://", adapter)`."""
    from twindiff.local.requests_adapter import Adapter

    return Adapter(inside, place)


def texts(reply: InProcessResponse) -> dict[str, str]:
    """The headers of a response as texts, by name."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reply.headers}

"""Ways into the process for SDKs that take one: a transport for httpx, an adapter for requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from twindiff.local.in_process import InProcessClient, InProcessResponse, TwinMount

if TYPE_CHECKING:
    from requests.adapters import HTTPAdapter


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """For `httpx.Client(transport=…)` and `httpx.AsyncClient(transport=…)`; with a place, whatever host is asked."""

    def __init__(self, inside: InProcessClient, place: TwinMount | None = None) -> None:
        self._inside = inside
        self._place = place

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer at once."""
        return self._respond(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Likewise."""
        return self._respond(request, await request.aread())

    def _respond(self, request: httpx.Request, body: bytes) -> httpx.Response:
        reply = self._inside.vendor_reply(self._place, request.method, request.url.raw_path, request.headers.raw, body)
        return httpx.Response(reply.status, headers=reply.headers, content=reply.body)


def requests_adapter(inside: InProcessClient, place: TwinMount) -> HTTPAdapter:
    """For `session.mount("https://", adapter)`."""
    from twindiff.local.requests_adapter import Adapter

    return Adapter(inside, place)


def texts(reply: InProcessResponse) -> dict[str, str]:
    """The headers of a reply as text."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in reply.headers}

"""A pool of urllib3 that opens no connection; retries and redirects stay as the caller of urllib3 wants them."""

from __future__ import annotations

import io
from typing import Any

from urllib3 import HTTPHeaderDict, HTTPResponse
from urllib3.connectionpool import HTTPConnectionPool

from twindiff.local.vendor_routes import VendorRoutes
from twindiff.local.wire_values import read_body, read_headers, to_texts, to_url


class InProcessPool(HTTPConnectionPool):
    """The pool of a vendor's host, in place of one that would connect to it."""

    def __init__(self, replaced: HTTPConnectionPool, routes: VendorRoutes) -> None:
        super().__init__(replaced.host, headers=replaced.headers, retries=replaced.retries)
        self.scheme = replaced.scheme
        self.port = replaced.port
        self._routes = routes

    def _make_request(  # pyright: ignore[reportIncompatibleMethodOverride] - of its other parameters none matters here
        self, conn: Any, method: str, url: str, body: Any = None, headers: Any = None, **rest: Any
    ) -> Any:
        reply = self._routes.reply(method, to_url(self.host, url), read_headers(headers), read_body(body))
        return HTTPResponse(
            body=io.BytesIO(reply.body),
            headers=HTTPHeaderDict(to_texts(reply)),
            status=reply.status,
            preload_content=rest.get("preload_content", True),
            decode_content=rest.get("decode_content", True),
            request_method=method,
            request_url=url,
            retries=rest.get("retries"),
        )

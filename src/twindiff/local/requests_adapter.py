"""An adapter of requests for twins in process. The SDK that uses requests also installs it."""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import urlsplit

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse

from twindiff.local.in_process import InProcessClient, TwinMount


class Adapter(HTTPAdapter):
    """Sends the requests of a session to a twin in this process."""

    def __init__(self, inside: InProcessClient, place: TwinMount) -> None:
        super().__init__()
        self._inside = inside
        self._place = place

    def send(self, request: PreparedRequest, *unused: Any, **also_unused: Any) -> Response:
        """Handle a request; timeouts, proxies and certificates are ignored."""
        parts = urlsplit(request.url or "/")
        url = f"{parts.path or '/'}?{parts.query}".encode()
        headers = [(b"host", parts.netloc.encode()), *((_bytes(n), _bytes(v)) for n, v in request.headers.items())]
        reply = self._inside.vendor_reply(self._place, request.method or "GET", url, headers, _body(request.body))
        raw = HTTPResponse(
            body=io.BytesIO(reply.body),
            headers={name.decode("latin-1"): value.decode("latin-1") for name, value in reply.headers},
            status=reply.status,
            preload_content=False,
        )
        return self.build_response(request, raw)


def _bytes(text: str | bytes) -> bytes:
    return text.encode("latin-1") if isinstance(text, str) else text


def _body(body: Any) -> bytes:
    """Convert a body of requests (None, text, bytes, a file or an iterable) to bytes."""
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    return body if isinstance(body, bytes) else b"".join(_bytes(piece) for piece in body)

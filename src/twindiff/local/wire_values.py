"""Converts bodies, headers and addresses of HTTP libraries to those of requests in this process, and back."""

from __future__ import annotations

import http.client
from collections.abc import Iterable, Mapping
from typing import Any

from twindiff.local.in_process import InProcessResponse


def read_body(body: Any) -> bytes:
    """The bytes of a body in any of the forms that libraries take: None, text, bytes, a file, an iterable."""
    if body is None:
        return b""
    if hasattr(body, "read"):
        body = body.read()
    if isinstance(body, str):
        return body.encode()
    return bytes(body) if isinstance(body, bytes | bytearray) else b"".join(map(_to_bytes, body))


def _to_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def read_headers(headers: Mapping[str, Any] | None) -> Iterable[tuple[str, str]]:
    """The headers as texts."""
    for name, value in (headers or {}).items():
        yield str(name), value.decode("latin-1") if isinstance(value, bytes) else str(value)


def to_texts(reply: InProcessResponse) -> list[tuple[str, str]]:
    """The headers of a response as texts."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in reply.headers]


def to_url(host: str, path: str) -> str:
    """The URL of a path at a host; the path may be a URL already, as a proxy gets it."""
    return path if "://" in path[:9] else f"https://{host}{path}"


def to_http1(reply: InProcessResponse) -> bytes:
    """A response as HTTP/1.1 sends it, on a connection that closes."""
    kept = [(name, value) for name, value in reply.headers if name.lower() != b"content-length"]
    headers = b"".join(name + b": " + value + b"\r\n" for name, value in kept)
    ends = b"content-length: %d\r\nconnection: close\r\n\r\n" % len(reply.body)
    reason = http.client.responses.get(reply.status, "").encode()
    return b"HTTP/1.1 %d %b\r\n" % (reply.status, reason) + headers + ends + reply.body

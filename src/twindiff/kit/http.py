"""HTTP requests and responses as plain data, independent of any server or framework."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl

import msgspec

from .throttling import is_at_long_work, yield_processor


class Request(NamedTuple):
    """An HTTP request with its whole body; header names are lower-case, `query` is percent-encoded."""

    verb: str
    path: str
    query: str = ""
    headers: dict[str, str] = {}  # noqa: RUF012 - never written to
    body: bytes = b""
    vendor_host: str = ""
    """The vendor's host that the client addressed; empty if it used an address of the server."""

    @property
    def content_type(self) -> str:
        """The media type without its parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def query_parameters(self) -> dict[str, Any]:
        """The decoded query by name, blank values included; a repeated name has its last value."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    def bearer(self) -> str | None:
        """The token of the header Authorization, with or without `Bearer`, else of X-API-Key; None without either."""
        value = self.headers.get("authorization", "").strip()
        scheme, _, rest = value.partition(" ")
        token = rest.strip() if scheme.lower() in ("bearer", "token") else value
        return token or self.headers.get("x-api-key")

    def basic(self) -> tuple[str, str] | None:
        """The name and the password of basic authentication, as in `curl -u sk_test_1:`; None without it."""
        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            name, _, password = b64decode(value.strip(), validate=True).decode().partition(":")
        except ValueError:
            return None
        return name, password


class Response(NamedTuple):
    """An HTTP response."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    error: str = ""
    """For the call log: the code of an error that the vendor sends with a status of success."""
    parts: AsyncIterator[bytes] | None = None
    """A stream of parts that is sent in place of `body`."""


class ValueResponse(NamedTuple):
    """A handler's return value with a status or headers of its own; the style renders the value as usual.

    `return ValueResponse(to_object(file), 201, (("Location", f"{call.base_url}/files/{file.file_id}"),))`
    """

    value: Any
    status: int = 0
    """0 means the status that the operation declares."""
    headers: tuple[tuple[str, str], ...] = ()


def json_answer(value: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    """A response with a value as JSON. In a paced thread it is encoded in pieces, with a yield between them."""
    written = b"".join(_pieces(value)) if is_at_long_work() else msgspec.json.encode(value)
    return Response(written, status, headers=headers)


def _pieces(value: Any, depth: int = 4) -> Iterator[bytes]:
    """Encode a value as JSON in pieces, split down to a nesting of `depth`."""
    yield_processor()
    if depth and isinstance(value, list):
        yield b"["
        for number, each in enumerate(cast(list[Any], value)):
            yield b"," * bool(number)
            yield from _pieces(each, depth - 1)
        yield b"]"
    elif depth and isinstance(value, dict) and all(isinstance(name, str) for name in cast(dict[Any, Any], value)):
        yield b"{"
        for number, (name, each) in enumerate(cast(dict[str, Any], value).items()):
            yield b"," * bool(number) + msgspec.json.encode(name) + b":"
            yield from _pieces(each, depth - 1)
        yield b"}"
    else:
        yield msgspec.json.encode(value)

"""A request and an answer as plain data; no server and no framework is known here."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl

import msgspec

from .throttling import give_way, is_at_long_work


class Request(NamedTuple):
    """One HTTP request whose body has been read; header names are lower-case."""

    verb: str
    path: str
    query: str = ""
    headers: dict[str, str] = {}  # noqa: RUF012 - never written to
    body: bytes = b""

    @property
    def content_type(self) -> str:
        """The media type without its parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def query_parameters(self) -> dict[str, Any]:
        return dict(parse_qsl(self.query, keep_blank_values=True))

    def bearer(self) -> str | None:
        """The token of the Authorization header, with or without `Bearer`, else the X-API-Key; None without either."""
        value = self.headers.get("authorization", "").strip()
        scheme, _, rest = value.partition(" ")
        token = rest.strip() if scheme.lower() in ("bearer", "token") else value
        return token or self.headers.get("x-api-key")

    def basic(self) -> tuple[str, str] | None:
        """The name and the password of the Authorization header, as in `curl -u sk_test_1:`; None without them."""
        scheme, _, value = self.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            name, _, password = b64decode(value.strip(), validate=True).decode().partition(":")
        except ValueError:
            return None
        return name, password


class Response(NamedTuple):
    """One HTTP answer."""

    body: bytes
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    error: str = ""
    """For the call log: the code of an error that the vendor answers with a status of success."""
    parts: AsyncIterator[bytes] | None = None
    """What is sent in place of a body that would be complete, each part when it comes."""


class ValueResponse(NamedTuple):
    """What a handler gives when its answer has a status or headers of its own; the style writes the value as any other.

    `return Result(shown, 201, (("Location", f"{call.base_url}/files/{file.file_id}"),))`
    """

    value: Any
    status: int = 0
    """That of the operation when it is 0."""
    headers: tuple[tuple[str, str], ...] = ()


def json_answer(value: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    """An answer that carries a value as JSON; a long one is written in pieces, between which others go on."""
    written = b"".join(_pieces(value)) if is_at_long_work() else msgspec.json.encode(value)
    return Response(written, status, headers=headers)


def _pieces(value: Any, depth: int = 4) -> Iterator[bytes]:
    """The JSON of a value, down to the items of the lists that an answer consists of."""
    give_way()
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

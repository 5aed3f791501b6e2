"""Annotations of handler parameters that do not come from their own name in the path, the query or the body."""

from __future__ import annotations

from typing import NamedTuple

import msgspec


class Header(NamedTuple):
    """The parameter is a header of the request: `if_match: Annotated[str, Header("If-Match")] = ""`."""

    name: str


class Named(NamedTuple):
    """The parameter has a wire name that is not a Python name: `Annotated[str, Named("content-type")]`."""

    name: str


class Body:
    """The parameter is the whole body: `event: Annotated[EventBody, Body]`, or its bytes: `Annotated[bytes, Body]`."""


class Upload(msgspec.Struct, frozen=True):
    """A file of a multipart form: `file: Upload`, or `files: list[Upload]` if the name may be repeated."""

    filename: str
    content_type: str
    data: bytes

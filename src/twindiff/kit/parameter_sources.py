"""Where a parameter comes from, when that is not its own name in the path, the query or the body."""

from __future__ import annotations

from typing import NamedTuple

import msgspec


class Header(NamedTuple):
    """A parameter is a header of the request: `if_match: Annotated[str, Header("If-Match")] = ""`."""

    name: str


class Named(NamedTuple):
    """A parameter has a name on the wire that is none in Python: `Annotated[str, Named("content-type")]`."""

    name: str


class Body:
    """A parameter is the whole body: `event: Annotated[EventBody, Body]`, or its bytes: `Annotated[bytes, Body]`."""


class Upload(msgspec.Struct, frozen=True):
    """A file of a multipart form: `file: Upload`, or `files: list[Upload]` where a name may be given several times."""

    filename: str
    content_type: str
    data: bytes

"""Entity tags: conditional reads and writes with If-None-Match and If-Match (RFC 9110, section 13)."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from .errors import ApiError
from .http import Response, ValueResponse

if TYPE_CHECKING:
    from .call import Call
    from .request_context import RequestContext


class PreconditionFailed(ApiError):
    """The object has changed since the version that If-Match names."""

    status = 412


def etag_of(value: Any) -> str:
    """The entity tag, in quotes, of a JSON value or bytes; equal values have equal tags."""
    encoded = value if isinstance(value, bytes) else msgspec.json.encode(value, order="deterministic")
    return f'"{blake2b(encoded, digest_size=12).hexdigest()}"'


def check_if_match(if_match: str, etag: str, failed: type[ApiError] = PreconditionFailed) -> None:
    """Raise `failed` unless the header If-Match is empty, names this tag, or is `*`."""
    if if_match and not names_version(if_match, etag):
        raise failed


def names_version(header: str, etag: str) -> bool:
    """Whether a header If-Match or If-None-Match names a tag (quoted or not, weak or not) or is `*`."""
    versions = {_bare(each) for each in header.split(",")}
    return "*" in versions or _bare(etag) in versions


def not_modified(if_none_match: str, etag: str) -> Response | None:
    """A response 304 if the header If-None-Match names this tag, else None."""
    if if_none_match and names_version(if_none_match, etag):
        return Response(b"", 304, headers=(("ETag", etag),))
    return None


def conditional(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """A middleware for reads: adds the header ETag of the handler's value, and responds 304 if If-None-Match names it.

    `@api.get("/events/{eventId}", layers=[conditional])`
    """
    value = proceed()
    answer = exchange.answer(value)
    etag = etag_of(answer.body if isinstance(value, Response | ApiError | ValueResponse) else value)
    news = answer._replace(headers=(*answer.headers, ("ETag", etag)))
    return not_modified(exchange.request.headers.get("if-none-match", ""), etag) or news


def _bare(etag: str) -> str:
    return etag.strip().removeprefix("W/").strip('"')

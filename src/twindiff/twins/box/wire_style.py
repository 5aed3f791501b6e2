"""Box's REST conventions: errors with request ids and context, `fields`, pages by offset and by marker.

https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors
https://developer.box.com/guides/api-calls/pagination
https://developer.box.com/guides/api-calls/api-versioning-strategy
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from twindiff.kit.errors import (
    ApiError,
    InvalidParameter,
    MissingParameter,
    MissingToken,
    UnknownToken,
)
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.parameter_sources import Upload

from ...kit.styles.base import Style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from twindiff.kit.call import Call
    from twindiff.kit.request_context import RequestContext
    from twindiff.kit.twin import Operation

NOT_SERVED = 405
"""The status for operations that the twin lacks, with the code `not_implemented`.

Box's SDKs repeat a request that is answered 501 five times, for 28 seconds.
"""

HELP_URL = "http://developers.box.com/docs/#errors"
JSON_PATCH = "application/json-patch+json"
API_VERSION = "2025.0"
"""The version that operations newer than the first one require in the header `box-version`."""

_CHALLENGE = 'Bearer realm="Service", error="invalid_token", error_description="The access token provided is invalid."'
_CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    412: "precondition_failed",
    413: "request_entity_too_large",
    415: "unsupported_media_type",
    416: "requested_range_not_satisfiable",
    429: "too_many_requests",
    500: "internal_server_error",
    501: "not_implemented",
    503: "unavailable",
}
_MESSAGES = {400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 412: "Precondition Failed"}


_INVALID_CHOICE = re.compile(r"Invalid enum value ('.*')$")
"""The choice that is none, in the kit's message; Box names it alone."""


class BoxError(ApiError):
    """An error by one of Box's codes; `context_info` says more of it, as Box's own does."""

    def __init__(self, message: str = "", *, context_info: dict[str, Any] | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.context_info = context_info


class MetadataError(BoxError):
    """An error of Box's metadata service, which has a code, a message and a request id, and nothing else."""


class BadRequest(BoxError):
    """Bad Request"""

    @classmethod
    def of(cls, reason: str, name: str, message: str) -> BadRequest:
        """Build the error for a refused parameter; `reason` is missing_parameter or invalid_parameter."""
        return cls(context_info=errors_of(reason, name, message))


class MetadataAfterFileContents(BoxError):
    """The attributes of an upload must come before the file"""


class Unauthorized(BoxError):
    """Unauthorized"""

    status = 401


def errors_of(reason: str, name: str, message: str) -> dict[str, Any]:
    """Return the context of an error that a single parameter caused."""
    return {"errors": [{"reason": reason, "name": name, "message": message}]}


def require_version(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware: refuse requests that do not name the API version 2025.0."""
    if exchange.request.headers.get("box-version") != API_VERSION:
        said = f"The header 'box-version' must be '{API_VERSION}'"
        raise BadRequest.of("invalid_parameter", "box-version", said)
    return proceed()


def require_json_patch(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware: refuse a JSON Patch of another media type.

    https://developer.box.com/guides/metadata/instances/update
    """
    given = exchange.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != JSON_PATCH:
        said = f"The header 'content-type' must be '{JSON_PATCH}'"
        raise BadRequest.of("invalid_parameter", "content-type", said)
    return proceed()


Notify = Literal["true", "false"]
"""Whether to send mails. Box refuses all other words with a code of their own:
https://github.com/box/box-openapi/issues/422
"""


class BoxStyle(Style):
    """REST with JSON; errors carry a code, a status and the id of the request."""

    missing_token = MissingToken
    unknown_token = UnknownToken

    def token(self, request: Request) -> str | None:
        """Return the bearer token, or the one in the query parameter `access_token`, which download URLs use."""
        return request.bearer() or request.query_parameters().get("access_token")

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        """Return raw parameters by wire name. The only file of a form is `file`, whatever name its part has."""
        given = super().parameters(exchange)
        uploads = [name for name, value in given.items() if isinstance(value, Upload)]
        if len(uploads) == 1 and "attributes" in given:
            if [*given].index("attributes") > [*given].index(uploads[0]):
                raise MetadataAfterFileContents
            given["file"] = given.pop(uploads[0])
        return given

    def build_request(self, operation: Operation, arguments: Mapping[str, Any]) -> Request:
        """Return the request, with the API's version and the media type that the operation requires."""
        request = super().build_request(operation, arguments)
        headers = {**request.headers}
        if require_version in operation.declared.layers:
            headers["box-version"] = API_VERSION
        if require_json_patch in operation.declared.layers:
            headers["content-type"] = JSON_PATCH
        return request._replace(headers=headers)

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """Render `{type, status, code, message, context_info, help_url, request_id}`; the id is also a header.

        A token that is absent or unknown is told by the header `WWW-Authenticate` alone, by whose empty body Box's SDKs
        know that they have to ask for another token: https://github.com/box/box-node-sdk/issues/157
        """
        request_id = _request_id(error, exchange)
        headers = (*error.headers, ("BOX-REQUEST-ID", request_id))
        if isinstance(error, (MissingToken, UnknownToken)):
            return Response(b"", 401, headers=(*headers, ("WWW-Authenticate", _CHALLENGE)))
        code, message, context = _error_parts(error)
        if isinstance(error, MetadataError):
            return json_answer({"code": code, "message": message, "request_id": request_id}, error.status, headers)
        status = NOT_SERVED if error.status == 501 else error.status
        said: dict[str, Any] = {"type": "error", "status": status, "code": code}
        if context is not None:
            said["context_info"] = context
        said |= {"help_url": HELP_URL, "message": message, "request_id": request_id}
        if error.status == 401:
            headers = (*headers, ("WWW-Authenticate", _CHALLENGE))
        return json_answer(said, status, headers)


def _error_parts(error: ApiError) -> tuple[str, str, dict[str, Any] | None]:
    """Return the code, the message and the context of any error."""
    if isinstance(error, BoxError):
        return error.code, str(error), error.context_info
    code = _CODES.get(error.status, "bad_request")
    message = _MESSAGES.get(error.status, str(error))
    if isinstance(error, InvalidParameter):
        if isinstance(error, MissingParameter):
            return code, message, _missing(error.names)
        if error.name == "notify":
            return "invalid_request_parameters", "Invalid input parameters in request", None
        if chosen := _INVALID_CHOICE.search(str(error)):
            return code, message, errors_of("invalid_parameter", error.name, f"Invalid value {chosen[1]}.")
        return code, message, errors_of("invalid_parameter", error.name, f"Invalid value for '{error.name}': {error}")
    return code, message, None if str(error) == message else {"message": str(error)}


def _missing(names: tuple[str, ...]) -> dict[str, Any]:
    """Return the context of an error that lists every missing parameter.

    https://github.com/box/box-openapi/issues/102
    """
    return {
        "errors": [{"reason": "missing_parameter", "name": name, "message": f"'{name}' is required"} for name in names]
    }


def _request_id(error: ApiError, exchange: RequestContext | None) -> str:
    """Return an id that depends only on the request and its error, so that a replay is byte-identical."""
    asked = exchange.request if exchange else None
    about = f"{asked.verb} {asked.path} {asked.query}" if asked else ""
    return blake2b(f"{about} {error.code} {error}".encode(), digest_size=8).hexdigest()


def wanted_fields(fields: str) -> tuple[str, ...] | None:
    """Return the names in the parameter `fields`; None if it is empty, which selects the default fields."""
    names = tuple(dict.fromkeys(name.strip() for name in fields.split(",") if name.strip()))
    return names or None


class Window(NamedTuple):
    """A page by offset."""

    offset: int
    limit: int


def window(offset: int, limit: int, *, most: int = 1000, farthest: int = 300_000) -> Window:
    """Return the requested page; raise BadRequest if the offset or the limit is out of bounds."""
    if not 0 <= offset <= farthest:
        raise BadRequest.of("invalid_parameter", "offset", f"Invalid value '{offset}'. It must be 0 to {farthest}.")
    return Window(offset, check_limit(limit, most))


def check_limit(limit: int, most: int = 1000) -> int:
    """Return a limit; raise BadRequest unless it is between 0 and `most`."""
    if not 0 <= limit <= most:
        raise BadRequest.of("invalid_parameter", "limit", f"Invalid value '{limit}'. It must be 0 to {most}.")
    return limit


def marker_of(place: int | str) -> str:
    """Return the marker of a place in a list."""
    return urlsafe_b64encode(f"box:{place}".encode()).decode().rstrip("=")


def place_of(marker: str) -> str:
    """Return the place of a marker, "" for the beginning; raise BadRequest for a marker that no list returned."""
    if marker in ("", "0"):
        return ""
    try:
        text = urlsafe_b64decode(marker + "=" * (-len(marker) % 4)).decode()
    except ValueError:
        text = ""
    if not text.startswith("box:"):
        raise BadRequest.of("invalid_parameter", "marker", f"Invalid value '{marker}'. It is not one that a list gave.")
    return text.removeprefix("box:")


def offset_in(marker: str) -> int:
    """Return the offset of a marker; raise BadRequest for a marker that no list returned."""
    place = place_of(marker)
    if not place:
        return 0
    if not place.isdecimal() or len(place) > 9:
        raise BadRequest.of("invalid_parameter", "marker", f"Invalid value '{marker}'. It is not of this list.")
    return int(place)


def offset_page(entries: Iterable[Any], total: int, at: Window, *order: tuple[str, str]) -> dict[str, Any]:
    """Render a collection by offset, with the fields and directions of its order."""
    page: dict[str, Any] = {"total_count": total, "entries": [*entries], "offset": at.offset, "limit": at.limit}
    if order:
        page["order"] = [{"by": by, "direction": direction} for by, direction in order]
    return page


def marker_page(entries: Iterable[Any], limit: int, next_marker: str | None) -> dict[str, Any]:
    """Render a collection by marker; `next_marker` is None on the last page."""
    return {"entries": [*entries], "limit": limit, "next_marker": next_marker, "prev_marker": None}

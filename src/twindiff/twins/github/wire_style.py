"""GitHub's REST conventions: errors with `errors[]`, tokens, redirects, media types.

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.kit.errors import (
    ApiError,
    InvalidParameter,
    MalformedBody,
    MissingToken,
    NotFound,
    TooLarge,
    UnknownOperation,
    UnknownToken,
)
from twindiff.kit.forms import MULTIPART, URLENCODED, read_query
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.json_values import read_json
from twindiff.kit.styles.base import Style

from .invalid_requests import describe_invalid

if TYPE_CHECKING:
    from twindiff.kit.binding import Bound
    from twindiff.kit.request_context import RequestContext

DOCS = "https://docs.github.com/rest"


class GitHubError(ApiError):
    """Not Found"""

    status = 404


class NotVisible(GitHubError):
    """Not Found"""


class Forbidden(GitHubError):
    """Resource not accessible by personal access token"""

    status = 403


class Conflict(GitHubError):
    """Conflict"""

    status = 409


class BadRequest(GitHubError):
    """Bad Request"""

    status = 400


class Gone(GitHubError):
    """This was deleted"""

    status = 410


class MethodNotAllowed(GitHubError):
    """Method Not Allowed"""

    status = 405


class Unprocessable(GitHubError):
    """Validation Failed"""

    status = 422


class BadCredentials(GitHubError):
    """Bad credentials"""

    status = 401


class RequiresAuthentication(GitHubError):
    """Requires authentication"""

    status = 401


class NotServedHere(GitHubError):
    """Not Implemented"""

    status = 501


class Moved(GitHubError):
    """Moved Permanently"""

    status = 301

    def __init__(self, url: str) -> None:
        super().__init__(url=url, headers=(("Location", url),))


def invalid(resource: str, field: str, code: str = "invalid", message: str = "", **more: Any) -> Unprocessable:
    """Build GitHub's 422 for one field of a resource; `code` is missing_field, invalid, already_exists or custom."""
    error: dict[str, Any] = {"resource": resource, "code": code}
    if field:
        error["field"] = field
    if message:
        error["message"] = message
    return Unprocessable(errors=[{**error, **more}])


class GitHubStyle(Style):
    """REST with JSON; errors carry a message, a documentation URL, a status and, with 422, `errors`."""

    missing_token = MissingToken
    unknown_token = UnknownToken

    def token(self, request: Request) -> str | None:
        """Return the bearer token, or the password (else the name) of basic authentication, as git sends it."""
        basic = request.basic()
        if basic:
            name, password = basic
            return name if password in ("", "x-oauth-basic") else password
        return request.bearer()

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        """Return raw parameters by wire name; without a body, an operation that takes one reads the query."""
        request, bound = exchange.request, exchange.operation.bound
        given = super().parameters(exchange)
        if bound.body and not bound.is_raw and not request.body and request.query:
            given[bound.body] = read_query(request.query)
        return given

    def _given_in_body(self, request: Request, bound: Bound) -> dict[str, Any]:
        if bound.is_raw:
            return {bound.body: request.body}
        if request.body.strip() in (b"", b"null"):
            return {bound.body: {}} if bound.body else {}
        if bound.body and request.content_type not in (URLENCODED, MULTIPART):
            return {bound.body: read_value(request.body)}
        return super()._given_in_body(request, bound)

    def result(self, value: Any, exchange: RequestContext) -> Response:
        """Render a value as JSON in UTF-8; None is a response without a body, 204 unless declared otherwise."""
        answer = super().result(value, exchange)
        if value is None:
            return answer._replace(status=204 if answer.status == 200 else answer.status, content_type="")
        return answer._replace(content_type="application/json; charset=utf-8")

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """Render `{message, errors?, documentation_url, status}`."""
        status, message = _status_and_message(error, exchange)
        body: dict[str, Any] = {"message": message}
        if errors := error.details.get("errors"):
            body["errors"] = errors
        if url := error.details.get("url"):
            body["url"] = url
        body |= {"documentation_url": documentation_url(exchange), "status": str(status)}
        answer = json_answer(body, status, error.headers)
        return answer._replace(content_type="application/json; charset=utf-8")

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        """Say that the twin lacks an operation, in the vendor's form; a path with an empty part has none at GitHub."""
        if not all(request.path.split("/")[1:]):
            return self.error(NotVisible())
        return self.error(UnknownOperation(f"Not implemented: {request.verb} {request.path}"))


def read_value(body: bytes) -> Any:
    """Decode a body that may be any JSON, since some operations take a list; raise MalformedBody."""
    try:
        return read_json(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MalformedBody("The body is not valid JSON") from None


def _status_and_message(error: ApiError, exchange: RequestContext | None) -> tuple[int, str]:
    """Return the status and the message of any error in GitHub's words."""
    if isinstance(error, MissingToken):
        return 401, "Requires authentication"
    if isinstance(error, UnknownToken):
        return 401, "Bad credentials"
    if isinstance(error, NotFound):
        return 404, "Not Found"
    if isinstance(error, InvalidParameter) and exchange and error.name in exchange.path_parameters:
        return 404, "Not Found"  # a number that is none belongs to no object
    if isinstance(error, InvalidParameter):
        return 422, describe_invalid(error, exchange)
    if isinstance(error, MalformedBody):
        return 400, "Body should be a JSON object" if "object" in str(error) else "Problems parsing JSON"
    if isinstance(error, TooLarge):
        return 422, str(error)
    return error.status, str(error)


def documentation_url(exchange: RequestContext | None) -> str:
    """Return the page of the vendor's reference about an operation, by its path and its handler's name."""
    if exchange is None:
        return DOCS
    declared = exchange.operation.declared
    parts = [part for part in declared.path.split("/") if part and not part.startswith("{")]
    page = parts[1] if parts[:1] in (["repos"], ["orgs"], ["users"]) and len(parts) > 1 else (parts or [""])[0]
    anchor = declared.handler.__name__.replace("_", "-")
    return f"{DOCS}/{page}/{page}#{anchor}"

"""The style of Google's APIs: camelCase names, errors with a domain and a reason, partial responses, entity tags.

https://developers.google.com/workspace/calendar/api/guides/errors
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import parse_qs

import msgspec

from twindiff.kit.errors import (
    AlreadyExists,
    ApiError,
    InternalError,
    InvalidParameter,
    MalformedBody,
    MissingParameter,
    NotFound,
    RateLimited,
    TooLarge,
    TooSlow,
)
from twindiff.kit.etags import PreconditionFailed, etag_of, not_modified
from twindiff.kit.http import Request, Response, ValueResponse, json_answer
from twindiff.kit.json_values import read_json
from twindiff.kit.styles.base import Style

if TYPE_CHECKING:
    from twindiff.kit.binding import Naming
    from twindiff.kit.call import Call
    from twindiff.kit.request_context import RequestContext


class GoogleError(ApiError):
    """Bad Request"""

    code = "badRequest"
    domain = "global"
    location: tuple[str, str] | None = None
    """What is wrong where: `("parameter", "syncToken")`, or `("header", "If-Match")`."""


class Unauthenticated(GoogleError):
    """Request had invalid authentication credentials."""

    status = 401
    location = ("header", "Authorization")
    challenge = 'Bearer realm="https://accounts.google.com/", error="invalid_token"'


class LoginRequired(Unauthenticated):
    """Login Required."""

    code = "required"
    challenge = 'Bearer realm="https://accounts.google.com/"'


class InvalidCredentials(Unauthenticated):
    """Invalid Credentials"""

    code = "authError"


class NoSuchThing(GoogleError):
    """Not Found"""

    status = 404
    code = "notFound"


class Duplicate(GoogleError):
    """The requested identifier already exists."""

    status = 409
    code = "duplicate"


class ConditionNotMet(GoogleError):
    """Precondition Failed"""

    status = 412
    code = "conditionNotMet"
    location = ("header", "If-Match")


class GoogleErrorText(NamedTuple):
    """Google's status, reason and message for an error that any API may have."""

    status: int
    reason: str
    message: str = ""
    """If it is empty, the message of the error is used."""


_SAID: dict[type[ApiError], GoogleErrorText] = {
    MissingParameter: GoogleErrorText(400, "required"),
    InvalidParameter: GoogleErrorText(400, "invalid"),
    MalformedBody: GoogleErrorText(400, "parseError"),
    NotFound: GoogleErrorText(404, "notFound", "Not Found"),
    AlreadyExists: GoogleErrorText(409, "duplicate", "The requested identifier already exists."),
    PreconditionFailed: GoogleErrorText(412, "conditionNotMet", "Precondition Failed"),
    TooLarge: GoogleErrorText(400, "limitExceeded"),
    RateLimited: GoogleErrorText(429, "rateLimitExceeded", "Rate Limit Exceeded"),
    TooSlow: GoogleErrorText(503, "backendError"),
    InternalError: GoogleErrorText(500, "backendError", "Backend Error"),
}


class GoogleStyle(Style):
    """REST with JSON in Google's format; middleware handles `fields`, `alt` and `If-None-Match`."""

    naming: Naming = "camel"
    missing_token = LoginRequired
    unknown_token = InvalidCredentials

    def token(self, request: Request) -> str | None:
        """The token of the header, or of the query parameter `access_token` or `oauth_token`."""
        token = request.bearer()
        if token is None and "token=" in request.query:
            query = parse_qs(request.query)
            token = next((query[name][0] for name in ("access_token", "oauth_token") if name in query), None)
        return token

    def body(self, request: Request) -> dict[str, Any]:
        """The fields of a JSON object; a JSON text, as clients send that encode an object twice, has none.

        https://github.com/googleapis/elixir-google-api/issues/71: the refusal is that of an empty object.
        """
        is_text = request.body.startswith(b'"') and isinstance(_read_value(request.body), str)
        return {} if is_text else super().body(request)

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        said = _describe_error(error)
        detail = {"domain": _domain(error), "reason": said.reason, "message": said.message}
        if place := _place(error):
            detail |= {"locationType": place[0], "location": place[1]}
        told: dict[str, Any] = {"errors": [detail], "code": said.status, "message": said.message}
        headers = error.headers
        if isinstance(error, Unauthenticated):
            told["status"] = "UNAUTHENTICATED"
            headers = (*headers, ("WWW-Authenticate", error.challenge))
        return json_answer({"error": told}, said.status, headers)

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        known = f" It answers {', '.join(verbs)}." if verbs else ""
        return self.error(NoSuchThing(f"Not Found: there is no method {request.verb} {request.path}.{known}"))


def _read_value(body: bytes) -> Any:
    """Return a JSON value, or None for what is not JSON."""
    try:
        return read_json(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _describe_error(error: ApiError) -> GoogleErrorText:
    for kind in type(error).__mro__:
        if kind in _SAID:
            said = _SAID[kind]
            return said._replace(message=said.message or str(error))
    return GoogleErrorText(error.status, error.code, str(error))


def _domain(error: ApiError) -> str:
    return "usageLimits" if isinstance(error, RateLimited) else getattr(error, "domain", "global")


def _place(error: ApiError) -> tuple[str, str] | None:
    if isinstance(error, GoogleError):
        return error.details.get("location", error.location)
    if isinstance(error, InvalidParameter) and error.name:
        return "parameter", error.name.partition("[")[0]
    return None


def json_only(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """A middleware that refuses every value of `alt` but `json` before the handler runs."""
    alt = exchange.parameters.get("alt", "json")
    if alt != "json":
        raise InvalidParameter("alt", f"Invalid value '{alt}'. Allowed values: [json]")
    return proceed()


def _list_etag(exchange: RequestContext, value: dict[str, Any], items: list[Any]) -> str:
    """Return the tag of a list: it differs by the query, by fields of the list, and by the versions of its items."""
    about = {name: each for name, each in value.items() if name != "items"}
    versions = [[item.get("id"), item.get("etag")] for item in cast("list[dict[str, Any]]", items)]
    return etag_of([exchange.request.path, exchange.parameters, about, versions])


def etag_middleware(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """A middleware that copies the field `etag` to the header ETag, and responds 304 if If-None-Match names it.

    A list, which has `items`, gets a tag of its own query and of all that it shows.
    """
    answer: Any = proceed()
    if not isinstance(answer, dict) or not isinstance(answer.get("etag"), str):  # pyright: ignore[reportUnknownMemberType]
        return cast(Any, answer)
    value = cast(dict[str, Any], answer)
    if isinstance(items := value.get("items"), list):
        value = {**value, "etag": _list_etag(exchange, value, cast("list[Any]", items))}
    etag: str = value["etag"]
    seen = exchange.request.headers.get("if-none-match", "")
    unchanged = not_modified(seen, etag) if exchange.operation.declared.verb == "GET" else None
    return unchanged or ValueResponse(value, headers=(("ETag", etag),))

"""Notion's REST conventions: versions, errors with codes and request ids, paths of what is invalid.

https://developers.notion.com/reference/status-codes · https://developers.notion.com/reference/versioning
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from twindiff.kit.errors import (
    ApiError,
    InvalidParameter,
    MalformedBody,
    MissingParameter,
    MissingToken,
    NotFound,
    UnknownToken,
    error_table,
)
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.styles.base import Style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twindiff.kit.request_context import RequestContext
    from twindiff.kit.twin import Operation

CODES = {
    400: "validation_error",
    401: "unauthorized",
    403: "restricted_resource",
    404: "object_not_found",
    409: "conflict_error",
    413: "validation_error",
    429: "rate_limited",
    500: "internal_server_error",
    501: "not_implemented",
    503: "service_unavailable",
}


_REQUEST_ID = "x-notion-request-id"
_WITH_BODY = ("POST", "PATCH", "PUT")
PAYLOAD_TOO_LARGE = "body failed validation: the payload should be at most 500 KB."
_MESSAGES = {
    413: PAYLOAD_TOO_LARGE,
    401: "API token is invalid.",
    429: "You have been rate limited. Please try again in a few minutes.",
}

LATEST_VERSION = "2026-03-11"
"""The newest version of the API, which the header `Notion-Version` may name."""


class NotionError(ApiError):
    """An error by one of Notion's codes; `additional_data` says more of it."""

    code = "validation_error"

    def __init__(self, message: str = "", *, additional_data: dict[str, Any] | None = None, **details: Any) -> None:
        super().__init__(message, **details)
        self.additional_data = additional_data


class ValidationError(NotionError):
    """The request body does not match the schema for the expected parameters."""


class MissingVersion(NotionError):
    """Notion-Version header failed validation: Notion-Version header should be defined, instead was `undefined`."""


class RestrictedResource(NotionError):
    """Given the bearer token used, the client doesn't have permission to perform this operation."""

    status = 403


class ConflictError(NotionError):
    """The transaction could not be completed, potentially due to a data collision."""

    status = 409


class ObjectNotFound(NotionError):
    """Could not find the object."""

    status = 404


ERRORS = error_table(
    """
    400 invalid_json         Error parsing JSON body.
    400 invalid_request_url  Invalid request URL.
    400 invalid_request      This request is not supported.
    401 unauthorized         API token is invalid.
    """,
    NotionError,
)


class NotionStyle(Style):
    """REST with JSON; an answer that is an object has the id of its request."""

    missing_token = MissingToken
    unknown_token = UnknownToken

    def token(self, request: Request) -> str | None:
        """Return the token of a request, which stands alone after `Bearer`."""
        given = request.headers.get("authorization")
        words = (given or "").split()
        if given is not None and (len(words) != 2 or words[0].lower() != "bearer"):
            return None
        return request.bearer()

    def result(self, value: Any, exchange: RequestContext) -> Response:
        """Render the value with the id of the request."""
        if isinstance(value, dict):
            id = request_id(exchange.request)
            answer = super().result({**cast(dict[str, Any], value), "request_id": id}, exchange)
            return answer._replace(headers=(*answer.headers, (_REQUEST_ID, id)))
        return super().result(value, exchange)

    def build_request(self, operation: Operation, arguments: Mapping[str, Any]) -> Request:
        """Return the request, with the header of the newest version."""
        request = super().build_request(operation, arguments)
        return request._replace(headers={**request.headers, "notion-version": LATEST_VERSION})

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """Render `{object, status, code, message, additional_data, request_id}`."""
        code, message = _error_parts(error, "body" if exchange and exchange.request.verb in _WITH_BODY else "query")
        shown: dict[str, Any] = {"object": "error", "status": error.status, "code": code, "message": message}
        if isinstance(error, NotionError) and error.additional_data:
            shown["additional_data"] = error.additional_data
        id = request_id(exchange.request if exchange else Request("", ""), message)
        named = (_REQUEST_ID, id)
        return json_answer({**shown, "request_id": id}, error.status, (*error.headers, named))

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        """Render the error for a path or a method that Notion does not have."""
        return self.error(ERRORS["invalid_request_url"]())


def request_id(request: Request, message: str = "") -> str:
    """Return an id that depends only on the request, so that a replay is byte-identical."""
    about = f"{request.verb} {request.path}?{request.query} {message}".encode()
    return str(UUID(bytes=blake2b(about + request.body[:4096], digest_size=16).digest(), version=4))


def _error_parts(error: ApiError, where: str) -> tuple[str, str]:
    if isinstance(error, NotionError):
        return error.code, str(error)
    if isinstance(error, MalformedBody):
        return "invalid_json", "Error parsing JSON body."
    if isinstance(error, MissingParameter):
        problem = f"{where}.{error.name} should be defined, instead was `undefined`"
        return "validation_error", f"{where} failed validation: {problem}."
    if isinstance(error, InvalidParameter):
        return "validation_error", f"{where} failed validation: {where}.{error.name}: {error.problem}."
    code = CODES.get(error.status, "validation_error")
    if isinstance(error, MissingToken):
        return code, 'Authorization header must use the format "Bearer <token>".'
    if error.status in _MESSAGES:
        return code, _MESSAGES[error.status]
    if isinstance(error, NotFound):
        return code, f"Could not find {error.details['kind'].lower()} with ID: {error.details['key'][0]}."
    return code, str(error)

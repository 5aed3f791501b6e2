"""Airtable's errors and ids. https://airtable.com/developers/web/api/errors"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

_TYPES = {401: "AUTHENTICATION_REQUIRED", 501: "NOT_IMPLEMENTED"}
_MESSAGES = {401: "Authentication required"}


class AirtableError(ApiError):
    """The request is not valid."""

    def __init__(self, status: int, error_type: str, message: str = "", *, is_bare: bool = False) -> None:
        super().__init__(message or error_type)
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        told = {"type": error_type, **({"message": message} if message else {})}
        self.shown: Any = error_type if is_bare else told


class AirtableStyle(DraftStyle):
    """Errors are `{"error": {"type", "message"}}`."""

    naming = "camel"

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        usual = {
            "type": _TYPES.get(error.status, "INVALID_REQUEST_UNKNOWN"),
            "message": _MESSAGES.get(error.status, str(error)),
        }
        is_own = isinstance(error, AirtableError)
        status = error.status if is_own or error.status != 400 else 422
        body = {"error": error.shown if is_own else usual}
        return json_answer(body, status, (*error.headers, (DRAFTED_HEADER, "refused")))


def make_id(call: Call, prefix: str) -> str:
    """Return a new id: the prefix and 14 letters."""
    return f"{prefix}{call.ids.uuid().replace('-', '')[-14:]}"

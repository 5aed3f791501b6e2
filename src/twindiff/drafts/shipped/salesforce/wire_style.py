"""Salesforce's errors, times and ids.

https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError, InvalidParameter, UnknownOperation
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"


class SalesforceError(ApiError):
    """The request is not valid."""

    def __init__(self, error_code: str, message: str, *fields: str) -> None:
        super().__init__(message)
        self.error_code, self.fields = error_code, fields


class NoSuchResource(SalesforceError):
    """The requested resource does not exist."""

    status = 404

    def __init__(self, message: str = "The requested resource does not exist") -> None:
        super().__init__("NOT_FOUND", message)


class NotServedHere(SalesforceError):
    """Salesforce has this and the twin lacks it."""

    status = 501

    def __init__(self, message: str) -> None:
        super().__init__("NOT_IMPLEMENTED", message)


def show_error(error: ApiError) -> dict[str, Any]:
    """Return an error as lists of errors hold it."""
    if isinstance(error, SalesforceError):
        shown: dict[str, Any] = {"message": str(error), "errorCode": error.error_code}
        return shown | ({"fields": [*error.fields]} if error.fields else {})
    if isinstance(error, InvalidParameter):
        return {"message": str(error), "errorCode": "JSON_PARSER_ERROR"}
    if error.status == 401:
        return {"message": "Session expired or invalid", "errorCode": "INVALID_SESSION_ID"}
    code = "NOT_IMPLEMENTED" if isinstance(error, UnknownOperation) else error.code.upper()
    return {"message": str(error), "errorCode": code}


class SalesforceStyle(DraftStyle):
    """Errors are `[{"message", "errorCode", "fields"}]`."""

    naming = "camel"

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        return json_answer([show_error(error)], error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def show_time(timestamp: str | None) -> str | None:
    """Return a Timestamp as Salesforce shows it: `2026-01-31T09:30:00.000+0000`."""
    if timestamp is None:
        return None
    whole, _, fraction = timestamp.partition(".")
    return f"{whole}.{(fraction or '000')[:3]}+0000"


def make_id(prefix: str, number: int) -> str:
    """Return an id of 18 letters; the last three say which of the others are capitals."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    text = ""
    for _ in range(8):
        number, digit = divmod(number, 62)
        text = digits[digit] + text
    return lengthen_id(f"{prefix}Hs00{text}")


def lengthen_id(id: str) -> str:
    """Return an id of 15 letters with its three further ones; others are returned unchanged."""
    if len(id) != 15:
        return id
    for start in (0, 5, 10):
        bits = sum(1 << place for place, letter in enumerate(id[start : start + 5]) if letter.isupper())
        id += _LETTERS[bits]
    return id

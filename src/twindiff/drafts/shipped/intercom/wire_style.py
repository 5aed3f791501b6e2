"""Intercom's errors, times and pages. https://developers.intercom.com/docs/references/rest-api/errors/error-objects"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from twindiff.kit.clock import micros_of
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

T = TypeVar("T")
MAX_PAGE = 150
_CODES = {400: "parameter_invalid", 401: "unauthorized", 404: "not_found", 409: "conflict", 501: "not_implemented"}


class IntercomError(ApiError):
    """The request is not valid."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        self.intercom_code = code


class IntercomStyle(DraftStyle):
    """Errors are `{"type": "error.list", "request_id", "errors": [{"code", "message"}]}`."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        code = getattr(error, "intercom_code", "") or _CODES.get(error.status, "parameter_invalid")
        errors = [{"code": code, "message": str(error)}]
        body = {"type": "error.list", "request_id": "000ddquc99132svbv3kg", "errors": errors}
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def show_seconds(timestamp: str) -> int:
    """Return a Timestamp in seconds."""
    return micros_of(datetime.fromisoformat(timestamp)) // 1_000_000


def page_list(
    rows: Sequence[T], show: Callable[[T], Any], key: Callable[[T], str], per_page: int, after: str
) -> dict[str, Any]:
    """Return a page of rows after the one with a key, and where the next begins. Raises IntercomError."""
    start = next((n for n, row in enumerate(rows, 1) if key(row) == after), None) if after else 0
    if start is None:
        raise IntercomError(400, "client_error", "starting_after is not the id of an object of this list")
    most = min(max(per_page, 1), MAX_PAGE)
    page = rows[start : start + most]
    pages: dict[str, Any] = {"type": "pages", "page": start // most + 1, "per_page": most}
    pages["total_pages"] = -(-len(rows) // most)
    if start + most < len(rows):
        pages["next"] = {"page": pages["page"] + 1, "starting_after": key(page[-1])}
    return {"type": "list", "data": [show(each) for each in page], "total_count": len(rows), "pages": pages}


def wrap_list(data: list[Any], **more: Any) -> dict[str, Any]:
    """Return a list that is not paged."""
    return {"type": "list", "data": data, **more}

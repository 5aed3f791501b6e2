"""Pipedrive's errors, times and pages. https://pipedrive.readme.io/docs/core-api-concepts-http-status-codes"""

from __future__ import annotations

from typing import Any

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

MAX_PAGE = 500
DEFAULT_PAGE = 100


class PipedriveError(ApiError):
    """The request is not valid, or what it names does not exist."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses


class PipedriveStyle(DraftStyle):
    """Errors are `{"success": false, "error", "error_info", "data", "additional_data"}`."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        body: dict[str, Any] = {
            "success": False,
            "error": "unauthorized access" if error.status == 401 else str(error),
            "error_info": "Please check developers.pipedrive.com for more information about Pipedrive API.",
            "data": None,
            "additional_data": None,
        }
        if error.status == 401:
            body["errorCode"] = 401
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def show_time(timestamp: str | None) -> str | None:
    """Return a Timestamp as version 1 shows it: `2026-01-31 09:30:00`."""
    return timestamp[:19].replace("T", " ") if timestamp else None


def show_instant(timestamp: str | None) -> str | None:
    """Return a Timestamp as version 2 shows it: `2026-01-31T09:30:00Z`."""
    return f"{timestamp[:19]}Z" if timestamp else None


def page_rows(rows: list[Any], start: int, limit: int) -> tuple[list[Any], dict[str, Any]]:
    """Return the rows of a page, and what is said of the page. Raises PipedriveError."""
    if start < 0 or not 1 <= limit <= MAX_PAGE:
        raise PipedriveError(f"start must not be negative, and limit must be between 1 and {MAX_PAGE}.")
    has_more = start + limit < len(rows)
    pagination: dict[str, Any] = {"start": start, "limit": limit, "more_items_in_collection": has_more}
    if has_more:
        pagination["next_start"] = start + limit
    return rows[start : start + limit], {"pagination": pagination}

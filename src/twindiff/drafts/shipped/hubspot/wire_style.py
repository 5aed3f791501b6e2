"""HubSpot's errors and times. https://developers.hubspot.com/docs/reference/api/other-resources/error-handling"""

from __future__ import annotations

import re
from typing import Any

from twindiff.kit.errors import ApiError, InvalidParameter, NotFound
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

_CORRELATION = "aeb5f871-7f07-4993-9211-075dc63e7cbf"


class HubSpotError(ApiError):
    """The request is not valid."""

    category = "VALIDATION_ERROR"


class NoSuchRecord(HubSpotError):
    """resource not found"""

    status = 404
    category = "OBJECT_NOT_FOUND"


class RecordConflict(HubSpotError):
    """There is such a record already."""

    status = 409
    category = "CONFLICT"


class HubSpotStyle(DraftStyle):
    """Errors are `{"status": "error", "message", "correlationId", "requestId", "category"}`."""

    naming = "camel"

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        category = getattr(error, "category", "")
        if isinstance(error, InvalidParameter):
            category = "VALIDATION_ERROR"
        elif isinstance(error, NotFound):
            category = "OBJECT_NOT_FOUND"
        elif error.status == 401:
            category = "INVALID_AUTHENTICATION"
        body = {
            "status": "error",
            "message": str(error),
            "correlationId": _CORRELATION,
            "requestId": _CORRELATION.replace("-", ""),
            "category": category or error.code.upper(),
            **error.details.get("body", {}),
        }
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def show_time(timestamp: str) -> str:
    """Return a Timestamp as HubSpot shows it: `2026-01-31T09:30:00.000Z`."""
    whole, _, fraction = timestamp.partition(".")
    return f"{whole}.{(fraction or '000')[:3]}Z"


def page_results(shown: list[Any], after: str, limit: int) -> dict[str, Any]:
    """Return a page of `results` with `paging.next.after`, which is the offset of the next one."""
    start, limit = int(after) if re.fullmatch("[0-9]{1,9}", after) else 0, max(limit, 1)
    body: dict[str, Any] = {"results": shown[start : start + limit]}
    if start + limit < len(shown):
        body["paging"] = {"next": {"after": str(start + limit), "link": f"?after={start + limit}"}}
    return body

"""Close's errors, times and pages. https://developer.close.com/topics/errors/"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

T = TypeVar("T")
MAX_PAGE = 200
DEFAULT_PAGE = 100


class CloseError(ApiError):
    """The request is not valid; `fields` are what is wrong with its fields."""

    def __init__(self, message: str = "", fields: Mapping[str, str] | None = None, status: int = 400) -> None:
        super().__init__(message or "; ".join(f"{name}: {said}" for name, said in (fields or {}).items()))
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        self.fields = fields or {}
        self.said = [message] if message else []


class CloseStyle(DraftStyle):
    """Refused bodies are `{"errors", "field-errors"}`, everything else `{"error"}`."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        body: dict[str, Any] = {"error": str(error)}
        if error.status in (400, 422):
            fields = getattr(error, "fields", {})
            body = {"errors": getattr(error, "said", [str(error)]), "field-errors": fields}
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def show_time(timestamp: str) -> str:
    """Return a Timestamp as Close shows it: `2026-01-31T09:30:00.000000+00:00`."""
    return f"{timestamp[:26]}+00:00"


def page_rows(rows: Sequence[T], show: Callable[[T], Any], limit: int, skip: int, fields: str) -> dict[str, Any]:
    """Return a page of rows, with only the named `fields` if there are any. Raises CloseError."""
    if not 1 <= limit <= MAX_PAGE:
        raise CloseError(fields={"_limit": f"The limit must be between 1 and {MAX_PAGE}."})
    if skip < 0:
        raise CloseError(fields={"_skip": "The number to skip must not be negative."})
    page = rows[skip : skip + limit]
    return {"data": [pick_fields(show(each), fields) for each in page], "has_more": skip + limit < len(rows)}


def pick_fields(shown: dict[str, Any], fields: str) -> dict[str, Any]:
    """Return the named fields of an object; without names, all."""
    named = [each.strip() for each in fields.split(",") if each.strip()]
    return {name: value for name, value in shown.items() if name in named} if named else shown

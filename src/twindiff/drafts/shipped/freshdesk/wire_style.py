"""Freshdesk's errors, times and pages. https://developers.freshdesk.com/api/#error"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

T = TypeVar("T")
MAX_PAGE_ROWS = 100
Shown = dict[str, Any]
_CODES = {401: "invalid_credentials", 405: "method_not_allowed", 501: "not_implemented"}


class FreshdeskError(ApiError):
    """The request is refused, with what is wrong by field."""

    def __init__(self, status: int, errors: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(str([*errors]))
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        self.errors = errors


class RecordNotFound(ApiError):
    """There is no such record."""

    status = 404


def refuse_field(field: str, message: str, code: str = "invalid_value", status: int = 400) -> FreshdeskError:
    """Return the refusal of a field."""
    return FreshdeskError(status, [{"field": field, "message": message, "code": code}])


class FreshdeskStyle(DraftStyle):
    """Errors are `{"description": "Validation failed", "errors": […]}`, other ones `{"code", "message"}`."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        headers = (*error.headers, (DRAFTED_HEADER, "refused"))
        if isinstance(error, RecordNotFound):
            return Response(b"", 404, headers=headers)
        body: Shown = {"code": _CODES.get(error.status, "invalid_json"), "message": str(error)}
        if isinstance(error, FreshdeskError):
            body = {"description": "Validation failed", "errors": [*error.errors]}
        return json_answer(body, error.status, headers)


def show_time(timestamp: str) -> str:
    """Return a Timestamp as Freshdesk shows it: `2026-01-31T09:30:00Z`."""
    return f"{timestamp[:19]}Z"


def page_rows(url: str, rows: Sequence[T], show: Callable[[T], Shown], page: int, per_page: int) -> Response:
    """Return a page of rows; the `Link` header has the address of the next one. Raises FreshdeskError."""
    if page < 1:
        raise refuse_field("page", "It should be a Positive Integer", "invalid_value")
    if not 1 <= per_page <= MAX_PAGE_ROWS:
        said = f"It should be a Positive Integer less than or equal to {MAX_PAGE_ROWS}"
        raise refuse_field("per_page", said, "invalid_value")
    start = (page - 1) * per_page
    ask = "&" if "?" in url else "?"
    following = f'<{url}{ask}page={page + 1}&per_page={per_page}>; rel="next"'
    headers = (("Link", following),) if start + per_page < len(rows) else ()
    return json_answer([show(each) for each in rows[start : start + per_page]], 200, headers)


def read_number(id: str) -> int:
    """Return the number of an id in a path; raises RecordNotFound."""
    if not id.isdecimal() or len(id) > 15:
        raise RecordNotFound
    return int(id)


def read_fields(given: Mapping[str, Any], kinds: Mapping[str, type | tuple[Any, ...]]) -> Shown:
    """Return the fields that are given. Raises FreshdeskError for an unknown name and a wrong value."""
    errors: list[Shown] = []
    for name, value in given.items():
        kind = kinds.get(name)
        if kind is None:
            errors.append({"field": name, "message": "Unexpected/invalid field in request", "code": "invalid_field"})
        elif isinstance(kind, tuple):
            if value not in kind:
                said = f"It should be one of these values: '{','.join(map(str, kind))}'"
                errors.append({"field": name, "message": said, "code": "invalid_value"})
        elif value is not None and not _is_of(value, kind):
            said = f"Value set is of type {type(value).__name__}.It should be a/an {kind.__name__}"
            errors.append({"field": name, "message": said, "code": "datatype_mismatch"})
    if errors:
        raise FreshdeskError(400, errors)
    return {name: value for name, value in given.items() if value is not None or kinds[name] in (str, int, bool)}


def _is_of(value: Any, kind: type) -> bool:
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53
    return isinstance(value, kind)

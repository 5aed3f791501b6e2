"""Zendesk's errors, times and pages. https://developer.zendesk.com/api-reference/introduction/pagination/"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from twindiff.kit.errors import ApiError
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import RequestContext

from ...wire_style import DRAFTED_HEADER, DraftStyle

MAX_PAGE_ROWS = 100
Shown = dict[str, Any]
PageChoice = int | dict[str, Any]
"""The number of a page, or `size` and `after` of one by cursor, which are sent as `page[size]` and `page[after]`."""
_WORDS = {401: "Couldn't authenticate you", 501: "NotImplemented"}


class ZendeskError(ApiError):
    """The request is refused with a body of Zendesk's."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(str(body))
        self.status = status  # pyright: ignore[reportAttributeAccessIssue] - one class for all statuses
        self.body = body


class RecordNotFound(ZendeskError):
    """There is no such record."""

    def __init__(self) -> None:
        super().__init__(404, {"error": "RecordNotFound", "description": "Not found"})


def refuse_fields(problems: Mapping[str, str], codes: Mapping[str, str] | None = None) -> ZendeskError:
    """Return the refusal of a record with what is wrong by field, and the code of it where Zendesk has one."""
    known = codes or {}
    details = {
        name: [{"description": said, **({"error": known[name]} if name in known else {})}]
        for name, said in problems.items()
    }
    about = {"error": "RecordInvalid", "description": "Record validation errors"}
    return ZendeskError(422, {**about, "details": details})


def refuse_parameter(message: str, title: str = "Invalid attribute") -> ZendeskError:
    """Return the refusal of a request whose shape is wrong."""
    return ZendeskError(400, {"error": {"title": title, "message": message}})


class ZendeskStyle(DraftStyle):
    """Errors are `{"error", "description"}`, and `details` by field for a record that is not valid."""

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        usual = {"error": _WORDS.get(error.status, "InvalidEndpoint" if error.status == 404 else "RecordInvalid")}
        body = getattr(error, "body", usual if error.status == 401 else {**usual, "description": str(error)})
        return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))


def show_time(timestamp: str) -> str:
    """Return a Timestamp as Zendesk shows it: `2026-01-31T09:30:00Z`."""
    return f"{timestamp[:19]}Z"


def page_rows(
    url: str,
    name: str,
    rows: Sequence[Any],
    show: Callable[[Any], Shown],
    page: PageChoice,
    per_page: int,
) -> Shown:
    """Return a page of rows by number or by cursor. Raises ZendeskError."""
    if isinstance(page, dict):
        size, after = str(page.get("size") or ""), str(page.get("after") or "")
        return _page_by_cursor(url, name, rows, show, size, after)
    if page < 1 or per_page < 1:
        raise refuse_parameter("page and per_page must be at least 1", "Invalid parameter")
    most = min(per_page, MAX_PAGE_ROWS)
    start = (page - 1) * most
    ask = "&" if "?" in url else "?"
    size = f"&per_page={most}" if most != MAX_PAGE_ROWS else ""
    return {
        name: [show(each) for each in rows[start : start + most]],
        "next_page": f"{url}{ask}page={page + 1}{size}" if start + most < len(rows) else None,
        "previous_page": f"{url}{ask}page={page - 1}{size}" if page > 1 else None,
        "count": len(rows),
    }


def _page_by_cursor(
    url: str, name: str, rows: Sequence[Any], show: Callable[[Any], Shown], size: str, after: str
) -> Shown:
    is_valid = (size or "1").isdecimal() and 1 <= int(size or 1) <= MAX_PAGE_ROWS and (after or "0").isdecimal()
    if not is_valid:
        said = f"page[size] must be a number from 1 to {MAX_PAGE_ROWS}, and page[after] a cursor of an earlier page"
        raise refuse_parameter(said, "Invalid parameter")
    most = int(size or MAX_PAGE_ROWS)
    start = int(after or 0)
    page = rows[start : start + most]
    end, has_more = start + len(page), start + most < len(rows)
    ask = "&" if "?" in url else "?"
    following = f"{url}{ask}page%5Bafter%5D={end}&page%5Bsize%5D={most}" if has_more else None
    cursors = {"after_cursor": str(end) if page else None, "before_cursor": str(start) if page else None}
    links = {"prev": None, "next": following}
    return {name: [show(each) for each in page], "meta": {"has_more": has_more, **cursors}, "links": links}

"""Pages by number with the header Link, for every list of the API.

https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from twindiff.kit import Call, Row, ValueResponse, link_header, page_at
from twindiff.kit.rows import Expression
from twindiff.kit.store import Ordering

R = TypeVar("R", bound=Row)
T = TypeVar("T")
DEFAULT_PER_PAGE, MAX_PER_PAGE, MAX_OFFSET = 30, 100, 2**31


class PageRequest(NamedTuple):
    """The page that a request asks for; values that cannot be used count as absent."""

    number: int
    size: int

    @property
    def offset(self) -> int:
        """The number of rows before the page."""
        return min((self.number - 1) * self.size, MAX_OFFSET)


def page_request(call: Call) -> PageRequest:
    """Return the `page` and `per_page` of the request."""
    query: dict[str, Any] = call.memo.get("query", {})
    size = _whole(query.get("per_page"), DEFAULT_PER_PAGE)
    return PageRequest(_whole(query.get("page"), 1), min(size, MAX_PER_PAGE))


def _whole(text: Any, default: int) -> int:
    usable = isinstance(text, str) and text.isdecimal() and len(text) < 10 and int(text) > 0
    return int(text) if usable else default


def paginate(
    call: Call,
    table: type[R],
    *where: Expression,
    by: Ordering,
    show: Callable[[R], Any],
    key: str = "",
    prepare: Callable[[Sequence[R]], None] | None = None,
    **more: Any,
) -> ValueResponse:
    """Return a page of rows: a list, or with `key` an object `{total_count, key: […]}`, with its Link header.

    `prepare` gets the rows of the page before they are shown.
    """
    wanted = page_request(call)
    rows = page_at(call.db, table, *where, by=by, limit=wanted.size, offset=wanted.offset)
    if prepare:
        prepare(rows.rows)
    return wrap_page(call, [show(row) for row in rows.rows], rows.total, key, **more)


def slice_page(
    call: Call, items: Sequence[T], show: Callable[[T], Any] = lambda each: each, key: str = "", **more: Any
) -> ValueResponse:
    """Return a page of a list that is at hand, like `paginate`."""
    wanted = page_request(call)
    part = items[wanted.offset : wanted.offset + wanted.size]
    return wrap_page(call, [show(each) for each in part], len(items), key, **more)


def wrap_page(call: Call, shown: list[Any], total: int, key: str = "", **more: Any) -> ValueResponse:
    """Return one page of `total` objects with its Link header."""
    value: Any = {"total_count": total, **more, key: shown} if key else shown
    return ValueResponse(value, headers=page_links(call, total))


def page_links(call: Call, total: int) -> tuple[tuple[str, str], ...]:
    """Return the header Link of the requested page of `total` objects; empty if there is only one page."""
    wanted = page_request(call)
    last = max(1, -(-total // wanted.size))
    if last == 1 and wanted.number == 1:
        return ()
    query: dict[str, Any] = call.memo.get("query", {})
    at = wanted.number

    def page_query(number: int) -> dict[str, Any]:
        return {**query, "page": number}

    pages: dict[str, Any] = {
        "prev": page_query(min(at - 1, last)) if at > 1 else None,
        "next": page_query(at + 1) if at < last else None,
        "last": page_query(last) if at < last else None,
        "first": page_query(1) if at > 1 else None,
    }
    return (link_header(f"{call.base_url}{call.memo.get('path', '')}", **pages),)

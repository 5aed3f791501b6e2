"""Lists in pages: cursors, sizes and the object that holds a page."""

from __future__ import annotations

from typing import Any

from ..wire_style import ValidationError

MAX_PAGE_SIZE = 100


def check_page_size(size: Any, path: str = "query.page_size") -> int:
    """Return a page's size, at most 100; raise ValidationError for one that is no number above zero."""
    if isinstance(size, str) and size.isdecimal():
        size = int(size)
    if isinstance(size, bool) or not isinstance(size, int):
        raise ValidationError(
            f"{path.partition('.')[0]} failed validation: {path} should be a number, instead was `{size}`."
        )
    if size < 1:
        raise ValidationError(
            f"{path.partition('.')[0]} failed validation: {path} should be ≥ `1`, instead was `{size}`."
        )
    return min(size, MAX_PAGE_SIZE)


def list_answer(kind: str, results: list[Any], next_cursor: str | None) -> dict[str, Any]:
    """Render a page of a list of one kind of objects."""
    return {
        "object": "list",
        "results": results,
        "next_cursor": next_cursor,
        "has_more": next_cursor is not None,
        "type": kind,
        kind: {},
    }


def slice_list(ids: list[str], cursor: str | None, size: int) -> tuple[list[str], str | None]:
    """Return a page of a list of ids from a cursor on, which is an id of the list, and the next cursor."""
    start = 0
    if cursor:
        if cursor not in ids:
            raise invalid_cursor(cursor)
        start = ids.index(cursor)
    following = ids[start + size : start + size + 1]
    return ids[start : start + size], following[0] if following else None


def invalid_cursor(cursor: str) -> ValidationError:
    """Return the error for a cursor that no list gave."""
    return ValidationError(f"The start_cursor provided is invalid: {cursor[:100]}")

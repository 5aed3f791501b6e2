"""Lists in pages: cursors, sizes and the object that holds a page."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar

from ..wire_style import ValidationError
from .body_rules import invalid_at

T = TypeVar("T")
MAX_PAGE_SIZE = 100


def check_page_size(size: Any, path: str = "query.page_size") -> int:
    """Return a page's size; raise ValidationError for one that is no number from 1 to 100."""
    if isinstance(size, str) and size.isdecimal():
        size = int(size)
    if isinstance(size, bool) or not isinstance(size, int):
        wanted = "a number"
    elif 1 <= size <= MAX_PAGE_SIZE:
        return size
    else:
        wanted = "≥ `1`" if size < 1 else f"≤ `{MAX_PAGE_SIZE}`"
    raise ValidationError(f"{path.partition('.')[0]} failed validation: {invalid_at(path, wanted, size)}")


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


def slice_list(
    items: list[T], cursor: str | None, size: int, id_of: Callable[[T], str] = attrgetter("id")
) -> tuple[list[T], str | None]:
    """Return a page of a list from a cursor on, which is the id of one of its items, and the next cursor."""
    start = 0
    if cursor:
        start = next((number for number, each in enumerate(items) if id_of(each) == cursor), -1)
        if start < 0:
            raise invalid_cursor(cursor)
    following = items[start + size : start + size + 1]
    return items[start : start + size], id_of(following[0]) if following else None


def invalid_cursor(cursor: str) -> ValidationError:
    """Return the error for a cursor that no list gave."""
    return ValidationError(f"The start_cursor provided is invalid: {cursor[:100]}")

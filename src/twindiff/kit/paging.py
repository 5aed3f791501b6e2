"""Pages by key: a cursor names the row at which the next page begins, so that paging survives writes."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from typing import Any, NamedTuple, TypeVar

from .errors import ApiError
from .rows import Column, Expression, Order, Row, table_of
from .store import Store

R = TypeVar("R", bound=Row)


class InvalidCursor(ApiError):
    """The cursor is not one that this list gave."""


class Page(NamedTuple):
    rows: list[Any]
    next_cursor: str
    """Empty on the last page."""


def encode_cursor(name: str, value: str) -> str:
    """A cursor that only the list it was made for takes back."""
    return urlsafe_b64encode(f"{name}:{value}".encode()).decode()


def decode_cursor(name: str, cursor: str, invalid: type[ApiError] = InvalidCursor) -> str:
    """The value in a cursor made for `name`; raises `invalid` for any other text."""
    try:
        given, _, value = b64decode(cursor.encode(), b"-_", validate=True).decode().partition(":")
    except ValueError:
        raise invalid from None
    if given != name:
        raise invalid
    return value


def page(
    db: Store,
    table: type[R],
    *where: Expression,
    by: Column[str] | Order,
    limit: int,
    cursor: str = "",
    invalid: type[ApiError] = InvalidCursor,
) -> Page:
    """`limit` rows in the order of a unique text column, from the cursor on; raises `invalid` for a foreign cursor."""
    column, descending = (by.column, by.descending) if isinstance(by, Order) else (by, False)
    name = f"{table_of(table).name}.{column.name}"
    conditions = list(where)
    if cursor:
        start = decode_cursor(name, cursor, invalid)
        conditions.append(column <= start if descending else column >= start)
    rows = db.rows(table, *conditions, order=by, limit=limit + 1)
    more = rows[limit:]
    return Page(rows[:limit], encode_cursor(name, getattr(more[0], column.name)) if more else "")

"""Keyset pagination: a cursor holds the values of the row at which the next page begins, so paging survives writes."""

from __future__ import annotations

from base64 import b64decode, urlsafe_b64encode
from typing import Any, Generic, NamedTuple, TypeVar, cast

import msgspec

from .errors import ApiError
from .keysets import Terms, beyond, place_of, reversed_terms, terms_of
from .rows import Column, ColumnType, Expression, Row, table_of
from .store import Ordering, Store

R = TypeVar("R", bound=Row)


class InvalidCursor(ApiError):
    """The cursor is not one that this list gave."""


class CursorPage(NamedTuple, Generic[R]):
    """A page with a cursor to the next one."""

    rows: list[R]
    next_cursor: str
    """Empty on the last page."""


class Slice(NamedTuple, Generic[R]):
    """A page directly after or before a given row."""

    rows: list[R]
    has_more: bool
    """Whether more rows follow, or precede it if only `before` was given."""


class OffsetPage(NamedTuple, Generic[R]):
    """A page at an offset."""

    rows: list[R]
    total: int
    """The number of rows of the whole list."""


def encode_cursor(name: str, value: str) -> str:
    """An opaque cursor for `value`; `decode_cursor` accepts it only for the same `name`."""
    return urlsafe_b64encode(f"{name}:{value}".encode()).decode()


def decode_cursor(name: str, cursor: str, invalid: type[ApiError] = InvalidCursor) -> str:
    """The value of a cursor that `encode_cursor` made for `name`; raises `invalid` for any other text."""
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
    by: Ordering,
    limit: int,
    cursor: str = "",
    invalid: type[ApiError] = InvalidCursor,
) -> CursorPage[R]:
    """At most `limit` matching rows ordered `by`, ties by key ascending, from the cursor on.

    Raises `invalid` for a cursor that this list, in this order, did not return.
    """
    terms = terms_of(table, by, where)
    conditions = where
    if cursor:
        conditions = (*where, *beyond(terms, _place_in(cursor, table, terms, invalid), inclusive=True))
    rows = db.rows(table, *conditions, order=terms, limit=limit + 1)
    more = rows[limit:]
    return CursorPage(rows[:limit], _cursor_to(more[0], table, terms) if more else "")


def page_beside(
    db: Store,
    table: type[R],
    *where: Expression,
    by: Ordering,
    limit: int,
    after: R | None = None,
    before: R | None = None,
) -> Slice[R]:
    """At most `limit` matching rows ordered `by`, ties by key ascending: those right after a row or right before one.

    This is for parameters such as Stripe's `starting_after` and `ending_before`; the given row need not be in the list
    any more. With both, the page has the rows between them, from `after` on. The rows are in list order.
    """
    terms = terms_of(table, by, where)
    conditions = [*where]
    if after is not None:
        conditions += beyond(terms, place_of(after, terms))
    if before is not None:
        conditions += beyond(reversed_terms(terms), place_of(before, terms))
    from_end = before is not None and after is None
    rows = db.rows(table, *conditions, order=reversed_terms(terms) if from_end else terms, limit=limit + 1)
    page = rows[:limit]
    return Slice(page[::-1] if from_end else page, len(rows) > limit)


def page_at(db: Store, table: type[R], *where: Expression, by: Ordering, limit: int, offset: int = 0) -> OffsetPage[R]:
    """At most `limit` matching rows ordered `by`, ties by key ascending, from an offset on, and the total.

    For pages by number, pass `offset=(number - 1) * limit`.
    """
    rows = db.rows(table, *where, order=terms_of(table, by, where), limit=limit, offset=offset)
    if rows and len(rows) < limit:
        return OffsetPage(rows, offset + len(rows))
    return OffsetPage(rows, db.count(table, *where))


def _cursor_to(row: Row, table: type[Row], terms: Terms) -> str:
    place = place_of(row, terms)
    name = _cursor_name(table, terms)
    return encode_cursor(name, place[0] if _is_one_text(terms) else msgspec.json.encode(place).decode())


def _place_in(cursor: str, table: type[Row], terms: Terms, invalid: type[ApiError]) -> list[Any]:
    value = decode_cursor(_cursor_name(table, terms), cursor, invalid)
    if _is_one_text(terms):
        return [value]
    kinds = tuple[tuple(_kind(term.column) for term in terms)]  # pyright: ignore[reportInvalidTypeForm] - made here
    try:
        return [*msgspec.json.decode(value, type=cast(Any, kinds))]
    except (msgspec.DecodeError, RecursionError):
        raise invalid from None


def _is_one_text(terms: Terms) -> bool:
    return len(terms) == 1 and terms[0].column.kind == "text"


def _cursor_name(table: type[Row], terms: Terms) -> str:
    return f"{table_of(table).name}.{','.join(term.column.name for term in terms)}"


_KINDS: dict[ColumnType, Any] = {"integer": int, "float": float, "boolean": bool, "json": Any}


def _kind(column: Column[Any]) -> Any:
    kind = _KINDS.get(column.kind, str)
    return kind | None if column.nullable else kind

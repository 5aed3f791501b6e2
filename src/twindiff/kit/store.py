"""The interface through which a handler reads and writes rows; `twindiff.storage` implements it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, overload

from msgspec import UNSET

from .errors import ApiError
from .events import Event
from .rows import Column, Expression, Order, Row

R = TypeVar("R", bound=Row)
Ordering = Column[Any] | Order | tuple[Column[Any] | Order, ...]


class Store(Protocol):
    """The rows of one twin in one environment, inside the transaction of one operation."""

    def get(self, table: type[R], *key: object, missing: type[ApiError] | None = None) -> R:
        """The row with this key, given in the order of the key's columns; raises `missing`, or NotFound."""
        ...

    def find(self, table: type[R], *where: Expression) -> R | None:
        """The first matching row in order of keys, or None."""
        ...

    @overload
    def rows(
        self, table: type[R], *where: Expression, order: Ordering = (), limit: int | None = None, offset: int = 0
    ) -> list[R]: ...
    @overload
    def rows(
        self,
        table: type[R],
        *where: Expression,
        order: Ordering = (),
        limit: int | None = None,
        offset: int = 0,
        columns: tuple[Column[Any], ...],
    ) -> list[tuple[Any, ...]]: ...
    def rows(
        self,
        table: type[R],
        *where: Expression,
        order: Ordering = (),
        limit: int | None = None,
        offset: int = 0,
        columns: tuple[Column[Any], ...] | None = None,
    ) -> Any:
        """Matching rows in `order`, ties by key (NULL is the smallest); with `columns`, tuples of these values."""
        ...

    def pages(
        self,
        table: type[Row],
        by: Column[Any],
        parents: Sequence[str],
        *where: Expression,
        join: Column[Any] | None = None,
        between: tuple[Expression, ...] = (),
        order: Ordering = (),
        limit: int | None = None,
        columns: tuple[Column[Any], ...],
    ) -> dict[str, list[tuple[Any, ...]]]:
        """For each parent, tuples of the rows whose column `by` equals it, at most `limit` each, in one statement.

        With `join`, both `by` and `join` are columns of an association table, `join` holds the key of `table`, and
        `between` are conditions on the association table. Parents without rows are left out of the result.
        """
        ...

    def matches(
        self,
        table: type[Row],
        words: Expression,
        *where: Expression,
        limit: int,
        offset: int = 0,
        columns: tuple[Column[Any], ...],
    ) -> list[tuple[Any, ...]]:
        """Search a full-text index; returns tuples of `columns`. A large offset costs no more than a small one.

        `words` consists only of `has_word` on one column, combined by `all_of`, `any_of` and `not_`. Conditions on the
        table's `labels` are evaluated in the index; all others read each row. The order depends on the engine and is
        stable until the next write.
        """
        ...

    def count_matches(self, table: type[Row], words: Expression, *where: Expression, most: int) -> int:
        """The number of rows that `matches` finds, at most `most`."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Roll back the writes of the block if it raises; earlier writes stay."""
        ...

    def count(self, table: type[Row], *where: Expression) -> int:
        """The number of matching rows."""
        ...

    def add(self, row: R, *, taken: type[ApiError] | None = None) -> R:
        """Insert a row and return it; raises `taken`, or AlreadyExists, if its key or a unique index is in use."""
        ...

    def add_all(self, rows: Sequence[Row]) -> None:
        """Insert rows of one table; raises AlreadyExists if a key or a unique index is in use."""
        ...

    def change(self, row: R, **fields: Any) -> R:
        """Set fields of a stored row and return its current version; raises NotFound if it no longer exists."""
        ...

    def update(self, row: Row, columns: Collection[str]) -> None:
        """Set columns of a stored row to the values in `row`; raises NotFound if it no longer exists."""
        ...

    def remove(self, row: Row) -> None:
        """Delete a stored row; raises NotFound if it no longer exists."""
        ...

    def emit(self, event: Event) -> None:
        """Add an event to the operation's journal record; rolling back a savepoint drops its events too."""
        ...

    def next(self, counter: str, *, at_least: int = 1) -> int:
        """Raise an environment-wide counter by one, or to `at_least` if that is more, and return it."""
        ...


def revise(db: Store, row: R, /, *, stamp: Mapping[str, Any] | None = None, **wanted: Any) -> R:
    """Set the fields whose values differ from the row's, together with those of `stamp`, and return the current row.

    Fields that are UNSET stay as they are. If no field differs, nothing is written, not even `stamp`:
    `revise(call.db, event, stamp={"updated": call.clock.iso()}, summary=summary, location=location)`.
    """
    different = {
        name: value for name, value in wanted.items() if value is not UNSET and getattr(row, name, UNSET) != value
    }
    return db.change(row, **{**(stamp or {}), **different}) if different else row

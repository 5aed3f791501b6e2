"""What a handler does with rows; an engine in `twindiff.storage` does it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar, overload

from .errors import ApiError
from .events import Event
from .rows import Column, Expression, Order, Row

R = TypeVar("R", bound=Row)
Ordering = Column[Any] | Order | tuple[Column[Any] | Order, ...]


class Store(Protocol):
    """The rows of one twin in one environment, inside one operation."""

    def get(self, table: type[R], *key: object, missing: type[ApiError] | None = None) -> R:
        """The row with this key; raises `missing`, or NotFound."""
        ...

    def find(self, table: type[R], *where: Expression) -> R | None:
        """The first matching row by key, or None."""
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
        """Matching rows in `order`, ties by key (NULL is the smallest); with `columns`, tuples of just those."""
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
        """For each parent the rows whose column `by` holds it, at most `limit` each, in one statement.

        With `join`, `by` and `join` are columns of a table between, `join` holding the key of `table`; `between` are
        conditions on that table. Parents without rows are left out.
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
        """Columns of the rows whose indexed text has words, in an order of the index's own; a far page costs no more.

        `words` has nothing but `has_word` of one text, joined by `all_of`, `any_of` and `not_`. Nor does a condition
        cost more that says which values the table's `labels` have; of others each row is looked at. The order is the
        same until something is written, and another on another engine.
        """
        ...

    def count_matches(self, table: type[Row], words: Expression, *where: Expression, most: int) -> int:
        """How many rows `matches` finds, counted up to `most`."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Undo what is written inside when an exception leaves it; what was written before stays."""
        ...

    def count(self, table: type[Row], *where: Expression) -> int: ...

    def add(self, row: R, *, taken: type[ApiError] | None = None) -> R:
        """Insert a row; raises `taken`, or AlreadyExists, when its key or a unique index is in use."""
        ...

    def add_all(self, rows: Sequence[Row]) -> None:
        """Insert rows of one table; raises AlreadyExists when a key or a unique index is in use."""
        ...

    def change(self, row: R, **fields: Any) -> R:
        """Set fields of a stored row and return it as it is now; raises NotFound when it is gone."""
        ...

    def update(self, row: Row, columns: Collection[str]) -> None:
        """Set columns of a stored row to what they are in `row`; raises NotFound when it is gone."""
        ...

    def remove(self, row: Row) -> None:
        """Delete a stored row; raises NotFound when it is gone."""
        ...

    def emit(self, event: Event) -> None:
        """Note an event for the operation's journal record; a savepoint that is undone takes its events along."""
        ...

    def next(self, counter: str, *, at_least: int = 1) -> int:
        """Raise an environment-wide counter by one, or to `at_least` if that is more, and return it."""
        ...

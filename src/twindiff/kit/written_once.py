"""A Store that writes each row once, with its last values, however often an operation changes it.

Operations that pass a row through several states, as a payment that is made, confirmed and settled at once, cost one
statement for each row in place of one for each state. Rows that were read by their key are not read again, nor are
those that were asked for by what their columns equal, until that changes. Whatever is asked of a table otherwise is
asked after its rows were written, so a handler sees no difference.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from .call import Call
from .errors import ApiError
from .rows import AllOf, AnyOf, Column, Expression, Not, Order, Row, Where, table_of
from .store import Ordering, Store

R = TypeVar("R", bound=Row)
Key = tuple[Any, ...]


@contextmanager
def written_once(call: Call) -> Generator[None]:
    """Write what a call changes when this ends; nothing, if an exception ends it."""
    before = call.db
    call.db = rows = WrittenOnce(before)
    try:
        yield
        rows.flush()
    finally:
        call.db = before


class Question(NamedTuple):
    """Which rows equal something, and in which order; each part begins with the name of a column."""

    where: tuple[tuple[Any, ...], ...]
    order: tuple[tuple[Any, ...], ...]

    def looks_at(self, columns: Collection[str]) -> bool:
        """Whether the answer may depend on one of these columns."""
        return any(part[0] in columns for part in (*self.where, *self.order))


class Kept:
    """What is known of one table: rows as they are now, and which of their columns are not written yet.

    None stands for all columns, those of a new row. `absent` are keys that no row has, `answers` the keys of the rows
    that were asked for.
    """

    __slots__ = ("absent", "answers", "cascades", "key", "key_of", "rows", "table", "unwritten")

    def __init__(self, table: type[Row]) -> None:
        self.table = table
        self.key, self.key_of, self.cascades = _declared(table)
        self.rows: dict[Key, Any] = {}
        self.unwritten: dict[Key, set[str] | None] = {}
        self.absent: set[Key] = set()
        self.answers: dict[Question, list[Key]] = {}

    def asked(self, where: Sequence[Expression]) -> Key | None:
        """The key that conditions ask for, when they give it in order and ask for nothing else."""
        if len(where) != len(self.key):
            return None
        values: list[Any] = []
        for column, part in zip(self.key, where, strict=True):
            if type(part) is not Where or part.op != "=" or part.column is not column:
                return None
            if part.value is None or isinstance(part.value, Column):
                return None
            values.append(part.value)
        return tuple(values)

    def among(self, where: Sequence[Expression]) -> list[Any] | None:
        """The rows of a list of keys, when conditions ask for nothing else and all of them are known."""
        part = where[0] if len(where) == 1 else None
        if type(part) is not Where or part.op != "in" or [*map(id, self.key)] != [id(part.column)]:
            return None
        keys = sorted({str(value) for value in cast(tuple[Any, ...], part.value)})
        rows = [self.rows.get((key,)) for key in keys]
        return None if None in rows else rows

    def changed(self, columns: Collection[str]) -> None:
        """Forget the answers that may be others now that columns of a row have changed."""
        if self.answers:
            self.answers = {each: keys for each, keys in self.answers.items() if not each.looks_at(columns)}

    def added(self, row: Row) -> None:
        """Have a new row in the answers that it belongs to, but for those whose order is not that of keys."""
        self.absent.clear()
        for question, keys in [*self.answers.items()]:
            if all(getattr(row, name) in values for name, *values in question.where):
                if question.order:
                    del self.answers[question]
                else:
                    insort(keys, self.key_of(row))

    def removed(self, key: Key) -> None:
        """Have a row in no answer."""
        self.absent.add(key)
        for keys in self.answers.values():
            if key in keys:
                keys.remove(key)


@cache
def _declared(table: type[Row]) -> tuple[tuple[Column[Any], ...], Callable[[Any], Key], bool]:
    """The columns of a table's key, what gives the key of a row, and whether rows go with others that they refer to."""
    columns, key = table_of(table).columns, table_of(table).key
    value: Callable[[Any], Any] = attrgetter(*key)

    def alone(row: Any) -> Key:
        return (value(row),)

    key_of = value if len(key) > 1 else alone
    return tuple(columns[name] for name in key), key_of, any(each.on_delete for each in columns.values())


class WrittenOnce:
    """See the module; what was changed is written by `flush`."""

    def __init__(self, db: Store) -> None:
        self._db = db
        self._kept: dict[type[Row], Kept] = {}
        self.next = db.next
        self.emit = db.emit

    def flush(self) -> None:
        """Write what is not written yet."""
        for kept in self._kept.values():
            if kept.unwritten:
                self._write(kept)

    def get(self, table: type[R], *key: object, missing: type[ApiError] | None = None) -> R:
        kept = self._of(table)
        row = kept.rows.get(key)
        return row or self._keep(kept, self._db.get(table, *key, missing=missing))

    def find(self, table: type[R], *where: Expression) -> R | None:
        kept = self._of(table)
        key = kept.asked(where)
        if key is None:
            self._before(kept, *where)
        elif (known := kept.rows.get(key)) or key in kept.absent:
            return known
        row = self._db.find(table, *where)
        if row is None and key is not None:
            kept.absent.add(key)
        return None if row is None else self._keep(kept, row)

    def rows(
        self,
        table: type[R],
        *where: Expression,
        order: Ordering = (),
        limit: int | None = None,
        offset: int = 0,
        columns: tuple[Column[Any], ...] | None = None,
    ) -> Any:
        kept, question = self._of(table), None
        if limit is None and not (offset or columns):
            if not order and (known := kept.among(where)) is not None:
                return known
            question = _question(table, where, order)
            if question and (keys := kept.answers.get(question)) is not None:
                return [kept.rows[key] for key in keys]
        if question:
            self._write(kept)
        else:
            self._before(kept, *where, *(order if type(order) is tuple else (order,)), *(columns or ()))
        if columns:
            return self._db.rows(table, *where, order=order, limit=limit, offset=offset, columns=columns)
        rows = self._db.rows(table, *where, order=order, limit=limit, offset=offset)
        if question:
            kept.answers[question] = [kept.key_of(row) for row in rows]
        return [self._keep(kept, row) for row in rows]

    def pages(self, table: type[Row], by: Column[Any], parents: Sequence[str], *where: Expression, **how: Any) -> Any:
        self.flush()
        return self._db.pages(table, by, parents, *where, **how)

    def matches(self, table: type[Row], words: Expression, **how: Any) -> list[tuple[Any, ...]]:
        self.flush()
        return self._db.matches(table, words, **how)

    def count_matches(self, table: type[Row], words: Expression, most: int) -> int:
        self.flush()
        return self._db.count_matches(table, words, most)

    @contextmanager
    def savepoint(self) -> Generator[None]:
        self.flush()
        try:
            with self._db.savepoint():
                yield
                self.flush()
        except BaseException:  # a handler may raise anything, and then this part has changed nothing
            self._kept.clear()
            raise

    def count(self, table: type[Row], *where: Expression) -> int:
        self._before(self._of(table), *where)
        return self._db.count(table, *where)

    def add(self, row: R, *, taken: type[ApiError] | None = None) -> R:
        kept = self._of(type(row))
        if taken:
            self._keep(kept, self._db.add(row, taken=taken))
            kept.added(row)
            return row
        key = kept.key_of(row)
        if key in kept.rows:
            self._write(kept)
            return self._db.add(row)
        kept.added(row)
        kept.rows[key] = row
        kept.unwritten[key] = None
        return row

    def add_all(self, rows: Sequence[Row]) -> None:
        for row in rows:
            self.add(row)

    def change(self, row: R, **fields: Any) -> R:
        kept = self._of(type(row))
        key = kept.key_of(row)
        known = kept.rows.get(key)
        kept.changed(fields)
        if known is None:
            return self._keep(kept, self._db.change(row, **fields))
        written = kept.unwritten.setdefault(key, set())
        if written is not None:
            written.update(fields)
        changed = kept.rows[key] = msgspec.structs.replace(known, **fields)
        return changed

    def update(self, row: Row, columns: Collection[str]) -> None:
        self.change(row, **{name: getattr(row, name) for name in columns})

    def remove(self, row: Row) -> None:
        kept = self._of(type(row))
        key = kept.key_of(row)
        if any(each.cascades for each in self._kept.values()):
            self.flush()
            self._kept.clear()
        kept.rows.pop(key, None)
        if kept.unwritten.pop(key, ()) is not None:
            self._db.remove(row)
        kept.removed(key)

    def _of(self, table: type[Row]) -> Kept:
        kept = self._kept.get(table)
        if kept is None:
            kept = self._kept[table] = Kept(table)
        return kept

    def _keep(self, kept: Kept, row: R) -> R:
        kept.rows[kept.key_of(row)] = row
        return row

    def _before(self, kept: Kept, *parts: Any) -> None:
        """Write what an answer may depend on: rows of its own table, or of all when other tables may come into it."""
        if all(_is_of(part, kept.table) for part in parts):
            self._write(kept)
        else:
            self.flush()

    def _write(self, kept: Kept) -> None:
        unwritten, kept.unwritten = kept.unwritten, {}
        added: list[Row] = []
        for key, columns in unwritten.items():
            row = kept.rows[key]
            if columns is None:
                added.append(row)
                continue
            self._db.add_all(added)
            added.clear()
            self._db.update(row, sorted(columns))  # in one order, so that the statement is prepared once
        self._db.add_all(added)


_PLAIN = frozenset((str, int, bool, type(None)))


def _question(table: type[Row], where: Sequence[Expression], ordering: Ordering) -> Question | None:
    """What is asked for, when it is rows whose columns equal something, by columns; None for anything else."""
    equal: list[tuple[Any, ...]] = []
    for part in where:
        if type(part) is not Where or part.op not in ("=", "in") or not _is_plain(part.column, table):
            return None
        values = cast(tuple[object, ...], part.value) if part.op == "in" else (part.value,)
        if not _PLAIN.issuperset(map(type, values)):
            return None
        equal.append((part.column.name, *values))
    order: list[tuple[Any, ...]] = []
    for part in ordering if isinstance(ordering, tuple) and not isinstance(ordering, Order) else (ordering,):
        column, descending, nulls = part if isinstance(part, Order) else (part, False, None)
        if not _is_plain(column, table):
            return None
        order.append((column.name, descending, nulls))
    return Question(tuple(equal), tuple(order))


def _is_plain(column: Column[Any], table: type[Row]) -> bool:
    return column.table is table and column.worked is None and not column.path


def _is_of(part: Any, table: type[Row]) -> bool:
    """Whether a condition or an order has to do with nothing but columns of a table."""
    if isinstance(part, Column):
        column = cast(Column[Any], part)
        return column.table is table and column.worked is None
    if type(part) is Where:
        return _is_of(part.column, table) and not isinstance(part.value, Column)
    if isinstance(part, AllOf | AnyOf):
        return all(_is_of(each, table) for each in part.parts)
    if isinstance(part, Not):
        return _is_of(part.part, table)
    return isinstance(part, Order) and _is_of(part.column, table)

"""The Store of handlers over PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import msgspec
from psycopg import errors

from twindiff.kit.errors import AlreadyExists, ApiError, NotFound, TooSlow
from twindiff.kit.events import Event
from twindiff.kit.rows import Column, Expression, Row, Table, table_of
from twindiff.kit.store import Ordering
from twindiff.storage import StorageUnavailable
from twindiff.storage.deadline import WHOLE_SECONDS
from twindiff.storage.sql.compiler import OUTERMOST, Scope
from twindiff.storage.sql.statements import Relation, by_parent, from_where, of_parent
from twindiff.storage.sql.tables import Counters, Stored, load_columns, refuse_write
from twindiff.storage.values import INT64

from . import full_text_index, json_key_index
from .connections import PostgresConnection, reaching
from .dialect import PostgresCompiler
from .full_text_query import PAGE, IndexMatches
from .statements import by_column
from .tables import PostgresSchemaSql, PostgresTableSql, loading
from .text_encoding import escape_text

_encode = msgspec.msgpack.Encoder(enc_hook=str).encode
R = TypeVar("R", bound=Row)
Place = tuple[str, Stored]
Opener = Callable[[], AbstractContextManager[PostgresConnection]]
"""Opens the connection for one statement."""


class Touched:
    """The rows that an operation has written, with their states before and after.

    The journal gets changes from the write-ahead log; this only tells whether there are any, so that an operation
    without changes gets no seq.
    """

    def __init__(self) -> None:
        self._rows: dict[Place, tuple[Stored | None, Stored | None]] = {}
        self.wrote = False
        """Whether anything was written through the Store, even if it was reverted since."""

    def see(self, table: str, key: Stored, before: Stored | None, after: Stored | None) -> None:
        """Record a write of one row."""
        self.wrote = True
        first = self._rows.get((table, key))
        self._rows[table, key] = (first[0] if first else before, after)

    @property
    def anything(self) -> bool:
        """Whether any row differs from its state before."""
        return any(before != after for before, after in self._rows.values())

    @property
    def tables(self) -> frozenset[str]:
        """The names of the tables whose rows were written."""
        return frozenset([table for table, _ in self._rows])

    def rows(self) -> Iterator[tuple[str, Stored | None]]:
        """Return (table name, current row) for each written row, with None for deleted ones."""
        return ((table, after) for (table, _), (_, after) in self._rows.items())

    @property
    def size(self) -> int:
        """The approximate bytes of the journal record."""
        return len(_encode([*self._rows.values()]))

    def copy(self) -> dict[Place, tuple[Stored | None, Stored | None]]:
        """Return the current state, for `restore`."""
        return dict(self._rows)

    def restore(self, rows: dict[Place, tuple[Stored | None, Stored | None]]) -> None:
        """Discard writes since a `copy`."""
        self._rows = rows


class PostgresStore:
    """A Store whose statements run on connections from `opener`, read-only if `counters` is None.

    Written rows are recorded in `touched`."""

    def __init__(
        self, opener: Opener, tables: PostgresSchemaSql, counters: Counters | None, touched: Touched | None = None
    ) -> None:
        self._opener = opener
        self._tables = tables
        self._counters = counters
        self._touched = touched
        self.events: list[Event] = []

    def get(self, table: type[R], *key: object, missing: type[ApiError] | None = None) -> R:
        form = self._tables.of(table)
        rows = self._run(form.select_by_key, _key_values(form, key))
        if rows:
            return form.build(rows[0])
        if missing:
            raise missing
        raise NotFound(table.__name__, *key)

    def find(self, table: type[R], *where: Expression) -> R | None:
        rows = self.rows(table, *where, limit=1)
        return rows[0] if rows else None

    def rows(
        self,
        table: type[R],
        *where: Expression,
        order: Ordering = (),
        limit: int | None = None,
        offset: int = 0,
        columns: tuple[Column[Any], ...] | None = None,
    ) -> Any:
        form = self._tables.of(table)
        text = self._sql()
        selected = text.select_list(columns, form.table) if columns else form.selected
        query = f"SELECT {selected}{from_where(form, text, where)} ORDER BY {text.order_by(order, form.table)}"
        if limit is not None or offset:
            query += " LIMIT %s::bigint OFFSET %s::bigint"
            text.parameters += [None if limit is None else min(limit, INT64[-1]), min(offset, INT64[-1])]
        stored = self._run(query, text.parameters)
        return load_columns(columns, loading, stored) if columns else [form.build(values) for values in stored]

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
        form = self._tables.of(table)
        text = self._sql()
        selected = text.select_list(columns, form.table)
        text.parameters.append(list(parents))
        inner = f"SELECT u.*{of_parent(form, text, Relation(by, join, between), where)}"
        if limit is not None:
            inner += f" ORDER BY {text.order_by(order, form.table, 'u')} LIMIT %s::bigint"
            text.parameters.append(limit)
        # SELECT k.value, t."body" FROM unnest(%s::text[]) WITH ORDINALITY k(value, at) CROSS JOIN LATERAL
        #   (SELECT u.* FROM "twin_linear"."comments" u WHERE u."issue_id" = k.value) t ORDER BY k.at, t."id" ASC
        query = (
            f"SELECT k.value, {selected} FROM unnest(%s::text[]) WITH ORDINALITY k(value, at) "
            f"CROSS JOIN LATERAL ({inner}) {OUTERMOST} ORDER BY k.at, {text.order_by(order, form.table)}"
        )
        return by_parent(load_columns((by, *columns), loading, self._run(query, text.parameters)))

    def matches(
        self,
        table: type[Row],
        words: Expression,
        *where: Expression,
        limit: int,
        offset: int = 0,
        columns: tuple[Column[Any], ...],
    ) -> list[tuple[Any, ...]]:
        form, text = self._tables.of(table), self._sql()
        matches = IndexMatches(text, form, words)
        if where or matches.asked is None:
            return self.rows(table, words, *where, limit=limit, offset=offset, columns=columns)
        selected = text.select_list(columns, form.table)
        page, order = matches.page(limit, offset), text.order_by((), form.table, PAGE)
        rows = self._run(f"SELECT {selected} FROM {page} ORDER BY {order}", text.parameters)
        return load_columns(columns, loading, rows)

    def count_matches(self, table: type[Row], words: Expression, *where: Expression, most: int) -> int:
        form, text = self._tables.of(table), self._sql()
        matches = IndexMatches(text, form, words)
        if where or matches.asked is None:
            some = f"SELECT 1{from_where(form, text, (words, *where))} LIMIT %s::bigint"
            query = f"SELECT COUNT(*) FROM ({some}) s"
            text.parameters.append(most)
        else:
            query = matches.count(most)
        ((count,),) = self._run(query, text.parameters)
        return count

    def count(self, table: type[Row], *where: Expression) -> int:
        form = self._tables.of(table)
        text = self._sql()
        ((count,),) = self._run(f"SELECT COUNT(*){from_where(form, text, where)}", text.parameters)
        return count

    @contextmanager
    def savepoint(self) -> Generator[None]:
        seen = self._touched.copy() if self._touched else {}
        told = len(self.events)
        self._say("SAVEPOINT part")
        try:
            yield
        except BaseException:  # a handler may raise anything, which must undo this part
            del self.events[told:]
            if self._touched:
                self._touched.restore(seen)
            self._say("ROLLBACK TO part")
            raise
        finally:
            self._say("RELEASE part")

    def add(self, row: R, *, taken: type[ApiError] | None = None) -> R:
        form = self._writable(type(row))
        values = form.row_values(row)
        with self._opener() as connection:
            added = connection.count(form.insert, values)
        if not added:
            raise taken or AlreadyExists
        self._see(form, None, values)
        return row

    def change(self, row: R, **fields: Any) -> R:
        form = self._writable(type(row))
        key = [getattr(row, name) for name in form.key]
        if not fields:
            return self.get(type(row), *key)
        stored = [form.to_stored(name, value) for name, value in fields.items()]
        query, values = form.update([*fields]), [*stored, *_key_values(form, key)]
        rows = self._run(query, values) if form.unique.isdisjoint(fields) else self._run_unique(query, values)
        if not rows:
            raise form.not_found(row)
        width = len(form.columns)
        self._see(form, rows[0][:width], rows[0][width:])
        return form.build(rows[0][width:])

    def _run_unique(self, query: str, values: Sequence[Any]) -> list[Stored]:
        """Run a statement in a savepoint, so that a unique violation does not abort the transaction."""
        with self._opener() as connection:
            within = connection.info.transaction_status
            if within:
                connection.script("SAVEPOINT taken")
            try:
                rows = connection.rows(query, values)
            except errors.UniqueViolation:
                if within:
                    connection.script("ROLLBACK TO taken")
                raise AlreadyExists from None
            if within:
                connection.script("RELEASE taken")
            return rows

    def update(self, row: Row, columns: Collection[str]) -> None:
        self.change(row, **{name: getattr(row, name) for name in columns})

    def remove(self, row: Row) -> None:
        form = self._writable(type(row))
        removed = self._run(form.delete_returning, _key_values(form, [getattr(row, name) for name in form.key]))
        if not removed:
            raise form.not_found(row)
        self._see(form, removed[0], None)
        if form.dependents:
            self._remove_dependents(form, removed)

    def _remove_dependents(self, form: PostgresTableSql, rows: list[Stored]) -> None:
        """Delete the rows that refer to deleted ones, table by table."""
        removed = [(form, rows)]
        while removed:
            form, rows = removed.pop()
            keys = [row[form.key_at[0]] for row in rows]
            for dependent, column in form.dependents:
                gone = self._run(dependent.delete_referring(column), (keys,))
                for row in gone:
                    self._see(dependent, row, None)
                if gone and dependent.dependents:
                    removed.append((dependent, gone))

    def add_all(self, rows: Sequence[Row]) -> None:
        """Insert rows of one table; raises AlreadyExists when a key is in use."""
        if not rows:
            return
        form = self._writable(type(rows[0]))
        values = [form.row_values(row) for row in rows]
        with self._opener() as connection:
            added = connection.count(form.insert_free, by_column(values))
        if added < len(rows):
            raise AlreadyExists
        for each in values:
            self._see(form, None, each)

    def remove_all(self, table: type[Row], *where: Expression) -> None:
        """Delete all matching rows."""
        form = self._writable(table)
        text = self._sql()
        conditions = text.where(where, (Scope(OUTERMOST, table),)) or "true"
        with self._opener() as connection:
            connection.count(f"DELETE FROM {form.name} {OUTERMOST} WHERE {conditions}", text.parameters)

    def next(self, counter: str, *, at_least: int = 1) -> int:
        if self._counters is None:
            refuse_write(f"counter '{counter}'")
        return self._counters.next(counter, at_least=at_least)

    def emit(self, event: Event) -> None:
        if self._counters is None:
            refuse_write(f"event '{event.name}'")
        self.events.append(event)

    def _see(self, form: PostgresTableSql, before: Sequence[Any] | None, after: Sequence[Any] | None) -> None:
        if self._touched is None:
            return
        was, now = (None if each is None else tuple(each) for each in (before, after))
        old, new = (each and tuple([each[at] for at in form.key_at]) for each in (was, now))
        if old is not None and old != new:
            self._touched.see(form.table.name, old, was, None)
            was = None
        if new is not None:
            self._touched.see(form.table.name, new, was, now)

    def _writable(self, row: type[Row]) -> PostgresTableSql:
        if self._counters is None:
            refuse_write(f"table '{table_of(row).name}'")
        return self._tables.of(row)

    def _sql(self) -> PostgresCompiler:
        return PostgresCompiler(self._tables.place, self._having_entry, self._leave_fewer)

    def _having_entry(self, table: Table, column: str, key: str, text: str) -> list[Any] | None:
        """Return the stored keys of the rows with a text under a JSON key; None if they are many."""
        query = (
            f"SELECT * FROM {json_key_index.lookup(self._tables.place, table, column)}(%s::text, %s::text, %s::bigint)"
        )
        rows = self._run(query, (escape_text(key), escape_text(text), json_key_index.MANY_ROWS))
        return [id for (id,) in rows] if len(rows) < json_key_index.MANY_ROWS else None

    def _leave_fewer(self, others: Sequence[Expression], table: Table, column: str, asked: str) -> bool:
        """Whether the full-text index finds many rows, and the other conditions leave fewer."""
        place = self._tables.place
        count = f"SELECT {full_text_index.lookup(place, table, column, 'count')}(%s::text, %s::bigint)"
        ((having,),) = self._run(count, (asked, full_text_index.MAX_COUNTED_ROWS))
        if having < full_text_index.MANY_ROWS:
            return False
        text = PostgresCompiler(place)
        conditions = text.where(others, (Scope(OUTERMOST, table.row),))
        some = f"SELECT 1 FROM {text.table(table.row)} {OUTERMOST} WHERE {conditions} LIMIT %s::bigint"
        ((left,),) = self._run(f"SELECT count(*) FROM ({some}) s", (*text.parameters, having))
        return left < having

    def _run(self, query: str, parameters: Sequence[Any] = ()) -> list[Stored]:
        with self._opener() as connection:
            return connection.rows(query, parameters)

    def _say(self, statement: str) -> None:
        with self._opener() as connection:
            connection.script(statement)


def within(connection: PostgresConnection) -> Opener:
    """Return an opener for statements in the open transaction of a connection.

    After a statement has failed, later ones raise the same error instead of PostgreSQL's "transaction is aborted", a
    state that the embedded engine does not have. All statements share the time limit WHOLE_SECONDS; one that starts
    later raises TooSlow.
    """
    failure: ApiError = StorageUnavailable("The transaction has failed")
    spent = 0.0

    @contextmanager
    def opener() -> Generator[PostgresConnection]:
        nonlocal failure, spent
        if spent > WHOLE_SECONDS:
            raise TooSlow
        began = time.monotonic()
        try:
            with reaching():
                yield connection
        except errors.InFailedSqlTransaction:
            raise failure from None
        except ApiError as error:
            failure = error
            raise
        finally:
            spent += time.monotonic() - began

    return opener


def _key_values(form: PostgresTableSql, key: Sequence[object]) -> list[Any]:
    return [form.to_stored(name, value) for name, value in zip(form.key, key, strict=True)]

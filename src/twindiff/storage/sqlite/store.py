"""The Store of handlers over one SQLite database."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar, cast

from twindiff.kit.errors import AlreadyExists, ApiError, NotFound, TooLarge
from twindiff.kit.events import Event
from twindiff.kit.rows import Column, Expression, Row, Table, table_of
from twindiff.kit.store import Ordering
from twindiff.storage import StorageFull
from twindiff.storage.deadline import NEVER, Deadline
from twindiff.storage.sql.compiler import OUTERMOST, Scope
from twindiff.storage.sql.names import quote
from twindiff.storage.sql.statements import Relation, by_parent, from_where, of_parent
from twindiff.storage.sql.tables import Counters, load_columns, refuse_write
from twindiff.storage.values import INT64, json_text

from .connection import (
    OUT_OF_SPACE,
    BadStatement,
    ConstraintFailed,
    Execute,
    Interrupted,
    Run,
    SqliteConnection,
    SqliteCursor,
    Statements,
    Stored,
    is_taken,
)
from .dialect import SqliteCompiler
from .full_text_index import share
from .full_text_query import FullTextMatcher
from .json_key_index import MANY_ROWS, EntryIndex
from .query_shapes import is_by_index, key_in, plain_columns, plain_order, plain_where
from .row_cache import ALL, KnownRows, Place
from .table_sql import SqliteSchemaSql, SqliteTableSql, Update, loading
from .write_hints import WriteHints

R = TypeVar("R", bound=Row)


Touched = Mapping[Place, Stored | None]
"""The rows that an operation has written, in their current state; None for deleted ones."""


class SqliteStore:
    """A Store over an open connection, read-only if `counters` is None.

    `known` is the cache of committed rows, valid except for rows that the operation has `touched`. `announced` passes
    write hints to the capture.
    """

    def __init__(
        self,
        connection: SqliteConnection,
        tables: SqliteSchemaSql,
        counters: Counters | None,
        deadline: Deadline = NEVER,
        known: KnownRows | None = None,
        touched: Touched | None = None,
        announced: WriteHints | None = None,
        *,
        cursor: Statements | None = None,
    ) -> None:
        self._statements = cursor or connection
        self._execute: Execute = self._statements.execute
        self._refuse_late, self._late = deadline.refuse_late, deadline.late
        self._connection = connection
        self._tables = tables
        self._counters = counters
        self.next = counters.next if counters else _refuse_counter
        self._known, self._touched, self._announced = known, touched, announced
        self._matching: FullTextMatcher | None = None
        self.events: list[Event] = []
        self.all_went_well = True
        """Whether no statement has failed and no savepoint was rolled back."""

    def begin_at_first(self) -> None:
        """Begin a transaction with the first statement; the caller ends it."""
        self._execute = self._begin_and_execute

    def _begin_and_execute(self, query: str, parameters: Sequence[Any] = ()) -> SqliteCursor:
        self._execute = execute = self._statements.execute
        execute("BEGIN")
        return execute(query, parameters)

    def get(self, table: type[R], *key: object, missing: type[ApiError] | None = None) -> R:
        sql = self._tables.of(table)
        stored = self._by_key(sql, key)
        if stored is not None:
            return sql.build(stored)
        if missing:
            raise missing
        raise NotFound(table.__name__, *key)

    def find(self, table: type[R], *where: Expression) -> R | None:
        sql = self._tables.of(table)
        key = key_in(where, sql.table)
        if key:
            stored = self._by_key(sql, tuple(key))
        else:
            query, parameters = self._query(sql, where, (), None)
            stored = self._first(query, (*parameters, 1, 0))
        return None if stored is None else sql.build(stored)

    def _by_key(self, sql: SqliteTableSql, key: Stored) -> Stored | None:
        """Return the stored row with a key, from the cache if possible."""
        known, touched = self._known, self._touched
        if known is None:
            return self._first(sql.select_by_key, key)
        place = sql.table.name, key
        if touched and place in touched:
            self._refuse_late()
            return self._first(sql.select_by_key, key) if not self.all_went_well else touched[place]
        stored = self._recall(known, place)
        if stored is None:
            stored = self._first(sql.select_by_key, key)
            if stored is not None and sql.key_in(stored) == key:  # else SQLite converted the key, such as 1.0 to 1
                known.note(place, stored)
        return stored

    def _recall(self, known: KnownRows, place: Place) -> Stored | None:
        """Return a cached row. Checks the deadline, which a handler that only reads cached rows would never reach."""
        row = known.get(place)
        if row is not None:
            self._refuse_late()
        return row

    def rows(
        self,
        table: type[R],
        *where: Expression,
        order: Ordering = (),
        limit: int | None = None,
        offset: int = 0,
        columns: tuple[Column[Any], ...] | None = None,
    ) -> Any:
        sql = self._tables.of(table)
        query, parameters = self._query(sql, where, order, columns, is_page=limit is not None)
        bounds = (-1 if limit is None else min(limit, INT64[-1]), min(offset, INT64[-1]))
        stored = self._run(query, (*parameters, *bounds))
        if not columns:
            return [sql.build(values) for values in stored]
        return load_columns(columns, loading, stored)

    def _query(
        self,
        sql: SqliteTableSql,
        where: Sequence[Expression],
        order: Ordering,
        columns: Sequence[Column[Any]] | None,
        *,
        is_page: bool = False,
    ) -> tuple[str, list[Any]]:
        """Return the text and parameters of a query; the text of a plain one is cached by shape."""
        parameters: list[Any] = []
        shape = (plain_where(where, parameters), plain_order(order), plain_columns(columns))
        if None in shape:
            text = self._text_of_page(order, sql.table) if is_page else SqliteCompiler()
            return _select(sql, text, where, order, columns), text.parameters
        query = sql.queries.get(shape)
        if query is None:
            query = sql.remember(shape, _select(sql, SqliteCompiler(), where, order, columns))
        return query, parameters

    def _text_of_page(self, order: Ordering, table: Table) -> SqliteCompiler:
        """Return a compiler for a page, which may scan rows in order instead of listing what an index finds."""
        if not is_by_index(order, table):
            return SqliteCompiler(few=self._few)
        return SqliteCompiler(partial(share, self._first), self._few, self._matcher().spelling)

    def _few(self, index: EntryIndex, key: str, text: str) -> bool:
        """Whether a lookup of the rows with a text under a key is faster than a scan that meets them."""
        counted = self._first(index.count, (key, text))
        return counted is not None and counted[0] < MANY_ROWS

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
        sql = self._tables.of(table)
        relation = Relation(by, join, between)
        query, parameters = self._pages_query(sql, relation, json_text(list(parents)), where, order, columns, limit)
        stored = self._run(query, parameters)
        return by_parent(load_columns((by, *columns), loading, stored))

    def _pages_query(
        self,
        sql: SqliteTableSql,
        relation: Relation,
        parents: str,
        where: Sequence[Expression],
        order: Ordering,
        columns: Sequence[Column[Any]],
        limit: int | None,
    ) -> tuple[str, list[Any]]:
        """Return the text and parameters of `pages`; the text of a plain one is cached by shape."""
        by, join, between = relation
        bound = [] if limit is None else [limit]
        parameters: list[Any] = [parents]
        shape = (plain_where(between, parameters), plain_where(where, parameters), plain_order(order))
        through = join.name if join is not None else ""
        shape = (*shape, plain_columns(columns), by.table, by.name, through, limit is None)
        query = sql.queries.get(shape) if None not in shape else None
        if query is not None:
            return query, parameters + bound
        text = SqliteCompiler()
        text.parameters.append(parents)
        inner = of_parent(sql, text, relation, where)
        query = _paged_query(sql, text, inner, order, columns, limit)
        if None not in shape:
            sql.remember(shape, query)
        return query, text.parameters

    def matches(
        self,
        table: type[Row],
        words: Expression,
        *where: Expression,
        limit: int,
        offset: int = 0,
        columns: tuple[Column[Any], ...],
    ) -> list[tuple[Any, ...]]:
        sql, text = self._tables.of(table), SqliteCompiler()
        numbers = self._numbers(text, words, where)
        if numbers is None:
            return self.rows(table, words, *where, limit=limit, offset=offset, columns=columns)
        page = f"{numbers} ORDER BY row LIMIT {text.place(limit)} OFFSET {text.place(offset)}"
        selected = text.select_list(columns, sql.table)
        rows = f"FROM ({page}) p CROSS JOIN {sql.name} {OUTERMOST} ON {OUTERMOST}.rowid = p.row ORDER BY p.row"
        return load_columns(columns, loading, self._run(f"SELECT {selected} {rows}", text.parameters))

    def count_matches(self, table: type[Row], words: Expression, *where: Expression, most: int) -> int:
        text = SqliteCompiler()
        numbers = self._numbers(text, words, where)
        if numbers is None:
            return min(most, self.count(table, words, *where))
        some = f"{numbers} LIMIT {text.place(most)}"
        (count,) = cast(tuple[int], self._first(f"SELECT count(*) FROM ({some})", text.parameters))
        return count

    def _numbers(self, text: SqliteCompiler, words: Expression, where: Sequence[Expression]) -> str | None:
        """Return a query for the rowids of matching rows; None if the index alone cannot answer it."""
        return self._matcher().numbers(text, words, where)

    def _matcher(self) -> FullTextMatcher:
        if self._matching is None:
            self._matching = FullTextMatcher(self._run, keeps=self._counters is None)
        return self._matching

    @contextmanager
    def savepoint(self) -> Generator[None]:
        told = len(self.events)
        self._execute("SAVEPOINT part")
        try:
            yield
        except BaseException:  # a handler may raise anything, which must undo this part
            del self.events[told:]
            self.all_went_well = False
            if self._connection.in_transaction:
                self._execute("ROLLBACK TO part")
            raise
        finally:
            if self._connection.in_transaction:
                self._execute("RELEASE part")

    def count(self, table: type[Row], *where: Expression) -> int:
        sql = self._tables.of(table)
        known, place = None if where or self._has_touched(sql) else self._known, (sql.table.name, ALL)
        if known is not None and (counted := self._recall(known, place)):
            return cast(int, counted[0])
        parameters: list[Any] = []
        plain = plain_where(where, parameters)
        query = sql.queries.get(("count", plain)) if plain is not None else None
        if query is None:
            text = SqliteCompiler(partial(share, self._first), counts=True)
            query, parameters = f"SELECT COUNT(*){from_where(sql, text, where)}", text.parameters
            if plain is not None:
                sql.remember(("count", plain), query)
        (count,) = counted = cast(tuple[int], self._first(query, parameters))
        if known is not None:
            known.note(place, counted)
        return count

    def _has_touched(self, sql: SqliteTableSql) -> bool:
        """Whether the operation has written to a table."""
        return bool(self._touched) and any(name == sql.table.name for name, _ in self._touched)

    def add(self, row: R, *, taken: type[ApiError] | None = None) -> R:
        sql = self._writable(type(row))
        self._insert(sql, [sql.row_values(row)], taken)
        return row

    def change(self, row: R, **fields: Any) -> R:
        sql = self._writable(type(row))
        key = [getattr(row, name) for name in sql.key]
        if not fields:
            return self.get(type(row), *key)
        values = (*[sql.to_stored(name, value) for name, value in fields.items()], *key)
        update, touched = sql.updating(tuple(fields)), self._touched
        if touched is None or not sql.key_names.isdisjoint(fields):
            rows = self._write(update.query + sql.returning, values, None)
            changed = rows[0] if rows else None
        else:  # SQLite buffers RETURNING rows in a temporary table, which doubles the cost: use the captured row
            self._update(sql, update, values)
            changed = touched.get((sql.table.name, tuple(key))) if self._connection.changes() else None
        if changed is None:
            raise sql.not_found(row)
        return sql.build(changed)

    def update(self, row: Row, columns: Collection[str]) -> None:
        sql = self._writable(type(row))
        update = sql.updating(tuple(columns))
        self._update(sql, update, update.values(row))
        if not self._connection.changes():
            raise sql.not_found(row)

    def _update(self, sql: SqliteTableSql, update: Update, values: Stored) -> None:
        """Set columns of a row; `values` are theirs, then its key. Gives a write hint if the row is cached."""
        announced, count = self._announced, len(update.places)
        if announced and update.types.keep(values[:count]) and (before := self._at_hand(sql, values[count:])):
            announced.update(sql.table.name, before, update.after(before, values))
        self._write(update.query, values, None)

    def _at_hand(self, sql: SqliteTableSql, key: Stored) -> Stored | None:
        """Return the current stored row if it is in memory, else None."""
        place = sql.table.name, key
        if self._known is None or self._touched is None or not self.all_went_well:
            return None
        return self._touched[place] if place in self._touched else self._known.get(place)

    def remove(self, row: Row) -> None:
        sql = self._writable(type(row))
        key = [getattr(row, name) for name in sql.key]
        self._run(sql.delete, key)
        if not self._connection.changes():
            raise sql.not_found(row)
        if sql.dependents:
            self._remove_dependents(sql, key)

    def _remove_dependents(self, sql: SqliteTableSql, keys: list[Any]) -> None:
        """Delete the rows that refer to deleted ones, level by level."""
        removed = [(sql, keys)]
        while removed:
            sql, keys = removed.pop()
            for dependent, column in sql.dependents:
                gone = self._run(dependent.delete_referring(column.name), (json_text(keys),))
                if gone and dependent.dependents:
                    removed.append((dependent, [key for (key,) in gone]))

    def add_all(self, rows: Sequence[Row]) -> None:
        """Insert rows of one table; raises AlreadyExists when a key is in use."""
        if not rows:
            return
        sql = self._writable(type(rows[0]))
        self._insert(sql, [sql.row_values(row) for row in rows], None)

    def _insert(self, sql: SqliteTableSql, rows: list[Stored], taken: type[ApiError] | None) -> None:
        """Insert stored rows. Gives write hints if SQLite stores the values without conversion."""
        announced = self._announced
        if announced and all(map(sql.types.keep, rows)):
            announced.insert(sql.table.name, rows)
        if len(rows) == 1:
            self._write(sql.insert, rows[0], taken)
        else:
            self._write(sql.insert, rows, taken, execute=self._statements.executemany)

    def remove_all(self, table: type[Row], *where: Expression) -> None:
        """Delete all matching rows."""
        sql = self._writable(table)
        text = SqliteCompiler()
        conditions = text.where(where, (Scope(OUTERMOST, table),)) or "TRUE"
        self._run(f"DELETE FROM {sql.name} AS {OUTERMOST} WHERE {conditions}", text.parameters)

    def emit(self, event: Event) -> None:
        if self._counters is None:
            refuse_write(f"event '{event.name}'")
        self.events.append(event)

    def _writable(self, row: type[Row]) -> SqliteTableSql:
        if self._counters is None:
            refuse_write(f"table '{table_of(row).name}'")
        return self._tables.of(row)

    def _first(self, query: str, parameters: Sequence[Any]) -> Stored | None:
        """Return the first row of a result, or None."""
        rows = self._run(query, parameters)
        return rows[0] if rows else None

    def _run(self, query: str, parameters: Sequence[Any], execute: Run | None = None) -> list[Stored]:
        """Return all rows of a result; raises the deadline's exception if the time limit is exceeded."""
        self._refuse_late()
        well, self.all_went_well = self.all_went_well, False
        try:
            rows = (execute or self._execute)(query, parameters).fetchall()
        except Interrupted:
            raise self._late from None
        except OUT_OF_SPACE:
            raise StorageFull from None
        except BadStatement as error:
            if "too large" in str(error):  # exceeds SQLite's limit of expression depth
                raise TooLarge from None
            raise
        self.all_went_well = well
        return rows

    def _write(
        self, query: str, values: Sequence[Any], taken: type[ApiError] | None, execute: Run | None = None
    ) -> list[Any]:
        try:
            return self._run(query, values, execute)
        except ConstraintFailed as error:
            if is_taken(error):
                raise (taken or AlreadyExists) from None
            raise
        finally:
            if self._announced:
                self._announced.clear()


def _refuse_counter(counter: str, *, at_least: int = 1) -> int:
    refuse_write(f"counter '{counter}'")


def _select(
    sql: SqliteTableSql,
    text: SqliteCompiler,
    where: Sequence[Expression],
    order: Ordering,
    columns: Sequence[Column[Any]] | None,
) -> str:
    selected = text.select_list(columns, sql.table) if columns else sql.selected
    return (
        f"SELECT {selected}{from_where(sql, text, where)} ORDER BY {text.order_by(order, sql.table)} LIMIT ? OFFSET ?"
    )


def _paged_query(
    sql: SqliteTableSql,
    text: SqliteCompiler,
    inner: str,
    order: Ordering,
    columns: Sequence[Column[Any]],
    limit: int | None,
) -> str:
    """Return a query for the rows of several parents.

    CROSS JOIN makes the parents the outer loop, so that each parent's few rows are looked up by key.
    """
    # SELECT k.value, t."body" FROM json_each(?1) k CROSS JOIN "comments" t ON (t."id") IN
    #   (SELECT u."id" FROM "comments" u WHERE u."issue_id" = k.value ORDER BY u."id" ASC LIMIT ?2)
    #   ORDER BY k.key, t."id" ASC
    inner = f"SELECT {', '.join(f'u.{quote(name)}' for name in sql.key)}{inner}"
    if limit is not None:
        inner += f" ORDER BY {text.order_by(order, sql.table, 'u')} LIMIT {text.place(limit)}"
    key = ", ".join(f"{OUTERMOST}.{quote(name)}" for name in sql.key)
    return (
        f"SELECT k.value, {text.select_list(columns, sql.table)} FROM json_each(?1) k CROSS JOIN {sql.name} {OUTERMOST}"
        f" ON ({key}) IN ({inner}) ORDER BY k.key, {text.order_by(order, sql.table)}"
    )

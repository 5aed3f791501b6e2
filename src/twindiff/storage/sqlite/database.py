"""A connection over the pages of one environment and twin, whose transactions are captured as row changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Generic, NamedTuple, TypeVar

from twindiff.kit.events import Event
from twindiff.storage import SchemaChanged
from twindiff.storage.deadline import NEVER, Limit
from twindiff.storage.journal import RowChange, Values
from twindiff.storage.schema import Schema

from .capture import Capture
from .connection import SqliteConnection, Stored, connect, register_functions, roll_back
from .ddl import statements
from .full_text_index import word_indexes
from .pages import PAGE_SIZE, Image, Pages, Undo, vfs
from .records import StoredChange
from .store import Counters, SqliteStore
from .table_sql import SqliteSchemaSql, SqliteTableSql

T = TypeVar("T")

_STEPS_BETWEEN_LOOKS = 100_000


class TransactionResult(NamedTuple, Generic[T]):
    """The result of work, the changes it made, and the events it emitted."""

    result: T
    changes: list[StoredChange]
    events: list[Event]


class Undoable:
    """A context that begins a transaction and undoes it on any exception, even after a commit."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.begin()

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is not None:
            self._database.take_back()


class Database:
    """A connection with its tables; one operation at a time."""

    def __init__(self, tables: SqliteSchemaSql, pages: Pages) -> None:
        self.tables = tables
        opened, self._file = vfs.connect(pages)
        self.connection = register_functions(opened)
        self._cursor = self.connection.cursor()
        self.connection.set_progress_handler(self._is_late, _STEPS_BETWEEN_LOOKS)
        self._deadline = NEVER
        self._capture = Capture(tables, self.connection)
        self._undoable = Undoable(self)

    @property
    def pages(self) -> Pages:
        """The pages that the connection reads and writes."""
        return self._file.pages

    @property
    def undo(self) -> Undo:
        """The undo log of the latest transaction."""
        return self._file.undo

    def mount(self, pages: Pages) -> None:
        """Switch the connection to other pages; no transaction may be open."""
        self._file.mount(pages)

    def close(self) -> None:
        self.connection.close()

    def _is_late(self) -> bool:
        return self._deadline.is_past()

    def read(self, work: Callable[[SqliteStore], T], limit: Limit) -> T:
        """Run work that cannot write, and return its result.

        One transaction for all statements has SQLite validate its page cache once. It begins with the first statement,
        since much work is served by the row cache without any.
        """
        self._deadline = deadline = limit()
        store = SqliteStore(self.connection, self.tables, None, deadline, self._file.pages.known, cursor=self._cursor)
        store.begin_at_first()
        try:
            return work(store)
        finally:
            self._deadline = NEVER
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")

    def write(self, work: Callable[[SqliteStore], T], limit: Limit, counters: Counters) -> TransactionResult[T]:
        """Run work in the open transaction."""
        self._deadline = deadline = limit()
        known, writes = self._file.pages.known, (self._capture.written, self._capture.announced)
        store = SqliteStore(self.connection, self.tables, counters, deadline, known, *writes, cursor=self._cursor)
        try:
            result = work(store)
        finally:
            self._deadline = NEVER
        return TransactionResult(result, self._capture.changes(all_went_well=store.all_went_well), store.events)

    def begin(self) -> None:
        """Begin a transaction."""
        self._capture.clear()
        self._file.undo = Undo(self._file.pages.count)
        self.connection.execute("BEGIN")

    def undoable(self) -> Undoable:
        """Return a context that runs a transaction and undoes it on any exception, even after its commit."""
        return self._undoable

    def go_on(self) -> None:
        """Start the next operation in the open transaction."""
        self._file.pages.known.follow(self._capture.written)
        self._capture.clear()

    def commit(self) -> None:
        """Commit the open transaction; `take_back` can still undo it."""
        self.connection.execute("COMMIT")
        self._file.pages.known.follow(self._capture.written)

    def take_back(self) -> None:
        """Undo the latest transaction, open or committed."""
        try:
            roll_back(self.connection)
        finally:
            self.pages.take_back(self.undo)
            if self.undo.pages:  # invalidates SQLite's page cache
                self.mount(self.pages)

    def apply(self, changes: Iterable[RowChange]) -> None:
        """Apply the changes of one operation in a transaction, without capture."""
        self.replay([list(changes)])

    def replay(self, operations: Iterable[list[RowChange]]) -> None:
        """Apply the changes of several operations, in order, in one transaction without capture."""
        with self.undoable(), self._capture.pause():
            for changes in operations:
                self._bring(changes)
            self.commit()
            self.pages.known.clear()

    def _bring(self, changes: list[RowChange]) -> None:
        """Apply changes: deletes first, so that rows can exchange unique values, then inserts.

        An updated row keeps its rowid, so that rows stay in the order of insertion however their state was reached.
        """
        execute = self.connection.execute
        were_at = [self._take_out(change) if change.before is not None else None for change in changes]
        for change, place in zip(changes, were_at, strict=True):
            sql = self._sql(change.table)
            if change.after is not None and place is not None:
                execute(sql.insert_at, (place, *sql.insert_values(change.after)))
        for change, place in zip(changes, were_at, strict=True):
            sql = self._sql(change.table)
            if change.after is not None and place is None:
                execute(sql.insert, sql.insert_values(change.after))

    def _take_out(self, change: RowChange) -> int | None:
        """Delete a row and return its rowid, or None if a column is the rowid."""
        sql = self._sql(change.table)
        gone = self.connection.execute(f"{sql.delete} RETURNING rowid", change.key).fetchall()
        return gone[0][0] if gone and not sql.is_numbered else None

    def _sql(self, table: str) -> SqliteTableSql:
        sql = self.tables.by_name.get(table)
        if sql is None:
            raise SchemaChanged(f"The {self.tables.schema.twin} twin no longer has the table '{table}', which was used")
        return sql

    def content(self) -> dict[str, list[Values]]:
        """Return all rows by table name, in key order."""
        return contents(self.tables, self.connection)


def contents(tables: SqliteSchemaSql, connection: SqliteConnection) -> dict[str, list[Values]]:
    """Return all rows by table name, in key order."""
    return {
        name: [sql.values(stored) for stored in connection.execute(sql.select_all)]
        for name, sql in tables.by_name.items()
    }


def contents_of(tables: SqliteSchemaSql, image: Image) -> dict[str, list[Values]]:
    """Return all rows of an image by table name, in key order."""
    database = Database(tables, Pages(image))
    try:
        return database.content()
    finally:
        database.close()


def problems_of(tables: SqliteSchemaSql, pages: Pages) -> list[str]:
    """Return the problems that SQLite's integrity check finds in a database; empty if there are none."""
    # FTS5's check uses its own cache, which on a pooled connection may belong to other pages: open a new one.
    database = Database(tables, pages)
    lines = [str(line) for (line,) in database.connection.execute("PRAGMA integrity_check")]
    database.close()
    return [line for line in lines if line != "ok"]


def image_of(tables: SqliteSchemaSql, rows: Mapping[str, Iterable[Values]]) -> bytes:
    """Build a database from full rows by table name; raises ConstraintFailed for rows that conflict."""
    connection = _empty(tables.schema)
    try:
        connection.execute("BEGIN")
        for name, values in rows.items():
            sql = tables.by_name[name]
            connection.executemany(sql.insert, (sql.insert_values(each) for each in values))
            for index in word_indexes(sql.table):
                connection.execute(index.settle)
        connection.execute("COMMIT")
        return connection.serialize("main")
    finally:
        connection.close()


def fits(tables: SqliteSchemaSql, pages: Pages) -> bool:
    """Whether a database has exactly the current tables and indexes at the current root pages.

    Connections are shared between databases and rely on it, since SQLite caches the parsed schema.
    """
    connection, _ = vfs.connect(pages)
    try:
        return _layout(connection) == _todays_layout(tables.schema)
    finally:
        connection.close()


def _layout(connection: SqliteConnection) -> list[Stored]:
    return connection.execute("SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY rowid").fetchall()


@cache
def _todays_layout(schema: Schema) -> list[Stored]:
    connection = _empty(schema)
    try:
        return _layout(connection)
    finally:
        connection.close()


def _empty(schema: Schema) -> SqliteConnection:
    connection = connect()
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    for table in schema.tables.values():
        for statement in statements(table):
            connection.execute(statement)
    return connection

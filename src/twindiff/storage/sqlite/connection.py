"""Typed access to apsw: protocols for the calls in use, and one name per kind of failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, cast

import apsw

from twindiff.kit.full_text import has_word, index_words, without_accents

Stored = tuple[Any, ...]
"""A row as SQLite returns it."""

Interrupted: type[Exception] = apsw.InterruptError
ConstraintFailed: type[Exception] = apsw.ConstraintError
Busy: type[Exception] = apsw.BusyError
CannotOpen: type[Exception] = apsw.CantOpenError
OUT_OF_SPACE: tuple[type[Exception], ...] = (apsw.FullError, apsw.IOError)
"""SQLite's errors when a file cannot grow: the database file, and the shared-memory file beside it."""

BadStatement: type[Exception] = apsw.SQLError

_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
_UNIQUE = (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY)


class SqliteCursor(Protocol):
    """The result of a statement."""

    def fetchone(self) -> Stored | None: ...
    def fetchall(self) -> list[Stored]: ...
    def __iter__(self) -> Iterator[Stored]: ...
    def get_description(self) -> tuple[tuple[str, ...], ...]: ...


class Execute(Protocol):
    """Runs statements, with one parameter for each `?`."""

    def __call__(self, statements: str, bindings: Sequence[Any] = (), /) -> SqliteCursor: ...


Run = Callable[[str, Sequence[Any]], SqliteCursor]
"""Runs a statement with parameters (`execute`), or with each of several lists of them (`executemany`)."""


class PendingWrite(Protocol):
    """A row that is about to be written; `old` is None for an insert and `new` for a delete."""

    table_name: str
    old: Stored | None
    new: Stored | None


class Statements(Protocol):
    """Runs statements: a connection, or a reused cursor, which avoids creating one per statement."""

    @property
    def execute(self) -> Execute: ...
    def executemany(self, statements: str, sequenceofbindings: Iterable[Sequence[Any]], /) -> SqliteCursor: ...


class SqliteConnection(Statements, Protocol):
    """One open database."""

    @property
    def in_transaction(self) -> bool: ...
    def cursor(self) -> Statements: ...
    def changes(self) -> int: ...
    def serialize(self, name: str, /) -> bytes: ...
    def deserialize(self, name: str, contents: bytes, /) -> None: ...
    def set_busy_timeout(self, milliseconds: int, /) -> None: ...
    def set_progress_handler(self, callable: Callable[[], bool] | None, nsteps: int, /) -> None: ...
    def preupdate_hook(self, callback: Callable[[Any], None] | None, *, id: object = None) -> None: ...
    def set_wal_hook(self, callable: Callable[[Any, str, int], int] | None, /) -> None: ...
    def wal_checkpoint(self, dbname: str | None = None, mode: int = ...) -> tuple[int, int]: ...
    def close(self) -> None: ...
    def __enter__(self) -> SqliteConnection: ...
    def __exit__(self, *raised: object) -> bool | None: ...


def connect(path: str = ":memory:") -> SqliteConnection:
    """Open a database by path and register the SQL functions that compiled expressions need."""
    return register_functions(apsw.Connection(path, _FLAGS))


def register_functions(opened: Any) -> SqliteConnection:
    """Register the SQL functions that compiled expressions need on an apsw connection, and return it typed."""
    opened.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else ordered statements are replanned for new parameters
    opened.create_scalar_function("casefold", _casefold, 1, deterministic=True)
    opened.create_scalar_function("index_words", _index_words, 1, deterministic=True)
    opened.create_scalar_function("without_accents", without_accents, 1, deterministic=True)
    opened.create_scalar_function("has_word", has_word, 2, deterministic=True)
    return cast(SqliteConnection, opened)


def _casefold(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value


def _index_words(text: str) -> str:
    return " ".join(index_words(text))


def roll_back(connection: SqliteConnection) -> None:
    """Roll back the open transaction, unless SQLite has already done so, as for an interrupted write."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def is_taken(error: Exception) -> bool:
    """Whether a constraint failed because a key or a unique index is in use."""
    return getattr(error, "extendedresult", None) in _UNIQUE

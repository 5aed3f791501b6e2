"""Connections to the database, and what its failures are called here."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, LiteralString, cast

import psycopg
from psycopg import errors
from psycopg_pool import ConnectionPool, PoolTimeout

from twindiff.kit.errors import TooSlow
from twindiff.storage import StorageFull, StorageUnavailable, TooLong

from .statements import Connection

MOST = 12
"""Connections of one process, which computes on one core: more of them would only have more to learn."""
PATIENCE_SECONDS = 10.0
"""How long a request waits for a connection, or for its turn in an environment."""


@contextmanager
def reaching() -> Generator[None]:
    """Give the database's failures our names."""
    try:
        yield
    except errors.QueryCanceled:
        raise TooSlow from None
    except (errors.DiskFull, errors.OutOfMemory):
        raise StorageFull from None
    except errors.ProgramLimitExceeded as error:
        table = error.diag.table_name or "a table"
        raise TooLong(f"Values that rows of '{table}' are found by are longer than 2,600 bytes") from None
    except errors.LockNotAvailable:
        raise StorageUnavailable("The environment is busy: others have been writing to it for seconds") from None
    except errors.ReadOnlySqlTransaction:
        raise StorageUnavailable("The database takes no writes now: it is a replica, or set to read-only") from None
    except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
        raise StorageUnavailable(f"The database cannot be reached: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """What an error says, in one line without an address's password."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def sql(text: str) -> LiteralString:
    """SQL that we composed, as psycopg wants it typed."""
    return cast(LiteralString, text)


def connect(dsn: str, **options: Any) -> Connection:
    """One connection of its own, outside the pool; each statement is a transaction unless BEGIN is said."""
    return Connection.connect(dsn, autocommit=True, prepare_threshold=None, **options)


class Pool:
    """The connections of one process."""

    def __init__(self, dsn: str) -> None:
        self._pool = ConnectionPool(
            dsn,
            connection_class=Connection,
            min_size=1,
            max_size=MOST,
            timeout=PATIENCE_SECONDS,
            kwargs={"autocommit": True, "prepare_threshold": None, "options": _OPTIONS},
            reconnect_timeout=30,
            open=True,
            name="twindiff",
        )

    @contextmanager
    def connection(self) -> Generator[Connection]:
        """A connection for as long as the block runs; an open transaction is rolled back."""
        with reaching(), self._pool.connection() as connection:
            yield connection

    def close(self) -> None:
        self._pool.close()


_OPTIONS = (
    f"-c lock_timeout={int(PATIENCE_SECONDS * 1000)} -c idle_in_transaction_session_timeout=60000 "
    # Statements find their rows by keys that begin with env_id, whatever the values are: one plan is as good as five.
    "-c application_name=twindiff -c jit=off -c plan_cache_mode=force_generic_plan "
    # Nobody knows how many rows have an env_id. A whole small table, or an index that happens to have all columns,
    # would look cheaper than the key, and then all rows of an environment are read for each one that is looked up.
    "-c enable_seqscan=off -c enable_indexonlyscan=off"
)


class Turns:
    """One thread of this process at a time per environment, so that those who wait hold no connection."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, env: str, what: str = "environment") -> Generator[None]:
        """Wait for one's turn; raises StorageUnavailable when it does not come."""
        with self._guard:
            lock, waiting = self._locks.get(env) or (threading.Lock(), 0)
            self._locks[env] = lock, waiting + 1
        taken = lock.acquire(timeout=PATIENCE_SECONDS)
        try:
            if not taken:
                raise StorageUnavailable(f"The {what} is busy: others have been writing to it for seconds")
            yield
        finally:
            if taken:
                lock.release()
            self._leave(env)

    def _leave(self, env: str) -> None:
        with self._guard:
            lock, waiting = self._locks[env]
            if waiting == 1:
                del self._locks[env]
            else:
                self._locks[env] = lock, waiting - 1

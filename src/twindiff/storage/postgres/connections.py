"""The connection pool, and the translation of database errors."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, LiteralString, cast

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import PGconn, Ping, TransactionStatus

from twindiff.kit.errors import TooSlow
from twindiff.storage import StorageBusy, StorageFull, StorageUnavailable, TooLong

from .statements import PostgresConnection

MAX_CONNECTIONS = 12
"""Connections of one process, which uses one core; more would only prepare the same statements more often."""
PATIENCE_SECONDS = 10.0
"""How long a request waits for a connection, or for the lock of an environment."""
RETRY_SECONDS = 0.2


@contextmanager
def reaching() -> Generator[None]:
    """Translate database errors to TooSlow, StorageFull, TooLong, StorageBusy or StorageUnavailable."""
    try:
        yield
    except errors.QueryCanceled:
        raise TooSlow from None
    except (errors.DiskFull, errors.OutOfMemory):
        raise StorageFull from None
    except errors.ProgramLimitExceeded as error:
        table = error.diag.table_name or "a table"
        raise TooLong(f"Values that rows of '{table}' are found by are longer than 2,600 bytes") from None
    except (errors.LockNotAvailable, errors.DeadlockDetected):
        raise StorageBusy("The environment is busy: others have been writing to it for seconds") from None
    except errors.ReadOnlySqlTransaction:
        raise StorageUnavailable("The database takes no writes now: it is a replica, or set to read-only") from None
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StorageUnavailable(f"The database cannot be reached: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """Return the first line of an error message, which contains no password."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def sql(text: str) -> LiteralString:
    """Cast composed SQL to the type that psycopg requires."""
    return cast(LiteralString, text)


def connect(dsn: str, **options: Any) -> PostgresConnection:
    """Open a connection outside the pool, in autocommit mode."""
    return PostgresConnection.connect(dsn, autocommit=True, prepare_threshold=None, **keepalive(dsn), **options)


def keepalive(dsn: str) -> dict[str, int]:
    """Return options that detect the loss of the database's host within seconds, except those that the DSN sets."""
    given = conninfo_to_dict(dsn)
    return {name: value for name, value in _KEEPALIVE.items() if name not in given}


_KEEPALIVE = {
    "keepalives_idle": 2,  # seconds, like the interval
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,  # milliseconds
}


class PostgresPool:
    """The connections of one process. The last used is reused first, since it has the most statements prepared.

    The constructor opens the first connection; it raises StorageUnavailable after PATIENCE_SECONDS.
    """

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._seats = threading.Semaphore(MAX_CONNECTIONS)
        self._free: list[PostgresConnection] = []
        self._closed = False
        with reaching():
            self._free.append(self._first())

    def _first(self) -> PostgresConnection:
        """Open a connection; retry while the database is starting. If it answers pings, its refusal is final."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        answers = False
        while True:
            try:
                return self._connect()
            except psycopg.OperationalError:
                if answers or time.monotonic() > deadline:
                    raise
            answers = PGconn.ping(self._dsn.encode()) == Ping.OK  # it may have just become ready: try once more
            time.sleep(RETRY_SECONDS)

    def _connect(self) -> PostgresConnection:
        patience = conninfo_to_dict(self._dsn).get("connect_timeout", int(PATIENCE_SECONDS))
        return connect(self._dsn, options=_OPTIONS, connect_timeout=patience)

    @contextmanager
    def connection(self) -> Generator[PostgresConnection]:
        """Lend a connection for the block; an open transaction is rolled back at its end."""
        with reaching(), self._seat():
            try:
                connection = self._free.pop()
            except IndexError:
                connection = self._connect()
            try:
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def _seat(self) -> Generator[None]:
        if not self._seats.acquire(timeout=PATIENCE_SECONDS):
            raise StorageUnavailable("All connections to the database have been in use for seconds")
        try:
            yield
        finally:
            self._seats.release()

    def _give_back(self, connection: PostgresConnection) -> None:
        if _is_idle(connection):
            self._free.append(connection)
        else:
            connection.close()
            self._drop_free()  # broken too, if the database restarted
        if self._closed:
            self._drop_free()

    def _drop_free(self) -> None:
        while True:
            try:
                self._free.pop().close()
            except IndexError:
                return

    def close(self) -> None:
        self._closed = True
        self._drop_free()


def _is_idle(connection: PostgresConnection) -> bool:
    """Whether a connection can be reused; rolls back an open transaction."""
    if connection.closed:
        return False
    if connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        with contextlib.suppress(psycopg.Error):
            connection.script("ROLLBACK")
    return connection.pgconn.transaction_status == TransactionStatus.IDLE


_OPTIONS = (
    f"-c lock_timeout={int(PATIENCE_SECONDS * 1000)} -c idle_in_transaction_session_timeout=60000 "
    # Statements find rows by keys that begin with env_id, whatever its value, so a generic plan is always good.
    "-c application_name=twindiff -c jit=off -c plan_cache_mode=force_generic_plan "
    # PostgreSQL has no statistics per env_id. A scan of a small table, or of an index with all columns, would look
    # cheaper than the key, and then each lookup of one row would read all rows of the environment.
    "-c enable_seqscan=off -c enable_indexonlyscan=off "
    # Workers take longer to start than most statements run, and many requests are concurrent.
    "-c max_parallel_workers_per_gather=0"
)


class EnvironmentSlots:
    """A lock per environment within this process, so that waiting threads hold no connection."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def of(self, env: str, what: str = "environment") -> Generator[None]:
        """Hold the lock of an environment; raises StorageBusy after PATIENCE_SECONDS."""
        with self._guard:
            lock, waiting = self._locks.get(env) or (threading.Lock(), 0)
            self._locks[env] = lock, waiting + 1
        taken = lock.acquire(timeout=PATIENCE_SECONDS)
        try:
            if not taken:
                raise StorageBusy(f"The {what} is busy: others have been writing to it for seconds")
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

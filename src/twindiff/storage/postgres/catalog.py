"""The catalog's connection: one statement at a time, or a transaction of this thread."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from .connections import EnvironmentSlots, PostgresConnection, PostgresPool


class PostgresCatalog:
    """Our own records. A transaction runs alone, as it does in a file; single statements do not wait for it."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool
        self._turns = EnvironmentSlots()
        self._open = threading.local()

    @contextmanager
    def statement(self) -> Generator[PostgresConnection]:
        """The connection for the next statement."""
        current: PostgresConnection | None = getattr(self._open, "connection", None)
        if current:
            yield current
            return
        with self._pool.connection() as connection:
            yield connection

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Make the statements of this thread one; nested ones join the outermost."""
        if getattr(self._open, "connection", None):
            yield
            return
        # Those of this process who wait for their turn hold no connection, of which a transaction may need another.
        with self._turns.of("", "catalog"), self._pool.connection() as connection, connection.transaction():
            connection.rows("SELECT pg_advisory_xact_lock(hashtext('twindiff catalog'))")
            self._open.connection = connection
            try:
                yield
            finally:
                self._open.connection = None

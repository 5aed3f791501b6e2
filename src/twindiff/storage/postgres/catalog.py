"""Connections of the catalog: one per statement, or that of the current thread's transaction."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from .connections import EnvironmentSlots, PostgresConnection, PostgresPool


class PostgresCatalog:
    """The catalog's statements. Transactions are serialized, as in a file; single statements do not wait for them."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool
        self._turns = EnvironmentSlots()
        self._open = threading.local()

    @contextmanager
    def statement(self) -> Generator[PostgresConnection]:
        """Open the connection for the next statement."""
        current: PostgresConnection | None = getattr(self._open, "connection", None)
        if current:
            yield current
            return
        with self._pool.connection() as connection:
            yield connection

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Run the statements of this thread in one transaction; nested ones join the outermost."""
        if getattr(self._open, "connection", None):
            yield
            return
        # Threads of this process wait without a connection, since a transaction may need a second one.
        with self._turns.of("", "catalog"), self._pool.connection() as connection, connection.transaction():
            connection.rows("SELECT pg_advisory_xact_lock(hashtext('twindiff catalog'))")
            self._open.connection = connection
            try:
                yield
            finally:
                self._open.connection = None

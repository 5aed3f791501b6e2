"""Which process of all does what must be done once: the one that holds a lock of the database's."""

from __future__ import annotations

import threading
from contextlib import suppress

import psycopg

from .connections import PostgresConnection, connect

_LOCK = "hashtext('twindiff dispatcher'), 0"


class Leadership:
    """A connection that holds the lock, or tries to get it; with the connection the lock goes to another process."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._guard = threading.Lock()
        self._connection: PostgresConnection | None = None
        self._held = False

    def acquire(self) -> bool:
        """Whether the lock is here; takes it when it is free."""
        with self._guard:
            try:
                return self._ask()
            except psycopg.Error:
                self._drop()
                return False

    def _ask(self) -> bool:
        if self._connection is None:
            self._connection = connect(self._dsn)
        if self._held:
            self._connection.row("SELECT 1")
        else:
            self._held = self._connection.row(f"SELECT pg_try_advisory_lock({_LOCK})") == (True,)
        return self._held

    def _drop(self) -> None:
        self._held = False
        if self._connection:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Let another process lead."""
        with self._guard:
            self._drop()

"""Leader election among processes by an advisory lock; the leader runs tasks that must run once."""

from __future__ import annotations

import threading
from contextlib import suppress

import psycopg

from .connections import PostgresConnection, connect

_LOCK = "hashtext('twindiff dispatcher'), 0"


class Leadership:
    """Holds the lock, or tries to acquire it, with its own connection; if that breaks, another process takes over."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._guard = threading.Lock()
        self._connection: PostgresConnection | None = None
        self._held = False

    def acquire(self) -> bool:
        """Acquire the lock if it is free; return whether this process holds it."""
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
        """Release the lock and close the connection."""
        with self._guard:
            self._drop()

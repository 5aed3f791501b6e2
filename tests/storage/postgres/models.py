"""Databases that others are copied from, which all processes of tests over a cluster share."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import psycopg
from psycopg.sql import SQL, Identifier


class Model:
    """A database to copy: whoever needs it first makes it, and whoever ends last drops it.

    Each has a lock on its name for as long as it may copy it. One without locks was left behind, and is made anew.
    """

    def __init__(self, cluster: str, contents: str, fill: Callable[[str], None]) -> None:
        self.name = f"twindiff_model_{sha256(contents.encode()).hexdigest()[:12]}"
        self._connection = psycopg.connect(cluster, autocommit=True)
        while not self._ask("SELECT pg_try_advisory_lock(hashtext(%s))"):
            self._ask("SELECT pg_advisory_lock_shared(hashtext(%s))")  # waits for whoever makes it
            if self._ask("SELECT count(*) FROM pg_database WHERE datname = %s"):
                return
            self._ask("SELECT pg_advisory_unlock_shared(hashtext(%s))")
        self._drop()
        fill(self.name)
        self._ask("SELECT pg_advisory_lock_shared(hashtext(%s))")
        self._ask("SELECT pg_advisory_unlock(hashtext(%s))")

    def close(self) -> None:
        """Copy it no more."""
        self._ask("SELECT pg_advisory_unlock_shared(hashtext(%s))")
        if self._ask("SELECT pg_try_advisory_lock(hashtext(%s))"):
            self._drop()
        self._connection.close()

    def _drop(self) -> None:
        self._connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(self.name)))

    def _ask(self, query: str) -> Any:
        row = self._connection.execute(query, (self.name,)).fetchone()  # pyright: ignore[reportArgumentType, reportCallIssue]
        return row[0] if row else None

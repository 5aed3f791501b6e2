"""Positions of environments in the table `twindiff.standings`: last seq, clock and due time."""

from __future__ import annotations

from typing import NamedTuple

from .connections import PostgresConnection, PostgresPool

_SEQ = "SELECT seq FROM twindiff.standings WHERE env = %s AND NOT forgotten"
_BYTES = """
SELECT coalesce(sum(bytes), 0) + pg_total_relation_size('twindiff.blobs') FROM twindiff.standings WHERE NOT forgotten
"""


_PRESENT = "SELECT mode, clock, at, due, seq FROM twindiff.standings WHERE env = %s AND NOT forgotten"


class EnvironmentPosition(NamedTuple):
    """An environment's clock mode, its `clock` and the wall clock `at` then, its due time, and its last `seq`.

    Times are in microseconds since 1970.
    """

    mode: str
    clock: int
    at: int
    due: int
    seq: int


class EnvironmentPositions:
    """Queries of the positions of existing environments."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    def seq(self, env: str) -> int:
        """Return the last seq of an environment; 0 if it does not exist."""
        with self._pool.connection() as connection:
            row = connection.row(_SEQ, (env,))
        return row[0] if row else 0

    def has(self, env: str) -> bool:
        """Whether an environment exists."""
        with self._pool.connection() as connection:
            return connection.row(_SEQ, (env,)) is not None

    def present(self, env: str) -> EnvironmentPosition | None:
        """Return the position of an environment; None if it does not exist."""
        with self._pool.connection() as connection:
            row = connection.row(_PRESENT, (env,))
        return EnvironmentPosition(*row) if row else None

    def expect(self, env: str, due: int, seq: int) -> None:
        """Set the due time of an environment, unless its last record is no longer `seq`."""
        with self._pool.connection() as connection:
            connection.count("UPDATE twindiff.standings SET due = %s WHERE env = %s AND seq = %s", (due, env, seq))

    def bytes(self) -> int:
        """Return the bytes written by the operations of all environments, plus those of blobs."""
        with self._pool.connection() as connection:
            row = connection.row(_BYTES)
        return int(row[0]) if row else 0


def forget(connection: PostgresConnection, env: str) -> None:
    """Delete an environment. Its rows are removed in the background, its journal once it has no forks."""
    connection.rows("SELECT twindiff.forget(%s)", (env,))

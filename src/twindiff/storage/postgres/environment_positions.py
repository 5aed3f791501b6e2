"""Where environments stand: their number of records, clock and counters."""

from __future__ import annotations

from typing import NamedTuple

from .connections import PostgresConnection, PostgresPool

_SEQ = "SELECT seq FROM twindiff.standings WHERE env = %s AND NOT forgotten"
_BYTES = """
SELECT coalesce(sum(bytes), 0) + pg_total_relation_size('twindiff.blobs') FROM twindiff.standings WHERE NOT forgotten
"""


_PRESENT = "SELECT mode, clock, at, due, seq FROM twindiff.standings WHERE env = %s AND NOT forgotten"


class EnvironmentPosition(NamedTuple):
    """An environment's mode of the clock, its clock and the wall clock then, when work falls due, its last record."""

    mode: str
    clock: int
    at: int
    due: int
    seq: int


class Standings:
    """The environments that there are."""

    def __init__(self, pool: PostgresPool) -> None:
        self._pool = pool

    def seq(self, env: str) -> int:
        """How many records an environment has; none when it is unknown."""
        with self._pool.connection() as connection:
            row = connection.row(_SEQ, (env,))
        return row[0] if row else 0

    def has(self, env: str) -> bool:
        """Whether an environment is there."""
        with self._pool.connection() as connection:
            return connection.row(_SEQ, (env,)) is not None

    def present(self, env: str) -> EnvironmentPosition | None:
        """Where an environment stands; None when it is unknown."""
        with self._pool.connection() as connection:
            row = connection.row(_PRESENT, (env,))
        return EnvironmentPosition(*row) if row else None

    def expect(self, env: str, due: int, seq: int) -> None:
        """Note when work falls due next, unless the environment has gone on from a record meanwhile."""
        with self._pool.connection() as connection:
            connection.count("UPDATE twindiff.standings SET due = %s WHERE env = %s AND seq = %s", (due, env, seq))

    def bytes(self) -> int:
        """What the operations of all environments have written, and the bytes of files."""
        with self._pool.connection() as connection:
            row = connection.row(_BYTES)
        return int(row[0]) if row else 0


def forget(connection: PostgresConnection, env: str) -> None:
    """Forget an environment; its rows are removed in the background, and its journal when no fork lives on it."""
    connection.rows("SELECT twindiff.forget(%s)", (env,))

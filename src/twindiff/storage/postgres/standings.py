"""Where environments stand: their number of records, clock and counters."""

from __future__ import annotations

from .connections import Connection, Pool

_SEQ = "SELECT seq FROM twindiff.standings WHERE env = %s AND NOT forgotten"


class Standings:
    """The environments that there are."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def seq(self, env: str) -> int:
        """How many records an environment has; none when it is unknown."""
        with self._pool.connection() as connection:
            found = connection.execute(_SEQ, (env,)).fetchone()
        return found[0] if found else 0

    def has(self, env: str) -> bool:
        """Whether an environment is there."""
        with self._pool.connection() as connection:
            return connection.execute(_SEQ, (env,)).fetchone() is not None

    def delete(self, env: str) -> None:
        """Forget an environment; its rows are removed in the background, its journal when no fork lives on it."""
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(twindiff.lock_of(%s))", (env,))
            connection.execute("INSERT INTO twindiff.leftovers (env) VALUES (%s) ON CONFLICT DO NOTHING", (env,))
            connection.execute("UPDATE twindiff.standings SET forgotten = true WHERE env = %s", (env,))
            _forget(connection, env)


def _forget(connection: Connection, env: str) -> None:
    """Drop a forgotten environment's record and journal, and then those of ancestors that were kept for it alone."""
    current: str | None = env
    while current:
        query = (
            "DELETE FROM twindiff.standings s WHERE env = %s AND forgotten "
            "AND NOT EXISTS (SELECT 1 FROM twindiff.standings c WHERE c.parent = s.env) RETURNING parent"
        )
        found = connection.execute(query, (current,)).fetchone()
        if found is None:
            return
        connection.execute("DELETE FROM twindiff.journal WHERE env = %s", (current,))
        current = found[0]

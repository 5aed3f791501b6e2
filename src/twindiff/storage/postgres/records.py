"""The journal, read: complete up to whatever was acknowledged before it is asked for."""

from __future__ import annotations

from typing import NamedTuple

from twindiff.storage.journal import Record, decode

from .arrivals import Arrivals
from .connections import Connection, Pool

END = 2**62
_HELD = (
    "SELECT s.seq, s.parent, s.born, j.seq, j.record FROM twindiff.standings s LEFT JOIN twindiff.journal j "
    "ON j.env = s.env AND j.seq > %s AND j.seq <= %s WHERE s.env = %s AND NOT s.forgotten ORDER BY j.seq"
)


class Birth(NamedTuple):
    """The parent of a fork and the point it left it at."""

    parent: str
    at: int


class Journal:
    """Records of environments."""

    def __init__(self, pool: Pool, arrivals: Arrivals) -> None:
        self._pool = pool
        self._arrivals = arrivals

    def records(self, env: str, after: int, upto: int | None) -> list[Record]:
        """Records with `after < seq <= upto`; those before a fork are its parent's. Waits for what is under way."""
        return self._arrivals.wait(env, lambda: self._held(env, after, END if upto is None else upto))

    def _held(self, env: str, after: int, upto: int) -> list[Record] | None:
        """Records of an interval; None while the last of them is under way."""
        with self._pool.connection() as connection:
            found = connection.rows(_HELD, (after, upto, env))
            if not found:
                return []  # the journal of one that was just deleted may still be on its way
            seq, parent, born, _, _ = found[0]
            last = found[-1][3]
            if min(seq, upto) > (max(after, born) if last is None else last):
                return None
            own = [decode(record) for *_, record in found if record is not None]
            return own if parent is None or after >= born else read(connection, parent, after, min(born, upto)) + own

    def wait(self, env: str) -> None:
        """Until the journal holds all that the environment has done."""
        self._arrivals.wait(env, lambda: self._is_whole(env) or None)

    def _is_whole(self, env: str) -> bool:
        query = (
            "SELECT s.seq <= COALESCE((SELECT max(j.seq) FROM twindiff.journal j WHERE j.env = s.env), s.born) "
            "FROM twindiff.standings s WHERE s.env = %s"
        )
        with self._pool.connection() as connection:
            return connection.row(query, (env,)) in (None, (True,))


def read(connection: Connection, env: str, after: int, upto: int) -> list[Record]:
    """What the journal holds now."""
    query = "SELECT record FROM twindiff.journal WHERE env = %s AND seq > %s AND seq <= %s ORDER BY seq"
    own = [decode(record) for (record,) in connection.rows(query, (env, after, upto))]
    born = birth(connection, env)
    if born is None or after >= born.at:
        return own
    return read(connection, born.parent, after, min(born.at, upto)) + own


def birth(connection: Connection, env: str) -> Birth | None:
    """Where a fork came from."""
    found = connection.row("SELECT parent, born FROM twindiff.standings WHERE env = %s", (env,))
    return Birth(*found) if found and found[0] else None

"""The journal, read: complete up to whatever was acknowledged before it is asked for."""

from __future__ import annotations

from typing import NamedTuple

from twindiff.storage.journal import Record, decode

from .arrivals import Arrivals
from .connections import Connection, Pool

END = 2**62
_THERE = "SELECT 1 FROM twindiff.standings WHERE env = %s AND NOT forgotten"


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
        self._arrivals.wait(env, upto)
        with self._pool.connection() as connection:
            if not connection.execute(_THERE, (env,)).fetchone():
                return []  # the journal of one that was just deleted may still be on its way
            return read(connection, env, after, END if upto is None else upto)

    def wait(self, env: str) -> None:
        """Until the journal holds all that the environment has done."""
        self._arrivals.wait(env, None)


def read(connection: Connection, env: str, after: int, upto: int) -> list[Record]:
    """What the journal holds now."""
    query = "SELECT record FROM twindiff.journal WHERE env = %s AND seq > %s AND seq <= %s ORDER BY seq"
    own = [decode(record) for (record,) in connection.execute(query, (env, after, upto))]
    born = birth(connection, env)
    if born is None or after >= born.at:
        return own
    return read(connection, born.parent, after, min(born.at, upto)) + own


def birth(connection: Connection, env: str) -> Birth | None:
    """Where a fork came from."""
    found = connection.execute("SELECT parent, born FROM twindiff.standings WHERE env = %s", (env,)).fetchone()
    return Birth(*found) if found and found[0] else None

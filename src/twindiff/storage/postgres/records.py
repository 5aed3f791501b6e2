"""Reading of the journal, complete up to all operations acknowledged before the read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from twindiff.storage import JournalIncomplete
from twindiff.storage.journal import JournalRecord, decode

from .connections import PostgresConnection, PostgresPool
from .journal_fence import JournalFence

END = 2**62
AT_ONCE = 1_000
"""Records read by one query."""
# `passed` is the last seq that arrived in WAL order: no smaller one can still arrive. It is read by the same query as
# the records, since more may arrive before a second query.
_HELD = (
    "SELECT s.seq, s.parent, s.born, (SELECT max(p.seq) FROM twindiff.journal p WHERE p.env = s.env "
    "AND p.lsn IS NOT NULL) AS passed, j.record FROM twindiff.standings s LEFT JOIN twindiff.journal j "
    "ON j.env = s.env AND j.seq > %s AND j.seq <= %s WHERE s.env = %s AND NOT s.forgotten ORDER BY j.seq"
)
_SPANS_SHOWN = 5


class Birth(NamedTuple):
    """The parent of a fork and the seq at which it was forked."""

    parent: str
    at: int


class Span(NamedTuple):
    """A range of consecutive seqs, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


class PostgresJournal:
    """Reads the journals of environments, after waiting for acknowledged records."""

    def __init__(self, pool: PostgresPool, journal_fence: JournalFence) -> None:
        self._pool = pool
        self._fence = journal_fence

    def records(self, env: str, after: int, upto: int | None) -> list[JournalRecord]:
        """Return records with `after < seq <= upto`, those before a fork from its parent.

        Waits for acknowledged records that have not arrived yet. Raises JournalIncomplete, JournalLags.
        """
        return [record for part in self.parts(env, after, upto) for record in part]

    def parts(self, env: str, after: int, upto: int | None) -> Iterator[list[JournalRecord]]:
        """Yield the same records in parts, since loading many rows at once holds the GIL for too long."""
        last = END if upto is None else upto
        for low in range(after, last, AT_ONCE):
            high = min(low + AT_ONCE, last)
            part = self._fence.wait(
                env, lambda has_all, low=low, high=high: self._read_interval(env, low, high, has_all=has_all)
            )
            yield part
            if len(part) < high - low:
                return

    def _read_interval(self, env: str, after: int, upto: int, *, has_all: bool) -> list[JournalRecord] | None:
        """Return the records of an interval; None while some have not arrived.

        Once the journal `has_all`, none can still arrive. Raises JournalIncomplete for those that never will.
        """
        with self._pool.connection() as connection:
            rows = connection.rows(_HELD, (after, upto, env))
            if not rows:
                return []  # a deleted environment, whose records may still be arriving
            seq, parent, born, passed, _ = rows[0]
            own = [decode(record) for *_, record in rows if record is not None]
            missing = _missing(own, max(after, born), min(seq, upto))
            if missing:
                last = END if has_all else passed or 0
                _refuse_incomplete(env, [span for span in missing if span.first < last])
                return None
            return own if parent is None or after >= born else read(connection, parent, after, min(born, upto)) + own

    def wait(self, env: str, after: int) -> None:
        """Wait until the journal has all records of an environment after a point, or no more can arrive."""
        self._fence.wait(env, lambda has_all: has_all or self._is_whole(env, after) or None)

    def _is_whole(self, env: str, after: int) -> bool:
        query = (
            "SELECT s.seq - GREATEST(s.born, %s) <= (SELECT count(*) FROM twindiff.journal j WHERE j.env = s.env "
            "AND j.seq > %s) FROM twindiff.standings s WHERE s.env = %s"
        )
        with self._pool.connection() as connection:
            return connection.row(query, (after, after, env)) in (None, (True,))


def read(connection: PostgresConnection, env: str, after: int, upto: int) -> list[JournalRecord]:
    """Return the records of an interval without waiting; raises JournalIncomplete if some are missing."""
    query = "SELECT record FROM twindiff.journal WHERE env = %s AND seq > %s AND seq <= %s ORDER BY seq"
    born = birth(connection, env)
    first = max(after, born.at if born else 0)
    own = [
        decode(record)
        for low in range(first, upto, AT_ONCE)
        for (record,) in connection.rows(query, (env, low, min(low + AT_ONCE, upto)))
    ]
    _refuse_incomplete(env, _missing(own, first, upto))
    if born is None or after >= born.at:
        return own
    return read(connection, born.parent, after, min(born.at, upto)) + own


def birth(connection: PostgresConnection, env: str) -> Birth | None:
    """Return the origin of a fork; None for other environments."""
    row = connection.row("SELECT parent, born FROM twindiff.standings WHERE env = %s", (env,))
    return Birth(*row) if row and row[0] else None


def _missing(records: list[JournalRecord], after: int, upto: int) -> list[Span]:
    """Return the seqs of an interval that no record has."""
    if len(records) == upto - after:
        return []
    known = [after, *(record.seq for record in records), upto + 1]
    return [Span(before + 1, behind - 1) for before, behind in pairwise(known) if behind > before + 1]


def _refuse_incomplete(env: str, missing: list[Span]) -> None:
    if not missing:
        return
    named = ", ".join(str(span) for span in missing[:_SPANS_SHOWN])
    more = " and more" if len(missing) > _SPANS_SHOWN else ""
    kind = "operation" if len(missing) == 1 and missing[0].first == missing[0].last else "operations"
    raise JournalIncomplete(
        f"The journal lacks {kind} {named}{more} of environment '{env}': the log that told of them was lost before it "
        "was read. What they changed is not known, so nothing that spans them can be shown, judged or undone. "
        "Reset the environment, or ask for what came after them."
    )

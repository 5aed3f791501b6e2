"""Rewind to a point of an environment, fork at one, and import, by means of the journal."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from twindiff.storage import EnvironmentGone, EnvironmentOrigin, JournalIncomplete, UnknownPoint
from twindiff.storage.due import NO_JOBS, UNKNOWN, unknown
from twindiff.storage.journal import JournalRecord, Net, RowLocation, between, encode, net

from .bulk_writes import as_copy, copy_rows, delete_rows, without_capture
from .connections import PostgresConnection, PostgresPool
from .journal_fence import CHANNEL, notice_of
from .preprovisioned import stand
from .records import PostgresJournal, read
from .tables import PostgresSchemaSql
from .templates import template_env

_LOOK = f"CASE due WHEN {NO_JOBS} THEN due ELSE {UNKNOWN} END"
"""The SQL for the due time of an environment whose rows changed without an operation."""


class PointPosition(NamedTuple):
    """The position of an environment at a point: last seq, clock, wall clock `at` then, and counters."""

    seq: int
    clock: int
    at: int
    counters: dict[str, int]


class PostgresPoints:
    """Rewinds, forks and imports; they rewrite rows, so they take longer than on the embedded engine."""

    def __init__(self, pool: PostgresPool, tables: Mapping[str, PostgresSchemaSql], journal: PostgresJournal) -> None:
        self._pool = pool
        self._tables = tables
        self._journal = journal

    def rewind(self, env: str, to: int) -> int:
        """Restore the rows as of the seq `to` and append a rewind record; return its seq."""
        with self._alone(env, to) as (connection, seq, origin):
            standing = _standing(connection, env, origin, seq, to)
            as_copy(connection, env)
            self._return(connection, env, origin, seq, to)
            wall = time.time_ns() // 1000
            clock = origin.clock.resume_at(wall, standing.clock, standing.at)
            record = JournalRecord(env, seq + 1, "", "rewind", "", wall, clock, standing.counters, [], to=to)
            connection.count(_ADD_REWIND, (env, record.seq, encode(record)))
            connection.count(
                "UPDATE twindiff.standings SET seq = %s, clock = %s, at = %s, counters = %s, "
                f"due = {_LOOK} WHERE env = %s",
                (record.seq, clock, wall, msgspec.json.encode(standing.counters).decode(), env),
            )
            connection.rows("SELECT pg_notify(%s, %s)", (CHANNEL, notice_of(env, record.seq)))
        return seq + 1

    def fork(self, env: str, at: int, child: str) -> None:
        """Copy the current rows to the environment `child`, and rewind the copy to the point `at`."""
        with self._alone(env, at) as (connection, seq, origin):
            standing = _standing(connection, env, origin, seq, at)
            as_copy(connection, child)
            for twin in origin.templates:
                copy_rows(connection, twin, env, [child])
            self._bring_back(connection, _since(connection, env, at, seq))
            made = time.time_ns() // 1000
            connection.count(
                _ADD_FORK,
                (
                    child,
                    at,
                    origin.clock.resume_at(made, standing.clock, standing.at),
                    made,
                    msgspec.json.encode(standing.counters).decode(),
                    at,
                    env,
                ),
            )

    def import_environment(self, env: str, origin: EnvironmentOrigin, records: list[JournalRecord]) -> None:
        """Copy the rows of the templates, apply the changes of all records, and store the records unchanged."""
        with without_capture(self._pool) as connection:
            as_copy(connection, env)
            for twin, hash in origin.templates.items():
                copy_rows(connection, twin, template_env(hash), [env])
            self._bring_back(connection, net(between(lambda after, upto: records[after:upto], len(records), 0)))
            stand(connection, env, origin, unknown(self._tables[twin].schema for twin in origin.templates))
            if records:
                _take_over(connection, env, records)

    @contextmanager
    def _alone(self, env: str, point: int) -> Generator[tuple[PostgresConnection, int, EnvironmentOrigin]]:
        """Open a transaction with a lock on the environment, once the journal is complete from a point on.

        Yields the connection, the last seq and the definition of the environment; raises EnvironmentGone.
        """
        before = max(0, point - 1)
        self._journal.wait(env, before)
        with without_capture(self._pool) as connection:
            connection.rows("SELECT * FROM twindiff.begin_write(%s, 'rewind')", (env,))
            connection.rows("SELECT set_config('statement_timeout', '0', true)")
            self._journal.wait(env, before)
            # The row lock excludes the WAL consumer, which numbers manual changes without the environment's lock.
            query = "SELECT seq, origin FROM twindiff.standings WHERE env = %s AND NOT forgotten FOR UPDATE"
            row = connection.row(query, (env,))
            if row is None:
                raise EnvironmentGone(f"environment '{env}' is not there any more")
            yield connection, row[0], msgspec.json.decode(row[1], type=EnvironmentOrigin)

    def _return(self, connection: PostgresConnection, env: str, origin: EnvironmentOrigin, seq: int, to: int) -> None:
        """Undo all changes after a point. The beginning needs no complete journal, since templates can be copied."""
        try:
            self._bring_back(connection, _since(connection, env, to, seq))
        except JournalIncomplete:
            if to:
                raise
            for twin, hash in origin.templates.items():
                delete_rows(connection, twin, [env])
                copy_rows(connection, twin, template_env(hash), [env])

    def _bring_back(self, connection: PostgresConnection, differences: Mapping[RowLocation, Net]) -> None:
        """Restore rows to their state before; deletes come first, so that rows can exchange unique values."""
        gone: defaultdict[str, list[list[Any]]] = defaultdict(list)
        back: defaultdict[str, list[list[Any]]] = defaultdict(list)
        for place, (before, after) in differences.items():
            form = self._tables[place.twin].by_name[place.table]
            if after is not None:
                stored = form.insert_values(after)
                gone[form.delete_all].append([stored[at] for at in form.key_at])
            if before is not None:
                back[form.insert_all].append(form.insert_values(before))
        for statement, values in (*gone.items(), *back.items()):
            connection.write_all(statement, values)


_ADD_FORK = f"""
INSERT INTO twindiff.standings (env, origin, mode, seq, clock, at, counters, parent, born, due, bytes)
SELECT %s, origin, mode, %s, %s, %s, %s, env, %s, {_LOOK}, bytes FROM twindiff.standings WHERE env = %s
"""
_ADD_REWIND = "INSERT INTO twindiff.journal (env, seq, record, lsn) VALUES (%s, %s, %s, pg_current_wal_insert_lsn())"


def _take_over(connection: PostgresConnection, env: str, records: list[JournalRecord]) -> None:
    insert = (
        "INSERT INTO twindiff.journal (env, seq, record) SELECT * FROM unnest(%s::text[], %s::bigint[], %s::bytea[])"
    )
    packed = [(env, record.seq, encode(record)) for record in records]
    connection.write_all(insert, packed)
    size, last = sum(len(each) for _, _, each in packed), records[-1]
    connection.count(
        "UPDATE twindiff.standings SET seq = %s, clock = %s, at = %s, counters = %s, bytes = %s WHERE env = %s",
        (last.seq, last.clock, last.at, msgspec.json.encode(last.ids).decode(), size, env),
    )


def _since(connection: PostgresConnection, env: str, point: int, seq: int) -> dict[RowLocation, Net]:
    """Return the net changes since a point."""
    return net(between(lambda after, upto: read(connection, env, after, upto), point, seq))


def _standing(
    connection: PostgresConnection, env: str, origin: EnvironmentOrigin, seq: int, point: int
) -> PointPosition:
    refuse_unknown(point, seq)
    records = read(connection, env, point - 1, point) if point else []
    if not records:
        return PointPosition(0, origin.clock_start, origin.created, origin.counters)
    return PointPosition(point, records[0].clock, records[0].at, records[0].ids)


def refuse_unknown(point: int, seq: int) -> None:
    """Raise UnknownPoint unless 0 <= point <= seq, the last seq of the environment."""
    if not 0 <= point <= seq:
        raise UnknownPoint(f"unknown point {point}: this environment has points 0 to {seq}")

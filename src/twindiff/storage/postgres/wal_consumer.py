"""The WAL consumer ("drainer"): one process streams the write-ahead log into the journal; others stand by."""

from __future__ import annotations

import logging
import select
import threading
import time
from typing import Any, NamedTuple, cast

import msgspec
import psycopg
import psycopg2
import psycopg2.extras

from twindiff.storage.backoff import seconds_after
from twindiff.storage.due import NO_JOBS, UNKNOWN
from twindiff.storage.journal import JournalRecord, encode

from .admin import origins_of, slot_of
from .capture import EXTERNAL, PREFIX, Transaction, Unnumbered, Wal2jsonLine, decode_line, decode_shapes
from .connections import PostgresConnection, connect, first_line, keepalive
from .ddl import CATALOG, ORIGIN_PREFIX, SHAPE_PREFIX, Shapes
from .journal_fence import ANY, CHANNEL, notice_of
from .lease import BEAT_SECONDS, Lease

log = logging.getLogger("twindiff")

RETRY_SECONDS = 0.3
MAX_BATCH_RECORDS = 500
"""Records written to the journal in one commit."""
CONFIRM_SECONDS = 1.0
WORTH_CONFIRMING = 1 << 20
"""Bytes of WAL without records after which they are confirmed anyway."""
MAX_NOTICE_BYTES = 7000


class WalPosition(NamedTuple):
    """A position in the write-ahead log (LSN), written as two hexadecimal numbers: `16/B374D848`."""

    number: int

    @classmethod
    def of(cls, text: str) -> WalPosition:
        high, low = text.split("/")
        return cls((int(high, 16) << 32) + int(low, 16))

    def __str__(self) -> str:
        return f"{self.number >> 32:X}/{self.number & 0xFFFFFFFF:X}"


class Drainer:
    """Waits for the lease, then streams the WAL into the journal, until stopped."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._stopping = threading.Event()

    def run(self) -> None:
        """Wait for the lease and stream; start over after any database error."""
        said, failures = "", 0
        while not self._stopping.is_set():
            try:
                with connect(self._dsn) as connection:
                    lease = Lease(connection)
                    if lease.wait(self._stopping):
                        Drain(self._dsn, connection, lease, self._stopping).run()
            except Exception as error:
                is_known = isinstance(error, psycopg.Error | psycopg2.Error)
                if first_line(error) != said:
                    said, failures = first_line(error), 0
                    detail = None if is_known else error
                    log.warning("The journal is not being written: %s; it is tried again", said, exc_info=detail)
                failures += 1
                self._stopping.wait(RETRY_SECONDS if is_known else seconds_after(failures))

    def stop(self) -> None:
        """Make `run` return soon. Safe in any thread."""
        self._stopping.set()


class Drain:
    """One session of streaming: `connection` holds the lease and writes the journal."""

    def __init__(self, dsn: str, connection: PostgresConnection, lease: Lease, stopping: threading.Event) -> None:
        self._dsn = dsn
        self._connection = connection
        self._lease = lease
        self._stopping = stopping
        self._slot = slot_of(connection)
        self._shapes: dict[str, Shapes] = {}
        self._announced: dict[str, Shapes] = {}
        self._learned: dict[str, Shapes] = {}
        self._has_more_origins = False
        self._is_outdated = False
        """Whether the stream must be reopened, to filter out new replication origins."""
        self._done = WalPosition(0)
        self._confirmed = self._done
        self._looked = 0.0
        self._batch: list[JournalRecord | Unnumbered] = []
        self._reached = WalPosition(0)
        self._open: Transaction | None = None

    def run(self) -> None:
        """Stream until stopped or until there are new replication origins; raises psycopg and psycopg2 errors."""
        ask = self._connection.row
        ask("SELECT pg_replication_origin_session_setup(%s)", (origins_of(self._connection).drain,))
        progress = ask("SELECT lsn::text FROM twindiff.progress WHERE slot = %s", (self._slot,))
        self._done = WalPosition.of(progress[0]) if progress else WalPosition(0)
        self._load_shapes()
        factory = psycopg2.extras.LogicalReplicationConnection
        options: dict[str, Any] = {"connection_factory": factory, **keepalive(self._dsn)}
        stream = psycopg2.connect(self._dsn, **options)
        try:
            self._follow(stream.cursor())
        finally:
            stream.close()

    def _load_shapes(self) -> None:
        rows = self._connection.rows("SELECT twin, drained FROM twindiff.shapes")
        self._shapes = {twin: msgspec.json.decode(shape, type=Shapes) for twin, shape in rows}

    def _options(self) -> dict[str, str]:
        query = "SELECT roident FROM pg_replication_origin WHERE roname = ANY(%s) ORDER BY 1"
        rows = self._connection.rows(query, (origins_of(self._connection).names,))
        return {
            "format-version": "2",
            "include-transaction": "true",
            "include-lsn": "true",
            "include-types": "false",
            "filter-tables": f"twindiff.*,{CATALOG}.*",
            # By number: wal2json silently ignores names.
            "filter-origins": ",".join(str(origin) for (origin,) in rows),
            "add-msg-prefixes": f"{PREFIX},{SHAPE_PREFIX},{ORIGIN_PREFIX}",
        }

    def _follow(self, cursor: Any) -> None:
        cursor.start_replication(slot_name=self._slot, options=self._options(), decode=False, status_interval=10)
        self._lease.renew()
        while not self._stopping.is_set():
            self._lease.keep()
            message = cursor.read_message()
            if message is not None:
                self._take(decode_line(message.payload))
                if len(self._batch) < MAX_BATCH_RECORDS and not self._is_outdated:
                    continue
            self._write()
            if self._is_outdated:
                self._progress(self._reached)
                return
            self._confirm(cursor)
            if message is None:
                select.select([cursor], [], [], BEAT_SECONDS)

    def _take(self, line: Wal2jsonLine) -> None:
        if line.action == "B":
            self._open = Transaction(self._shapes)
            self._announced = {}
            self._has_more_origins = False
        elif line.action == "C":
            end = WalPosition.of(line.nextlsn)
            if self._open and end > self._done:
                self._lease.keep_for(self._open.size)
                self._batch += self._open.records()
                self._learn()
                self._is_outdated = self._has_more_origins
            self._reached = max(self._reached, end)
            self._open = None
        elif line.prefix == SHAPE_PREFIX:
            twin, shapes = decode_shapes(line.content)
            self._announced[twin] = shapes
        elif line.prefix == ORIGIN_PREFIX:
            self._has_more_origins = True
        elif self._open:
            self._open.take(line)

    def _learn(self) -> None:
        """Use the shapes announced by a migration, from the end of its transaction on."""
        self._shapes |= self._announced
        self._learned |= self._announced
        self._announced = {}

    def _write(self) -> None:
        """Write the batch to the journal.

        The commit is asynchronous: records lost in a crash are streamed again, since they are confirmed later, and
        existing ones are left unchanged. Only if records are numbered here, they are committed along with the WAL
        position, so that none is numbered twice.
        """
        if not self._batch:
            return
        if any(isinstance(each, Unnumbered) for each in self._batch):
            with self._connection.transaction():
                records = [self._number_changes(each) if isinstance(each, Unnumbered) else each for each in self._batch]
                self._append([record for record in records if record])
                self._progress(self._reached)
        else:
            self._append(cast(list[JournalRecord], self._batch), commit="off")
        self._done = self._reached
        self._batch = []

    def _append(self, records: list[JournalRecord], commit: str | None = None) -> None:
        self._lease.keep_for(sum(len(record.changes) for record in records))
        environments = [record.env for record in records]
        notice = " ".join(notice_of(env, seq) for env, seq in {each.env: each.seq for each in records}.items())
        rows = [record.seq for record in records], [encode(record) for record in records]
        places = [None if _is_numbered_here(record) else str(self._reached) for record in records]
        told = notice if len(notice) < MAX_NOTICE_BYTES else ANY
        self._connection.rows(_APPEND, (environments, *rows, places, commit, told))

    def _progress(self, end: WalPosition) -> None:
        shapes = [msgspec.json.encode(each).decode() for each in self._learned.values()]
        self._connection.rows(_PROGRESS, ([*self._learned], shapes, self._slot, str(end)))
        self._learned = {}

    def _number_changes(self, unnumbered: Unnumbered) -> JournalRecord | None:
        """Assign a seq to changes without metadata and return their record; None if the environment is deleted."""
        standing = self._connection.row(_NUMBER, (unnumbered.env,))
        if standing is None:
            return None
        seq, clock, counters = standing
        wall = time.time_ns() // 1000
        ids = msgspec.json.decode(counters)
        return JournalRecord(unnumbered.env, seq, unnumbered.twin, EXTERNAL, "", wall, clock, ids, unnumbered.changes)

    def _confirm(self, cursor: Any) -> None:
        """Confirm processed WAL, at most once per second, so that PostgreSQL can remove it."""
        if self._open is not None or time.monotonic() - self._looked < CONFIRM_SECONDS:
            return
        self._looked = time.monotonic()
        end = max(self._done, self._reached, WalPosition(cursor.wal_end))
        # Our own commits extend the WAL: without a threshold, each confirmation would cause the next.
        if self._reached > self._confirmed or end.number - self._confirmed.number > WORTH_CONFIRMING:
            self._progress(end)  # a synchronous commit, which makes all before it durable
            self._done = self._confirmed = end
            cursor.send_feedback(flush_lsn=end.number, force=True)


def _is_numbered_here(record: JournalRecord) -> bool:
    """Whether a record was numbered by `_number_changes`; one numbered by a trigger has an actor."""
    return record.operation == EXTERNAL and not record.actor


_PROGRESS = (
    "WITH learned AS (UPDATE twindiff.shapes s SET drained = l.shape "
    "FROM unnest(%s::text[], %s::text[]) l(twin, shape) WHERE s.twin = l.twin) "
    "INSERT INTO twindiff.progress VALUES (%s, %s) ON CONFLICT (slot) DO UPDATE SET lsn = excluded.lsn"
)
_NUMBER = (
    f"UPDATE twindiff.standings SET seq = seq + 1, due = CASE due WHEN {NO_JOBS} THEN due ELSE {UNKNOWN} END "
    "WHERE env = %s AND NOT forgotten "
    "RETURNING seq, clock, counters"
)
_APPEND = (
    "WITH appended AS (INSERT INTO twindiff.journal (env, seq, record, lsn) SELECT r.* FROM "
    "unnest(%s::text[], %s::bigint[], %s::bytea[], %s::pg_lsn[]) r(env, seq, record, lsn) "
    "WHERE EXISTS (SELECT 1 FROM twindiff.standings s WHERE s.env = r.env) ON CONFLICT DO NOTHING) "
    "SELECT set_config('synchronous_commit', COALESCE(%s, current_setting('synchronous_commit')), true), "
    f"pg_notify('{CHANNEL}', %s)"
)

"""The drainer: one process of all streams the write-ahead log into the journal; those who stand by take over."""

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
"""Transactions that become journal rows in one commit."""
CONFIRM_SECONDS = 1.0
WORTH_CONFIRMING = 1 << 20
"""Bytes of log that hold nothing of ours, after which they are confirmed all the same."""
MAX_NOTICE_BYTES = 7000


class WalPosition(NamedTuple):
    """A place in the write-ahead log; PostgreSQL writes it as two hexadecimal numbers."""

    number: int

    @classmethod
    def of(cls, text: str) -> WalPosition:
        high, low = text.split("/")
        return cls((int(high, 16) << 32) + int(low, 16))

    def __str__(self) -> str:
        return f"{self.number >> 32:X}/{self.number & 0xFFFFFFFF:X}"


class Drainer:
    """Stands by until it has the lease, then drains, until it is told to stop."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._stopping = threading.Event()

    def run(self) -> None:
        """Stand by, drain, and begin again whatever happens."""
        said = ""
        while not self._stopping.is_set():
            try:
                with connect(self._dsn) as connection:
                    lease = Lease(connection)
                    if lease.wait(self._stopping):
                        Drain(self._dsn, connection, lease, self._stopping).run()
            except (psycopg.Error, psycopg2.Error) as error:
                if first_line(error) != said:
                    said = first_line(error)
                    log.warning("The journal is not being written: %s; it is tried again", said)
                self._stopping.wait(RETRY_SECONDS)

    def stop(self) -> None:
        """End soon."""
        self._stopping.set()


class Drain:
    """The work of the drainer: `connection` holds the lease and writes the journal."""

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
        """Whether a stream has to be opened that leaves out more origins."""
        self._done = WalPosition(0)
        self._confirmed = self._done
        self._looked = 0.0
        self._batch: list[JournalRecord | Unnumbered] = []
        self._reached = WalPosition(0)
        self._open: Transaction | None = None

    def run(self) -> None:
        """Until told to stop, the database goes away, or there are more origins to leave out."""
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
            # By number: an origin's name is ignored without a word.
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
        """Read rows as a migration left them, from its end on."""
        self._shapes |= self._announced
        self._learned |= self._announced
        self._announced = {}

    def _write(self) -> None:
        """Commit what has come in.

        The commit does not wait for the disk: what a crash takes from the journal is streamed again, since it is
        confirmed only later, and a record that is there already stays as it is. Only a number that is given here has to
        stand together with how far the log was read.
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
        """A record for changes that came without a number; None when their environment is no more."""
        standing = self._connection.row(_NUMBER, (unnumbered.env,))
        if standing is None:
            return None
        seq, clock, counters = standing
        wall = time.time_ns() // 1000
        ids = msgspec.json.decode(counters)
        return JournalRecord(unnumbered.env, seq, unnumbered.twin, EXTERNAL, "", wall, clock, ids, unnumbered.changes)

    def _confirm(self, cursor: Any) -> None:
        """Once a second, let PostgreSQL drop the log whose journal rows are on disk, or that holds nothing of ours."""
        if self._open is not None or time.monotonic() - self._looked < CONFIRM_SECONDS:
            return
        self._looked = time.monotonic()
        end = max(self._done, self._reached, WalPosition(cursor.wal_end))
        # Our own commits move the log on: without a threshold one confirmation would be reason for the next.
        if self._reached > self._confirmed or end.number - self._confirmed.number > WORTH_CONFIRMING:
            self._progress(end)  # which takes all before it to the disk
            self._done = self._confirmed = end
            cursor.send_feedback(flush_lsn=end.number, force=True)


def _is_numbered_here(record: JournalRecord) -> bool:
    """Whether a record got its number from the drainer; what a trigger numbers has an actor."""
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

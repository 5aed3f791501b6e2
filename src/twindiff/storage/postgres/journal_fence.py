"""The journal barrier: readers wait until the journal holds all acknowledged operations.

The seq of an operation is committed with its rows, so a reader knows which records must arrive; the WAL consumer
announces those that have by NOTIFY.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from twindiff.storage import StorageUnavailable
from twindiff.storage.backoff import Backoff
from twindiff.storage.feed import EVERYTHING, Feed

from .connections import PostgresConnection, PostgresPool, connect

T = TypeVar("T")

CHANNEL = "twindiff_journal"
ANY = "*"
"""The notice that stands for all environments."""
PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.5


class JournalLags(StorageUnavailable):
    """The journal has not caught up with the database within five seconds. Try again in a second."""


def notice_of(env: str, seq: int) -> str:
    """Return the notice that the journal of an environment has reached `seq`."""
    return f"{env}:{seq}"


def _parse_notice(notice: str) -> tuple[str, int]:
    env, _, seq = notice.partition(":")
    return env, int(seq or 0)


def announce(connection: PostgresConnection, env: str, seq: int) -> None:
    """Notify the feed of every process about an environment, when the transaction commits."""
    connection.rows("SELECT pg_notify(%s, %s)", (CHANNEL, notice_of(env, seq)))


class JournalFence:
    """The waiting readers of this process, and the connection that listens for notices."""

    def __init__(self, dsn: str, pool: PostgresPool) -> None:
        self._dsn = dsn
        self._pool = pool
        self._guard = threading.Lock()
        self._waiting: dict[str, set[threading.Event]] = {}
        self._listener: threading.Thread | None = None
        self._stopping = threading.Event()
        self._connection: PostgresConnection | None = None
        self.feed = Feed(self.listen)

    def wait(self, env: str, ask: Callable[[bool], T | None]) -> T:
        """Call `ask(has_all)` until it returns a result, again whenever records of an environment arrive.

        `has_all` is whether everything has arrived that was committed when the wait began. Raises JournalLags after
        PATIENCE_SECONDS.
        """
        answer = ask(False)
        if answer is not None:
            return answer
        with self._await_notice(env) as news:
            deadline = time.monotonic() + PATIENCE_SECONDS
            mark: str | None = None
            has_all = False
            while (answer := ask(has_all)) is None:
                if time.monotonic() > deadline:
                    raise JournalLags(self._lag())
                # Poll from time to time, since a lost connection loses notifications.
                if not news.wait(_RETRY_SECONDS):
                    mark = mark or self._mark()
                    has_all = self._has_passed(mark)
                news.clear()
        return answer

    def _mark(self) -> str:
        """Commit an empty marker transaction; return a WAL position before its end."""
        with self._pool.connection() as connection:
            ((place,),) = connection.rows("SELECT pg_logical_emit_message(true, 'twindiff-mark', '')::text")
        return place

    def _has_passed(self, mark: str) -> bool:
        """Whether the WAL consumer has processed everything committed before a marker."""
        with self._pool.connection() as connection:
            row = connection.row("SELECT max(lsn) > %s::pg_lsn FROM twindiff.progress", (mark,))
        return row == (True,)

    def _lag(self) -> str:
        query = (
            "SELECT pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)), active "
            "FROM pg_replication_slots WHERE database = current_database() AND plugin = 'wal2json'"
        )
        with self._pool.connection() as connection:
            row = connection.execute(query).fetchone()
        if row is None:
            return "The journal cannot follow: its replication slot is gone; run `twindiff db init --admin-dsn …`"
        lag, active = row
        state = "is reading" if active else "is not running"
        return f"The journal is {lag} behind the database, and its drainer {state}; try again"

    @contextmanager
    def _await_notice(self, env: str) -> Generator[threading.Event]:
        event = threading.Event()
        with self._guard:
            self._waiting.setdefault(env, set()).add(event)
        self.listen()
        try:
            yield event
        finally:
            with self._guard:
                self._waiting[env].discard(event)
                if not self._waiting[env]:
                    del self._waiting[env]

    def listen(self) -> None:
        """Start listening for notices, unless already started."""
        with self._guard:
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="twindiff arrivals", daemon=True)
                self._listener.start()

    def _listen(self) -> None:
        backoff = Backoff("Listening for commits")
        while not self._stopping.is_set():
            try:
                with connect(self._dsn) as connection:
                    self._connection = connection
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._tell(ANY)
                    backoff.reset()
                    while not self._stopping.is_set():
                        for notice in connection.notifies(timeout=0.2):
                            self._tell(notice.payload)
            except psycopg.Error:
                self._stopping.wait(_RETRY_SECONDS)
            except Exception as error:  # noqa: BLE001 - without this thread, readers would wait for ever
                self._stopping.wait(backoff.fail(error))

    def _tell(self, payload: str) -> None:
        """Wake the readers that wait for the environments of a notice, and notify the feed.

        A payload that cannot be read, which any role of the database can send, wakes all.
        """
        try:
            seqs = dict(_parse_notice(each) for each in payload.split()) if payload != ANY else {EVERYTHING: 0}
        except ValueError:
            payload, seqs = ANY, {EVERYTHING: 0}
        with self._guard:
            for env in [*self._waiting] if payload == ANY else seqs:
                for event in self._waiting.get(env, ()):
                    event.set()
        for env, seq in seqs.items():
            self.feed.announce_commit(env, seq)

    def close(self) -> None:
        self._stopping.set()
        if self._listener:
            self._listener.join()

"""The fence: wait until the journal holds what was acknowledged.

An operation's number is committed with its rows, so what must arrive is known by number; the drainer says by NOTIFY
what has.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

import psycopg

from twindiff.storage import StorageUnavailable
from twindiff.storage.feed import EVERYTHING, Feed

from .connections import PostgresConnection, PostgresPool, connect

T = TypeVar("T")

CHANNEL = "twindiff_journal"
ANY = "*"
"""The notice that names all environments."""
PATIENCE_SECONDS = 5.0
_RETRY_SECONDS = 0.5


class JournalLags(StorageUnavailable):
    """The journal has not caught up with the database within five seconds. Try again in a second."""


def notice_of(env: str, seq: int) -> str:
    """What is said of an environment whose journal has got as far as `seq`."""
    return f"{env}:{seq}"


def _parse_notice(notice: str) -> tuple[str, int]:
    env, _, seq = notice.partition(":")
    return env, int(seq or 0)


def announce(connection: PostgresConnection, env: str, seq: int) -> None:
    """Tell every process that there is something to see to in an environment, once the transaction has committed."""
    connection.rows("SELECT pg_notify(%s, %s)", (CHANNEL, notice_of(env, seq)))


class JournalFence:
    """Who waits for what, in this process."""

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
        """Ask the journal, again whenever records of an environment arrive, until it answers; raises JournalLags.

        `ask` is told whether all has arrived that was committed when the wait began.
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
                # Now and then the database is asked all the same: a notification is lost with its connection.
                if not news.wait(_RETRY_SECONDS):
                    mark = mark or self._mark()
                    has_all = self._has_passed(mark)
                news.clear()
        return answer

    def _mark(self) -> str:
        """Commit something that is no operation's; gives a place in the log before its end."""
        with self._pool.connection() as connection:
            ((place,),) = connection.rows("SELECT pg_logical_emit_message(true, 'twindiff-mark', '')::text")
        return place

    def _has_passed(self, mark: str) -> bool:
        """Whether what was committed before a mark is in the journal, as far as it ever will be."""
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
        """Hear of what arrives from now on."""
        with self._guard:
            if self._listener is None:
                self._listener = threading.Thread(target=self._listen, name="twindiff arrivals", daemon=True)
                self._listener.start()

    def _listen(self) -> None:
        while not self._stopping.is_set():
            try:
                with connect(self._dsn) as connection:
                    self._connection = connection
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._tell(ANY)
                    while not self._stopping.is_set():
                        for notice in connection.notifies(timeout=0.2):
                            self._tell(notice.payload)
            except psycopg.Error:
                self._stopping.wait(_RETRY_SECONDS)

    def _tell(self, payload: str) -> None:
        """Wake those who wait for one of the environments named, and tell the feed."""
        seqs = dict(_parse_notice(each) for each in payload.split()) if payload != ANY else {EVERYTHING: 0}
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

"""The drainer's lease: whoever holds it reads the log; one that hangs, or whose host is gone, loses it to another.

It is an advisory lock of a connection that is never quiet for long. How long it may be is part of its application name,
and when it last spoke PostgreSQL itself knows, so that no clocks are compared and nothing is written.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time

from .admin import slot_of
from .connections import PostgresConnection

log = logging.getLogger("twindiff")

LEASE_SECONDS = 1.3
BEAT_SECONDS = 0.3
POLL_SECONDS = 0.2
"""How often those who stand by look."""
BEGINNING_SECONDS = 5.0
"""What the lease is while the stream is being opened."""
ROWS_PER_SECOND = 5_000
"""Rows of one transaction that are surely made a record in a second, on a machine that is busy with other things."""
_ENDING_MS = 1000
_LOCK = "hashtext('twindiff drainer'), 0"
_NAME = f"twindiff drainer {os.getpid()} on {socket.gethostname()[:20]}"


class Lease:
    """The right to drain, held or waited for by one connection."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection
        self._renew_at = 0.0

    def wait(self, stopping: threading.Event) -> bool:
        """Stand by until it is ours, or until we are told to stop; whether it is ours."""
        while not stopping.is_set():
            if self._connection.row(f"SELECT pg_try_advisory_lock({_LOCK})") == (True,):
                self.renew(BEGINNING_SECONDS)
                self._end_stream()
                return True
            if not self._end_lapsed():
                stopping.wait(POLL_SECONDS)
        return False

    def keep(self) -> None:
        """Renew it if it is time to; called at least every BEAT_SECONDS."""
        if time.monotonic() > self._renew_at:
            self.renew()

    def keep_for(self, rows: int) -> None:
        """Renew it for as long as so many rows may take."""
        if rows > ROWS_PER_SECOND // 5:
            self.renew(LEASE_SECONDS + rows / ROWS_PER_SECOND)

    def renew(self, seconds: float = LEASE_SECONDS) -> None:
        """Have it for so long, from now on, without saying anything."""
        self._connection.rows("SELECT set_config('application_name', %s, false)", (f"{_NAME} for {seconds:.1f} s",))
        self._renew_at = time.monotonic() + BEAT_SECONDS

    def _end_lapsed(self) -> bool:
        """End the connection whose lease has lapsed; whether there was one."""
        lapsed = self._connection.rows(_LAPSED)
        for pid, name in lapsed:
            log.warning("Nothing is heard of '%s' any more; another takes over", name)
            self._connection.rows(_END, (pid, _ENDING_MS))
        return bool(lapsed)

    def _end_stream(self) -> None:
        """Whoever still reads the log has lost the right to."""
        query = f"{_END_OURS} JOIN pg_replication_slots s ON s.active_pid = a.pid WHERE s.slot_name = %s AND {_OURS}"
        self._connection.rows(query, (_ENDING_MS, slot_of(self._connection)))


_OURS = "a.usename = current_user"
_END_OURS = "SELECT pg_terminate_backend(a.pid, %s) FROM pg_stat_activity a"
_END = "SELECT pg_terminate_backend(%s, %s)"
_LAPSED = (
    "SELECT a.pid, a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objid = 0 AND l.objsubid = 2 "
    "AND l.classid = hashtext('twindiff drainer')::oid AND a.datname = current_database() "
    f"AND {_OURS} AND a.state <> 'active' AND clock_timestamp() - a.state_change > make_interval(secs => "
    r"COALESCE(substring(a.application_name FROM 'for ([0-9.]+) s$')::float, 60))"
)

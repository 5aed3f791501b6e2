"""The lease of the WAL consumer: its holder reads the WAL; one that hangs, or whose host is gone, loses it to another.

The lease is an advisory lock of a connection that sends statements regularly. The application name of the connection
contains how long it may be idle, and PostgreSQL records when it was last active. So no clocks of different hosts are
compared, and nothing is written.
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
"""How often standby processes try to acquire the lease."""
BEGINNING_SECONDS = 5.0
"""The duration of the lease while the stream is being opened."""
ROWS_PER_SECOND = 5_000
"""Rows of a transaction that are converted per second at least, even on a busy machine."""
_ENDING_MS = 1000
_LOCK = "hashtext('twindiff drainer'), 0"
_NAME = f"twindiff drainer {os.getpid()} on {socket.gethostname()[:20]}"


class Lease:
    """The lease, held or awaited by one connection."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection
        self._renew_at = 0.0

    def wait(self, stopping: threading.Event) -> bool:
        """Wait until the lease is acquired or `stopping` is set; return whether it was acquired."""
        while not stopping.is_set():
            if self._connection.row(f"SELECT pg_try_advisory_lock({_LOCK})") == (True,):
                self.renew(BEGINNING_SECONDS)
                self._end_stream()
                return True
            if not self._end_lapsed():
                stopping.wait(POLL_SECONDS)
        return False

    def keep(self) -> None:
        """Renew the lease if due; must be called at least every BEAT_SECONDS."""
        if time.monotonic() > self._renew_at:
            self.renew()

    def keep_for(self, rows: int) -> None:
        """Renew the lease for the time that the conversion of `rows` rows may take."""
        if rows > ROWS_PER_SECOND // 5:
            self.renew(LEASE_SECONDS + rows / ROWS_PER_SECOND)

    def renew(self, seconds: float = LEASE_SECONDS) -> None:
        """Renew the lease, so that the connection may be idle for `seconds`."""
        self._connection.rows("SELECT set_config('application_name', %s, false)", (f"{_NAME} for {seconds:.1f} s",))
        self._renew_at = time.monotonic() + BEAT_SECONDS

    def _end_lapsed(self) -> bool:
        """Terminate the connection whose lease has expired; return whether there was one."""
        lapsed = self._connection.rows(_LAPSED)
        for pid, name in lapsed:
            log.warning("Nothing is heard of '%s' any more; another takes over", name)
            self._connection.rows(_END, (pid, _ENDING_MS))
        return bool(lapsed)

    def _end_stream(self) -> None:
        """Terminate the connection of the former holder that still reads from the slot.

        A server that starts looks into the slot for a moment, or makes it, and is no such holder.
        """
        query = (
            f"{_END_OURS} JOIN pg_replication_slots s ON s.active_pid = a.pid "
            f"WHERE s.slot_name = %s AND a.backend_type = 'walsender' AND {_OURS}"
        )
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

"""Health checks of a database, and a guard that keeps an unread replication slot from filling its disk."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import psycopg

from twindiff.storage import StorageUnavailable

from .admin import COPY_ORIGINS, MIN_SERVER_VERSION, origins_of, slot_of
from .connections import PostgresConnection, PostgresPool, connect, first_line

log = logging.getLogger("twindiff")

GIB = 1 << 30
WARN_BYTES = 1 * GIB
REFUSE_BYTES = 4 * GIB
_LOOK_SECONDS = 1.0
_NOT_UP = re.compile(r"refused|starting up|shutting down|No such file|timeout expired|closed the connection")
"""What is said of a server that is not up yet, or restarts."""
_INIT = "Run `twindiff db init --admin-dsn …` with the DSN of a superuser."


class HealthFinding(NamedTuple):
    """The result of one check; `mend` is how to fix it unless it `is_fine`."""

    what: str
    is_fine: bool
    said: str
    mend: str = ""
    is_starting: bool = False
    """Whether the server may only not be up yet."""


def findings(dsn: str) -> Iterator[HealthFinding]:
    """Yield the results of all checks, up to the first that fails."""
    try:
        with connect(dsn, connect_timeout=5) as connection:
            yield HealthFinding(
                "database", True, f"{connection.info.dbname} on {connection.info.host}:{connection.info.port}"
            )
            for check in (_version, _primary, _wal_level, _role, _tables, _origins, _slot, _plugin):
                finding = check(connection)
                yield finding
                if not finding.is_fine:
                    return
    except (psycopg.Error, UnicodeError) as error:
        mend = (
            "Check the address, postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
            "and that the server is running and lets you in."
        )
        said = first_line(error)
        yield HealthFinding("database", False, f"it cannot be reached: {said}", mend, bool(_NOT_UP.search(said)))


def _one(connection: PostgresConnection, query: Any, *values: object) -> tuple[Any, ...]:
    row = connection.execute(query, values).fetchone()
    assert row is not None
    return row


def _version(connection: PostgresConnection) -> HealthFinding:
    number, text = _one(
        connection, "SELECT current_setting('server_version_num')::int, current_setting('server_version')"
    )
    return HealthFinding(
        "version", number >= MIN_SERVER_VERSION, f"PostgreSQL {text}", "Twindiff needs PostgreSQL 15 or later."
    )


def _primary(connection: PostgresConnection) -> HealthFinding:
    (is_replica,) = _one(
        connection, "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool"
    )
    said = "it takes no writes: it is a replica, or set to read-only" if is_replica else "takes writes"
    return HealthFinding("writable", not is_replica, said, "Give the DSN of the primary.")


def _wal_level(connection: PostgresConnection) -> HealthFinding:
    (level,) = _one(connection, "SELECT current_setting('wal_level')")
    mend = "ALTER SYSTEM SET wal_level = 'logical', and restart PostgreSQL."
    return HealthFinding("wal_level", level == "logical", f"wal_level is '{level}'", mend)


def _role(connection: PostgresConnection) -> HealthFinding:
    name, is_super, bypasses, replicates = _one(
        connection,
        "SELECT rolname, rolsuper, rolbypassrls, rolreplication FROM pg_roles WHERE rolname = current_user",
    )
    if is_super or bypasses:
        said = f"'{name}' is a superuser or bypasses row security, so nothing would keep environments apart"
        return HealthFinding("role", False, said, f"{_INIT} It prints the DSN to serve with.")
    said = f"'{name}' has no REPLICATION" if not replicates else f"'{name}' owns nothing and sees one environment"
    return HealthFinding("role", replicates, said, _INIT)


def _tables(connection: PostgresConnection) -> HealthFinding:
    (there,) = _one(connection, "SELECT to_regclass('twindiff.blobs') IS NOT NULL")
    return HealthFinding("tables", there, "there" if there else "this database was never set up", _INIT)


def _origins(connection: PostgresConnection) -> HealthFinding:
    query = "SELECT roname || ' = ' || roident FROM pg_replication_origin WHERE roname = ANY(%s) ORDER BY 1"
    origins = [text for (text,) in connection.execute(query, (origins_of(connection).names,))]
    return HealthFinding(
        "origins", len(origins) == 1 + COPY_ORIGINS, ", ".join(origins) or "the replication origins are missing", _INIT
    )


class Lag(NamedTuple):
    """The lag of a replication slot in bytes; `limit` is `max_slot_wal_keep_size`, or None if unlimited."""

    bytes: int
    is_active: bool
    status: str
    limit: int | None


def lag(connection: PostgresConnection) -> Lag | None:
    """Return the lag of this database's slot; None if there is no slot."""
    query = (
        "SELECT COALESCE(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), confirmed_flush_lsn), 0)::bigint, active, "
        "COALESCE(wal_status, ''), "
        "NULLIF(pg_size_bytes(CASE s.setting WHEN '-1' THEN '0' ELSE s.setting || s.unit END), 0) "
        "FROM pg_replication_slots, pg_settings s WHERE slot_name = %s AND s.name = 'max_slot_wal_keep_size'"
    )
    row = connection.execute(query, (slot_of(connection),)).fetchone()
    return Lag(*row) if row else None


def _slot(connection: PostgresConnection) -> HealthFinding:
    slot = lag(connection)
    name = slot_of(connection)
    if slot is None:
        return HealthFinding("slot", False, f"the replication slot {name} is missing", _INIT)
    said = f"{name}, {size(slot.bytes)} behind, {'being read' if slot.is_active else 'nobody reads it now'}"
    if slot.status == "lost":
        mend = f"Some changes are lost for ever: drop it with pg_drop_replication_slot('{name}'). Then: {_INIT}"
        return HealthFinding("slot", False, f"{said}, and PostgreSQL has dropped log that it needs", mend)
    mend = "Start a server, which reads it: `twindiff serve --storage …`."
    return HealthFinding("slot", slot.bytes < _most(slot), said, mend)


def _plugin(connection: PostgresConnection) -> HealthFinding:
    """Check that wal2json can be loaded, which is only possible while the slot is not being read."""
    slot = lag(connection)
    mend = "Install it into PostgreSQL; on Debian: apt-get install postgresql-15-wal2json, with your version."
    if slot is None or slot.is_active:
        return HealthFinding("wal2json", True, "in use", mend)
    try:
        query = "SELECT count(*) FROM pg_logical_slot_peek_changes(%s, NULL, 1, 'format-version', '2')"
        connection.execute(query, (slot_of(connection),))
    except psycopg.errors.UndefinedFile as error:
        return HealthFinding("wal2json", False, f"the plugin is missing: {first_line(error)}", mend)
    except psycopg.errors.InsufficientPrivilege as error:
        return HealthFinding("wal2json", False, f"the plugin may not be used: {first_line(error)}", _INIT)
    except psycopg.errors.ObjectInUse:
        return HealthFinding("wal2json", True, "in use", mend)
    return HealthFinding("wal2json", True, "installed", mend)


def size(number: int) -> str:
    """Format bytes for people: `size(2048)` is "2 KiB"."""
    amount, unit = float(number), "bytes"
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024 or unit == "TiB":
            break
        amount /= 1024
    return f"{amount:.0f} {unit}"


def _most(slot: Lag) -> int:
    """Return the lag in bytes beyond which no new run starts."""
    return min(REFUSE_BYTES, slot.limit * 4 // 5) if slot.limit else REFUSE_BYTES


class SlotGuard:
    """Warns while the slot falls behind, and refuses new runs before the retained WAL fills the disk."""

    def __init__(self, pool: PostgresPool, *, look: Callable[[PostgresConnection], Lag | None] = lag) -> None:
        self._pool = pool
        self._look = look
        self._guard = threading.Lock()
        self._looked = 0.0
        self._slot: Lag | None = None
        self._warned = False

    def admit(self) -> None:
        """Raise StorageUnavailable if the slot is gone or too far behind; warns earlier."""
        with self._guard:
            if time.monotonic() - self._looked > _LOOK_SECONDS:
                with self._pool.connection() as connection:
                    self._slot = self._look(connection)
                self._looked = time.monotonic()
            slot = self._slot
        if slot is None or slot.status == "lost":
            raise StorageUnavailable(
                "Changes are not being captured: the replication slot is gone; see `twindiff doctor`"
            )
        self._warn(slot)
        if slot.bytes >= _most(slot):
            raise StorageUnavailable(
                f"No new run begins while the journal is {size(slot.bytes)} behind the database; see `twindiff doctor`"
            )

    def _warn(self, slot: Lag) -> None:
        is_late = slot.bytes >= min(WARN_BYTES, _most(slot) // 2)
        if is_late and not self._warned:
            log.warning("The journal is %s behind the database; is a drainer running?", size(slot.bytes))
        self._warned = is_late

"""Bulk writes outside of operations (templates, copies, deletes, rewinds), which the WAL consumer does not capture."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager

import psycopg

from .admin import COPY_ORIGINS, origins_of
from .connections import PostgresConnection, PostgresPool, reaching
from .ddl import quote, schema_of

AHEAD = COPY_ORIGINS // 2
"""Origins that background work may use, so that a request that waits for a copy finds a free one."""
_LOCK = "hashtext('twindiff copy')"
# An origin serves one session at a time, the one that holds the advisory lock of its number.
_FREE = f"SELECT n FROM generate_series(%s::int, 0, -1) n WHERE pg_try_advisory_lock({_LOCK}, n) LIMIT 1"
_SETUP = "SELECT pg_replication_origin_session_setup(%s)"


@contextmanager
def without_capture(pool: PostgresPool, *, ahead: bool = False) -> Generator[PostgresConnection]:
    """Open a transaction that the WAL consumer filters out; it commits when the block ends.

    Pass `ahead` for background work, for which no request waits.
    """
    with pool.connection() as connection:
        number = _origin(connection, (AHEAD if ahead else COPY_ORIGINS) - 1)
        try:
            connection.rows(_SETUP, (origins_of(connection).copy[number],))
            with connection.transaction():
                yield connection
        finally:
            _leave(connection, number)


def _origin(connection: PostgresConnection, last: int) -> int:
    """Lock an origin, a free one if possible, and return its number, which is at most `last`."""
    free = connection.row(_FREE, (last,))
    if free:
        return free[0]
    number = random.randint(0, last)  # noqa: S311 - spreads work, hides nothing
    connection.rows(f"SELECT pg_advisory_lock({_LOCK}, %s::int)", (number,))
    return number


def _leave(connection: PostgresConnection, number: int) -> None:
    """Reset the origin of the session and unlock it; a broken connection is closed instead."""
    with reaching():
        try:
            reset = f"SELECT pg_replication_origin_session_reset(); SELECT pg_advisory_unlock({_LOCK}, %s::int)"
            connection.script(reset, (number,))
        except psycopg.Error:
            connection.close()


def copy_rows(connection: PostgresConnection, twin: str, source: str, copies: list[str]) -> None:
    """Copy a twin's rows of one environment, or of a template, to other environments."""
    connection.rows(f"SELECT {quote(schema_of(twin))}.copy_rows(%s, %s)", (source, copies))


def delete_rows(connection: PostgresConnection, twin: str, environments: list[str]) -> None:
    """Delete a twin's rows of several environments."""
    connection.rows(f"SELECT {quote(schema_of(twin))}.delete_rows(%s)", (environments,))


def as_copy(connection: PostgresConnection, env: str) -> None:
    """Set the environment of the transaction, and mark its writes as no operation, so that they get no seq."""
    query = "SELECT set_config('app.env_id', %s, true), set_config('app.operation', 'copy', true)"
    connection.rows(query, (env,))

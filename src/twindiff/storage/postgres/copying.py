"""Writes that are no operation's: template rows, copies, deletes and rewinds, kept out of the captured log."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import psycopg

from .admin import origins_of
from .connections import Connection, Pool, reaching
from .ddl import quote, schema_of

_TURN = "hashtext('twindiff copy'), 0"
"""An origin serves one session at a time, so those who copy take turns."""


@contextmanager
def unseen(pool: Pool) -> Generator[Connection]:
    """A connection whose transaction the drainer does not see; it commits when the block ends."""
    with pool.connection() as connection:
        under(connection, origins_of(connection).copy)
        try:
            with connection.transaction():
                yield connection
        finally:
            leave(connection)


def under(connection: Connection, origin: str) -> None:
    """Write under an origin from here on."""
    setup = f"SELECT pg_advisory_lock({_TURN}); SELECT pg_replication_origin_session_setup(%s)"
    connection.script(setup, (origin,))


def leave(connection: Connection) -> None:
    """Write under no origin again; a connection that is broken has none."""
    with reaching():
        try:
            reset = f"SELECT pg_replication_origin_session_reset(); SELECT pg_advisory_unlock({_TURN})"
            connection.script(reset)
        except psycopg.Error:
            connection.close()


def copy_rows(connection: Connection, twin: str, source: str, copies: list[str]) -> None:
    """Copy a twin's rows of one environment, or of a template, to others."""
    connection.rows(f"SELECT {quote(schema_of(twin))}.copy_rows(%s, %s)", (source, copies))


def delete_rows(connection: Connection, twin: str, environments: list[str]) -> None:
    """Delete a twin's rows of environments."""
    connection.rows(f"SELECT {quote(schema_of(twin))}.delete_rows(%s)", (environments,))


def as_copy(connection: Connection, env: str) -> None:
    """Write the rows of one environment, without numbering what is written."""
    query = "SELECT set_config('app.env_id', %s, true), set_config('app.operation', 'copy', true)"
    connection.rows(query, (env,))

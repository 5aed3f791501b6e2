"""The connections of one process: which of them is next, and what becomes of those that break."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.storage.postgres.cluster import Database
from twindiff.storage import StorageUnavailable
from twindiff.storage.postgres import connections
from twindiff.storage.postgres.connections import MAX_CONNECTIONS, PostgresPool
from twindiff.storage.postgres.statements import PostgresConnection

pytestmark = pytest.mark.postgres


@pytest.fixture
def pool(database: Database) -> Iterator[PostgresPool]:
    database.initialise_all()
    made = PostgresPool(database.dsn)
    yield made
    made.close()


def process(connection: PostgresConnection) -> int:
    """The server's process behind a connection."""
    return connection.rows("SELECT pg_backend_pid()")[0][0]


def all_at_once(pool: PostgresPool) -> list[int]:
    """The processes behind as many connections as there may be."""
    with ExitStack() as held:
        return [process(held.enter_context(pool.connection())) for _ in range(MAX_CONNECTIONS)]


def test_the_connection_that_was_used_last_is_used_next(pool: PostgresPool) -> None:
    all_at_once(pool)
    with pool.connection() as first, pool.connection() as second:
        processes = process(first), process(second)
    with pool.connection() as next_one:
        assert process(next_one) in processes
    with pool.connection() as again:
        assert process(again) in processes


def test_what_is_left_open_is_rolled_back(pool: PostgresPool, database: Database) -> None:
    database.psql("CREATE TABLE IF NOT EXISTS left_open (n int)")
    database.psql("GRANT ALL ON left_open TO PUBLIC")
    with pool.connection() as connection:
        connection.script("BEGIN; INSERT INTO left_open VALUES (1)")
    with pool.connection() as connection:
        assert connection.row("SELECT count(*) FROM left_open") == (0,)
        assert connection.row("SELECT pg_current_xact_id_if_assigned()") == (None,)


def test_of_connections_that_break_together_one_user_notices(pool: PostgresPool, database: Database) -> None:
    for each in all_at_once(pool):
        database.psql("SELECT pg_terminate_backend(%s, 5000)", each)
    with pytest.raises(StorageUnavailable), pool.connection() as connection:
        process(connection)
    assert len({*all_at_once(pool)}) == MAX_CONNECTIONS


def test_who_finds_none_free_waits_for_one(pool: PostgresPool) -> None:
    used: list[int] = []

    def use() -> None:
        with pool.connection() as connection:
            used.append(process(connection))

    with ExitStack() as held:
        processes = [process(held.enter_context(pool.connection())) for _ in range(MAX_CONNECTIONS)]
        waiting = threading.Thread(target=use)
        waiting.start()
        assert used == []
    waiting.join()
    assert used[0] in processes


def test_a_database_that_is_down_is_waited_for_and_then_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE_SECONDS", 1.0)
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        with pytest.raises(StorageUnavailable, match="cannot be reached"):
            PostgresPool(f"postgresql://nobody@127.0.0.1:{unheard.getsockname()[1]}/none")

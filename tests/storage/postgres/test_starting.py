"""What a server that starts does while others hold locks in its database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.storage.postgres.cluster import Database
from twindiff.server import Settings
from twindiff.server.stores import Stores
from twindiff.storage import StorageBusy
from twindiff.storage.postgres import connections

pytestmark = pytest.mark.postgres

LOCK = "SELECT pg_advisory_xact_lock(hashtext('twindiff catalog'))"


@pytest.fixture
def start(database: Database, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Start what a server keeps; each statement waits for locks for a moment only. Gives how many templates it has."""
    database.initialise_all(has_templates=True)
    monkeypatch.setattr(connections, "_OPTIONS", f"{connections._OPTIONS} -c lock_timeout=50")

    def opened(**settings: float) -> int:
        stores = Stores(Settings(storage=database.dsn, ready=0)._replace(**settings))
        try:
            return len(stores.templates.list())
        finally:
            stores.engine.close()

    return opened


@pytest.fixture
def holder(database: Database) -> Iterator[psycopg.Connection]:
    """Another session, which holds the lock that every server needs to start until it ends its transaction."""
    with psycopg.connect(database.admin) as session:
        session.execute(LOCK)
        yield session


def test_a_server_that_starts_waits_for_locks_that_others_still_hold(
    start: Callable[..., int], holder: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with ThreadPoolExecutor(1) as starting:
        started = starting.submit(start, storage_wait=120)
        while "It is tried again" not in caplog.text and not started.done():
            continue
        holder.rollback()
        assert started.result() > 10


def test_a_server_that_waits_for_locks_in_vain_says_for_how_long(
    start: Callable[..., int], holder: psycopg.Connection
) -> None:
    with pytest.raises(StorageBusy, match=r"others hold locks there. They were waited for 0\.1 seconds"):
        start(storage_wait=0.1)

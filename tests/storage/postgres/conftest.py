"""A database for each module of tests; without a server they are skipped and say so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.storage.conformance.worlds import CATALOG, SCHEMAS, World
from tests.storage.postgres.cluster import ABSENT, Database, administrator, draining
from twindiff.storage.postgres import PostgresEngine


@pytest.fixture(scope="session")
def cluster() -> str:
    """The DSN of a superuser."""
    dsn = administrator()
    if dsn is None:
        pytest.skip(ABSENT)
    return dsn


@pytest.fixture(scope="module")
def database(cluster: str) -> Iterator[Database]:
    """A database that nobody else uses."""
    made = Database(cluster)
    yield made
    made.drop()


@pytest.fixture(scope="module")
def world(database: Database) -> Iterator[World]:
    """The engine over that database, with a drainer."""
    database.initialise(SCHEMAS.values(), CATALOG)
    with draining(database.dsn):
        opened = World(lambda: PostgresEngine(database.dsn))
        yield opened
        opened.engine.close()

"""PostgreSQL plans queries well whatever it knows of the environments there are."""

from __future__ import annotations

import pytest

from tests.harness import LiveServer, Platform
from tests.storage.postgres.cluster import Database, draining
from tests.storage.postgres.serving import CATALOG, schemas
from twindiff.server import Settings

pytestmark = pytest.mark.postgres

AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
BUGS = '{ issues(first: 250, filter: {labels: {some: {name: {eq: "Bug"}}}}) { nodes { id } } }'


def test_a_large_environment_newer_than_the_statistics_is_searched_in_time(database: Database) -> None:
    database.initialise(schemas(), CATALOG)
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn, ready=0))
        platform = Platform(server.client)
        for _ in range(40):
            platform.environment("linear:linear_default", AGENT)
        database.psql("ANALYZE")
        large = platform.environment("linear:linear_workspace", AGENT)
        answer = large.ask("graphql", twin="linear", json={"query": BUGS}).json()
        server.close()
    assert len(answer["data"]["issues"]["nodes"]) > 100, answer

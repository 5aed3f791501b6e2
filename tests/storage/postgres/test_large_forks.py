"""Forks copy rows here, so that one request may ask for so many only."""

from __future__ import annotations

import pytest

from tests.harness import LiveServer, Platform
from tests.storage.postgres.cluster import Database, draining
from twindiff.server import Settings
from twindiff.server.use_cases import points

pytestmark = pytest.mark.postgres


def test_forks_that_would_copy_too_many_rows_are_refused_with_how_many_may_be_had(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.initialise_all()
    monkeypatch.setattr(points, "MAX_COPIED_ROWS", 100)
    with draining(database.dsn):
        server = LiveServer(Settings(storage=database.dsn))
        env = Platform(server.client).environment()
        forks = [env.platform.ask("POST", f"env/{env.id}/fork", {"count": count}) for count in (1, 50, 2)]
        server.close()
    assert [each.status_code for each in forks] == [201, 413, 201]
    assert (forks[1].json()["error"], "ask for up to " in forks[1].json()["detail"]) == ("too_many_rows", True)

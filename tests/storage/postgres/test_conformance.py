"""The server engine does what every engine must."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.storage.conformance.adopting import *  # noqa: F403
from tests.storage.conformance.cascades import *  # noqa: F403
from tests.storage.conformance.computed import *  # noqa: F403
from tests.storage.conformance.expressions import *  # noqa: F403
from tests.storage.conformance.feeds import *  # noqa: F403
from tests.storage.conformance.journals import *  # noqa: F403
from tests.storage.conformance.points import *  # noqa: F403
from tests.storage.conformance.relations import *  # noqa: F403
from tests.storage.conformance.searching import *  # noqa: F403
from tests.storage.conformance.stores import *  # noqa: F403
from tests.storage.conformance.templates import *  # noqa: F403
from tests.storage.conformance.worlds import CATALOG, SCHEMAS, Storage, world  # noqa: F401
from tests.storage.conformance.writing_once import *  # noqa: F403
from tests.storage.postgres.cluster import Database, draining
from twindiff.storage.postgres import PostgresEngine

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def storage(database: Database) -> Iterator[Storage]:
    database.initialise(SCHEMAS.values(), CATALOG)
    with draining(database.dsn):
        yield lambda: PostgresEngine(database.dsn)

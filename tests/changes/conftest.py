"""An engine whose environments the tests change."""

from collections.abc import Iterator

import pytest

from tests.storage.conformance.worlds import Echo, Place, Thing, World
from twindiff.storage.sqlite import SqliteEngine


@pytest.fixture(scope="package")
def world() -> Iterator[World]:
    opened = World(lambda: SqliteEngine(":memory:"))
    yield opened
    opened.engine.close()


@pytest.fixture
def place(world: World) -> Place:
    return world.environment(
        Thing(thing_id="T1", text="x", data=[1]), Thing(thing_id="T2"), Echo(echo_id="E1", said="old")
    )

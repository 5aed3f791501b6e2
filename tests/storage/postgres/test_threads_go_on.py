"""The threads of a process over PostgreSQL go on whatever they raise, and say it once."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.storage.conformance.worlds import CATALOG, SCHEMAS, Thing, World
from tests.storage.postgres.cluster import Database
from twindiff.storage import backoff
from twindiff.storage.postgres import PostgresEngine, wal_consumer
from twindiff.storage.postgres.journal_fence import JournalFence
from twindiff.storage.postgres.preprovisioned import PreprovisionedPool
from twindiff.storage.postgres.wal_consumer import Drain, Drainer

pytestmark = pytest.mark.postgres
FAILURES = 3


@pytest.fixture(scope="module")
def prepared(database: Database) -> Database:
    database.initialise(SCHEMAS.values(), CATALOG)
    return database


@pytest.fixture
def world(prepared: Database, drained: threading.Thread) -> Iterator[World]:
    """An engine whose threads begin with the test, beside a drainer."""
    assert drained.is_alive()
    opened = World(lambda: PostgresEngine(prepared.dsn, ready=2))
    yield opened
    opened.engine.close()


@pytest.fixture
def drained(prepared: Database) -> Iterator[threading.Thread]:
    drainer = Drainer(prepared.dsn)
    thread = threading.Thread(target=drainer.run)
    thread.start()
    yield thread
    drainer.stop()
    thread.join()


@pytest.fixture
def fail_first(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, str], threading.Event]:
    """Have the first calls of a method raise what no database raises; the event says that a later one was made."""

    def patch(owner: type, name: str) -> threading.Event:
        number, real, went_on = itertools.count(1), getattr(owner, name), threading.Event()

        def work(*given: Any, **named: Any) -> Any:
            if next(number) <= FAILURES:
                raise LookupError(f"{name} is broken")
            went_on.set()
            return real(*given, **named)

        monkeypatch.setattr(owner, name, work)
        return went_on

    for module in (backoff, wal_consumer):
        monkeypatch.setattr(module, "seconds_after", lambda failures: 0.01)
    return patch


async def begin_listening(world: World) -> None:
    """Have the engine listen for commits, which a reader of records that are there already does not."""
    with world.engine.feed.watch():
        pass


@pytest.mark.parametrize(
    ("owner", "name"),
    [(JournalFence, "_tell"), (PreprovisionedPool, "_copy_ahead"), (Drain, "run")],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_a_thread_that_raises_goes_on_and_says_so_once(
    request: pytest.FixtureRequest,
    caplog: pytest.LogCaptureFixture,
    fail_first: Callable[[type, str], threading.Event],
    owner: type,
    name: str,
) -> None:
    went_on = fail_first(owner, name)
    world: World = request.getfixturevalue("world")
    asyncio.run(begin_listening(world))
    environment = world.environment(Thing(thing_id="T1"))
    environment.write(lambda db: db.add(Thing(thing_id="T2")))
    assert len(environment.records()) == 1
    assert went_on.wait(60)
    assert len([each for each in caplog.messages if f"{name} is broken" in each]) == 1

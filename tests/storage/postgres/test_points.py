"""The server engine's points, held against full copies, by two servers that take turns over one database."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.storage.deeds import KEYS, STATEMENTS, Copy, follow
from tests.storage.points_machine import House, Model, PointsMachine, drive
from tests.storage.postgres.cluster import CATALOG, Database
from tests.storage.stock import twin
from twindiff.environments.registry import Registry
from twindiff.kit.clock import SECOND
from twindiff.server import Service, Settings
from twindiff.storage import OperationContext, OperationInfo
from twindiff.storage.journal import Net, RowLocation
from twindiff.storage.postgres import journal_fence, records, statements, store
from twindiff.storage.postgres.wal_consumer import Drainer
from twindiff.storage.schema import Schema

pytestmark = pytest.mark.postgres

SERVERS = 2
UNBOUNDED = 3600.0


class Draining:
    """A drainer in a thread of this process."""

    def __init__(self, dsn: str) -> None:
        self._drainer = Drainer(dsn)
        self._thread = threading.Thread(target=self._drainer.run, name="drainer")
        self._thread.start()

    def end(self) -> None:
        self._drainer.stop()
        self._thread.join()


class SharedDatabase(House):
    """Servers over one database, and a drainer."""

    sizes: ClassVar[dict[str, int]] = {"small": 40, "middle": 150}
    row_bytes = 60
    columns = ("env_id, ", "current_setting('app.env_id'), ")
    parts = "twin_stock.parts"
    many = 60

    def __init__(self, database: Database) -> None:
        self.database = database
        self.drainer = Draining(database.dsn)
        super().__init__()

    def opened(self) -> list[Service]:
        return [Service(Settings(storage=self.database.dsn, ready=1), Registry([twin])) for _ in range(SERVERS)]

    def operate(self, service: Service, env: str, work: Callable[[OperationContext], None]) -> tuple[None, int | None]:
        return service.engine.write(env, OperationInfo("stock", "act", "U1"), work)

    def execute(self, moment: OperationContext, statement: str) -> None:
        with moment.db._opener() as connection:  # type: ignore[attr-defined]
            connection.execute(statement)

    def check(self, service: Service, model: Model) -> None:
        """Every server tells the same."""
        for each in self.services:
            assert each.engine.seq(model.id) == model.seq

    def restart_drainer(self) -> None:
        self.drainer.end()
        self.drainer = Draining(self.database.dsn)

    def replace_drainer(self) -> None:
        """Another stands by and takes over."""
        before, self.drainer = self.drainer, Draining(self.database.dsn)
        before.end()

    def close(self) -> None:
        for service in self.services:
            service.close()
        self.drainer.end()


class SharedMachine(PointsMachine):
    house: SharedDatabase

    @rule(model=PointsMachine.environments, statement=st.sampled_from(sorted(STATEMENTS)), key=KEYS)
    def write_by_hand(self, model: Model, statement: str, key: int) -> None:
        """Somebody with the database's password writes; the clock goes on as by an operation."""
        mine = STATEMENTS[statement].format(parts=self.house.parts, key=key, column="env_id, ", value=f"'{model.id}', ")
        self.house.database.psql(mine.replace("WHERE ", f"WHERE env_id = '{model.id}' AND "))
        after = follow(model.now.rows, statement, key)
        if after != model.now.rows:
            model.points.append(Copy(after, model.now.clock + SECOND, model.now.counter))
        self.check(model)

    @precondition(lambda self: self.has_lasted)
    @rule(stands_by=st.booleans())
    def change_drainers(self, stands_by: bool) -> None:
        self.begin_anew(self.house.replace_drainer if stands_by else self.house.restart_drainer)

    def compare_rows(self, model: Model, start: int, end: int, wanted: list[tuple[RowLocation, Net]]) -> None:
        """Where a rewind lies between the points, or the later one comes first, all records are asked for."""
        if start <= end and not any(start < seq <= end for seq in model.rewinds):
            super().compare_rows(model, start, end, wanted)
        else:
            assert self.engine.compare(model.id, self.service.environments.get(model.id).origin, start, end) is None


@pytest.fixture(scope="module")
def house(database: Database) -> Iterator[SharedDatabase]:
    database.initialise([Schema("stock", twin.tables)], CATALOG)
    made = SharedDatabase(database)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(records, "AT_ONCE", 7)  # so that few records come in several parts
        patched.setattr(statements, "ROWS_AT_ONCE", 25)  # and few rows
        patched.setattr(store, "WHOLE_SECONDS", UNBOUNDED)  # for what a busy machine needs
        patched.setattr(journal_fence, "PATIENCE_SECONDS", UNBOUNDED)
        yield made
    made.close()


def test_every_point_is_what_a_full_copy_would_be(house: SharedDatabase) -> None:
    drive(SharedMachine, house, runs=5, steps=20)


@pytest.mark.soak
def test_every_point_stays_what_a_full_copy_would_be_for_100_000_steps(house: SharedDatabase) -> None:
    """Or for as many as `TWINDIFF_SOAK_STEPS` says."""
    steps = int(os.environ.get("TWINDIFF_SOAK_STEPS", "100000"))
    drive(SharedMachine, house, runs=steps // 200, steps=200, every=20)

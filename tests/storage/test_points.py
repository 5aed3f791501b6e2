"""The embedded engine's points, held against full copies."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp

import apsw
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.storage.holes import free, unwritten
from tests.storage.points_machine import House, Model, PointsMachine, drive
from tests.storage.stock import SIZES, twin
from twindiff.environments.registry import Registry
from twindiff.server import Service, Settings
from twindiff.storage import OperationContext, OperationInfo
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.deadline import NEVER, Deadline
from twindiff.storage.sqlite import SqliteEngine, live_environments, point_comparison
from twindiff.storage.sqlite import engine as engine_module

LIMITS = {
    "as shipped": {"REMEMBERED": 256, "POOLED": 32, "IMAGE_EVERY": 1000, "IMAGE_AT_EVICTION": 200, "RECALLED": 16},
    "tiny": {"REMEMBERED": 4, "POOLED": 2, "IMAGE_EVERY": 7, "IMAGE_AT_EVICTION": 2, "RECALLED": 1},
}
LITTLE_MEMORY = 2 * 1024 * 1024
"""Bytes of all connections together, in `tiny`: less than half of what the largest template has."""


def unbounded() -> Deadline:
    """An operation may take as long as a busy machine needs for it."""
    return NEVER


class Directory(House):
    """A service over one data directory."""

    sizes = SIZES

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="points"))
        super().__init__()

    def opened(self) -> list[Service]:
        return [Service(Settings(str(self.folder)), Registry([twin]))]

    @property
    def engine(self) -> SqliteEngine:
        return embedded(self.services[0])

    def operate(self, service: Service, env: str, work: Callable[[OperationContext], None]) -> tuple[None, int | None]:
        return embedded(service).write(env, OperationInfo("stock", "act", "U1"), work, limit=unbounded)

    def execute(self, moment: OperationContext, statement: str) -> None:
        moment.db._connection.execute(statement)  # type: ignore[attr-defined]

    def check(self, service: Service, model: Model) -> None:
        """Ask SQLite what it thinks of its file, and where all pages of an environment are."""
        engine, origin = embedded(service), service.environments.get(model.id).origin
        (content,) = engine.content(model.id, origin).values()
        found = {(table, next(iter(row.values()))): row for table, each in content.items() for row in each}
        assert found == model.now.rows
        assert engine.problems(model.id, origin) == []
        pages = engine.snapshot(model.id, "stock", writes=False, at=0).pages
        assert unwritten(pages) <= free(pages), "a page is lost"

    def close(self) -> None:
        self.services[0].close()
        shutil.rmtree(self.folder)


def embedded(service: Service) -> SqliteEngine:
    assert isinstance(service.engine, SqliteEngine)
    return service.engine


class EmbeddedMachine(PointsMachine):
    @rule(parts=st.integers(0, 40))
    def maintain(self, parts: int) -> None:
        """Do a part of what is done later, or all of it; what is begun may be broken off."""
        for work in islice(embedded(self.service).maintain(), parts):
            work()


@pytest.fixture(scope="module")
def house() -> Iterator[Directory]:
    made = Directory()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            point_comparison, "OPERATIONS_PER_PAGE", 0
        )  # rows are compared however few operations there are
        yield made
    made.close()


@pytest.fixture(params=LIMITS)
def limited_house(request: pytest.FixtureRequest, house: Directory, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """The same, in a process that may remember so much."""
    for name, value in LIMITS[request.param].items():
        monkeypatch.setattr(live_environments if hasattr(live_environments, name) else engine_module, name, value)
    usual = apsw.soft_heap_limit(LITTLE_MEMORY if request.param == "tiny" else -1)
    yield house
    apsw.soft_heap_limit(usual)


def test_every_point_is_what_a_full_copy_would_be(limited_house: House):
    """Each record at once; all there is at every third step, wherever time has led, after restarts and at the end."""
    drive(EmbeddedMachine, limited_house, runs=6, steps=50, every=3)


def test_a_text_is_found_by_its_words_when_the_number_that_is_its_key_has_changed(house: Directory):
    machine = type("Machine", (EmbeddedMachine,), {"house": house})()
    model = machine.begin(0)
    machine.write(model, [("put", 7, "long ")])
    machine.write(model, [("rekey", 7, "")])
    machine.teardown()


@pytest.mark.soak
def test_every_point_stays_what_a_full_copy_would_be_for_100_000_steps(limited_house: House):
    """Or for as many as `TWINDIFF_SOAK_STEPS` says."""
    steps = int(os.environ.get("TWINDIFF_SOAK_STEPS", "100000"))
    drive(EmbeddedMachine, limited_house, runs=steps // 200, steps=200, every=20)


def test_nothing_is_kept_of_environments_that_are_gone(house: Directory):
    run_to_end(house.engine.maintain())
    tables = ("journal", "rewinds", "images", "image_pages", "forks")
    connection = house.engine.file.connection
    assert [connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables] == [(0,)] * len(tables)

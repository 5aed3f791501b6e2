"""Environments that fork and go back in time, held against full copies of everything after every step."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import apsw
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.storage.holes import free, unwritten
from tests.storage.stock import SIZES, Note, Part, rows, twin
from twindiff.environments.environments import Created, Wanted
from twindiff.environments.registry import Registry
from twindiff.kit.clock import SECOND, ClockMode
from twindiff.kit.errors import ApiError
from twindiff.kit.words import Word
from twindiff.server import Service, Settings
from twindiff.storage import OperationContext, OperationInfo
from twindiff.storage.cooperative import finished
from twindiff.storage.deadline import NEVER, Deadline
from twindiff.storage.journal import Change, Net, Place, Record, net
from twindiff.storage.sqlite import SqliteEngine, comparing, live_environments
from twindiff.storage.sqlite import engine as engine_module

NOON = 1_800_000_000 * SECOND
LIMITS = {
    "as shipped": {"REMEMBERED": 256, "POOLED": 32, "IMAGE_EVERY": 1000, "IMAGE_AT_SLEEP": 200, "RECALLED": 16},
    "tiny": {"REMEMBERED": 4, "POOLED": 2, "IMAGE_EVERY": 7, "IMAGE_AT_SLEEP": 2, "RECALLED": 1},
}
LITTLE_MEMORY = 4 * 1024 * 1024
"""Bytes of all connections together, in `tiny`."""
Rows = dict[tuple[str, int], dict[str, Any]]


class Copy(NamedTuple):
    """Everything of an environment at one point."""

    rows: Rows
    clock: int
    counter: int


class Model:
    """What an environment should be: a full copy for each of its points."""

    def __init__(self, id: str, points: list[Copy], rewinds: dict[int, int]) -> None:
        self.id = id
        self.points = points
        self.rewinds = rewinds
        self.names: dict[str, int] = {}

    @property
    def seq(self) -> int:
        return len(self.points) - 1

    @property
    def now(self) -> Copy:
        return self.points[-1]

    def point(self, chosen: int) -> int:
        return chosen % len(self.points)


class House:
    """A service over one data directory, which may be closed and opened again."""

    def __init__(self) -> None:
        self.folder = Path(mkdtemp(prefix="points"))
        self.open()
        self.beginnings: dict[str, Rows] = {}
        for name, count in SIZES.items():
            full = rows(count)
            self.service.templates.add(twin, name, full, origin="test")
            self.beginnings[name] = {("parts", n): {"data": None, **each} for n, each in enumerate(full["parts"])}

    def open(self) -> None:
        self.service = Service(Settings(str(self.folder)), Registry([twin]))
        assert isinstance(self.service.engine, SqliteEngine)
        self.engine = self.service.engine

    def reopen(self) -> None:
        self.service.close()
        self.open()

    def close(self) -> None:
        self.service.close()
        shutil.rmtree(self.folder)


houses: list[House] = []
"""The one that all examples of this module share; a Machine is made by Hypothesis and gets no fixture."""


@pytest.fixture(scope="module", autouse=True)
def house() -> Iterator[House]:
    houses.append(House())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(comparing, "OPERATIONS_PER_PAGE", 0)  # rows are compared however few operations there are
        yield houses[0]
    houses.pop().close()


def unbounded() -> Deadline:
    """An operation may take as long as a busy machine needs for it."""
    return NEVER


class Refused(ApiError):
    """Not this time."""


KEYS = st.integers(0, 40) | st.integers(0, max(SIZES.values()) + 50)
TEXTS = st.sampled_from(["", "x", "é" * 300, "long " * 2000])
DEEDS = st.tuples(st.sampled_from(["put", "put", "drop", "count", "clear"]), KEYS, TEXTS)


def act(moment: OperationContext, deeds: list[tuple[str, int, str]]) -> None:
    """Do to the database what `imagine` does to a copy."""
    db = moment.db
    for kind, key, text in deeds:
        present = db.find(Part, Part.part_id == key)
        if kind in ("put", "count"):
            number = db.next("n") if kind == "count" else key
            if present:
                db.change(present, text=text, number=number, data={"n": number})
            else:
                db.add(Part(part_id=key, shelf="new", text=text, number=number))
        elif kind == "drop" and present:
            db.remove(present)
        elif kind == "clear":
            for part in db.rows(Part, Part.part_id >= key, Part.part_id < key + 60):
                db.remove(part)
    note = db.find(Note, Note.note_id == 0)
    if note:
        db.change(note, at=moment.clock.micros)
    else:
        db.add(Note(note_id=0, at=moment.clock.micros))


def imagine(before: Copy, deeds: list[tuple[str, int, str]]) -> Copy:
    parts, counter, clock = dict(before.rows), before.counter, before.clock + SECOND
    for kind, key, text in deeds:
        present = parts.get(("parts", key))
        if kind in ("put", "count"):
            counter += kind == "count"
            number = counter if kind == "count" else key
            new = {"part_id": key, "shelf": "new", "data": None}
            row = {**present, "data": {"n": number}} if present else new
            parts["parts", key] = {**row, "text": text, "number": number}
        elif kind == "drop":
            parts.pop(("parts", key), None)
        elif kind == "clear":
            for each in range(key, key + 60):
                parts.pop(("parts", each), None)
    parts["notes", 0] = {"note_id": 0, "at": clock}
    return Copy(parts, clock, counter)


def differences(before: Rows, after: Rows) -> dict[Place, Net]:
    """The net diff of two copies, made without any journal."""
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return {
        Place("stock", table, (key,)): Net(before.get((table, key)), after.get((table, key))) for table, key in keys
    }


class PointsMachine(RuleBasedStateMachine):
    environments: Bundle[Model] = Bundle("environments")
    limits = "as shipped"
    every = 1
    """How many steps go by until everything is compared again; what each has recorded is compared at once."""

    def __init__(self) -> None:
        super().__init__()
        for name, value in LIMITS[self.limits].items():
            setattr(live_environments if hasattr(live_environments, name) else engine_module, name, value)
        self.alive: list[Model] = []
        self.steps = 0

    @property
    def service(self) -> Service:
        return houses[0].service

    @property
    def engine(self) -> SqliteEngine:
        return houses[0].engine

    def awake(self, model: Model) -> str:
        self.service.environments.awaken(self.service.environments.get(model.id))
        return model.id

    def operate(self, model: Model, work: Callable[[OperationContext], None]) -> tuple[None, int | None]:
        return self.engine.write(self.awake(model), OperationInfo("stock", "act", "U1"), work, limit=unbounded)

    def born(self, made: Created, points: list[Copy], rewinds: dict[int, int]) -> Model:
        self.alive.append(Model(made.environment.environment_id, points, rewinds))
        return self.alive[-1]

    @initialize(target=environments, template=st.sampled_from(sorted(SIZES)))
    def begin(self, template: str) -> Model:
        return self.create(template)

    def create(self, template: str) -> Model:
        wanted = Wanted([self.service.templates.named("stock", template)], clock=ClockMode("steps", NOON))
        made = self.service.environments.create(wanted)
        return self.born(made, [Copy(houses[0].beginnings[template], NOON, 0)], {})

    @rule(target=environments, template=st.sampled_from(sorted(SIZES)))
    def create_another(self, template: str) -> Model:
        model = self.create(template)
        self.check(model)
        return model

    @rule(model=environments, deeds=st.lists(DEEDS, min_size=1, max_size=4))
    def write(self, model: Model, deeds: list[tuple[str, int, str]]) -> None:
        _, seq = self.operate(model, lambda moment: act(moment, deeds))
        model.points.append(imagine(model.now, deeds))
        assert seq == model.seq
        self.check(model)

    @rule(model=environments, deeds=st.lists(DEEDS, max_size=3))
    def be_refused(self, model: Model, deeds: list[tuple[str, int, str]]) -> None:
        def work(moment: OperationContext) -> None:
            act(moment, deeds)
            raise Refused

        with pytest.raises(Refused):
            self.operate(model, work)
        self.check(model)

    @rule(model=environments, deeds=st.lists(DEEDS, max_size=3), key=KEYS, size=st.integers(1, 1500))
    def write_much_and_be_refused(self, model: Model, deeds: list[tuple[str, int, str]], key: int, size: int) -> None:
        def work(moment: OperationContext) -> None:
            act(moment, deeds)
            for number in range(size):
                moment.db.add(Part(part_id=1_000_000 + key + number, shelf="much", text="much " * 800))
            raise Refused

        with pytest.raises(Refused):
            self.operate(model, work)
        self.check(model)

    @rule(model=environments, key=KEYS, size=st.integers(50, 800))
    def write_much(self, model: Model, key: int, size: int) -> None:
        deeds = [("put", key + number, "much " * (number % 900)) for number in range(size)]
        self.write(model, deeds)
        self.write(model, [("clear", key + number, "") for number in range(0, size, 60)])

    @rule(model=environments, key=KEYS, size=st.integers(0, 300), backwards=st.booleans())
    def change_nothing(self, model: Model, key: int, size: int, backwards: bool) -> None:
        """Rows go and come again as they were, or change and change back; with none of them nothing happens at all."""

        def work(moment: OperationContext) -> None:
            moment.db.next("n")
            parts = moment.db.rows(Part, Part.part_id >= key, Part.part_id < key + size)
            for part in parts:
                moment.db.remove(part)
            for part in reversed(parts) if backwards else parts:
                moment.db.add(part)
            for part in parts[::7]:
                changed = moment.db.change(part, text="other " * 3000, number=-1)
                moment.db.change(changed, text=part.text, number=part.number)

        done = self.operate(model, work)
        assert done == (None, None)
        self.check(model)

    @rule(model=environments, chosen=st.integers(0, 1000), name=st.sampled_from("abcdef"))
    def checkpoint(self, model: Model, chosen: int, name: str) -> None:
        if name in model.names:
            assert self.service.points.remove(model.id, name).seq == model.names.pop(name)
        else:
            model.names[name] = self.service.points.checkpoint(model.id, name, model.point(chosen)).seq
        found = {each.name: each.seq for each in self.service.points.checkpoints(model.id)}
        assert found == model.names

    @rule(target=environments, model=environments, chosen=st.integers(0, 1000))
    def fork(self, model: Model, chosen: int) -> Model:
        at = model.point(chosen)
        (made,) = self.service.points.fork(self.awake(model), at, 1, None)
        rewinds = {seq: to for seq, to in model.rewinds.items() if seq <= at}
        child = self.born(made, model.points[: at + 1], rewinds)
        self.check(model)
        self.check(child)
        return child

    @rule(model=environments, chosen=st.integers(0, 1000))
    def rewind(self, model: Model, chosen: int) -> None:
        self.go_back(model, model.point(chosen))

    @rule(model=environments, chosen=st.integers(1, 12))
    def rewind_a_little(self, model: Model, chosen: int) -> None:
        self.go_back(model, max(0, model.seq - chosen))

    @precondition(lambda self: any(model.names for model in self.alive))
    @rule(model=environments)
    def rewind_to_a_name(self, model: Model) -> None:
        for name, seq in model.names.items():
            assert self.service.points.seq(model.id, name) == seq
            self.go_back(model, seq)

    @rule(model=environments)
    def reset(self, model: Model) -> None:
        assert self.service.environments.reset(model.id) == model.seq + 1
        self.note_rewind(model, 0)

    def go_back(self, model: Model, to: int) -> None:
        assert self.service.points.rewind(model.id, to) == model.seq + 1
        self.note_rewind(model, to)

    def note_rewind(self, model: Model, to: int) -> None:
        model.points.append(model.points[to])
        model.rewinds[model.seq] = to
        self.check(model)

    @rule(model=environments)
    def sleep(self, model: Model) -> None:
        self.service.engine.sleep(model.id)
        self.check(model)

    @rule(model=consumes(environments))
    def delete(self, model: Model) -> None:
        self.service.environments.delete(model.id)
        self.alive.remove(model)

    @rule(parts=st.integers(0, 40))
    def maintain(self, parts: int) -> None:
        """Do a part of what is done later, or all of it; what is begun may be broken off."""
        steps = self.engine.maintain()
        for work in islice(steps, parts):
            work()

    @rule()
    def reopen(self) -> None:
        houses[0].reopen()
        for model in self.alive:
            self.check(model)

    @rule(model=environments, one=st.integers(0, 1000), other=st.integers(0, 1000))
    def compare(self, model: Model, one: int, other: int) -> None:
        start, end = model.point(one), model.point(other)
        found = net(finished(self.service.points.difference(model.id, start, end)).records)
        wanted = differences(model.points[start].rows, model.points[end].rows)
        assert found == wanted
        self.compare_rows(model, start, end, list(wanted.items()))

    def compare_rows(self, model: Model, start: int, end: int, wanted: list[tuple[Place, Net]]) -> None:
        """What comparing the rows of both points tells is what folding all records between them does, in order."""
        origin = self.service.environments.get(model.id).origin
        found = self.engine.compare(model.id, origin, start, end)
        assert found is not None
        assert list(net(found.records).items()) == wanted
        assert [change for record in found.records for change in record.changes] == [
            Change(place.table, place.key, *both) for place, both in wanted
        ]
        low, high = min(start, end), max(start, end)
        rewinds = [(seq, to) for seq, to in sorted(model.rewinds.items()) if low < seq <= high]
        assert [(record.seq, record.to) for record in found.rewinds] == rewinds

    def check(self, model: Model) -> None:
        """Compare the newest record, and as often as `every` says everything there is."""
        self.steps += 1
        assert self.engine.seq(model.id) == model.seq
        if model.seq:
            self.check_record(model, self.engine.records(model.id, model.seq - 1)[0])
        if self.steps % self.every == 0:
            self.check_state(model)

    def check_state(self, model: Model) -> None:
        """Compare each row of each table and what words find, and ask SQLite what it thinks of its file."""
        engine, origin = self.engine, self.service.environments.get(model.id).origin
        (content,) = engine.content(model.id, origin).values()
        found = {(table, next(iter(row.values()))): row for table, each in content.items() for row in each}
        assert found == model.now.rows
        assert engine.problems(model.id, origin) == []
        self.check_words(model)
        pages = engine.snapshot(model.id, "stock", writes=False, at=0).pages
        assert unwritten(pages) <= free(pages), "a page is lost"

    def check_words(self, model: Model) -> None:
        """All of a text's words are the same one."""
        for word in ("x", "long", "much"):
            wanted = Part.text.has_word(Word((word,)))
            found = self.engine.read(model.id, "stock", lambda moment, wanted=wanted: moment.db.rows(Part, wanted))
            beginnings = ((key, (row.get("text") or "")[: len(word) + 1]) for (_, key), row in model.now.rows.items())
            having = [key for key, beginning in beginnings if beginning.rstrip() == word]
            assert sorted(part.part_id for part in found) == sorted(having)

    def check_record(self, model: Model, record: Record) -> None:
        before, now = model.points[record.seq - 1], model.points[record.seq]
        assert (record.to, record.clock, record.ids.get("n", 0)) == (
            model.rewinds.get(record.seq),
            now.clock,
            now.counter,
        )
        changes = {} if record.to is not None else differences(before.rows, now.rows)
        assert {Place("stock", table, key): Net(was, is_) for table, key, was, is_ in record.changes} == changes

    def teardown(self) -> None:
        for model in self.alive:
            self.check_state(model)
            records = self.service.engine.records(model.id)
            assert [record.seq for record in records] == list(range(1, model.seq + 1))
            for record in records[:: self.every]:
                self.check_record(model, record)
        for model in self.alive:
            self.service.environments.delete(model.id)


def drive(limits: str, *, runs: int, steps: int, every: int = 1) -> None:
    machine = type("Machine", (PointsMachine,), {"limits": limits, "every": every})
    usual = apsw.soft_heap_limit(LITTLE_MEMORY if limits == "tiny" else -1)
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=runs,
                stateful_step_count=steps,
                suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
            ),
        )
    finally:
        apsw.soft_heap_limit(usual)
        for name, value in LIMITS["as shipped"].items():
            setattr(live_environments if hasattr(live_environments, name) else engine_module, name, value)


@pytest.mark.parametrize("limits", LIMITS)
def test_every_point_is_what_a_full_copy_would_be(limits: str):
    drive(limits, runs=12, steps=50)


@pytest.mark.soak
@pytest.mark.parametrize("limits", LIMITS)
def test_every_point_stays_what_a_full_copy_would_be_for_100_000_steps(limits: str):
    """Or for as many as `TWINDIFF_SOAK_STEPS` says."""
    steps = int(os.environ.get("TWINDIFF_SOAK_STEPS", "100000"))
    drive(limits, runs=steps // 200, steps=200, every=20)


def test_nothing_is_kept_of_environments_that_are_gone(house: House):
    finished(house.engine.maintain())
    tables = ("journal", "rewinds", "images", "image_pages", "forks")
    connection = house.engine.file.connection
    assert [connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in tables] == [(0,)] * len(tables)

"""Environments of any engine that fork and go back in time, held against full copies of everything after every step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

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

from tests.storage.deeds import (
    DEEDS,
    KEYS,
    STATEMENTS,
    WORDS,
    Copy,
    Refused,
    Rows,
    act,
    all_rows,
    differences,
    follow,
    having_words,
    imagine,
)
from tests.storage.stock import ROW_BYTES, Part, rows, twin
from twindiff.environments.environments import CreatedEnvironment, EnvironmentRequest
from twindiff.kit.clock import SECOND, ClockMode
from twindiff.server import Service
from twindiff.storage import OperationContext, StorageEngine
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.journal import JournalRecord, Net, RowChange, RowLocation, net

NOON = 1_800_000_000 * SECOND


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

    @property
    def having_words(self) -> list[int]:
        """The keys of the parts that have one of the words that are looked for."""
        beginnings = ((key, (row.get("text") or "")[:5].rstrip()) for (_, key), row in self.now.rows.items())
        return sorted(key for key, beginning in beginnings if beginning in WORDS)


class House(ABC):
    """Services over one storage, which may be closed and opened again. Those who ask take turns with them."""

    sizes: ClassVar[dict[str, int]]
    """Rows of each template."""
    row_bytes: ClassVar[int] = ROW_BYTES
    columns: ClassVar[tuple[str, str]] = ("", "")
    """What a statement of one's own says of a row that the twin does not, and its value; each ends with a comma."""
    parts: ClassVar[str] = "parts"
    many: ClassVar[int] = 1500
    """The most rows that one operation writes."""

    def __init__(self) -> None:
        self.services = self.opened()
        self.beginnings: dict[str, Rows] = {}
        for name, count in self.sizes.items():
            full = rows(count, self.row_bytes)
            self.services[0].templates.add(twin, name, full, origin="test")
            self.beginnings[name] = {("parts", n): {"data": None, **each} for n, each in enumerate(full["parts"])}

    @abstractmethod
    def opened(self) -> list[Service]:
        """Services over the storage."""

    def reopen(self) -> None:
        for service in self.services:
            service.close()
        self.services = self.opened()

    @abstractmethod
    def operate(self, service: Service, env: str, work: Callable[[OperationContext], None]) -> tuple[None, int | None]:
        """One operation that may take as long as a busy machine needs for it."""

    @abstractmethod
    def execute(self, moment: OperationContext, statement: str) -> None:
        """Run a statement around the Store, in an operation."""

    @abstractmethod
    def check(self, service: Service, model: Model) -> None:
        """What only this storage can be asked."""


class PointsMachine(RuleBasedStateMachine):
    environments: Bundle[Model] = Bundle("environments")
    house: House
    every = 1
    """How many steps go by until everything is compared again, and at least until services begin anew.

    What each step has recorded is compared at once, and everything where rows came by no operation.
    """

    def __init__(self) -> None:
        super().__init__()
        self.alive: list[Model] = []
        self.steps = 0
        self.begun = 0

    @property
    def service(self) -> Service:
        return self.house.services[self.steps % len(self.house.services)]

    @property
    def engine(self) -> StorageEngine:
        return self.service.engine

    @property
    def has_lasted(self) -> bool:
        """Whether enough has happened since something began anew."""
        return self.steps - self.begun >= self.every

    def awake(self, model: Model) -> str:
        self.service.environments.load(self.service.environments.get(model.id))
        return model.id

    def operate(self, model: Model, work: Callable[[OperationContext], None]) -> tuple[None, int | None]:
        return self.house.operate(self.service, self.awake(model), work)

    def born(self, made: CreatedEnvironment, points: list[Copy], rewinds: dict[int, int]) -> Model:
        self.alive.append(Model(made.environment.environment_id, points, rewinds))
        return self.alive[-1]

    @initialize(target=environments, size=st.integers(0, 1000))
    def begin(self, size: int) -> Model:
        return self.create(size)

    def create(self, size: int) -> Model:
        template = sorted(self.house.sizes)[size % len(self.house.sizes)]
        wanted = EnvironmentRequest(
            [self.service.templates.find_named("stock", template)], clock=ClockMode("steps", NOON)
        )
        made = self.service.environments.create(wanted)
        return self.born(made, [Copy(self.house.beginnings[template], NOON, 0)], {})

    @rule(target=environments, size=st.integers(0, 1000))
    def create_another(self, size: int) -> Model:
        model = self.create(size)
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
        size, text = min(size, self.house.many), "much " * (self.house.row_bytes * 2 // 5)

        def work(moment: OperationContext) -> None:
            act(moment, deeds)
            for number in range(size):
                moment.db.add(Part(part_id=1_000_000 + key + number, shelf="much", text=text))
            raise Refused

        with pytest.raises(Refused):
            self.operate(model, work)
        self.check(model)

    @rule(model=environments, key=KEYS, size=st.integers(50, 800))
    def write_much(self, model: Model, key: int, size: int) -> None:
        size = min(size, self.house.many)
        deeds = [("put", key + number, "much " * (number % (self.house.row_bytes // 2))) for number in range(size)]
        self.write(model, deeds)
        self.write(model, [("clear", key + number, "") for number in range(0, size, 60)])

    @rule(
        model=environments,
        deeds=st.none() | st.lists(DEEDS, max_size=2),
        statement=st.sampled_from(sorted(STATEMENTS)),
        key=KEYS,
    )
    def write_around_the_store(
        self, model: Model, deeds: list[tuple[str, int, str]] | None, statement: str, key: int
    ) -> None:
        """A statement of one's own, alone or after writes of the Store; one that finds no rows changes nothing."""
        column, value = self.house.columns
        text = STATEMENTS[statement].format(parts=self.house.parts, key=key, column=column, value=value)

        def work(moment: OperationContext) -> None:
            if deeds is not None:
                act(moment, deeds)
            self.house.execute(moment, text)

        _, seq = self.operate(model, work)
        before = model.now if deeds is None else imagine(model.now, deeds)
        after = follow(before.rows, statement, key)
        if after != model.now.rows:
            model.points.append(Copy(after, model.now.clock + SECOND, before.counter))
        assert seq == (model.seq if after != before.rows or deeds is not None else None)
        self.check(model)

    @rule(model=environments, key=KEYS, size=st.integers(0, 300), backwards=st.booleans())
    def change_nothing(self, model: Model, key: int, size: int, backwards: bool) -> None:
        """Rows go and come again as they were, or change and change back; with none of them nothing happens at all."""

        def work(moment: OperationContext) -> None:
            moment.db.next("n")
            parts = moment.db.rows(Part, Part.part_id >= key, Part.part_id < key + size, limit=self.house.many)
            for part in parts:
                moment.db.remove(part)
            for part in reversed(parts) if backwards else parts:
                moment.db.add(part)
            for part in parts[::7]:
                changed = moment.db.change(part, text="other " * (self.house.row_bytes * 3 // 2), number=-1)
                moment.db.change(changed, text=part.text, number=part.number)

        done = self.operate(model, work)
        assert done == (None, None)
        self.check(model)

    @rule(model=environments, seconds=st.integers(-5, 100_000))
    def advance(self, model: Model, seconds: int) -> None:
        """Set the clock to a later time; to an earlier one it does not go."""
        to = model.now.clock + seconds * SECOND
        assert self.engine.advance(self.awake(model), to) == model.seq + 1
        model.points.append(model.now._replace(clock=max(to, model.now.clock)))
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
        self.check(model, whole=True)
        self.check(child, whole=True)
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
        self.check(model, whole=True)

    @rule(model=environments)
    def sleep(self, model: Model) -> None:
        self.engine.evict(model.id)
        self.check(model)

    @precondition(lambda self: len(self.alive) > 1)
    @rule(model=consumes(environments))
    def delete(self, model: Model) -> None:
        self.service.environments.delete(model.id)
        self.alive.remove(model)

    @precondition(lambda self: self.has_lasted)
    @rule()
    def reopen(self) -> None:
        self.begin_anew(self.house.reopen)

    def begin_anew(self, what: Callable[[], None]) -> None:
        what()
        for model in self.alive:
            self.check(model, whole=True)
        self.begun = self.steps

    @rule(model=environments, one=st.integers(0, 1000), other=st.integers(0, 1000))
    def compare(self, model: Model, one: int, other: int) -> None:
        start, end = model.point(one), model.point(other)
        found = net(run_to_end(self.service.points.difference(model.id, start, end)).records)
        wanted = differences(model.points[start].rows, model.points[end].rows)
        assert found == wanted
        self.compare_rows(model, start, end, list(wanted.items()))

    def compare_rows(self, model: Model, start: int, end: int, wanted: list[tuple[RowLocation, Net]]) -> None:
        """What comparing the rows of both points tells is what folding all records between them does, in order."""
        origin = self.service.environments.get(model.id).origin
        found = self.engine.compare(model.id, origin, start, end)
        assert found is not None
        assert list(net(found.records).items()) == wanted
        assert [change for record in found.records for change in record.changes] == [
            RowChange(place.table, place.key, *both) for place, both in wanted
        ]
        low, high = min(start, end), max(start, end)
        rewinds = [(seq, to) for seq, to in sorted(model.rewinds.items()) if low < seq <= high]
        assert [(record.seq, record.to) for record in found.rewinds] == rewinds

    def check(self, model: Model, *, whole: bool = False) -> None:
        """Compare the newest record, each row too when the `whole` is asked for, and all there is as `every` says."""
        self.steps += 1
        assert self.engine.seq(model.id) == model.seq
        if model.seq:
            self.check_record(model, self.engine.records(model.id, model.seq - 1)[0])
        is_due = self.steps % self.every == 0
        if whole or is_due:
            self.check_state(model)
        if is_due:
            self.check_storage(model)

    def check_state(self, model: Model) -> None:
        """Compare each row of each table, and the time."""
        assert self.engine.present(self.awake(model)).clock == model.now.clock
        assert self.engine.read(model.id, "stock", all_rows) == model.now.rows

    def check_storage(self, model: Model) -> None:
        """Compare what words find, and what only this storage can be asked."""
        assert self.engine.read(model.id, "stock", having_words) == model.having_words
        self.house.check(self.service, model)

    def check_record(self, model: Model, record: JournalRecord) -> None:
        before, now = model.points[record.seq - 1], model.points[record.seq]
        assert (record.to, record.clock, record.ids.get("n", 0)) == (
            model.rewinds.get(record.seq),
            now.clock,
            now.counter,
        )
        changes = {} if record.to is not None else differences(before.rows, now.rows)
        assert {RowLocation("stock", table, key): Net(was, is_) for table, key, was, is_ in record.changes} == changes

    def teardown(self) -> None:
        for model in self.alive:
            self.check_state(model)
            self.check_storage(model)
            records = self.engine.records(model.id)
            assert [record.seq for record in records] == list(range(1, model.seq + 1))
            for record in records[:: self.every]:
                self.check_record(model, record)
        for model in self.alive:
            self.service.environments.delete(model.id)


def drive(machine: type[PointsMachine], house: House, *, runs: int, steps: int, every: int = 1) -> None:
    run_state_machine_as_test(
        type("Machine", (machine,), {"house": house, "every": every}),
        settings=settings(
            max_examples=runs,
            stateful_step_count=steps,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        ),
    )

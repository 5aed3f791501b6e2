"""Environments of any engine that fork and go back in time, held against full copies of everything after every step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

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

from tests.storage.stock import Note, Part, rows, twin
from twindiff.environments.environments import Created, Wanted
from twindiff.kit.clock import SECOND, ClockMode
from twindiff.kit.errors import AlreadyExists, ApiError
from twindiff.kit.rows import table_of
from twindiff.kit.words import Word
from twindiff.server import Service
from twindiff.storage import Engine, OperationContext
from twindiff.storage.cooperative import finished
from twindiff.storage.journal import Change, Net, Place, Record, net

NOON = 1_800_000_000 * SECOND
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


class House(ABC):
    """Services over one storage, which may be closed and opened again. Those who ask take turns with them."""

    sizes: ClassVar[dict[str, int]]
    """Rows of each template."""
    columns: ClassVar[tuple[str, str]] = ("", "")
    """What a statement of one's own says of a row that the twin does not, and its value; each ends with a comma."""
    parts: ClassVar[str] = "parts"

    def __init__(self) -> None:
        self.services = self.opened()
        self.beginnings: dict[str, Rows] = {}
        for name, count in self.sizes.items():
            full = rows(count)
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


class Refused(ApiError):
    """Not this time."""


KEYS = st.integers(0, 40) | st.integers(0, 5050)
TEXTS = st.sampled_from(["", "x", "é" * 300, "long " * 2000])
KINDS = ["put", "put", "drop", "count", "clear", "again", "rekey", "half"]
DEEDS = st.tuples(st.sampled_from(KINDS), KEYS, TEXTS)
MOVED = 3_000_000
"""What `rekey` adds to a key, or takes from it."""
STATEMENTS = {
    "update": "UPDATE {parts} SET number = number + 1, text = 'x' WHERE part_id >= {key} AND part_id < {key} + 40",
    "delete": "DELETE FROM {parts} WHERE part_id >= {key} AND part_id < {key} + 40 AND part_id % 3 = 0",
    "insert": (
        "INSERT INTO {parts} ({column}part_id, shelf, text, number) SELECT {value}part_id + 2000000, 'raw', text, 7 "
        "FROM {parts} WHERE part_id >= {key} AND part_id < {key} + 40 ON CONFLICT DO NOTHING"
    ),
}
"""Statements of one's own; `follow` does the same to a copy."""


def act(moment: OperationContext, deeds: list[tuple[str, int, str]]) -> None:
    """Do to the database what `imagine` does to a copy."""
    for deed in deeds:
        _act(moment, *deed)
    db = moment.db
    note = db.find(Note, Note.note_id == 0)
    if note:
        db.change(note, at=moment.clock.micros)
    else:
        db.add(Note(note_id=0, at=moment.clock.micros))


def _act(moment: OperationContext, kind: str, key: int, text: str) -> None:
    db = moment.db
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
    elif kind == "again" and present:
        with pytest.raises(AlreadyExists):
            db.add(Part(part_id=key, shelf="taken"))
    elif kind == "rekey" and present and not db.count(Part, Part.part_id == MOVED - key):
        db.change(present, part_id=MOVED - key)
    elif kind == "half":
        with pytest.raises(Refused):
            _take_back(moment, key, text)


def _take_back(moment: OperationContext, key: int, text: str) -> None:
    with moment.db.savepoint():
        moment.db.next("half")
        _act(moment, "put", key, text)
        _act(moment, "clear", key + 1, text)
        raise Refused


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
        elif kind == "rekey" and present and ("parts", MOVED - key) not in parts:
            parts["parts", MOVED - key] = {**parts.pop(("parts", key)), "part_id": MOVED - key}
    parts["notes", 0] = {"note_id": 0, "at": clock}
    return Copy(parts, clock, counter)


def follow(before: Rows, statement: str, key: int) -> Rows:
    """What a statement of one's own makes of the rows."""
    after = dict(before)
    for each in range(key, key + 40):
        row = before.get(("parts", each))
        if row is None:
            continue
        if statement == "update":
            after["parts", each] = {**row, "number": row["number"] + 1, "text": "x"}
        elif statement == "delete" and each % 3 == 0:
            del after["parts", each]
        elif statement == "insert":
            new = {"part_id": each + 2_000_000, "shelf": "raw", "text": row["text"], "number": 7, "data": None}
            after.setdefault(("parts", each + 2_000_000), new)
    return after


def differences(before: Rows, after: Rows) -> dict[Place, Net]:
    """The net diff of two copies, made without any journal."""
    keys = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    return {
        Place("stock", table, (key,)): Net(before.get((table, key)), after.get((table, key))) for table, key in keys
    }


class PointsMachine(RuleBasedStateMachine):
    environments: Bundle[Model] = Bundle("environments")
    house: House
    every = 1
    """How many steps go by until everything is compared again; what each has recorded is compared at once."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: list[Model] = []
        self.steps = 0

    @property
    def service(self) -> Service:
        return self.house.services[self.steps % len(self.house.services)]

    @property
    def engine(self) -> Engine:
        return self.service.engine

    def awake(self, model: Model) -> str:
        self.service.environments.awaken(self.service.environments.get(model.id))
        return model.id

    def operate(self, model: Model, work: Callable[[OperationContext], None]) -> tuple[None, int | None]:
        return self.house.operate(self.service, self.awake(model), work)

    def born(self, made: Created, points: list[Copy], rewinds: dict[int, int]) -> Model:
        self.alive.append(Model(made.environment.environment_id, points, rewinds))
        return self.alive[-1]

    @initialize(target=environments, size=st.integers(0, 1000))
    def begin(self, size: int) -> Model:
        return self.create(size)

    def create(self, size: int) -> Model:
        template = sorted(self.house.sizes)[size % len(self.house.sizes)]
        wanted = Wanted([self.service.templates.named("stock", template)], clock=ClockMode("steps", NOON))
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
        self.engine.sleep(model.id)
        self.check(model)

    @rule(model=consumes(environments))
    def delete(self, model: Model) -> None:
        self.service.environments.delete(model.id)
        self.alive.remove(model)

    @rule()
    def reopen(self) -> None:
        self.house.reopen()
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
        """Compare each row of each table, the time, and what words find."""
        assert self.engine.present(self.awake(model)).clock == model.now.clock
        found: Rows = {}
        for table in (Part, Note):
            name, (key,) = table_of(table).name, table_of(table).key
            rows = self.engine.read(model.id, "stock", lambda moment, table=table: moment.db.rows(table))
            found |= {
                (name, getattr(row, key)): {each: getattr(row, each) for each in row.__struct_fields__} for row in rows
            }
        assert found == model.now.rows
        self.check_words(model)
        self.house.check(self.service, model)

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

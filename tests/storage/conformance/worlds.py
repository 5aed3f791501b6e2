"""Tables to store, and an engine with environments of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
import pytest

from twindiff.kit.clock import ClockMode
from twindiff.kit.rows import Column, Date, Json, Row, Timestamp, column, references, table_of
from twindiff.kit.store import Store
from twindiff.storage import (
    EnvironmentOrigin,
    OperationContext,
    OperationInfo,
    PlannedOperation,
    StorageEngine,
    Template,
)
from twindiff.storage.journal import JournalRecord, RowChange
from twindiff.storage.schema import Schema

T = TypeVar("T")

Storage = Callable[[], StorageEngine]
"""Opens an engine on one and the same storage; the one before is closed first."""

Rows = dict[str, list[dict[str, Any]]]
State = dict[tuple[str, str, tuple[Any, ...]], dict[str, Any]]
"""Full rows by twin, table and key."""

NOON = 1_800_000_000_000_000


class Thing(
    Row,
    table="things",
    key=("thing_id",),
    indexes=(("parent_id", "thing_id"), ("number",)),
    unique=(("slug",),),
    folded=("text",),
    words=("text", "slug"),
    labels=("parent_id", "note"),
    entries=("data",),
):
    thing_id: Column[str]
    text: Column[str | None] = column(default=None)
    number: Column[int | None] = column(default=None)
    amount: Column[float | None] = column(default=None)
    flag: Column[bool | None] = column(default=None)
    at: Column[Timestamp | None] = column(default=None)
    day: Column[Date | None] = column(default=None)
    data: Column[Json | None] = column(default=None)
    parent_id: Column[str | None] = column(default=None)
    slug: Column[str | None] = column(default=None)
    note: Column[str | None] = column(default=None)
    touched_at: Column[Timestamp | None] = column(default=None, derived=True)
    count: Column[int] = column(default=0)
    is_open: Column[bool] = column(default=True)
    payload: Column[Json] = column(default=None)


class Link(Row, table="links", key=("thing_id", "rank")):
    thing_id: Column[str] = references(Thing)
    rank: Column[int]
    note: Column[str | None] = column(default=None)


class Echo(Row, table="echoes", key=("echo_id",), visibility="derived"):
    echo_id: Column[str]
    said: Column[str | None] = column(default=None)


class Receipt(Row, table="receipts", key=("receipt_id",), visibility="bookkeeping"):
    receipt_id: Column[int]
    token: Column[str]


class Item(Row, table="items", key=("item_id",)):
    item_id: Column[str]
    title: Column[str] = column(default="")


class Folder(Row, table="folders", key=("folder_id",)):
    folder_id: Column[str]
    parent_id: Column[str | None] = references("self", default=None, on_delete="cascade")


class Page(Row, table="pages", key=("folder_id", "number")):
    folder_id: Column[str] = references(Folder, on_delete="cascade")
    number: Column[int]
    copied_from: Column[str | None] = references(Folder, default=None)


class Note(Row, table="notes", key=("note_id",)):
    note_id: Column[str]
    text: Column[str | None] = column(default=None)


CATALOG = Schema("catalog", (table_of(Note),))
TABLES: dict[str, tuple[type[Row], ...]] = {"alpha": (Thing, Link, Echo, Receipt), "beta": (Item, Folder, Page)}
SCHEMAS = {twin: Schema(twin, tuple(table_of(row) for row in rows)) for twin, rows in TABLES.items()}


class World:
    """An engine, and environments to try it with."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.engine = self._open_engine()

    def _open_engine(self) -> StorageEngine:
        engine = self._storage()
        for schema in SCHEMAS.values():
            engine.schema(schema)
        return engine

    def reopen(self) -> None:
        """Close the engine and open another on the same storage."""
        self.engine.close()
        self.engine = self._open_engine()

    def template(self, twin: str = "alpha", *rows: Row) -> Template:
        """A template of some rows."""
        return self.engine.add_template(twin, full(rows))

    def environment(self, *rows: Row, clock: ClockMode | None = None) -> Place:
        """A new environment of both twins; `rows` are what alpha begins with."""
        return self.of({"alpha": self.template("alpha", *rows), "beta": self.template("beta")}, clock)

    def of(self, templates: dict[str, Template], clock: ClockMode | None = None) -> Place:
        """A new environment of given templates."""
        mode = clock or ClockMode("steps", NOON)
        counters: dict[str, int] = {}
        for template in templates.values():
            counters |= {name: max(value, counters.get(name, 0)) for name, value in template.counters.items()}
        hashes = {twin: template.hash for twin, template in templates.items()}
        origin = EnvironmentOrigin(
            templates=hashes, clock=mode, created=NOON, clock_start=mode.start, counters=counters
        )
        env = uuid4().hex
        self.engine.create(env, origin)
        return Place(self, env, origin)


class Place:
    """One environment, in a few words."""

    def __init__(self, world: World, env: str, origin: EnvironmentOrigin) -> None:
        self.world = world
        self.env = env
        self.origin = origin

    @property
    def engine(self) -> StorageEngine:
        return self.world.engine

    def do(self, work: Callable[[OperationContext], T], twin: str = "alpha") -> tuple[T, int | None]:
        """One writing operation with all that an engine hands out."""
        return self.engine.write(self.env, OperationInfo(twin, "do", "U1"), work)

    def do_all(self, *works: Callable[[Store], object], at: int = NOON) -> list[int | None]:
        """Writing operations that are kept at once; gives their seqs."""
        intent = OperationInfo("alpha", "do", "U1")
        planned = (PlannedOperation(intent, partial(_with_rows, work), at) for work in works)
        return self.engine.write_all(self.env, "alpha", planned)

    def write(self, work: Callable[[Store], T], twin: str = "alpha") -> T:
        """One writing operation; gives what the work gives."""
        return self.do(lambda moment: work(moment.db), twin)[0]

    def add(self, *rows: Row, twin: str = "alpha") -> int | None:
        """One operation that adds rows; gives its seq."""
        return self.do(lambda moment: [moment.db.add(row) for row in rows], twin)[1]

    def read(self, work: Callable[[Store], T], twin: str = "alpha") -> T:
        """One operation that reads."""
        return self.engine.read(self.env, twin, lambda moment: work(moment.db))

    def wake(self) -> None:
        """Make it usable, whatever it takes."""
        self.engine.load(self.env, self.origin)

    def fork(self, at: int) -> Place:
        """A new environment that leaves this one at a point."""
        child = Place(self.world, uuid4().hex, self.origin)
        self.engine.fork(self.env, at, child.env)
        return child

    def state(self) -> State:
        """Every row there is."""
        return {
            (twin, table_of(type(row)).name, key_of(row)): values_of(row)
            for twin, tables in TABLES.items()
            for row in self.read(lambda db, tables=tables: [row for table in tables for row in db.rows(table)], twin)
        }

    def records(self, after: int = 0) -> list[JournalRecord]:
        return self.engine.records(self.env, after)

    def last(self) -> JournalRecord:
        """The newest journal record."""
        return self.records()[-1]


def _with_rows(work: Callable[[Store], T], moment: OperationContext) -> T:
    return work(moment.db)


def full(rows: Iterable[Row]) -> Rows:
    """Rows by table as values."""
    by_table: Rows = {}
    for row in rows:
        by_table.setdefault(table_of(type(row)).name, []).append(values_of(row))
    return by_table


def values_of(row: Row) -> dict[str, Any]:
    """A row as plain values."""
    return msgspec.structs.asdict(row)


def key_of(row: Row) -> tuple[Any, ...]:
    """The key of a row."""
    return tuple(getattr(row, name) for name in table_of(type(row)).key)


def difference(before: State, after: State, twin: str) -> list[RowChange]:
    """What an operation's journal entry must hold that led from one state to another."""
    places = sorted(place for place in {**before, **after} if place[0] == twin)
    changes = [
        RowChange(table, key, before.get((t, table, key)), after.get((t, table, key))) for t, table, key in places
    ]
    return [change for change in changes if change.before != change.after]


@pytest.fixture(scope="module")
def world(storage: Storage) -> Iterator[World]:
    """An engine for the tests of one module."""
    opened = World(storage)
    yield opened
    opened.engine.close()

"""What a data directory survives: death, a full disk, another process, and later versions."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.storage.conformance.worlds import CATALOG, NOON, Note, Place, Thing, World
from twindiff.kit.clock import ClockMode
from twindiff.kit.events import Event
from twindiff.kit.rows import Column, Json, Row, Table, Timestamp, column, table_of
from twindiff.storage import DataDirectoryInUse, EnvironmentOrigin, SchemaChanged, StorageFull
from twindiff.storage.journal import encode
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine, live_environments
from twindiff.storage.sqlite import database as database_module
from twindiff.storage.sqlite.ddl import statements

ROOT = Path(__file__).parents[2]
DIES = """
import os, signal, sys
from tests.storage.conformance.worlds import Thing, World
from twindiff.storage.sqlite import SqliteEngine
from twindiff.storage.sqlite import database as database_module
from twindiff.storage.sqlite import live_environments
from twindiff.storage.sqlite.ddl import statements
world = World(lambda: SqliteEngine(sys.argv[1]))
place = world.environment(Thing(thing_id="T0"))
for number in range(1, 8):
    place.add(Thing(thing_id=f"T{number}"))
print(place.env, place.origin.templates["alpha"], place.origin.templates["beta"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_every_acknowledged_write_survives_a_kill(tmp_path: Path):
    done = subprocess.run([sys.executable, "-c", DIES, tmp_path], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == -signal.SIGKILL, done.stderr
    env, alpha, beta = done.stdout.split()
    world = World(lambda: SqliteEngine(str(tmp_path)))
    place = Place(world, env, EnvironmentOrigin({"alpha": alpha, "beta": beta}, ClockMode("steps", NOON), NOON, NOON))
    place.wake()
    assert place.read(lambda db: [row.thing_id for row in db.rows(Thing)]) == [f"T{n}" for n in range(8)]
    assert [record.seq for record in place.records()] == [*range(1, 8)]
    world.engine.close()


@pytest.fixture
def full_world(tmp_path: Path):
    """A world with room for a little, and a way to say how many pages its file may have."""
    world = World(lambda: SqliteEngine(str(tmp_path)))
    connection: Any = world.engine.file.connection  # pyright: ignore[reportAttributeAccessIssue]

    def limit(more: int) -> None:
        ((pages,),) = connection.execute("PRAGMA page_count").fetchall()
        connection.execute(f"PRAGMA max_page_count = {pages + more}").fetchall()

    yield world, limit
    world.engine.close()


def test_a_full_disk_refuses_the_write_and_keeps_the_rest(full_world: tuple[World, Callable[[int], None]]):
    world, limit = full_world
    place = world.environment(Thing(thing_id="T1"))
    place.add(Thing(thing_id="T2"))
    limit(0)
    with pytest.raises(StorageFull, match="nothing was written"):
        place.add(Thing(thing_id="big", text="x" * 100_000))
    assert place.read(lambda db: [row.thing_id for row in db.rows(Thing)]) == ["T1", "T2"]
    limit(1000)
    assert place.add(Thing(thing_id="big", text="x" * 100_000)) == 2


def test_a_full_disk_refuses_templates_catalog_rows_and_blocks_of_them(
    full_world: tuple[World, Callable[[int], None]],
):
    world, limit = full_world
    catalog = world.engine.catalog(CATALOG)
    limit(0)
    with pytest.raises(StorageFull):
        world.template("alpha", Thing(thing_id="T1", text="x" * 100_000))
    with pytest.raises(StorageFull):
        catalog.add(Note(note_id="N1", text="x" * 100_000))
    with pytest.raises(StorageFull), world.engine.transaction():
        catalog.add(Note(note_id="N2", text="x" * 100_000))
    limit(1000)
    assert catalog.count(Note) == 0
    note = catalog.add(Note(note_id="N3"))
    limit(0)
    with pytest.raises(StorageFull):
        catalog.change(note, text="x" * 100_000)


def test_an_image_that_finds_no_room_costs_no_write(full_world: tuple[World, Callable[[int], None]]):
    world, limit = full_world
    place = world.environment()
    for number in range(250):
        place.add(Thing(thing_id=f"T{number}", text="x" * 1000))
    before = place.state()
    limit(0)
    place.engine.evict(place.env)
    place.wake()
    assert place.state() == before


def test_a_second_process_is_told_who_owns_the_directory(tmp_path: Path):
    engine = SqliteEngine(str(tmp_path))
    with pytest.raises(DataDirectoryInUse, match=f"in use by pid {os.getpid()}"):
        SqliteEngine(str(tmp_path))
    engine.file.owned_by("pid 7, port 8000")
    with pytest.raises(DataDirectoryInUse, match="pid 7, port 8000"):
        SqliteEngine(str(tmp_path))
    engine.close()
    SqliteEngine(str(tmp_path)).close()


def test_a_later_layout_is_refused_and_left_as_it_is(tmp_path: Path):
    SqliteEngine(str(tmp_path)).close()
    later = apsw.Connection(str(tmp_path / "twindiff.db"))
    later.execute("PRAGMA user_version = 99")
    for _ in range(2):
        with pytest.raises(DataDirectoryInUse, match="later version of twindiff"):
            SqliteEngine(str(tmp_path))
    assert later.execute("PRAGMA user_version").fetchall() == [(99,)]
    later.close()


def test_a_damaged_record_is_the_trouble_of_its_environment_only(tmp_path: Path):
    world = World(lambda: SqliteEngine(str(tmp_path)))
    broken, sound = world.environment(), world.environment()
    for place in (broken, sound):
        place.add(Thing(thing_id="T1"))
    connection: Any = world.engine.file.connection  # pyright: ignore[reportAttributeAccessIssue]
    connection.execute("UPDATE journal SET record = X'00' WHERE env = ?", (broken.env,))
    world.reopen()
    with pytest.raises(Exception, match="array"):
        broken.wake()
    sound.wake()
    assert sound.read(lambda db: db.count(Thing)) == 1
    world.engine.close()


# Schemas that change


class Old(Row, table="papers", key=("paper_id",)):
    paper_id: Column[str]
    title: Column[str]
    colour: Column[str] = column(default="white")
    tags: Column[Json | None] = column(default=None)


class Gone(Row, table="stamps", key=("stamp_id",)):
    stamp_id: Column[str]


class Grown(Row, table="papers", key=("paper_id",), indexes=(("title",),)):
    paper_id: Column[str]
    pages: Column[int] = column(default=1)
    title: Column[str]
    note: Column[str | None] = column(default=None)
    tags: Column[Json | None] = column(default=None)


class Demanding(Row, table="papers", key=("paper_id",)):
    paper_id: Column[str]
    title: Column[str]
    owner: Column[str]


class Retyped(Row, table="papers", key=("paper_id",)):
    paper_id: Column[str]
    title: Column[int]


class QueuedEvent(Row, table="queued_events", key=("event_id",), visibility="bookkeeping"):
    """As earlier releases had it."""

    event_id: Column[int]
    name: Column[str]
    payload: Column[Json]
    emitted_at: Column[Timestamp]


class Office:
    """A data directory whose twin gets new tables from release to release."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.engine = self.opened(Old, Gone)
        first = {"paper_id": "P1", "title": "first", "colour": "red", "tags": [1]}
        template = self.engine.add_template("office", {"papers": [first]})
        self.origin = EnvironmentOrigin({"office": template.hash}, ClockMode("steps", NOON), NOON, NOON)
        self.place: Any = Place(self, "e1", self.origin)  # pyright: ignore[reportArgumentType]
        self.engine.create("e1", self.origin)

    def opened(self, *rows: type[Row]) -> SqliteEngine:
        engine = SqliteEngine(str(self.directory))
        engine.schema(Schema("office", tuple(table_of(row) for row in rows)))
        return engine

    def release(self, *rows: type[Row]) -> None:
        """Open the directory with other tables."""
        self.engine.close()
        self.engine = self.opened(*rows)


@pytest.fixture
def office(tmp_path: Path):
    made = Office(tmp_path)
    yield made
    made.engine.close()


@pytest.mark.parametrize("writes", [0, 1, 300])
def test_columns_that_came_and_went_are_carried_over(office: Office, writes: int):
    for number in range(writes):
        office.place.add(Old(paper_id=f"Q{number}", title="more", tags={"n": number}), twin="office")
    office.engine.evict("e1")
    office.release(Grown, Gone)
    office.place.wake()
    rows = office.place.read(lambda db: db.rows(Grown, limit=2), "office")
    assert rows[0] == Grown(paper_id="P1", title="first", pages=1, tags=[1])
    assert rows[1:] == [Grown(paper_id="Q0", title="more", tags={"n": 0})][:writes]
    office.place.write(lambda db: db.change(db.get(Grown, "P1"), pages=2), "office")
    office.release(Grown, Gone)
    office.place.wake()
    assert office.place.read(lambda db: db.get(Grown, "P1").pages, "office") == 2


def test_a_migrated_environment_can_go_back_to_its_beginning(office: Office):
    office.place.add(Old(paper_id="P2", title="second"), twin="office")
    office.release(Grown, Gone)
    office.place.wake()
    office.place.write(lambda db: db.change(db.get(Grown, "P2"), pages=5), "office")
    office.engine.rewind("e1", 1)
    assert office.place.read(lambda db: db.get(Grown, "P2").pages, "office") == 1
    office.engine.rewind("e1", 0)
    assert office.place.read(lambda db: [row.paper_id for row in db.rows(Grown)], "office") == ["P1"]


def test_a_new_column_that_needs_a_value_is_refused_in_one_line(office: Office):
    office.release(Demanding, Gone)
    with pytest.raises(SchemaChanged) as refused:
        office.place.wake()
    assert str(refused.value) == "Rows of 'papers' were written without the column 'owner', which now needs a value"


def test_a_column_of_another_type_is_refused(office: Office):
    office.release(Retyped, Gone)
    with pytest.raises(SchemaChanged, match="cannot hold their older rows"):
        office.place.wake()


class Letter(Row, table="letters", key=("letter_id",), indexes=(("sender",), ("stamps",))):
    letter_id: Column[str]
    sender: Column[str]
    stamps: Column[int]


def laid_out_backwards(table: Table) -> list[str]:
    first, *indexes = statements(table)
    return [first, *reversed(indexes)]


def test_tables_that_a_release_laid_out_in_another_order_are_carried_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The schema's hash is the same; a connection that knows one order would look for rows in the other's places."""
    office = Office(tmp_path)
    monkeypatch.setattr(database_module, "statements", laid_out_backwards)
    office.release(Old, Letter)
    letters = [{"letter_id": f"L{n}", "sender": f"P{n}", "stamps": n} for n in range(50)]
    template = office.engine.add_template("office", {"letters": letters})
    origin = EnvironmentOrigin({"office": template.hash}, office.origin.clock, NOON, NOON)
    place: Any = Place(office, "e2", origin)  # pyright: ignore[reportArgumentType]
    office.engine.create("e2", origin)
    for number in range(300):
        place.add(Letter(letter_id=f"M{number}", sender="P1", stamps=number), twin="office")
    office.engine.evict("e2")
    monkeypatch.undo()
    monkeypatch.setattr(live_environments, "POOLED", 1)
    for more in range(2):
        office.release(Old, Letter)
        office.engine.create(f"today{more}", office.origin)
        office.engine.read(f"today{more}", "office", lambda moment: moment.db.count(Letter))
        place.wake()
        assert place.read(lambda db: db.count(Letter, Letter.sender == "P1"), "office") == 301 + more
        place.add(Letter(letter_id=f"N{more}", sender="P1", stamps=0), twin="office")
    assert office.engine.problems("e2", origin) == []
    office.engine.close()


def test_an_empty_table_may_go(office: Office):
    office.release(Old)
    office.place.wake()
    assert office.place.read(lambda db: db.count(Old), "office") == 1


def test_a_table_that_went_with_its_rows_is_refused_by_name(office: Office):
    office.place.add(Gone(stamp_id="S1"), twin="office")
    office.release(Old)
    with pytest.raises(SchemaChanged, match="no longer has the table 'stamps'"):
        office.place.wake()


def test_events_that_an_earlier_release_kept_as_rows_are_events(office: Office):
    office.release(Old, Gone, QueuedEvent)
    office.place.wake()
    row = QueuedEvent(event_id=1, name="paper.moved", payload={"id": "P1"}, emitted_at="2026-01-31T09:30:00")
    office.place.add(row, Old(paper_id="P2", title="second"), twin="office")
    (record,) = office.engine.records("e1")
    office.engine.file.connection.execute("UPDATE journal SET record = ?", (encode(record),))  # as that release did
    for _ in range(2):
        office.release(Old, Gone)
        office.place.wake()
        assert [(record.events, len(record.changes)) for record in office.engine.records("e1")] == [
            ([Event("paper.moved", {"id": "P1"})], 1)
        ]
        assert office.place.read(lambda db: db.count(Old), "office") == 2


def test_an_image_with_events_of_an_earlier_release_is_carried_over(office: Office):
    office.release(Old, Gone, QueuedEvent)
    office.place.wake()
    for number in range(300):
        row = QueuedEvent(event_id=number, name="paper.moved", payload={}, emitted_at="2026-01-31T09:30:00")
        office.place.add(row, Old(paper_id=f"Q{number}", title="more"), twin="office")
    office.engine.evict("e1")
    office.release(Old, Gone)
    office.place.wake()
    assert office.place.read(lambda db: db.count(Old), "office") == 301


def test_a_template_whose_table_went_with_its_rows_is_refused_by_name(office: Office):
    template = office.engine.add_template("office", {"stamps": [{"stamp_id": "S1"}]})
    office.release(Old)
    with pytest.raises(SchemaChanged, match="no longer has the table 'stamps', which holds rows"):
        office.engine.create("e2", EnvironmentOrigin({"office": template.hash}, office.origin.clock, NOON, NOON))


def test_a_catalog_gains_tables_columns_and_indexes(office: Office):
    office.engine.catalog(Schema("catalog", (table_of(Note),))).add(Note(note_id="N1", text="x"))

    class Later(Row, table="notes", key=("note_id",), indexes=(("author",),)):
        note_id: Column[str]
        text: Column[str | None] = column(default=None)
        author: Column[str | None] = column(default=None)

    office.release(Old, Gone)
    catalog = office.engine.catalog(Schema("catalog", (table_of(Later),)))
    assert catalog.rows(Later) == [Later(note_id="N1", text="x", author=None)]
    listed = office.engine.file.connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'").fetchall()
    assert ("notes(author)",) in listed

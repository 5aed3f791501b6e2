"""Whatever changes a row is seen: statements of one's own and triggers, too."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.storage.conformance.worlds import Place, Thing, World
from twindiff.kit.errors import TooSlow
from twindiff.kit.store import Store
from twindiff.storage import OperationContext, OperationInfo, deadline
from twindiff.storage.journal import net
from twindiff.storage.sqlite import SqliteEngine


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    opened = World(lambda: SqliteEngine(":memory:"))
    yield opened
    opened.engine.close()


@pytest.fixture
def place(world: World) -> Place:
    return world.environment(Thing(thing_id="T1", text="x", slug="a", data={"a": 1, "b": 2}), Thing(thing_id="T2"))


def statements(*texts: str) -> Callable[[Store], None]:
    """Work that goes round the Store."""

    def work(db: Any) -> None:
        for text in texts:
            db._connection.execute(text)

    return work


def run(db: Any, text: str) -> list[Any]:
    """What a statement of one's own finds."""
    return db._run(text, ())


def changed(place: Place) -> list[tuple[str, str, Any, Any]]:
    differences = net(place.records())
    return [
        (where.table, where.key[0], was and was["text"], now and now["text"])
        for where, (was, now) in differences.items()
    ]


def test_a_statement_of_ones_own_is_captured(place: Place):
    place.write(statements("UPDATE things SET text = 'y'", "DELETE FROM things WHERE thing_id = 'T2'"))
    assert changed(place) == [("things", "T1", "x", "y"), ("things", "T2", None, None)]
    assert [change.before and change.before["thing_id"] for change in place.last().changes] == ["T1", "T2"]


def test_a_delete_of_everything_is_captured(place: Place):
    place.write(statements("DELETE FROM things"))
    assert [change.key for change in place.last().changes] == [("T1",), ("T2",)]


def test_a_row_that_a_replace_pushes_out_is_captured(place: Place):
    columns = "thing_id, slug, text, count, is_open, payload"
    place.write(statements(f"INSERT OR REPLACE INTO things ({columns}) VALUES ('T3', 'a', 'new', 0, 1, 'null')"))
    assert changed(place) == [("things", "T1", "x", None), ("things", "T3", None, "new")]


def test_what_a_trigger_writes_is_captured(place: Place):
    trigger = (
        "CREATE TRIGGER heard AFTER UPDATE ON things BEGIN INSERT INTO echoes VALUES (new.thing_id, new.text); END"
    )
    place.write(statements(trigger, "UPDATE things SET text = 'y' WHERE thing_id = 'T1'"))
    assert [(change.table, change.key) for change in place.last().changes] == [("echoes", ("T1",)), ("things", ("T1",))]


def test_a_statement_that_fails_halfway_leaves_what_came_before(place: Place):
    def work(db: Any) -> None:
        db.change(db.get(Thing, "T2"), text="kept")
        with pytest.raises(Exception, match="UNIQUE"):
            db._run("UPDATE things SET slug = 'b', text = 'lost'", ())

    place.write(work)
    assert changed(place) == [("things", "T2", None, "kept")]


def test_json_that_a_statement_writes_in_another_order_is_no_change(place: Place):
    place.write(statements("""UPDATE things SET data = '{"b":2,  "a":1}' WHERE thing_id = 'T1'"""))
    assert place.records() == []


def test_a_write_that_takes_too_long_is_stopped_and_leaves_no_trace(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(deadline, "WHOLE_SECONDS", 0.1)
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

    def work(db: Any) -> None:
        db.change(db.get(Thing, "T2"), text="lost")
        run(db, f"{numbers} INSERT INTO echoes SELECT i, NULL FROM n")

    with pytest.raises(TooSlow):
        place.write(work)
    monkeypatch.undo()
    assert place.records() == []
    assert place.read(lambda db: db.get(Thing, "T2").text) is None
    assert place.add(Thing(thing_id="T3")) == 1


def test_a_read_that_takes_too_long_is_stopped(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(deadline, "WHOLE_SECONDS", 0.1)
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    with pytest.raises(TooSlow):
        place.read(lambda db: run(db, f"{numbers} SELECT count(*) FROM n"))


def test_an_operation_that_waited_for_a_busy_machine_is_not_late(world: World, place: Place):
    assert isinstance(world.engine, SqliteEngine)
    long_ago = deadline.Deadline(0.0, time.thread_time() + 60, TooSlow)
    change = OperationInfo("alpha", "do", "U1")

    def work(moment: OperationContext) -> None:
        moment.db.change(moment.db.get(Thing, "T2"), text="kept")

    world.engine.write(place.env, change, work, limit=lambda: long_ago)
    assert changed(place) == [("things", "T2", None, "kept")]


def test_text_with_a_null_character_is_found_to_its_end(place: Place):
    place.write(lambda db: db.change(db.get(Thing, "T1"), text="a\0b"))
    for where in (Thing.text == "a\0b", Thing.text.ends("b"), Thing.text.starts("a\0b"), Thing.text.contains("\0b")):
        assert place.read(lambda db, where=where: db.count(Thing, where)) == 1


def test_a_write_larger_than_the_page_cache_can_be_taken_back(place: Place):
    def work(db: Store) -> None:
        for number in range(3000):
            db.add(Thing(thing_id=f"L{number}", text="x" * 2000))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        place.write(work)
    assert place.read(lambda db: db.count(Thing)) == 2
    assert place.read(lambda db: run(db, "PRAGMA integrity_check")) == [("ok",)]
    place.add(*(Thing(thing_id=f"L{number}", text="x" * 2000) for number in range(3000)))
    assert place.read(lambda db: db.count(Thing, Thing.text.contains("xx"))) == 3000

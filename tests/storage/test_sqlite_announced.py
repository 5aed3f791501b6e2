"""Rows that are announced to the capture are journaled as SQLite stores them, and nothing else is taken for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit import Call, written_once
from twindiff.kit.clock import ClockMode
from twindiff.kit.errors import AlreadyExists, NotFound
from twindiff.kit.rows import Column, Json, Row, column, table_of
from twindiff.storage import EnvironmentOrigin, OperationContext, OperationInfo
from twindiff.storage.journal import JournalRecord, RowChange, Values
from twindiff.storage.schema import Schema
from twindiff.storage.sqlite import SqliteEngine

NOON = 1_770_000_000_000_000
INTENT = OperationInfo("cups", "do", "U1")
KEYS = st.sampled_from(["C1", "C2", "C3"])
TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
COUNTS = st.integers(-3, 3) | st.sampled_from(["7", True])  # SQLite makes 7 of one text, and 1 of a flag
NUMBERS = st.floats(allow_nan=False) | st.integers(-(2**60), 2**60) | st.sampled_from([-0.0, 2.0**53, 1e300])
FLAGS = st.none() | st.booleans()
DATA = st.none() | st.booleans() | st.dictionaries(st.sampled_from(["b", "aa"]), st.integers(0, 2))


class Cup(Row, table="cups", key=("cup_id",), unique=(("seq",), ("mark",)), indexes=(("count",),)):
    cup_id: Column[str]
    seq: Column[int] = column(derived=True)
    mark: Column[str | None] = column(default=None)
    count: Column[int] = column(default=0)
    limit: Column[int | None] = column(default=None)
    is_clean: Column[bool] = column(default=True)
    is_old: Column[bool | None] = column(default=None)
    data: Column[Json] = column(default={})
    more: Column[Json | None] = column(default=None)
    weight: Column[float] = column(default=1.5)
    height: Column[float | None] = column(default=None)


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "mark": TEXTS,
        "count": COUNTS,
        "limit": st.none() | COUNTS,
        "is_clean": st.booleans(),
        "is_old": FLAGS,
        "data": DATA,
        "more": DATA,
        "weight": NUMBERS,
        "height": st.none() | st.floats() | NUMBERS,
    },
)
DEED = st.tuples(st.sampled_from(["add", "all", "change", "update", "remove", "own", "lost", "together"]), KEYS, FIELDS)


@pytest.fixture(scope="module")
def engine() -> Iterator[SqliteEngine]:
    opened = SqliteEngine(":memory:")
    opened.schema(Schema("cups", (table_of(Cup),)))
    yield opened
    opened.close()


def new_environment(engine: SqliteEngine) -> tuple[str, EnvironmentOrigin]:
    template = engine.add_template("cups", {})
    origin = EnvironmentOrigin({"cups": template.hash}, ClockMode("steps", NOON), NOON, NOON, {})
    env = uuid4().hex
    engine.create(env, origin)
    return env, origin


def do(db: Any, kind: str, key: str, fields: dict[str, Any]) -> None:
    """One deed; what is refused changes nothing, and the operation goes on."""
    seq = db.next("seq")
    try:
        if kind == "add":
            db.add(Cup(cup_id=key, seq=seq, **fields))
        elif kind == "all":
            db.add_all([Cup(cup_id=f"{key}{seq}", seq=seq, **fields), Cup(cup_id=key, seq=db.next("seq"))])
        elif kind == "change":
            db.change(db.get(Cup, key), **fields)
        elif kind == "update":
            db.update(Cup(cup_id=key, seq=seq, **fields), ["seq", *fields])
        elif kind == "remove":
            db.remove(db.get(Cup, key))
        elif kind == "own":
            db._connection.execute("UPDATE cups SET count = count + 1, height = count WHERE cup_id >= ?", (key,))
            made = f"SELECT 'own', {seq}, NULL, 1, 2, 0, 1, '[]', NULL, 3, 4"
            db._connection.execute(f"INSERT OR IGNORE INTO cups {made}")
        elif kind == "lost":
            with db.savepoint():
                db.add(Cup(cup_id=f"{key}{seq}", seq=seq, **fields))
                raise NotFound("Cup", key)
        else:
            _together(db, key, seq, fields)
    except (AlreadyExists, NotFound):
        pass


def _together(db: Any, key: str, seq: int, fields: dict[str, Any]) -> None:
    """Rows that are written once, when a handler is done with them."""
    call = Call("U1", db, cast(Any, None))
    with db.savepoint(), written_once(call):
        made = call.db.add(Cup(cup_id=f"{key}{seq}", seq=seq))
        call.db.change(made, **fields)
        call.db.change(call.db.get(Cup, key), **fields)


def changes_of(before: dict[str, Values], after: dict[str, Values]) -> list[RowChange]:
    return [
        RowChange("cups", (key,), before.get(key), after.get(key))
        for key in sorted({**before, **after})
        if before.get(key) != after.get(key)
    ]


@given(st.lists(st.lists(DEED, min_size=1, max_size=5), max_size=4))
def test_a_record_has_the_rows_as_they_were_and_are(engine: SqliteEngine, operations: list[list[Any]]):
    env, origin = new_environment(engine)

    def rows() -> dict[str, Values]:
        return {row["cup_id"]: row for row in engine.content(env, origin)["cups"]["cups"]}

    def work(deeds: list[Any], moment: OperationContext) -> None:
        for kind, key, fields in deeds:
            do(moment.db, kind, key, fields)

    for deeds in operations:
        before = rows()
        _, seq = engine.write(env, INTENT, partial(work, deeds))
        made = engine.records(env, seq - 1)[0].changes if seq else []
        assert repr(made) == repr(changes_of(before, rows()))  # in which True is not 1


def recorded(engine: SqliteEngine, *works: Callable[[Any], object]) -> list[JournalRecord]:
    """The records of operations, one each."""
    env, _ = new_environment(engine)
    for work in works:
        engine.write(env, INTENT, lambda moment, work=work: work(moment.db))
    return engine.records(env)


def test_a_row_that_was_refused_is_not_taken_for_the_next(engine: SqliteEngine):
    def refused(db: Any) -> None:
        with pytest.raises(AlreadyExists):
            db.add(Cup(cup_id="C1", seq=2, mark="refused"))
        db._connection.execute("INSERT INTO cups SELECT 'C2', 2, 'next', 0, NULL, 1, NULL, '{}', NULL, 1, NULL")

    _, record = recorded(engine, lambda db: db.add(Cup(cup_id="C1", seq=1)), refused)
    assert [(change.key, change.after and change.after["mark"]) for change in record.changes] == [(("C2",), "next")]


def test_an_update_of_a_row_that_is_gone_is_not_taken_for_the_next(engine: SqliteEngine):
    def gone(db: Any) -> None:
        cup = db.get(Cup, "C1")
        db._connection.execute("UPDATE cups SET cup_id = 'C9' WHERE cup_id = 'C1'")
        with pytest.raises(NotFound):
            db.update(cup, ["mark"])
        db._connection.execute("UPDATE cups SET mark = 'own' WHERE cup_id = 'C2'")

    first = [Cup(cup_id="C1", seq=1), Cup(cup_id="C2", seq=2)]
    _, record = recorded(engine, lambda db: db.add_all(first), gone)
    assert [(change.key, change.after and change.after["mark"]) for change in record.changes] == [
        (("C1",), None),
        (("C2",), "own"),
        (("C9",), None),
    ]


def test_a_value_that_sqlite_converts_is_captured_as_it_is_stored(engine: SqliteEngine):
    _, *records = recorded(
        engine,
        lambda db: db.add(Cup(cup_id="C1", seq=1)),
        lambda db: db.add(Cup(cup_id="C2", seq=2, count=cast(int, "7"))),
        lambda db: db.change(db.get(Cup, "C1"), count=cast(int, "8")),
    )
    assert [record.changes[0].after["count"] for record in records if record.changes[0].after] == [7, 8]

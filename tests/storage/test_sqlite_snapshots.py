"""Operations on snapshots are operations like any others: journal, rewinds and forks know no difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage.conformance.worlds import Place, Thing, World
from twindiff.storage import OperationInfo
from twindiff.storage.sqlite import SqliteEngine

NAMES = st.sampled_from(["T1", "T2", "T3", "T4"])
WRITES = st.tuples(st.sampled_from(["put", "drop", "again", "nothing"]), NAMES, st.integers(0, 5000))
STEPS = st.one_of(
    st.tuples(st.just("here"), WRITES),
    st.tuples(st.just("apart"), WRITES),
    st.tuples(st.just("rewind"), st.integers(0, 9)),
)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    opened = World(lambda: SqliteEngine(":memory:"))
    yield opened
    opened.engine.close()


def change(db: Any, write: tuple[str, str, int]) -> None:
    """Put a row or take it away; `again` takes it away and puts it back, so that nothing has changed."""
    how, name, size = write
    row = db.find(Thing, Thing.thing_id == name)
    if how == "put":
        db.add(Thing(thing_id=name, text="x" * size)) if row is None else db.change(row, text="x" * size)
    elif row is not None and how in ("drop", "again"):
        db.remove(row)
        if how == "again":
            db.add(row)


def do(place: Place, apart: bool, write: tuple[str, str, int]) -> None:
    engine: Any = place.engine
    where = engine.snapshot(place.env, "alpha", writes=True) if apart else engine
    where.write(place.env, OperationInfo("alpha", "do", "U1"), lambda moment: change(moment.db, write))
    if apart:
        assert engine.take_over(where)


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(STEPS, max_size=25), at=st.integers(0, 30))
def test_an_environment_is_what_its_journal_says_wherever_its_operations_were_worked_on(
    world: World, steps: list[tuple[str, Any]], at: int
):
    place, engine = world.environment(Thing(thing_id="T1")), world.engine
    assert isinstance(engine, SqliteEngine)
    for where, what in steps:
        if where == "rewind":
            engine.rewind(place.env, min(what, engine.seq(place.env)))
        else:
            do(place, where == "apart", what)
    state, fork = place.state(), place.fork(min(at, engine.seq(place.env)))
    forked = fork.state()
    for each, shown in ((place, state), (fork, forked)):
        engine.evict(each.env)
        each.wake()
        assert each.state() == shown
        assert engine.problems(each.env, each.origin) == []


def test_a_snapshot_of_an_environment_that_has_moved_on_is_not_taken_over(world: World):
    place, engine = world.environment(Thing(thing_id="T1")), world.engine
    assert isinstance(engine, SqliteEngine)
    snapshot = engine.snapshot(place.env, "alpha", writes=True)
    snapshot.write(place.env, OperationInfo("alpha", "do", "U1"), lambda moment: change(moment.db, ("put", "T2", 1)))
    place.add(Thing(thing_id="T3"))
    assert not engine.take_over(snapshot)
    assert [change.key for record in place.records() for change in record.changes] == [("T3",)]


def test_a_snapshot_of_an_environment_that_is_gone_is_not_taken_over(world: World):
    place, engine = world.environment(Thing(thing_id="T1")), world.engine
    assert isinstance(engine, SqliteEngine)
    snapshot = engine.snapshot(place.env, "alpha", writes=True)
    snapshot.write(place.env, OperationInfo("alpha", "do", "U1"), lambda moment: change(moment.db, ("put", "T2", 1)))
    engine.delete(place.env)
    assert not engine.take_over(snapshot)


def test_what_is_not_taken_over_has_not_happened(world: World):
    place, engine = world.environment(Thing(thing_id="T1")), world.engine
    assert isinstance(engine, SqliteEngine)
    before = place.state()
    snapshot = engine.snapshot(place.env, "alpha", writes=True)
    snapshot.write(place.env, OperationInfo("alpha", "do", "U1"), lambda moment: change(moment.db, ("drop", "T1", 1)))
    assert (place.state(), place.records()) == (before, [])

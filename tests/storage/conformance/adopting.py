"""An environment that lived elsewhere goes on here as if it had always been here."""

from __future__ import annotations

from uuid import uuid4

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.kit.clock import SECOND, ClockMode
from twindiff.storage import EnvironmentOrigin, OperationContext, TemplatePayload
from twindiff.storage.journal import JournalRecord, RowChange, net

from .journals import OPERATIONS, Sequence, exactly, perform
from .points import churn, now
from .worlds import NOON, SCHEMAS, Echo, Place, Rows, Thing, World, full

__all__ = [
    "test_a_long_journal_is_adopted_with_all_its_points",
    "test_adopted_clocks_and_counters_go_on",
    "test_adopted_rows_are_no_changes_of_their_own",
    "test_an_adopted_environment_has_the_same_past_and_present",
    "test_an_adopted_environment_without_records_is_its_templates",
    "test_an_adopted_template_may_be_new",
    "test_what_an_adoption_that_ended_early_leaves_can_be_deleted",
]

FIRST = (Thing(thing_id="T1", text="x\0", data={"a": 1, "\0": 1.0}, slug="a"), Thing(thing_id="T2", slug="b"))


def adopt_copy(place: Place, starts: dict[str, TemplatePayload]) -> Place:
    """An environment's records, adopted under another id."""
    adopted = Place(place.world, uuid4().hex, place.origin)
    records = [msgspec.structs.replace(record, env=adopted.env) for record in place.records()]
    for work in place.engine.import_environment(adopted.env, place.origin, starts, records):
        work()
    return adopted


def starts_of(world: World, *rows: Thing) -> dict[str, TemplatePayload]:
    """What environments of `rows` begin with."""
    rows_by_twin: dict[str, Rows] = {"alpha": full(rows), "beta": {}}
    return {twin: TemplatePayload(world.engine.add_template(twin, each), each) for twin, each in rows_by_twin.items()}


def go_on(moment: OperationContext) -> int:
    """The instant of an operation with an id of its own."""
    moment.db.add(Echo(echo_id=f"N{moment.db.next('id')}"))
    return moment.clock.micros


def without_environment(records: list[JournalRecord]) -> str:
    """Records without the name of their environment."""
    return exactly([msgspec.structs.replace(record, env="") for record in records])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=OPERATIONS, rewinds=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=3))
def test_an_adopted_environment_has_the_same_past_and_present(
    world: World, operations: list[Sequence], rewinds: list[tuple[int, int]]
) -> None:
    place = world.environment(*FIRST)
    for number, operation in enumerate(operations):
        place.do(lambda moment, operation=operation: [perform(moment.db, step) for step in operation.steps])
        for _, to in [each for each in rewinds if each[0] == number and each[1] <= place.engine.seq(place.env)]:
            place.engine.rewind(place.env, to)
    adopted = adopt_copy(place, starts_of(world, *FIRST))
    assert without_environment(adopted.records()) == without_environment(place.records())
    last = place.engine.seq(place.env)
    for point in range(last + 1):
        assert adopted.fork(point).state() == place.fork(point).state()
        differences = [net(each.engine.difference(each.env, point, last // 2)) for each in (place, adopted)]
        assert exactly(differences[0]) == exactly(differences[1])
    assert adopted.do(go_on) == place.do(go_on)
    assert adopted.state() == place.state()


@pytest.mark.parametrize("mode", [ClockMode("steps", NOON), ClockMode("offset", 1_000), ClockMode("real")])
def test_adopted_clocks_and_counters_go_on(world: World, mode: ClockMode) -> None:
    place = world.environment(clock=mode)
    for _ in range(3):
        place.do(now)
    adopted = adopt_copy(place, starts_of(world))
    instant, seq = adopted.do(now)
    assert (seq, adopted.last().ids) == (4, {"id": 4})
    before = place.last()
    elapsed = SECOND if mode.mode == "steps" else adopted.last().at - before.at
    assert instant - before.clock == elapsed


def test_adopted_rows_are_no_changes_of_their_own(world: World) -> None:
    place = world.environment(*FIRST)
    place.add(Thing(thing_id="T3"))
    adopted = adopt_copy(place, starts_of(world, *FIRST))
    adopted.add(Thing(thing_id="T4"))
    assert [[change.key for change in record.changes] for record in adopted.records()] == [[("T3",)], [("T4",)]]


def test_a_long_journal_is_adopted_with_all_its_points(world: World) -> None:
    place = world.environment(*(Thing(thing_id=f"K{n}", slug=f"{n}") for n in range(5)))
    rows = place.read(lambda db: db.rows(Thing))
    for number in range(1_100):
        place.write(lambda db, n=number: churn(db, n))
    place.engine.rewind(place.env, 1_050)
    adopted = adopt_copy(place, starts_of(world, *rows))
    assert adopted.state() == place.state()
    world.reopen()
    adopted.wake()
    place.wake()
    for point in (1, 999, 1_001, 1_101):
        assert adopted.fork(point).state() == place.fork(point).state()


def test_an_adopted_environment_without_records_is_its_templates(world: World) -> None:
    place = world.environment(*FIRST)
    adopted = adopt_copy(place, starts_of(world, *FIRST))
    assert (adopted.state(), adopted.engine.seq(adopted.env)) == (place.state(), 0)
    assert adopted.do(go_on) == (NOON + SECOND, 1)


def test_an_adopted_template_may_be_new(world: World) -> None:
    rows = full([Thing(thing_id=uuid4().hex)])
    known = world.template("alpha")
    hash = SCHEMAS["alpha"].content_hash(rows, {"id": 7})
    start = TemplatePayload(known._replace(hash=hash, counters={"id": 7}), rows)
    origin = EnvironmentOrigin({"alpha": hash}, ClockMode("steps", NOON), NOON, NOON, {"id": 7})
    place = Place(world, uuid4().hex, origin)
    thing_id = rows["things"][0]["thing_id"]
    change = RowChange("things", (thing_id,), rows["things"][0], None)
    record = JournalRecord(place.env, 1, "alpha", "do", "U1", NOON, NOON + SECOND, {"id": 7}, [change])
    for work in world.engine.import_environment(place.env, origin, {"alpha": start}, [record]):
        work()
    assert place.read(lambda db: db.count(Thing)) == 0
    place.engine.rewind(place.env, 0)
    assert [row.thing_id for row in place.read(lambda db: db.rows(Thing))] == [thing_id]
    assert place.do(now)[1] == 3
    assert place.last().ids == {"id": 8}


def test_what_an_adoption_that_ended_early_leaves_can_be_deleted(world: World) -> None:
    place = world.environment(*FIRST)
    place.add(Thing(thing_id="T3"))
    env = uuid4().hex
    records = [msgspec.structs.replace(record, env=env) for record in place.records()]
    next(iter(place.engine.import_environment(env, place.origin, starts_of(world, *FIRST), records)), None)
    place.engine.delete(env)
    assert (place.engine.records(env), place.engine.seq(env), place.engine.is_loaded(env)) == ([], 0, False)

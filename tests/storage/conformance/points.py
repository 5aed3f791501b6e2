"""Time, sleep, and the points an environment can return to."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.kit.clock import SECOND, ClockMode
from twindiff.kit.store import Store
from twindiff.storage import OperationContext, UnknownPoint
from twindiff.storage.journal import net

from .journals import OPERATIONS, Sequence, check_replay, perform
from .worlds import NOON, Item, Place, Thing, World

__all__ = [
    "test_a_deleted_environment_leaves_nothing",
    "test_a_fork_goes_on_by_itself",
    "test_a_fork_of_a_fork_remembers_everything",
    "test_a_fork_survives_its_parent",
    "test_a_point_that_never_was_is_unknown",
    "test_a_real_clock_is_the_wall_clock",
    "test_a_reopened_engine_goes_on_where_it_was",
    "test_an_offset_clock_starts_where_it_is_told",
    "test_an_operation_without_net_change_leaves_every_point_as_it_was",
    "test_any_point_can_be_returned_to",
    "test_counters_go_on_after_sleep",
    "test_ids_after_a_rewind_are_those_of_that_point",
    "test_reading_never_moves_the_clock",
    "test_sleep_and_wake_rebuild_exactly",
    "test_steps_move_a_second_per_write",
    "test_the_difference_between_two_points_spans_a_rewind",
]


def now(moment: OperationContext) -> int:
    """The instant of an operation that writes."""
    moment.db.add(Thing(thing_id=f"T{moment.db.next('id')}"))
    return moment.clock.micros


def test_steps_move_a_second_per_write(world: World) -> None:
    place = world.environment(clock=ClockMode("steps", NOON))
    instants = [place.do(now)[0] for _ in range(3)]
    assert instants == [NOON + SECOND, NOON + 2 * SECOND, NOON + 3 * SECOND]
    assert [record.clock for record in place.records()] == instants


def test_reading_never_moves_the_clock(world: World) -> None:
    place = world.environment(clock=ClockMode("steps", NOON))
    place.do(now)
    reads = {place.engine.read(place.env, "alpha", lambda moment: moment.clock.micros) for _ in range(3)}
    assert reads == {NOON + SECOND}


def test_a_real_clock_is_the_wall_clock(world: World) -> None:
    place = world.environment(clock=ClockMode("real"))
    assert place.do(now)[0] == place.last().clock == place.last().at


def test_an_offset_clock_starts_where_it_is_told(world: World) -> None:
    place = world.environment(clock=ClockMode("offset", 1_000))
    instants = [place.do(now)[0] for _ in range(3)]
    wall = [record.at for record in place.records()]
    assert [instant - 1_000 for instant in instants] == [at - place.origin.created for at in wall]


def test_counters_go_on_after_sleep(world: World) -> None:
    place = world.environment()
    place.do(now)
    place.engine.evict(place.env)
    place.wake()
    assert place.do(now) == (NOON + 2 * SECOND, 2)
    assert place.last().ids == {"id": 2}


@pytest.mark.parametrize("operations", [0, 5, 201])
def test_sleep_and_wake_rebuild_exactly(world: World, operations: int) -> None:
    assert_rebuilt(world, operations)


def assert_rebuilt(world: World, operations: int) -> None:
    """After so many operations an environment wakes as it fell asleep."""
    place = world.environment(*(Thing(thing_id=f"K{n}", slug=f"{n}") for n in range(5)))
    for number in range(operations):
        place.write(lambda db, n=number: churn(db, n))
    place.add(Item(item_id="I1"), twin="beta")
    before, seq = place.state(), place.engine.seq(place.env)
    place.engine.evict(place.env)
    assert place.engine.seq(place.env) == seq
    place.wake()
    assert place.state() == before
    world.reopen()
    assert not place.engine.is_loaded(place.env)
    place.wake()
    assert (place.state(), place.engine.seq(place.env)) == (before, seq)


def churn(db: Store, number: int) -> None:
    """A write that adds, changes, removes and lets unique values trade places."""
    if number % 3 == 0:
        db.add(Thing(thing_id=f"T{number}", text="x" * (number % 50), data={"n": number}))
    one, other = db.get(Thing, f"K{number % 5}"), db.get(Thing, f"K{(number + 1) % 5}")
    mine, theirs = one.slug, other.slug
    db.change(one, slug=None)
    db.change(other, slug=mine)
    db.change(one, slug=theirs, count=one.count + 1)
    if number % 4 == 3:
        db.remove(db.get(Thing, f"T{number // 3 * 3}"))


def test_a_reopened_engine_goes_on_where_it_was(world: World) -> None:
    place = world.environment()
    place.do(now)
    world.reopen()
    place.wake()
    assert place.do(now) == (NOON + 2 * SECOND, 2)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rounds=st.lists(st.lists(st.integers(0, 119), min_size=1, max_size=40, unique=True), min_size=4, max_size=12))
def test_an_operation_without_net_change_leaves_every_point_as_it_was(world: World, rounds: list[list[int]]) -> None:
    place = world.environment(*(Thing(thing_id=f"T{n}", slug=f"{n}", text="x" * 200) for n in range(120)))
    states = [place.state()]

    def add_again(db: Store, numbers: list[int]) -> None:
        gone = [db.get(Thing, f"T{n}") for n in numbers]
        for each in gone:
            db.remove(each)
        for each in reversed(gone):
            db.add(each)

    for number, chosen in enumerate(rounds):
        assert place.do(lambda moment, chosen=chosen: add_again(moment.db, chosen))[1] is None
        place.add(Thing(thing_id=f"N{number}", slug=f"N{number}", text="y" * 97 * len(chosen)))
        states.append(place.state())
    for point in (len(rounds) // 2, 0, 1, len(rounds)):
        assert place.fork(point).state() == states[point]
        place.engine.rewind(place.env, point)
        assert place.state() == states[point]
        assert place.read(lambda db: db.count(Thing, Thing.number.is_null())) == 120 + point


def test_ids_after_a_rewind_are_those_of_that_point(world: World) -> None:
    place = world.environment()
    for _ in range(3):
        place.do(now)
    assert place.engine.rewind(place.env, 1) == 4
    assert [row.thing_id for row in place.read(lambda db: db.rows(Thing))] == ["T1"]
    assert place.do(now) == (NOON + 2 * SECOND, 5)
    assert [row.thing_id for row in place.read(lambda db: db.rows(Thing))] == ["T1", "T2"]


def test_a_point_that_never_was_is_unknown(world: World) -> None:
    place = world.environment()
    for point in (-1, 1):
        with pytest.raises(UnknownPoint, match=f"{point}"):
            place.engine.rewind(place.env, point)
        with pytest.raises(UnknownPoint, match=f"{point}"):
            place.fork(point)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=OPERATIONS, points=st.lists(st.integers(0, 8), min_size=1, max_size=4), asleep=st.booleans())
def test_any_point_can_be_returned_to(
    world: World, operations: list[Sequence], points: list[int], asleep: bool
) -> None:
    place = world.environment(Thing(thing_id="T1", text="x"))
    states = [place.state()]
    for operation in operations:
        _, seq = place.do(lambda moment, operation=operation: [perform(moment.db, step) for step in operation.steps])
        states += [place.state()] if seq else []
    for point in points:
        if asleep:
            place.engine.evict(place.env)
            place.wake()
        if point < len(states):
            states += [states[point]]
            assert place.engine.rewind(place.env, point) == len(states) - 1
            assert place.state() == place.fork(point).state() == states[point]
    for start, end in {(0, len(states) - 1), (len(states) // 2, len(states) - 1), (len(states) - 1, 0)}:
        check_replay(states[start], states[end], place.engine.difference(place.env, start, end))


def test_the_difference_between_two_points_spans_a_rewind(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    place.add(Thing(thing_id="T2"))
    place.engine.rewind(place.env, 0)
    place.add(Thing(thing_id="T3"))
    differences = net(place.engine.difference(place.env, 1, 4))
    assert [(where.key, was is None) for where, (was, _) in differences.items()] == [(("T1",), False), (("T3",), True)]


def test_a_fork_goes_on_by_itself(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    place.add(Thing(thing_id="T2"))
    child = place.fork(1)
    child.add(Thing(thing_id="C"))
    place.add(Thing(thing_id="P"))
    assert keys(child) == ["C", "T1"]
    assert keys(place) == ["P", "T1", "T2"]
    assert [record.seq for record in child.records()] == [1, 2]
    child.engine.evict(child.env)
    child.wake()
    assert keys(child) == ["C", "T1"]


def keys(place: Place) -> list[str]:
    """What is there."""
    return [row.thing_id for row in place.read(lambda db: db.rows(Thing))]


def test_a_fork_survives_its_parent(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    child = place.fork(1)
    place.engine.delete(place.env)
    world.reopen()
    child.wake()
    assert keys(child) == ["T1"]


def test_a_fork_of_a_fork_remembers_everything(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    child = place.fork(1)
    child.add(Thing(thing_id="T2"))
    grandchild = child.fork(2)
    grandchild.add(Thing(thing_id="T3"))
    world.reopen()
    grandchild.wake()
    assert keys(grandchild) == ["T1", "T2", "T3"]
    grandchild.engine.rewind(grandchild.env, 1)
    assert keys(grandchild) == ["T1"]


def test_a_deleted_environment_leaves_nothing(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    place.engine.delete(place.env)
    assert (place.records(), place.engine.seq(place.env), place.engine.is_loaded(place.env)) == ([], 0, False)

"""The journal says exactly what every operation changed, and leads to every state there was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from twindiff.kit.errors import AlreadyExists, ApiError
from twindiff.kit.events import Event
from twindiff.kit.store import Store
from twindiff.storage import OperationContext
from twindiff.storage.journal import JournalRecord, RowChange, RowLocation, net

from .worlds import Echo, Item, Link, Receipt, State, Thing, World, difference

__all__ = [
    "test_a_change_to_what_was_there_is_no_change",
    "test_a_changed_key_is_a_row_gone_and_a_row_come",
    "test_a_record_says_who_did_what_and_when",
    "test_a_refusal_that_is_handled_costs_nothing_else",
    "test_a_refused_operation_leaves_no_trace",
    "test_a_row_added_and_changed_is_one_insert",
    "test_a_row_added_and_removed_was_never_there",
    "test_a_row_removed_and_added_again_is_an_update",
    "test_a_savepoint_takes_back_its_own_writes_only",
    "test_an_operation_that_changes_nothing_has_no_record",
    "test_an_operation_that_changes_nothing_tells_nobody",
    "test_an_operation_that_only_reads_tells_nobody",
    "test_any_exception_leaves_no_trace",
    "test_changes_stand_in_order_of_table_and_key",
    "test_events_of_a_savepoint_go_with_it",
    "test_events_stand_in_the_record_of_their_operation",
    "test_events_survive_a_restart",
    "test_every_operation_is_recorded_exactly_and_leads_both_ways",
    "test_json_in_another_order_is_no_change",
    "test_one_true_and_text_are_different_changes",
    "test_twins_share_one_journal",
    "test_two_environments_never_see_each_other",
]

KEYS = st.sampled_from(["T1", "T2", "T3"])
LONG = "long " * 5_000
"""A text that fills some pages of its own."""


class Step(NamedTuple):
    """One write of an operation."""

    what: str
    key: str
    other: str
    text: str | None
    data: Any


STEPS = st.builds(
    Step,
    st.sampled_from(["add", "change", "remove", "rekey", "link", "echo", "add again", "change back", "count"]),
    KEYS,
    KEYS,
    st.sampled_from([None, "", "x", "y", LONG]),
    st.sampled_from([None, 1, True, 1.0, {"a": 1, "bb": 2}, {"bb": 2, "a": 1}, [], "x"]),
)


class Refused(ApiError):
    """It is refused."""


class Sequence(NamedTuple):
    """Operations; one with `fails` raises when it is done."""

    steps: list[Step]
    twin_too: bool
    fails: bool


OPERATIONS = st.lists(
    st.builds(Sequence, st.lists(STEPS, max_size=5), st.booleans(), st.sampled_from([False, False, False, True])),
    max_size=6,
)


def perform(db: Store, step: Step) -> None:
    """One write, if it can be done."""
    here = db.find(Thing, Thing.thing_id == step.key)
    if step.what == "add" and here is None:
        db.add(Thing(thing_id=step.key, text=step.text, data=step.data))
    elif step.what == "change" and here:
        db.change(here, text=step.text, data=step.data, count=here.count + 1)
    elif step.what == "remove" and here:
        db.remove(here)
    elif step.what == "rekey" and here and db.count(Thing, Thing.thing_id == step.other) == 0:
        db.change(here, thing_id=step.other)
    elif step.what == "add again" and here:
        db.remove(here)
        db.add(here)
    elif step.what == "change back" and here:
        db.change(db.change(here, text=step.text, data=step.data), text=here.text, data=here.data)
    elif step.what == "count":
        db.next("id")
    elif step.what == "link":
        db.add(Link(thing_id=step.key, rank=db.count(Link) + db.next("rank"), note=step.text))
    elif step.what == "echo":
        db.add(Echo(echo_id=f"E{db.next('id')}", said=step.text))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=OPERATIONS)
def test_every_operation_is_recorded_exactly_and_leads_both_ways(world: World, operations: list[Sequence]) -> None:
    place = world.environment(Thing(thing_id="T1", text="x", data={"a": 1}), Thing(thing_id="T2"))
    first = before = place.state()

    def work(db: Store, operation: Sequence) -> None:
        for step in operation.steps:
            perform(db, step)
        if operation.fails:
            raise Refused

    for operation in operations:
        seen = len(place.records())
        if operation.fails:
            with pytest.raises(Refused):
                place.write(lambda db, operation=operation: work(db, operation))
        else:
            place.write(lambda db, operation=operation: work(db, operation))
        after = place.state()
        entries = [record.changes for record in place.records(seen)]
        wanted = difference(before, after, "alpha")
        assert exactly(entries) == exactly([wanted] if wanted else [])
        if operation.twin_too:
            place.write(lambda db, n=seen: db.add(Item(item_id=f"I{n}{db.next('id')}")), "beta")
        before = place.state()
    check_replay(first, before, place.records())


def exactly(value: Any) -> str:
    """A value in which true, 1 and 1.0 are told apart."""
    return repr(value)


def check_replay(before: State, after: State, records: list[JournalRecord]) -> None:
    """The journal, folded, leads from the first state to the last and back."""
    changes = net(records)
    for here, there, back in ((before, after, False), (after, before, True)):
        state = dict(here)
        for where, (was, now) in changes.items():
            old, new = (now, was) if back else (was, now)
            assert state.pop((where.twin, where.table, where.key), None) == old
            if new is not None:
                state[where.twin, where.table, where.key] = new
        assert state == there


def test_a_refused_operation_leaves_no_trace(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"))

    def work(db: Store) -> None:
        db.remove(db.get(Thing, "T1"))
        db.add(Thing(thing_id=f"T{db.next('id')}0"))
        raise Refused

    with pytest.raises(Refused):
        place.write(work)
    assert place.records() == []
    assert [row.thing_id for row in place.read(lambda db: db.rows(Thing))] == ["T1"]
    assert place.write(lambda db: [db.add(Thing(thing_id="T2")), db.next("id")][1]) == 1


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, RecursionError])
def test_any_exception_leaves_no_trace(world: World, error: type[BaseException]) -> None:
    place = world.environment()

    def work(db: Store) -> None:
        db.add(Thing(thing_id="T1"))
        raise error

    with pytest.raises(error):
        place.write(work)
    assert (place.records(), place.read(lambda db: db.count(Thing)), place.engine.seq(place.env)) == ([], 0, 0)


def test_a_refusal_that_is_handled_costs_nothing_else(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", slug="a"))

    def work(db: Store) -> None:
        db.add(Thing(thing_id="T2"))
        with pytest.raises(AlreadyExists):
            db.add(Thing(thing_id="T3", slug="a"))
        with pytest.raises(AlreadyExists):
            db.change(db.get(Thing, "T2"), slug="a")

    place.write(work)
    assert [(change.key, change.before) for change in place.last().changes] == [(("T2",), None)]


def test_a_savepoint_takes_back_its_own_writes_only(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", text="old"))

    def work(db: Store) -> None:
        db.add(Thing(thing_id="T2"))
        with pytest.raises(Refused), db.savepoint():  # noqa: PT012 - the savepoint is what is tested
            db.change(db.get(Thing, "T1"), text="new")
            db.add(Thing(thing_id="T3"))
            raise Refused

    place.write(work)
    assert [change.key for change in place.last().changes] == [("T2",)]


def test_events_of_a_savepoint_go_with_it(world: World) -> None:
    place = world.environment()

    def work(db: Store) -> None:
        db.add(Thing(thing_id="T1"))
        db.emit(Event("kept", {}))
        with pytest.raises(Refused), db.savepoint():  # noqa: PT012 - the savepoint is what is tested
            db.emit(Event("undone", {}))
            raise Refused
        db.emit(Event("later", {}))

    place.write(work)
    assert [event.name for event in place.last().events] == ["kept", "later"]


def telling(*events: Event) -> Callable[[Store], None]:
    """Work that adds a row and tells of events."""

    def work(db: Store) -> None:
        db.add(Thing(thing_id="T1"))
        for event in events:
            db.emit(event)

    return work


TOLD = Event("thing.made", {"id": "T1", "text": '\x00 \\u0000 "é" 🙂', "n": [1, None, {"deep": True}]})


def test_events_stand_in_the_record_of_their_operation(world: World) -> None:
    place = world.environment()
    place.write(telling(TOLD, Event("thing.seen", {})))
    assert place.last().events == [TOLD, Event("thing.seen", {})]


def test_events_survive_a_restart(world: World) -> None:
    place = world.environment()
    place.write(telling(TOLD))
    world.reopen()
    place.wake()
    assert place.last().events == [TOLD]


def test_an_operation_that_changes_nothing_tells_nobody(world: World) -> None:
    place = world.environment()
    place.write(lambda db: db.emit(TOLD))
    assert place.records() == []


def test_an_operation_that_only_reads_tells_nobody(world: World) -> None:
    place = world.environment()
    with pytest.raises(TypeError, match=r"event 'thing\.made'"):
        place.read(lambda db: db.emit(TOLD))


def test_an_operation_that_changes_nothing_has_no_record(world: World) -> None:
    place = world.environment()
    assert place.do(lambda moment: moment.db.next("id")) == (1, None)
    assert place.records() == []


def test_a_row_added_and_changed_is_one_insert(world: World) -> None:
    place = world.environment()
    place.write(lambda db: db.change(db.add(Thing(thing_id="T1")), text="x"))
    (change,) = place.last().changes
    assert (change.before, change.after and change.after["text"]) == (None, "x")


def test_a_row_added_and_removed_was_never_there(world: World) -> None:
    place = world.environment()
    place.write(lambda db: db.remove(db.add(Thing(thing_id="T1"))))
    assert place.records() == []


def test_a_change_to_what_was_there_is_no_change(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", text="x"))
    place.write(lambda db: db.change(db.change(db.get(Thing, "T1"), text="y"), text="x"))
    assert place.records() == []


def test_json_in_another_order_is_no_change(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", data={"a": 1, "bb": {"c": 2, "d": 3}}))
    place.write(lambda db: db.change(db.get(Thing, "T1"), data={"bb": {"d": 3, "c": 2}, "a": 1}))
    assert place.records() == []


def test_one_true_and_text_are_different_changes(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", data=[1]))
    for value in (True, 1, 1.0, "1"):
        place.write(lambda db, value=value: db.change(db.get(Thing, "T1"), data=[value]))
    afters = [change.after["data"] for record in place.records() for change in record.changes if change.after]
    assert exactly(afters) == exactly([[True], [1], [1.0], ["1"]])
    (difference,) = net(place.records()[:1]).values()
    assert exactly(difference.after and difference.after["data"]) == "[True]"
    assert len(net(place.records()[2:3])) == 1


def test_a_changed_key_is_a_row_gone_and_a_row_come(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", text="x"))
    place.write(lambda db: db.change(db.get(Thing, "T1"), thing_id="T0"))
    first, second = place.last().changes
    assert (first.key, first.before, second.key, second.after) == (("T0",), None, ("T1",), None)


def test_a_row_removed_and_added_again_is_an_update(world: World) -> None:
    place = world.environment(Thing(thing_id="T1", text="x"))

    def work(db: Store) -> None:
        db.remove(db.get(Thing, "T1"))
        db.add(Thing(thing_id="T1", text="y"))

    place.write(work)
    (change,) = place.last().changes
    assert (change.before and change.before["text"], change.after and change.after["text"]) == ("x", "y")


def test_changes_stand_in_order_of_table_and_key(world: World) -> None:
    place = world.environment()
    rows = [Thing(thing_id="é"), Thing(thing_id="z"), Receipt(receipt_id=10, token=""), Receipt(receipt_id=9, token="")]
    place.add(*rows, Link(thing_id="b", rank=2), Link(thing_id="b", rank=-1), Link(thing_id="B", rank=5))
    places = [(change.table, change.key) for change in place.last().changes]
    assert places == sorted(places)
    assert places[0] == ("links", ("B", 5))
    assert places[-1] == ("things", ("é",))


def test_a_record_says_who_did_what_and_when(world: World) -> None:
    place = world.environment()

    def work(moment: OperationContext) -> int:
        moment.db.add(Thing(thing_id="T1"))
        return moment.clock.micros + moment.db.next("id")

    result, seq = place.do(work)
    record = place.last()
    assert (record.env, record.seq, record.twin, record.operation, record.actor) == (
        place.env, seq, "alpha", "do", "U1"
    )  # fmt: skip
    assert (record.clock + 1, record.ids) == (result, {"id": 1})
    assert record.changes == [RowChange("things", ("T1",), None, place.state()["alpha", "things", ("T1",)])]


def test_twins_share_one_journal(world: World) -> None:
    place = world.environment()
    place.add(Thing(thing_id="T1"))
    place.add(Item(item_id="I1"), twin="beta")
    place.add(Thing(thing_id="T2"))
    assert [(record.seq, record.twin) for record in place.records()] == [(1, "alpha"), (2, "beta"), (3, "alpha")]
    assert [*net(place.records())] == [
        RowLocation("alpha", "things", ("T1",)),
        RowLocation("alpha", "things", ("T2",)),
        RowLocation("beta", "items", ("I1",)),
    ]


def number_of(db: Store) -> int:
    """How often it was changed."""
    return db.get(Thing, "T1").count


def test_two_environments_never_see_each_other(world: World) -> None:
    places = [world.environment(Thing(thing_id="T1")) for _ in range(40)]
    for number in range(3):
        for n, place in enumerate(places):
            place.write(lambda db, n=n: db.change(db.get(Thing, "T1"), text=f"{n}", count=number_of(db) + 1))
            place.add(Thing(thing_id=f"N{n}-{number}"))
    for n, place in enumerate(places):
        rows = place.read(lambda db: db.rows(Thing))
        assert [row.thing_id for row in rows] == [f"N{n}-0", f"N{n}-1", f"N{n}-2", "T1"]
        assert (rows[-1].text, rows[-1].count, len(place.records())) == (f"{n}", 3, 6)

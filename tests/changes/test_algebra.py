"""A full diff of everything loses nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.storage.conformance.journals import OPERATIONS, Sequence, perform
from tests.storage.conformance.worlds import SCHEMAS, Item, Place, Thing, World
from twindiff.changes import diff
from twindiff.changes.algebra import DiffDoesNotFit, State, apply, invert

KEYS = {f"{twin}.{table.name}": table.key for twin, schema in SCHEMAS.items() for table in schema.tables.values()}


def state_of(place: Place) -> State:
    state: State = {name: {} for name in KEYS}
    for (twin, table, key), values in place.state().items():
        state[f"{twin}.{table}"][key] = values
    return state


def between(place: Place, start: int, end: int) -> dict[str, list[dict[str, object]]]:
    records = place.engine.difference(place.env, start, end)
    return diff(records, SCHEMAS, include="all", several_twins=True)


def played(world: World, operations: list[Sequence]) -> tuple[Place, list[State]]:
    """An environment after some operations, and its state at every point."""
    place = world.environment(Thing(thing_id="T1", text="x", data={"a": 1}), Thing(thing_id="T2"))
    states = [state_of(place)]
    for operation in operations:
        _, seq = place.do(lambda moment, operation=operation: [perform(moment.db, step) for step in operation.steps])
        states += [state_of(place)] if seq else []
        if operation.twin_too:
            place.write(lambda db: db.add(Item(item_id=f"I{db.next('id')}")), "beta")
            states.append(state_of(place))
    return place, states


@settings(max_examples=60)
@given(operations=OPERATIONS, points=st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_any_diff_leads_from_its_first_state_to_its_last_and_back(
    world: World, operations: list[Sequence], points: tuple[int, int]
):
    place, states = played(world, operations)
    start, end = (min(point, len(states) - 1) for point in points)
    forth = between(place, start, end)
    assert apply(states[start], forth, KEYS) == states[end]
    assert apply(states[end], invert(forth), KEYS) == states[start]
    assert apply(states[end], between(place, end, start), KEYS) == states[start]


@settings(max_examples=40)
@given(operations=OPERATIONS, point=st.integers(0, 9))
def test_two_diffs_in_a_row_are_one(world: World, operations: list[Sequence], point: int):
    place, states = played(world, operations)
    end = len(states) - 1
    middle = min(point, end)
    first, second = between(place, 0, middle), between(place, middle, end)
    assert apply(apply(states[0], first, KEYS), second, KEYS) == apply(states[0], between(place, 0, end), KEYS)


@settings(max_examples=30)
@given(operations=OPERATIONS)
def test_turning_round_twice_is_staying(world: World, operations: list[Sequence]):
    place, states = played(world, operations)
    net = between(place, 0, len(states) - 1)
    assert invert(invert(net)) == net


def test_a_diff_of_one_twin_names_tables_alone(place: Place):
    before = {"things": state_of(place)["alpha.things"]}
    place.write(lambda db: db.change(db.get(Thing, "T1"), text="y"))
    net = diff(place.engine.difference(place.env, 0, 1), SCHEMAS, include="all")
    after = apply(before, net, {"things": ("thing_id",)})
    assert after == {"things": state_of(place)["alpha.things"]}
    assert after["things"]["T1",]["text"] == "y"


def test_a_diff_that_does_not_fit_says_where(place: Place):
    before = state_of(place)
    place.write(lambda db: db.change(db.get(Thing, "T1"), text="y"))
    net = between(place, 0, 1)
    for state in ({name: {} for name in KEYS}, apply(before, net, KEYS)):
        with pytest.raises(DiffDoesNotFit, match=r"alpha\.things \('T1',\) is"):
            apply(state, net, KEYS)


def test_true_does_not_fit_where_one_was(place: Place):
    before = state_of(place)
    place.write(lambda db: db.change(db.get(Thing, "T1"), data="new"))
    net = between(place, 0, 1)
    before["alpha.things"]["T1",] = {**before["alpha.things"]["T1",], "data": [True]}
    with pytest.raises(DiffDoesNotFit):
        apply(before, net, KEYS)


def test_a_diff_leaves_the_state_it_is_applied_to_alone(place: Place):
    before = state_of(place)
    kept = {name: dict(rows) for name, rows in before.items()}
    place.write(lambda db: db.remove(db.get(Thing, "T1")))
    assert apply(before, between(place, 0, 1), KEYS) != before == kept

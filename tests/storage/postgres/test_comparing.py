"""What differs between two points, as the journal in the database tells it."""

from __future__ import annotations

import pytest

from tests.storage.conformance.worlds import Item, Thing, World, difference

pytestmark = pytest.mark.postgres


def test_what_differs_between_two_points_is_told_for_each_twin(world: World) -> None:
    place = world.environment(Thing(thing_id="T1"), Thing(thing_id="T2"))
    before = place.state()
    place.write(lambda db: db.change(db.get(Thing, "T1"), text="changed"))
    place.add(Item(item_id="I1"), Item(item_id="I2"), twin="beta")
    place.write(lambda db: db.remove(db.get(Thing, "T2")))
    compared = place.engine.compare(place.env, place.origin, 0, 3)
    assert compared is not None
    told = {record.twin: sorted(record.changes, key=lambda change: change.key) for record in compared.records}
    assert told == {twin: difference(before, place.state(), twin) for twin in ("alpha", "beta")}

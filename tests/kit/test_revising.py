"""An update changes what is different, and says so only then."""

from collections.abc import Iterator

import pytest

from tests.storage.conformance.worlds import Place, Thing, World
from twindiff.kit import UNSET, revise
from twindiff.kit.store import Store
from twindiff.storage.sqlite import SqliteEngine

STAMP = {"touched_at": "2026-01-01T00:00:00"}


@pytest.fixture
def place() -> Iterator[Place]:
    world = World(lambda: SqliteEngine(":memory:"))
    yield world.environment(Thing(thing_id="T1", text="old", number=1, data={"a": 1}))
    world.engine.close()


def revised(place: Place, **wanted: object) -> Thing:
    return place.write(lambda db: revise(db, db.get(Thing, "T1"), stamp=STAMP, **wanted))


def test_what_differs_is_set_and_stamped(place: Place):
    row = revised(place, text="new", number=1, data=UNSET)
    assert (row.text, row.number, row.data, row.touched_at) == ("new", 1, {"a": 1}, STAMP["touched_at"])


def test_nothing_is_written_when_nothing_differs(place: Place):
    row = revised(place, text="old", number=UNSET, data={"a": 1})
    assert (row.touched_at, place.records()) == (None, [])


def test_null_is_a_value(place: Place):
    assert revised(place, text=None).text is None


def test_without_a_stamp_nothing_is_stamped(place: Place):
    def work(db: Store) -> Thing:
        return revise(db, db.get(Thing, "T1"), text="new")

    assert place.write(work).touched_at is None


def test_an_unknown_column_is_refused_by_name(place: Place):
    with pytest.raises(TypeError, match="Table 'things' has no column 'colour'; it has thing_id, text"):
        revised(place, colour="red")

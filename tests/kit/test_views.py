"""A view shows a row as an API does."""

from typing import Any

import pytest

from tests.storage.conformance.worlds import Link, Thing
from twindiff.kit import View


def test_a_field_is_a_column_a_function_or_a_constant():
    thing = View(Thing, {"from": Thing.parent_id}, object="thing", id=Thing.thing_id, size=lambda row: row.count * 2)
    row = Thing(thing_id="T1", parent_id="T0", count=4)
    assert thing(row) == {"from": "T0", "object": "thing", "id": "T1", "size": 8}
    assert list(thing.fields) == ["from", "object", "id", "size"]


def test_a_name_may_hold_any_letters():
    assert View(Thing, {"it's \"}{": None})(Thing(thing_id="T1")) == {"it's \"}{": None}


@pytest.mark.parametrize("constant", [[], {}])
def test_a_constant_that_can_change_is_refused(constant: Any):
    with pytest.raises(TypeError, match="would be shared by all answers"):
        View(Thing, tags=constant)


@pytest.mark.parametrize("column", [Link.rank, Thing.data.json("a"), Thing.count + 1])
def test_a_view_shows_columns_of_its_table(column: Any):
    with pytest.raises(TypeError, match="A view of Thing shows its columns"):
        View(Thing, field=column)

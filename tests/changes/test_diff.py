"""What a diff shows, and how it marks what is derived."""

from typing import Any

from tests.storage.conformance.worlds import SCHEMAS, Echo, Item, Link, Place, Receipt, Thing
from twindiff.changes import Include, Rows, diff
from twindiff.kit.store import Store
from twindiff.storage.journal import JournalRecord, RowChange

NOTHING = {"inserts": [], "updates": [], "deletes": []}


def shown(
    place: Place, include: Include = "plain", rows: Rows = "full", *, several_twins: bool = False, after: int = 0
) -> dict[str, list[dict[str, Any]]]:
    """The diff since a point."""
    records = place.engine.difference(place.env, after, place.engine.seq(place.env))
    return diff(records, SCHEMAS, include=include, rows=rows, several_twins=several_twins)


def tables(net: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    return {kind: [row["__table__"] for row in rows] for kind, rows in net.items()}


def busy(db: Store) -> None:
    """A write to tables of every kind."""
    db.change(db.get(Thing, "T1"), text="y", touched_at="2026-01-31T09:30:00")
    db.change(db.get(Thing, "T2"), touched_at="2026-01-31T09:30:00")
    db.add(Link(thing_id="T1", rank=1))
    db.remove(db.get(Echo, "E1"))
    db.add(Echo(echo_id="E2"))
    db.add(Receipt(receipt_id=1, token="t"))


def test_nothing_changed_is_an_empty_diff(place: Place):
    assert shown(place) == shown(place, "all") == NOTHING


def test_a_plain_diff_leaves_out_what_is_derived_and_bookkeeping(place: Place):
    place.write(busy)
    plain = shown(place)
    assert tables(plain) == {"inserts": ["links"], "updates": ["things"], "deletes": []}
    assert plain["inserts"] == [{"__table__": "links", "thing_id": "T1", "rank": 1, "note": None}]


def test_an_update_has_whole_rows_and_says_what_changed_and_what_of_it_is_derived(place: Place):
    place.write(busy)
    (update,) = shown(place)["updates"]
    assert (update["changed"], update["derived"]) == (["text", "touched_at"], ["touched_at"])
    assert (update["before"]["text"], update["after"]["text"], update["after"]["data"]) == ("x", "y", [1])
    assert update["before"].keys() == update["after"].keys() == SCHEMAS["alpha"].tables["things"].columns.keys()


def test_a_derived_diff_has_derived_rows_and_updates_too_and_marks_them(place: Place):
    place.write(busy)
    derived = shown(place, "derived")
    assert tables(derived) == {"inserts": ["echoes", "links"], "updates": ["things", "things"], "deletes": ["echoes"]}
    assert [row.get("__derived__") for row in derived["inserts"]] == [True, None]
    assert [row["said"] for row in derived["deletes"]] == ["old"]
    assert [(row["changed"], row["derived"]) for row in derived["updates"]][1] == (["touched_at"], ["touched_at"])


def test_a_diff_of_all_has_bookkeeping_too(place: Place):
    place.write(busy)
    assert tables(shown(place, "all"))["inserts"] == ["echoes", "links", "receipts"]


def test_changed_rows_are_their_key_and_what_changed(place: Place):
    place.write(busy)
    (update,) = shown(place, rows="changed")["updates"]
    assert update["before"] == {"thing_id": "T1", "text": "x", "touched_at": None}
    assert update["after"] == {"thing_id": "T1", "text": "y", "touched_at": "2026-01-31T09:30:00"}
    assert shown(place, rows="changed")["inserts"] == shown(place)["inserts"]


def test_one_twin_is_not_named_and_several_are(place: Place):
    place.add(Link(thing_id="T1", rank=1))
    place.add(Item(item_id="I1"), twin="beta")
    place.write(lambda db: db.change(db.get(Thing, "T1"), text="y"))
    assert "__twin__" not in shown(place)["inserts"][0]
    named = shown(place, several_twins=True)
    assert [(row["__twin__"], row["__table__"]) for row in named["inserts"]] == [("alpha", "links"), ("beta", "items")]
    assert named["updates"][0]["__twin__"] == "alpha"


def test_rows_stand_in_order_of_twin_table_and_key(place: Place):
    for rank in (2, -1, 10):
        place.add(Link(thing_id="T1", rank=rank))
    place.add(Thing(thing_id="A"))
    inserts = shown(place)["inserts"]
    assert [row.get("rank", row["thing_id"]) for row in inserts] == [-1, 2, 10, "A"]


def test_what_was_undone_is_not_shown(place: Place):
    place.write(busy)
    place.engine.rewind(place.env, 0)
    assert shown(place, "all") == NOTHING
    assert tables(shown(place, after=1)) == {"inserts": [], "updates": ["things"], "deletes": ["links"]}


def test_a_true_that_was_one_has_changed(place: Place):
    place.write(lambda db: db.change(db.get(Thing, "T1"), data=[True]))
    place.write(lambda db: db.change(db.get(Thing, "T2"), data=1))
    place.write(lambda db: db.change(db.get(Thing, "T2"), data=True))
    assert [update["changed"] for update in shown(place)["updates"]] == [["data"], ["data"]]
    assert [update["changed"] for update in shown(place, after=2)["updates"]] == [["data"]]


def test_a_table_that_the_twin_no_longer_has_is_shown_as_it_was_written():
    change = RowChange("ghosts", ("G1",), {"ghost_id": "G1"}, {"ghost_id": "G1", "mood": "sad"})
    record = JournalRecord("e", 1, "alpha", "haunt", "U1", 0, 0, {}, [change])
    assert diff([record], SCHEMAS)["updates"] == [
        {"__table__": "ghosts", "before": change.before, "after": change.after, "changed": ["mood"], "derived": []}
    ]

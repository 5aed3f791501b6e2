"""Entries that show everything, applied in order, lead from the state before to the state after."""

import asyncio

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.test_properties import Workspace, keys_of, sequences
from tests.server.sandboxes.asking import applied, exactly, placed
from tests.storage.conformance.journals import OPERATIONS, perform
from tests.storage.conformance.worlds import SCHEMAS, Link, Place, Receipt, Thing, World
from twindiff.changes import Include
from twindiff.changes.entries import VIEWS, pointer, render_entries
from twindiff.server import Gateway, Service, Settings
from twindiff.server.apis.sandboxes.histories import JournalViews
from twindiff.storage.journal import JournalRecord, RowChange
from twindiff.storage.sqlite import SqliteEngine

SLOW = settings(max_examples=60)
TURNS = st.lists(st.tuples(OPERATIONS, st.none() | st.integers(0, 12)), max_size=3)


@pytest.fixture(scope="module")
def world():
    opened = World(lambda: SqliteEngine(":memory:"))
    yield opened
    opened.engine.close()


def state_of(place: Place):
    state = {}
    for (twin, table, key), values in place.state().items():
        if twin == "alpha":
            state |= placed([values], table, SCHEMAS[twin].tables[table].key)
            assert len(key) == len(SCHEMAS[twin].tables[table].key)
    return state


def play(place: Place, turns):
    """Some operations and a return to some point, in turns."""
    for operations, to in turns:
        for operation in operations:
            place.do(lambda moment, steps=operation.steps: [perform(moment.db, step) for step in steps])
        if to is not None:
            place.engine.rewind(place.env, min(to, place.engine.seq(place.env)))


def entries_of(place: Place, include: Include = "all"):
    """What the journal shows, rewinds resolved, as entries."""
    records = place.records()
    shown = JournalViews().extend(records, SCHEMAS).list_shown(include)
    wire = [[to_wire(change) for change in render_entries(records[seq - 1], SCHEMAS, include)] for seq in shown]
    return [{"changes": changes} for changes in wire]


def to_wire(change):
    value = {} if change.type == "remove" else {"value": change.value}
    return {"path": change.path, "type": change.type, **value}


@SLOW
@given(turns=TURNS)
def test_entries_lead_to_the_present_state_whatever_was_rewound(world, turns):
    place = world.environment(Thing(thing_id="T1", text="x", data={"a": 1}), Thing(thing_id="T2"))
    before = state_of(place)
    play(place, turns)
    assert exactly(applied(before, entries_of(place))) == exactly(state_of(place))


@SLOW
@given(turns=TURNS, cut=st.integers(0, 20))
def test_a_history_that_grows_is_that_of_the_whole_journal(world, turns, cut):
    place = world.environment(Thing(thing_id="T1"))
    play(place, turns)
    records = place.records()
    grown = JournalViews().extend(records[:cut], SCHEMAS).extend(records[cut:], SCHEMAS)
    assert grown == JournalViews().extend(records, SCHEMAS)


@SLOW
@given(turns=TURNS)
def test_a_history_shows_the_records_that_lead_to_the_present(world, turns):
    place = world.environment(Thing(thing_id="T1"))
    play(place, turns)
    led = place.engine.difference(place.env, 0, place.engine.seq(place.env))
    assert JournalViews().extend(place.records(), SCHEMAS).list_shown("all") == [record.seq for record in led]


@pytest.fixture(scope="module")
def service():
    service = Service(Settings())
    yield service
    service.close()


def entries_over_http(service, sandbox_id):
    """All entries, page by page."""

    async def ask():
        transport = httpx.ASGITransport(app=Gateway(service))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            entries, total = [], 1
            while len(entries) < total:
                query = {"include": "all", "limit": 7, "offset": len(entries)}
                page = (await client.get(f"/v1/sandboxes/{sandbox_id}/diffs", params=query)).json()
                entries, total = entries + page["diffs"], page["total"]
                if not total:
                    break
            return entries

    return asyncio.run(ask())


@settings(max_examples=40, derandomize=True, database=None)
@given(sequences, st.none() | st.integers(0, 20), sequences)
def test_entries_of_slack_lead_to_the_present_state(service, first, to, second):
    workspace = Workspace(service)
    before = rows_of(workspace)
    for operation in first:
        workspace.do(*operation)
    if to is not None:
        service.points.rewind(workspace.environment.id, min(to, service.engine.seq(workspace.environment.id)))
    for operation in second:
        workspace.do(*operation)
    entries = entries_over_http(service, workspace.environment.id)
    assert exactly(applied(before, entries)) == exactly(rows_of(workspace))


def rows_of(workspace):
    keys = keys_of(workspace.twin)
    rows_by_path = {}
    for table, rows in workspace.state().items():
        rows_by_path |= placed(rows.values(), table, keys[table])
    return rows_by_path


def test_a_composite_key_is_joined_and_what_means_something_in_a_pointer_is_escaped(world):
    place = world.environment()
    place.add(Link(thing_id="a/b~c", rank=-2))
    (entry,) = entries_of(place)
    assert [change["path"] for change in entry["changes"]] == ["/links/a~1b~0c,-2"]


@pytest.mark.parametrize(("parts", "text"), [((), ""), (("a", 1), "/a/1"), (("~1", "/"), "/~01/~1"), (("",), "/")])
def test_a_pointer_is_that_of_the_standard(parts, text):
    assert pointer(*parts) == text


def test_one_entry_for_each_changed_column_and_null_is_a_value(world):
    place = world.environment(Thing(thing_id="T1", text="x", number=1))
    place.write(lambda db: db.change(db.get(Thing, "T1"), text=None, number=2))
    (entry,) = entries_of(place)
    assert entry["changes"] == [
        {"path": "/things/T1/text", "type": "replace", "value": None},
        {"path": "/things/T1/number", "type": "replace", "value": 2},
    ]


def test_true_in_place_of_one_is_a_change(world):
    place = world.environment(Thing(thing_id="T1", data=1))
    place.write(lambda db: db.change(db.get(Thing, "T1"), data=True))
    (entry,) = entries_of(place)
    assert [repr(change["value"]) for change in entry["changes"]] == ["True"]


def test_a_plain_view_tells_of_a_row_the_columns_that_are_not_derived(world):
    place = world.environment(Thing(thing_id="T1"))
    at = "2026-01-31T09:30:00"
    place.write(lambda db: db.change(db.get(Thing, "T1"), text="y", touched_at=at))
    place.write(lambda db: db.change(db.get(Thing, "T1"), touched_at=None))
    paths = {
        include: [[change["path"] for change in entry["changes"]] for entry in entries_of(place, include)]
        for include in VIEWS
    }
    assert paths["plain"] == [["/things/T1/text"]]
    assert paths["derived"] == [["/things/T1/text", "/things/T1/touched_at"], ["/things/T1/touched_at"]]


def test_bookkeeping_is_told_to_those_who_ask_for_all(world):
    place = world.environment()
    place.add(Receipt(receipt_id=1, token="t"))
    assert [len(entries_of(place, include)) for include in VIEWS] == [0, 0, 1]


def test_a_table_that_the_twin_no_longer_has_is_told():
    change = RowChange("ghosts", ("G1",), {"ghost_id": "G1"}, {"ghost_id": "G1", "mood": "sad"})
    record = JournalRecord("e", 1, "alpha", "haunt", "U1", 0, 0, {}, [change])
    assert [to_wire(each) for each in render_entries(record, SCHEMAS)] == [
        {"path": "/ghosts/G1/mood", "type": "replace", "value": "sad"}
    ]

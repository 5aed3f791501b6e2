"""A record of stored rows is read as the rows by column that it stands for; those of earlier releases still are."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.events import Event
from twindiff.storage import journal
from twindiff.storage.journal import JournalRecord, RowChange
from twindiff.storage.sqlite.records import Columns, StoredRecord, decode, encode
from twindiff.storage.values import canonical, json_text

NAMES = ("id", "data", "done", "size")
COLUMNS = Columns(NAMES, json=(1,), boolean=(2,))
NUMBERS, NUMBERED = {COLUMNS.packed: 3}, {3: COLUMNS.packed}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
ROW = st.tuples(st.just("T1"), JSON, st.none() | st.booleans(), st.none() | st.floats(allow_nan=False))
CHANGE = st.tuples(st.none() | ROW, st.none() | ROW).filter(any)


def stored(row: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """A row as SQLite stores it."""
    if row is None:
        return None
    id, data, done, size = row
    return id, None if data is None else json_text(data), None if done is None else int(done), size


def by_column(row: tuple[Any, ...] | None) -> dict[str, Any] | None:
    return None if row is None else dict(zip(NAMES, map(canonical, row), strict=True))


@given(st.lists(CHANGE, max_size=4))
def test_stored_rows_are_read_by_column(pairs: list[tuple[Any, Any]]):
    start = ("e1", 7, "alpha", "write", "U1", 5, 6, {"id": 3})
    events = [Event("written", {"seq": 7})]
    changes = [("things", ("T1",), stored(before), stored(after)) for before, after in pairs]
    packed = encode(StoredRecord(*start, changes, None, events, {"things": COLUMNS.packed}), NUMBERS.__getitem__)
    same = [RowChange("things", ("T1",), by_column(before), by_column(after)) for before, after in pairs]
    read = decode(packed, NUMBERED.__getitem__)
    assert read == JournalRecord(*start, same, None, events)
    assert repr(read) == repr(JournalRecord(*start, same, None, events))  # in which True is not 1
    assert decode(journal.encode(read), {}.__getitem__) == read


def test_a_row_that_was_updated_is_kept_once_with_what_differs():
    long = "x" * 1000
    before, after = ("T1", json_text({"text": long}), 0, None), ("T1", json_text({"text": long}), 1, None)
    change = ("things", ("T1",), before, after)
    record = StoredRecord("e1", 7, "alpha", "write", "U1", 5, 6, {}, [change], None, [], {"things": COLUMNS.packed})
    packed = encode(record, NUMBERS.__getitem__)
    assert packed.count(long.encode()) == 1
    (read,) = decode(packed, NUMBERED.__getitem__).changes
    assert (read.before, read.after) == tuple(
        {"id": "T1", "data": {"text": long}, "done": done, "size": None} for done in (False, True)
    )
